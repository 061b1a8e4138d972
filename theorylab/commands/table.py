"""A table on stdout, for people."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from theorylab.commands.refusal import printable

_WIDTH = 150  # where stdout is no terminal, rich would cut at 80


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError  # rich would end the process with exit code 1


def console() -> Console:
    """stdout, as wide as the terminal, or wide enough for a table where there is none."""
    free = sys.stdout.isatty() or "COLUMNS" in os.environ
    return _Console(file=sys.stdout, width=None if free else _WIDTH)


def print_table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], styles: Sequence[str] = ()
) -> None:
    """A table on stdout; a column whose name starts with ``>`` holds numbers.

    Cells are plain text: ``[printed]`` is no markup, and no control character gets through. The
    last column wraps, the others do not where the terminal is wide enough.
    """
    table = Table(
        title=Text(title),
        box=box.SIMPLE_HEAD,
        title_justify="left",
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    for name in columns:
        side = "right" if name.startswith(">") else "left"
        table.add_column(name.lstrip(">"), justify=side, overflow="fold")  # type: ignore[arg-type]
    for index, row in enumerate(rows):
        style = styles[index] if styles else ""
        table.add_row(*[Text(printable(cell)) for cell in row], style=style)
    console().print(table)
