"""One small page of a run, a comparison, a study, a campaign or a worst case, with its figure.

Needs no network, and nothing but its picture in the same folder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

import theorylab
from theorylab.report.prose import prose
from theorylab.report.readings import Plot
from theorylab.report.templates import environment


class Table(NamedTuple):
    """Rows under a title; a column whose name starts with ``>`` holds numbers."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def page(
    title: str,
    note: str | None,
    picture: str | None,
    tables: Sequence[Table],
    source: str,
    *,
    origin: Mapping[str, str] | None = None,
    plots: Sequence[Plot] = (),
) -> str:
    """The page as an HTML document; all text is escaped. The same arguments give the same text.

    Args:
        note: what went wrong, if anything did. picture: the file name of the figure.
        source: the JSON that makes the run again, shown as it is.
        origin: where the numbers come from, name by name: what stands under the page.
        plots: what the pointer is told over the picture, see ``readings``.
    """
    return environment().get_template("run.html.j2").render(
        title=title,
        note=note,
        picture=picture,
        plots=json.dumps(plots, ensure_ascii=False, separators=(",", ":")),
        tables=tables,
        source=source,
        origin=origin or {},
        version=theorylab.__version__,
        prose=prose,
        number_class=lambda name: Markup(' class="n"') if name.startswith(">") else "",
    )  # fmt: skip
