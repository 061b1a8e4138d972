"""Bad input ends a command with one line; where input enters, its errors become a ``Refused``.

``theorylab --help`` imports this module, so it imports nothing that takes time.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path


class Refused(Exception):  # noqa: N818  it is no fault of the program
    """Bad input: the one line to print. Exit code 2."""


def one_line(text: object) -> str:
    """``text`` without line breaks: every error is one line."""
    return " ".join(str(text).split())


@contextlib.contextmanager
def refusing(where: str = "") -> Iterator[None]:
    """Turn what bad input raises into ``Refused``. For calls that check input, and only those."""
    try:
        yield
    except (ValueError, TypeError, OSError) as error:
        raise Refused(f"{where}: {_text(error)}" if where else _text(error)) from error


def check_target(option: str, target: str | None) -> None:
    """Refuse a ``FILE|-`` that could not be written, before any work is done."""
    if target is None or target == "-":
        return
    from theorylab.report.atomic import check_named

    path = Path(target)
    with refusing(f"{option} {target}"):
        if not path.parent.is_dir():
            raise ValueError(f"{path.parent} is no directory; need one that exists")
        check_named(path)


def write_target(option: str, target: str, text: str) -> None:
    """Write ``text`` to stdout for ``-``, else to the file (``write_named``)."""
    if target == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    from theorylab.report.atomic import write_named

    with refusing(f"{option} {target}"):
        write_named(Path(target), text)


def _text(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror.lower()}; need a path that can be written"
    return one_line(error)
