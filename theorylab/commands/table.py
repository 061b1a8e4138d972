"""A table on stdout, for people."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from theorylab.commands.refusal import printable

_WIDTH = 150  # where stdout is no terminal, rich would cut at 80
_LAST = 20  # characters that the last column needs


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
    cells = [[printable(cell) for cell in row] for row in rows]
    page = console()
    widths = _widths(columns, cells, page.width)
    for name, width in zip(columns, widths, strict=True):
        side: Any = "right" if name.startswith(">") else "left"
        table.add_column(name.lstrip(">"), justify=side, overflow="fold", width=width)
    for index, row in enumerate(cells):
        table.add_row(*map(Text, row), style=styles[index] if styles else "")
    page.print(table)


def _widths(columns: Sequence[str], cells: Sequence[Sequence[str]], most: int) -> list[int | None]:
    """Of all columns but the last, where these leave it room: rich measures every cell twice."""
    widths: list[int | None] = [
        max(cell_len(line) for text in (name.lstrip(">"), *column) for line in text.split("\n"))
        for name, column in zip(columns, zip(*cells, strict=True), strict=False)
    ]
    if not widths or sum(width or 0 for width in widths[:-1]) + len(widths) + _LAST > most:
        return [None] * len(columns)
    return [*widths[:-1], None]
