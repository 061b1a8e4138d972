"""Processes beside this one: what they may import, and that nobody waits for one in vain.

``python -m`` and ``python -c`` put the current folder first on the import path, so that a file of
that folder, a student's ``random.py`` or a stranger's ``joblib.py``, would run in every process
that a pool starts. ``PYTHONSAFEPATH`` leaves the folder out. What a process needs of the import
path of its parent comes with what it is given to do.
"""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterator

STOPPED = "A worker stopped while some jobs were given"
_NAME = "PYTHONSAFEPATH"
_GIVEN = "THEORYLAB_SAFEPATH_GIVEN"  # what the user had said of it
# For the environment of a pool, which may replace a process at any time.
SAFE = {_NAME: "1", _GIVEN: os.environ.get(_GIVEN, os.environ.get(_NAME, ""))}


@contextlib.contextmanager
def apart() -> Iterator[None]:
    """Processes that are started inside import nothing from the current folder.

    A pool of joblib warns in a thread of its own where it replaces a process. Where warnings are
    errors, that thread would end, and who waits for the pool would wait for ever; so that warning
    is silenced for as long as this process lives.
    """
    warnings.filterwarnings("ignore", STOPPED, UserWarning)
    before = {name: os.environ.get(name) for name in SAFE}
    os.environ.update(SAFE)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def as_given() -> None:
    """In a process that was started so: what code of others starts has the user's environment."""
    if not os.environ.pop(_GIVEN, "1"):
        os.environ.pop(_NAME, None)
