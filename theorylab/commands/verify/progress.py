"""How far the checks of ``theorylab verify`` are, on stderr: a bar on a terminal, else lines."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from theorylab.commands.progress import bar
from theorylab.commands.refusal import printable, tell
from theorylab.commands.verify.terminal import MANY, counted, name_of
from theorylab.report.standing import OPEN, Judged, Standing, standing
from theorylab.verdicts.result import NotRun

if TYPE_CHECKING:
    from theorylab.verdicts import Job

_LOGGED = 4  # lines of progress where there are many: a log of thousands hides what matters


class Progress(Protocol):
    def finished(self, job: Job, result: Judged, stored: bool) -> None: ...

    def within(self, fraction: float) -> None: ...

    def note(self, line: str) -> None: ...


class _Lines:
    """A line a check; of many a line a quarter, and each that is not expected. ``quiet``: notes.

    What could not be judged has its line, with the reason, at the end.
    """

    def __init__(self, total: int, quiet: bool) -> None:
        self._total, self._done, self._quiet = total, 0, quiet
        self._stands: Counter[Standing] = Counter()

    def finished(self, job: Job, result: Judged, stored: bool) -> None:
        self._done += 1
        if self._quiet:
            return
        self._stands[standing(result)] += 1
        if standing(result) is Standing.NOT_JUDGED:
            return
        if self._total > MANY and standing(result) not in OPEN:
            if _LOGGED * self._done % self._total < _LOGGED:  # once in a quarter of the checks
                self.note(f"[{self._done}/{self._total}] {counted(self._stands)}")
            return
        if isinstance(result, NotRun):
            self.note(f"[{self._done}/{self._total}] {name_of(result)}: {result.told}")
            return
        how = "stored" if stored else f"{result.seconds:.1f} s"
        line = f"[{self._done}/{self._total}] {name_of(result)}: {result.told}"
        stands = f"{standing(result).value}, " if result.expected else ""
        self.note(f"{line} ({stands}{how})")

    def within(self, fraction: float) -> None:
        pass

    def note(self, line: str) -> None:
        tell(line, file=sys.stderr, flush=True)


@contextmanager
def progress(total: int, quiet: bool = False) -> Iterator[Progress]:
    """A bar on stderr where that is a terminal, else plain lines; neither where ``quiet``."""
    if quiet or not sys.stderr.isatty():
        yield _Lines(total, quiet)
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
