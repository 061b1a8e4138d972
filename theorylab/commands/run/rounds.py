"""How far a run is, on stderr: a bar on a terminal, else a line every few seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from theorylab.commands.progress import bar
from theorylab.commands.refusal import printable, tell
from theorylab.report.number import plain

_SECONDS = 10.0  # between two lines of a log


class Rounds(Protocol):
    def reached(self, t: int, loss: float | None) -> None: ...

    def note(self, line: str) -> None: ...


class _Lines:
    """A line now and then, for logs and pipes."""

    def __init__(self, name: str, total: int, first: int, unit: str) -> None:
        self._name, self._total, self._first, self._unit = name, total, first, unit
        self._began = self._shown = time.monotonic()

    def reached(self, t: int, loss: float | None) -> None:
        now = time.monotonic()
        if now - self._shown < _SECONDS and t < self._total:
            return
        self._shown = now
        rate = (t - self._first) / max(now - self._began, 1e-9)
        at = f"{self._unit} {t}/{self._total}"
        left = (
            f", about {_duration((self._total - t) / rate)} left"
            if rate and t < self._total
            else ""
        )
        self.note(f"{self._name}: {at}, {_text(loss)}{rate:.3g} {self._unit}s/s{left}")

    def note(self, line: str) -> None:
        tell(line, file=sys.stderr, flush=True)


@contextmanager
def rounds(name: str, total: int, first: int, unit: str = "round") -> Iterator[Rounds]:
    """Progress of the rounds ``first`` to ``total``, or of what else a run is made of."""
    if not sys.stderr.isatty():
        yield _Lines(name, total, first, unit)
        return
    from rich.markup import escape

    told = escape(printable(name))
    with bar() as shown:
        task = shown.add_task(told, total=total, completed=first)
        began = time.monotonic()

        class Bar:
            def reached(self, t: int, loss: float | None) -> None:
                rate = (t - first) / max(time.monotonic() - began, 1e-9)
                now = f"{told}: {_text(loss)}{rate:.3g} {unit}s/s"
                shown.update(task, completed=t, description=now)

            def note(self, line: str) -> None:
                shown.console.print(printable(line), markup=False, highlight=False, soft_wrap=True)

        yield Bar()


def _duration(seconds: float) -> str:
    """``40 s``, ``3.2 h``: in the largest unit of which there is one."""
    for unit, length in (("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{plain(seconds / length, digits=2)} {unit}"
    return f"{seconds:.0f} s"


def _text(loss: float | None) -> str:
    return "" if loss is None else f"loss {plain(loss)}, "
