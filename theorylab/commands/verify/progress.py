"""How far the checks of ``theorylab verify`` are, on stderr: a bar on a terminal; with ``--long``
lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from theorylab.commands.progress import bar
from theorylab.commands.refusal import printable, tell
from theorylab.commands.verify.terminal import name_of
from theorylab.report.standing import Judged, Standing, standing
from theorylab.verdicts.result import NotRun

if TYPE_CHECKING:
    from theorylab.verdicts import Job


class Progress(Protocol):
    def finished(self, job: Job, result: Judged, stored: bool) -> None: ...

    def within(self, fraction: float) -> None: ...

    def note(self, line: str) -> None: ...


class _Lines:
    """A line a check where ``each``, else none; what could not be judged is told at the end."""

    def __init__(self, total: int, each: bool) -> None:
        self._total, self._done, self._each = total, 0, each

    def finished(self, job: Job, result: Judged, stored: bool) -> None:
        self._done += 1
        if not self._each or standing(result) is Standing.NOT_JUDGED:
            return
        line = f"[{self._done}/{self._total}] {name_of(result)}: {result.told}"
        if not isinstance(result, NotRun):
            how = "stored" if stored else f"{result.seconds:.1f} s"
            stands = f"{standing(result).value}, " if result.expected else ""
            line += f" ({stands}{how})"
        self.note(line)

    def within(self, fraction: float) -> None:
        pass

    def note(self, line: str) -> None:
        tell(line, file=sys.stderr, flush=True)


@contextmanager
def progress(total: int, quiet: bool = False, long: bool = False) -> Iterator[Progress]:
    """A bar on stderr where that is a terminal, else a line a check where ``long``; neither where
    ``quiet``."""
    if quiet or not sys.stderr.isatty():
        yield _Lines(total, long and not quiet)
        return
    from rich.markup import escape

    with bar() as shown:
        task = shown.add_task("", total=total)

        class Bar:
            done = 0

            def finished(self, job: Job, result: Judged, stored: bool) -> None:
                self.done += 1
                text = escape(printable(f"{name_of(result)}: {result.told}"))
                shown.update(task, completed=self.done, description=text)

            def within(self, fraction: float) -> None:
                shown.update(task, completed=self.done + min(max(fraction, 0.0), 0.99))

            def note(self, line: str) -> None:
                shown.console.print(printable(line), markup=False, highlight=False)

        yield Bar()
