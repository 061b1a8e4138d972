"""A bar on stderr where that is a terminal: of the files of a report, of what has no end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from theorylab.commands.refusal import printable, tell

if TYPE_CHECKING:
    from rich.progress import Progress


def bar() -> Progress:
    """An empty bar on stderr; what it says of the task stands at its end."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )
    from rich.progress import TimeRemainingColumn as Left

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left"), Left(),
               TextColumn("{task.description}"))  # fmt: skip
    return Progress(*columns, console=Console(stderr=True), transient=True)


@contextmanager
def writing(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr of the files of a report, called with (done, total); else one line."""
    if not sys.stderr.isatty():
        tell(f"{what}: pages, figures and tables", file=sys.stderr, flush=True)
        yield lambda done, total: None
        return
    from rich.markup import escape

    with bar() as shown:
        task = shown.add_task(escape(printable(f"{what}: pages, figures and tables")), total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)


@contextmanager
def counting() -> Iterator[Callable[[str], None] | None]:
    """A bar on stderr of what is done, with no end that is known; it is told a line of each."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.markup import escape

    with bar() as shown:
        task = shown.add_task("", total=None)

        def say(line: str) -> None:
            shown.update(task, advance=1, description=escape(printable(line)))

        yield say
