"""Whether code is theorylab's own, of which more is known than of a stranger's."""

from __future__ import annotations

_ROOT = __name__.partition(".")[0] + "."


def is_own(kind: type) -> bool:
    """Whether the class ``kind`` is one of theorylab's own; a user's subclass of one is not.

    A user's may be registered, too, and under any name: the module that holds the class tells.

    >>> from theorylab.topologies import Ring
    >>> is_own(Ring), is_own(type("Mine", (Ring,), {"__module__": "mine"}))
    (True, False)
    """
    return kind.__module__.startswith(_ROOT)
