"""A table in plain text: what rich would draw where there is no terminal."""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Sequence

from rich.cells import cell_len


def drawn(
    title: str,
    columns: Sequence[str],
    cells: Sequence[Sequence[str]],
    widths: Sequence[int | None],
    most: int,
) -> str | None:
    """The lines of the table, or None where only rich knows how to lay it out.

    Args:
        columns: their headings; one that starts with ``>`` holds numbers.
        cells: rows of texts.
        widths: of the columns; the last one, None, takes what its texts need, or what is left.
        most: characters of a line.
    """
    if not columns or not all(widths[:-1]):
        return None
    fixed = [width or 0 for width in widths[:-1]]
    edges = 2 + sum(width + 2 for width in fixed)  # a blank at both ends, two between columns
    last = [columns[-1].lstrip(">"), *(row[-1] for row in cells)]
    longest = max(cell_len(line) for text in set(last) for line in text.split("\n"))
    wide = [*fixed, min(max(1, longest), most - edges)]
    total = edges + wide[-1]
    if cell_len(title) > total or "\n" in title:
        return None
    right = [name.startswith(">") for name in columns]
    lines = [f"{_padded(title, total, False)}\n"] if title else []
    rows: list[Sequence[str]] = [[name.lstrip(">") for name in columns], *cells]
    blank = " " * total + "\n"
    lines.append(blank)
    for index, row in enumerate(rows):
        texts = [_folded(text, width) for text, width in zip(row, wide, strict=True)]
        if None in texts:
            return None
        parts = [text for text in texts if text is not None]
        for k in range(max(map(len, parts))):
            line = (
                _padded(part[k] if k < len(part) else "", width, side)
                for part, width, side in zip(parts, wide, right, strict=True)
            )
            lines.append(f" {'  '.join(line)} \n")
        if index == 0:
            lines.append(f" {'─' * (total - 2)} \n")
    lines.append(blank)
    return "".join(lines)


def _padded(text: str, width: int, right: bool) -> str:
    room = " " * (width - cell_len(text))
    return room + text if right else text + room


@functools.lru_cache(maxsize=4096)  # the versions of a statement say the same
def _folded(text: str, width: int) -> tuple[str, ...] | None:
    """The lines of a cell; None where a word has to be cut, or blanks are more than separators."""
    folded: list[str] = []
    for line in text.split("\n"):
        if line != " ".join(line.split()):
            return None
        if cell_len(line) <= width:
            folded.append(line)
            continue
        if not line.isascii() or max(map(len, line.split())) > width:
            return None
        folded += textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)
    return tuple(folded)
