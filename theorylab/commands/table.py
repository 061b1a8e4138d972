"""A table, or a paragraph, on stdout, for people."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len

from theorylab.commands.plain_table import drawn
from theorylab.commands.refusal import printable, tell
from theorylab.words import Verdict

if TYPE_CHECKING:
    from rich.console import Console

_WIDTH = 170  # where stdout is no terminal, rich would cut at 80
_READ = 100  # characters of a line of prose
_NARROW = 60  # a terminal where a table that would cut words is a line a cell
_LAST = 20  # characters that the last column needs
_INKS = {verdict.name: verdict.word.ink for verdict in Verdict}
_VERDICTS = re.compile(rf"\b({'|'.join(_INKS)})\b")


def console() -> Console:
    """stdout, as wide as the terminal, or wide enough for a table where there is none."""
    from rich.console import Console

    class Page(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # rich would end the process with exit code 1

    free = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Page(file=sys.stdout, width=None if free else _WIDTH)


def filled(text: str, indent: str = "") -> str:
    """A paragraph no wider than is read well; ``indent``: of its lines after the first."""
    return textwrap.fill(
        printable(text),
        min(console().width, _READ),
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def paragraph(text: str, indent: str = "") -> None:
    """Prose on stdout."""
    tell(filled(text, indent))


def print_table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], styles: Sequence[str] = ()
) -> None:
    """A table on stdout; a column whose name starts with ``>`` holds numbers.

    Cells are plain text: ``[printed]`` is no markup, and no control character gets through. The
    last column wraps, the others do not where the terminal is wide enough.
    """
    cells = [[printable(cell) for cell in row] for row in rows]
    title, columns = printable(title), [printable(name) for name in columns]
    if _plain():
        text = drawn(title, columns, cells, _widths(columns, cells, _WIDTH), _WIDTH)
        if text is not None:
            sys.stdout.write(text)
            return
    page = console()
    if page.width < _NARROW and not _words_fit(columns, cells, page.width):
        _print_stacked(title, columns, cells)
        return
    page.print(rich_table(title, columns, cells, _widths(columns, cells, page.width), styles))


def _words_fit(columns: Sequence[str], cells: Sequence[Sequence[str]], width: int) -> bool:
    """Whether every column has room for its longest word."""
    longest = (
        max((cell_len(word) for text in column for word in text.split()), default=0)
        for column in zip(columns, *cells, strict=True)
    )
    return sum(longest) + 2 * len(columns) <= width


def _print_stacked(title: str, columns: Sequence[str], cells: Sequence[Sequence[str]]) -> None:
    """A line a cell, under the name of its column; a blank line after each row."""
    if title:
        paragraph(title)
    for row in cells:
        for name, text in zip(columns, row, strict=True):
            if text:
                paragraph(f"{name.lstrip('>')}: {' '.join(text.split())}".lstrip(": "), "  ")
        tell()


def _plain() -> bool:
    """Nobody's terminal, and no wish for one: the same lines come out without rich, in a tenth of
    its time."""
    wishes = ("COLUMNS", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "JPY_PARENT_PID")
    encoding = getattr(sys.stdout, "encoding", None) or ""
    return (
        not sys.stdout.isatty()
        and encoding.lower().startswith("utf")
        and not any(wish in os.environ for wish in wishes)
    )


def rich_table(
    title: str,
    columns: Sequence[str],
    cells: Sequence[Sequence[str]],
    widths: Sequence[int | None],
    styles: Sequence[str] = (),
) -> Any:
    """The table as rich draws it."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(title),
        box=box.SIMPLE_HEAD,
        title_justify="left",
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    for name, width in zip(columns, widths, strict=True):
        side: Any = "right" if name.startswith(">") else "left"
        table.add_column(Text(name.lstrip(">")), justify=side, overflow="fold", width=width)
    for index, row in enumerate(cells):
        texts = [Text(cell) for cell in row]
        for text in texts:
            text.highlight_regex(_VERDICTS, _INKS.__getitem__)
        table.add_row(*texts, style=styles[index] if styles else "")
    return table


def fits(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> bool:
    """Whether a table of ``width`` characters needs to fold no cell."""
    longest = (max(map(cell_len, column)) for column in zip(columns, *rows, strict=True))
    return sum(longest) + 2 * len(columns) <= width


def _widths(columns: Sequence[str], cells: Sequence[Sequence[str]], most: int) -> list[int | None]:
    """Of all columns but the last, where these leave it room: rich measures every cell twice."""
    widths: list[int | None] = [
        max(cell_len(line) for text in (name.lstrip(">"), *column) for line in text.split("\n"))
        for name, column in zip(columns, zip(*cells, strict=True), strict=False)
    ]
    if not widths or sum(width or 0 for width in widths[:-1]) + len(widths) + _LAST > most:
        return [None] * len(columns)
    return [*widths[:-1], None]
