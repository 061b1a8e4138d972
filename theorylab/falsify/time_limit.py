"""An alarm ends what takes too long: one endless instance must not eat the budget.

It is no ``Exception``, so that whoever tries something else where something fails does not take it
for a failure. It harms nothing: what an import has begun, and the beginning and the end of a
``with``, go on to their end before it is heard, for a module that was cut short would stay in
``sys.modules`` as half of itself. Three things still keep it from being heard: code that catches
everything, one long call of compiled code, and a hook for ignored errors that somebody sets inside.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from types import FrameType, TracebackType
from typing import Any

_NEVER = 1e9  # seconds, beyond which no timer is set
_IMPORTS = "<frozen importlib._bootstrap>"  # the frames that every import goes through
_AGAIN = 1e-3  # seconds after which an alarm that was lost rings again


def at_most(seconds: float, processor: bool = False) -> contextlib.AbstractContextManager[None]:
    """TimeoutError after ``seconds`` (0: never) of the wall, or of the processor's time.

    Raises ValueError, one line, where they are negative or nan.

    Only where alarms reach: on a system that has them, in the main thread, and where nobody else
    has set one. One that rings inside a finalizer or a callback of the garbage collector is lost,
    since Python passes on no error of those: it rings again at once, and nobody is told of an
    ignored error.
    """
    if not seconds >= 0:
        raise ValueError(f"at_most: seconds is {seconds}; need >= 0")
    return _Alarm(seconds, processor) if hasattr(signal, "setitimer") else contextlib.nullcontext()


class _Late(BaseException):
    def __init__(self, alarm: _Alarm) -> None:
        super().__init__()
        self.alarm = alarm


class _Alarm(contextlib.AbstractContextManager[None]):
    def __init__(self, seconds: float, processor: bool) -> None:
        real, profiled = (signal.ITIMER_REAL, signal.SIGALRM), (signal.ITIMER_PROF, signal.SIGPROF)
        self.seconds, (self.kind, self.heard) = seconds, profiled if processor else real
        self.set = self.over = False
        self.depth = 0  # frames of what set it, which are not its own

    def __enter__(self) -> None:
        main = threading.current_thread() is threading.main_thread()
        if not 0 < self.seconds < _NEVER or not main or signal.getitimer(self.kind)[0]:
            return
        self.before, self.told = signal.getsignal(self.heard), sys.unraisablehook
        self.depth = _depth(sys._getframe().f_back)
        self.set, sys.unraisablehook = True, self._lost
        signal.signal(self.heard, self._ring)
        signal.setitimer(self.kind, self.seconds)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.over = True
        if self.set:
            signal.setitimer(self.kind, 0.0)
            signal.signal(self.heard, self.before)
            if sys.unraisablehook == self._lost:  # else another one's took its place
                sys.unraisablehook = self.told
        if isinstance(error, _Late) and error.alarm is self:
            raise TimeoutError(f"not judged within {self.seconds:.1f} s") from None

    def _ring(self, _: int, frame: FrameType | None) -> None:
        own = frame is not None and frame.f_code in _OWN
        # at its beginning, at its end and in what that calls, or in what must not be cut short
        if own or self.over or _begun(frame, self.depth):
            signal.setitimer(self.kind, 0.0 if self.over else _AGAIN)
            return
        raise _Late(self)

    def _lost(self, ignored: Any) -> None:
        if isinstance(ignored.exc_value, _Late) and ignored.exc_value.alarm is self:
            signal.setitimer(self.kind, 0.0 if self.over else _AGAIN)
        else:
            self.told(ignored)


def _depth(frame: FrameType | None) -> int:
    deep = 0
    while frame is not None:
        deep, frame = deep + 1, frame.f_back
    return deep


def _begun(frame: FrameType | None, depth: int) -> bool:
    """Whether an import, or the beginning or the end of a ``with``, is at work in the innermost
    frames, down to ``depth`` of them."""
    for _ in range(_depth(frame) - depth):
        assert frame is not None
        code = frame.f_code
        if code.co_filename == _IMPORTS or code.co_name in ("__enter__", "__exit__"):
            return True
        frame = frame.f_back
    return False


_OWN = {each.__code__ for each in (_Alarm.__enter__, _Alarm.__exit__, _Alarm._ring, _Alarm._lost)}
