"""Results, traces and constants as rows: a pandas DataFrame, CSV, and HTML for a notebook.

What has rows says so by two methods. ``row()`` is one row by column, of a result or a constant.
``table()`` is whole columns, of a trace or a curve. Only ``to_frame`` needs pandas.
"""

from __future__ import annotations

import csv
import html
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from theorylab.extras import need

Columns = dict[str, Sequence[Any]]


class Framed:
    """What has a ``table()`` or is a mapping of rows, and can be a DataFrame."""

    def to_frame(self) -> Any:
        """A pandas DataFrame, see ``theorylab.to_frame``."""
        return to_frame(self)


def to_frame(what: Any) -> Any:
    """A pandas DataFrame (extra ``frames``).

    Args:
        what: results of checks, one row each; a trace, one row a run and recorded round; a curve of
            measured against bound; constants by name, one row each.

    Returns:
        A ``pandas.DataFrame``.

    Raises:
        MissingExtraError: one line, where pandas is not installed.
        TypeError: where ``what`` has no rows.

    >>> from theorylab.constants import topology_constants
    >>> from theorylab.topologies import topology
    >>> frame = to_frame(topology_constants(topology("directed-ring", 4), horizon=10))
    >>> frame["name"].tolist()[:2]
    ['clients', 'max_out_degree']
    """
    columns = columns_of(what)
    need("to_frame", "pandas")
    import pandas

    return pandas.DataFrame(columns)


def columns_of(what: Any) -> Columns:
    """The columns of what has rows; all of one length. Raises TypeError where it has none."""
    if hasattr(what, "table"):
        table: Columns = what.table()
        return table
    try:
        if isinstance(what, Mapping):
            rows = [{"name": name, **each.row()} for name, each in what.items()]
        elif isinstance(what, Iterable):
            rows = [each.row() for each in what]
        else:
            rows = [what.row()]
    except AttributeError:
        raise TypeError(
            f"to_frame: {type(what).__name__} came; need results, a trace, a curve, or constants"
        ) from None
    return {name: [row[name] for row in rows] for name in (rows[0] if rows else {})}


def csv_text(what: Any) -> str:
    """The same as CSV, a header first; floats in full, and nothing where there is no number."""
    columns = columns_of(what)
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(
        ["" if _nothing(cell) else cell for cell in row]
        for row in zip(*columns.values(), strict=True)
    )
    return file.getvalue()


def html_table(caption: str, columns: Columns, most: int = 60) -> str:
    """A table of at most ``most`` rows; every text is escaped, numbers have four digits."""
    rows = list(zip(*columns.values(), strict=True))
    head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
    body = "".join(
        "<tr>" + "".join(f"<td{_style(cell)}>{_cell(cell)}</td>" for cell in row) + "</tr>"
        for row in rows[:most]
    )
    more = f"<p>{len(rows) - most} rows more</p>" if len(rows) > most else ""
    return (
        f"<table><caption>{html.escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>{more}"
    )


def _nothing(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def _style(cell: Any) -> str:
    return "" if isinstance(cell, float) else ' style="text-align:left"'


def _cell(cell: Any) -> str:
    if _nothing(cell):
        return "-"
    return f"{cell:.4g}" if isinstance(cell, float) else html.escape(str(cell))
