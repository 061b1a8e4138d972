"""Bad input ends a command with one line; where input enters, its errors become a ``Refused``.

``theorylab --help`` imports this module, so it imports nothing that takes time.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from theorylab.characters import json_printable
from theorylab.characters import printable as printable

DEBUG = "THEORYLAB_DEBUG"  # 1: where an exception was raised is shown, too
_LONGEST = 2000  # characters of a line; a list that came may have many


class Refused(Exception):  # noqa: N818  it is no fault of the program
    """Bad input: the one line to print. Exit code 2."""


def one_line(text: object) -> str:
    """``text`` without line breaks, and cut where it has no end: every error is one line."""
    line = printable(" ".join(str(text).split()))
    return (
        line if len(line) <= _LONGEST else f"{line[: _LONGEST // 2]} ... {line[-_LONGEST // 2 :]}"
    )


def tell(*parts: object, end: str = "\n", file: TextIO | None = None, flush: bool = False) -> None:
    """``print``, of what a terminal may be given: every command says what it says by this one."""
    print(printable(" ".join(map(str, parts))), end=end, file=file, flush=flush)


def tell_over(line: str, end: str = "") -> None:
    """A line on a terminal's stderr, in the place of the one before."""
    print(f"\r\x1b[K{printable(line)}", end=end, file=sys.stderr, flush=True)


@contextlib.contextmanager
def refusing(where: str = "") -> Iterator[None]:
    """Turn what bad input raises into ``Refused``. For calls that check input, and only those."""
    try:
        yield
    except BrokenPipeError:
        raise
    except (ValueError, TypeError, OSError, OverflowError, MemoryError, RecursionError) as error:
        line = _blamed(error)
        if line is None:
            where = where or (str(getattr(error, "filename", None) or ""))
            line = _text(error)
            if where and not line.startswith(f"{where}: "):
                line = f"{where}: {line}"
        raise Refused(line) from error


def _blamed(error: Exception) -> str | None:
    """Which line of a user's file raised it, where one did and ``error`` does not say so itself."""
    user_file = sys.modules.get("theorylab.user_file")
    if user_file is None or isinstance(error, user_file.UserFaultError):
        return None
    line: str | None = user_file.blamed(error)
    return None if line is None else one_line(line)


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
        sys.stdout.write(_piped(option, text))
        sys.stdout.flush()
        return
    from theorylab.report.atomic import write_named

    with refusing(f"{option} {target}"):
        write_named(Path(target), text)


def _text(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror.lower()}; need a path that can be written"
    if isinstance(error, MemoryError):
        return f"out of memory ({one_line(error)}); need smaller sizes"
    return one_line(error)


def _piped(option: str, text: str) -> str:
    """What goes to stdout: JSON has escapes of its own, and CSV has none, so that only a terminal
    is spared its controls."""
    if option == "--json":
        return json_printable(text)
    return printable(text.replace("\r\n", "\n")) if sys.stdout.isatty() else text
