"""One small page about a run or a comparison: the figure beside it, tables, the configuration.

Needs no network, and nothing but ``curves.svg`` (or another picture) in the same folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from theorylab.report.prose import prose
from theorylab.report.templates import environment


class Table(NamedTuple):
    """Rows under a title; a column whose name starts with ``>`` holds numbers."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def page(
    title: str, note: str | None, picture: str | None, tables: Sequence[Table], source: str
) -> str:
    """The page as an HTML document; all text is escaped. The same arguments give the same text.

    Args:
        note: what went wrong, if anything did. picture: the file name of the figure.
        source: the JSON that makes the run again, shown as it is.
    """
    return environment().get_template("run.html.j2").render(
        title=title,
        note=note,
        picture=picture,
        tables=tables,
        source=source,
        prose=prose,
        number_class=lambda name: Markup(' class="n"') if name.startswith(">") else "",
    )  # fmt: skip
