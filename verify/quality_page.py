"""A block of a page that a command fills: a line ``<!-- NAME -->``, and a text in fences."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Sequence

from theorylab.report.atomic import write_named


def block_of(page: pathlib.Path, block: str) -> re.Match[str]:
    """The block ``<!-- NAME -->`` of a page; ValueError, one line, where the page has none."""
    text = page.read_text(encoding="utf-8")
    mark = rf"(<!-- {re.escape(block)} -->\n```text\n)(.*?)(```)"
    found = re.search(mark, text, re.DOTALL)
    if found is None:
        raise ValueError(f"{page} has no block <!-- {block} -->; need one with a ```text after it")
    return found


def fill(page: pathlib.Path, block: str, lines: Sequence[str]) -> None:
    """Write the lines into a block of a page."""
    found = block_of(page, block)
    told = "\n".join(line.rstrip() for line in lines).strip("\n")
    write_named(page, f"{found.string[: found.start(2)]}{told}\n{found.string[found.end(2) :]}")
