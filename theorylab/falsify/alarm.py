"""An alarm ends what takes too long: one endless instance must not eat the budget."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

_AGAIN = 1e-3  # seconds after which an alarm that was lost rings again


class _LateError(TimeoutError):
    kind: int  # of the timer


@contextlib.contextmanager
def at_most(seconds: float, processor: bool = False) -> Iterator[None]:
    """TimeoutError after ``seconds`` (0: never) of the wall, or of the processor's time.

    Only where alarms reach: in the main thread, and where nobody else has set one. An alarm that
    rings inside a finalizer or a callback of the garbage collector is lost, since Python passes on
    no error of those: it rings again at once, and nobody is told of an ignored exception.
    """
    free = threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")
    kind, heard = (
        (signal.ITIMER_PROF, signal.SIGPROF) if processor else (signal.ITIMER_REAL, signal.SIGALRM)
    )
    if not seconds or not free or signal.getitimer(kind)[0]:
        yield
        return

    def ring(*_: Any) -> None:
        rung = _LateError(f"not judged within {seconds:.1f} s")
        rung.kind = kind
        raise rung

    def lost(ignored: Any) -> None:
        if isinstance(ignored.exc_value, _LateError) and ignored.exc_value.kind == kind:
            signal.setitimer(kind, _AGAIN)
        else:
            told(ignored)

    before, told = signal.getsignal(heard), sys.unraisablehook
    try:
        try:
            sys.unraisablehook = lost
            signal.signal(heard, ring)
            signal.setitimer(kind, seconds)
            yield
        finally:  # the alarm may ring on this very line
            signal.setitimer(kind, 0.0)
    finally:
        signal.signal(heard, before)
        sys.unraisablehook = told
