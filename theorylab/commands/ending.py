"""How a command line ends: its exit code, and the one line that says why.

``theorylab --help`` imports this module, so it imports nothing that takes time.
"""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence

import typer

from theorylab.commands.options import Options
from theorylab.commands.refusal import DEBUG, Refused, one_line, tell
from theorylab.extras import MissingExtraError

EXIT = """Exit codes: 0 all as expected; 1 a verdict differs from the expected one, a
counterexample was found, or a run diverged; 2 bad input, a check that could not be judged, an
extra that is not installed, or no room for what comes out; 3 a fault of theorylab; 4 no verdict
differs, but some are undecided; 130 interrupted; 141 what reads stdout has closed it."""
# how the core complains of what it reads
_FORCED = ("THEORYLAB_ISA: ", "THEORYLAB_REUSE: ", "THEORYLAB_THREADS: ")
_INTERRUPTED = 130
_CLOSED = 141  # what a shell reports of a program that SIGPIPE ends, as head ends others


def ended(call: Callable[[], object], given: Sequence[str], kept: Mapping[str, str]) -> int:
    """The exit code of ``call``, which runs the command line ``given``.

    kept: of each command what an interrupt says of the work that was done.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller: what is told goes nowhere
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a name need not have letters that a terminal has
            stream.reconfigure(errors="backslashreplace")
    try:
        _check_text(given)
        code = call()
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit) as error:
        if isinstance(error, SystemExit) and not isinstance(error.__context__, BrokenPipeError):
            return 0 if _completes(given) and not error.code else _complained(error, given, kept)
        _drop_stdout()  # typer makes a SystemExit of a closed pipe
        return _CLOSED
    except (Exception, KeyboardInterrupt) as error:
        return _complained(error, given, kept)
    if code == _INTERRUPTED:  # typer has caught it
        return _complained(KeyboardInterrupt(), given, kept)
    return code if isinstance(code, int) else 0


def _complained(error: BaseException, given: Sequence[str], kept: Mapping[str, str]) -> int:
    command = next((word for word in given if word in kept), "")
    if isinstance(error, (KeyboardInterrupt, typer.Abort)):
        told = kept.get(command, Options.kept)
        return _complain(f"interrupted; {told}", _INTERRUPTED)
    if isinstance(error, Refused):
        return _complain(str(error), 2)
    forced = isinstance(error, ImportError) and str(error).startswith(_FORCED)
    if forced or isinstance(error, MissingExtraError):
        return _complain(str(error), 2)
    if isinstance(error, OSError):  # where a path is a command's own input, it says more
        _drop_stdout()  # if that is what is full, it would complain again at the end
        return _complain(f"{error.strerror or error}{_of(error)}; need room, and a right to it", 2)
    if isinstance(error, MemoryError):
        return _complain(f"out of memory{': ' * bool(str(error))}{error}; need smaller sizes", 2)
    if hasattr(error, "format_message"):  # a usage error of click, wherever typer keeps it
        text = f"{command}: {error.format_message()}" if command else error.format_message()
        return _complain(
            f"{text.rstrip('.')}; see theorylab {command}{' ' * bool(command)}--help", 2
        )
    return _complain(
        f"internal: {type(error).__name__}: {error}; this is a fault of theorylab, "
        f"need {DEBUG}=1 and the same command to see where",
        3,
    )


def _completes(given: Sequence[str]) -> bool:
    """Whether a shell asks for completion, which ends by a SystemExit."""
    flags = ("--show-completion", "--install-completion")
    return "_THEORYLAB_COMPLETE" in os.environ or (given[:1] or [""])[0] in flags


def _complain(line: str, code: int) -> int:
    with contextlib.suppress(BrokenPipeError):  # nobody listens
        if os.environ.get(DEBUG) == "1" and sys.exc_info()[0] is not None:
            tell(traceback.format_exc(), file=sys.stderr)
        tell(f"theorylab: {one_line(line)}", file=sys.stderr)
    return code


def _check_text(given: Sequence[str]) -> None:
    for argument in given:
        try:
            argument.encode()
        except UnicodeEncodeError:  # it would break the first JSON that holds it
            shown = argument.encode("utf-8", "backslashreplace").decode()
            raise Refused(f"{shown}: is no UTF-8; need a name that is") from None


def _of(error: OSError) -> str:
    return "" if error.filename is None else f" ({error.filename})"


def _drop_stdout() -> None:
    """Send what is left in stdout's buffer nowhere: flushing it at exit would fail once more."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        number = os.open(os.devnull, os.O_WRONLY)
        os.dup2(number, sys.stdout.fileno())
        os.close(number)
