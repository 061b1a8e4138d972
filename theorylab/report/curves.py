"""Traces of runs: one panel a quantity, one line with its band a method, one legend above all.

The same arrays give the same bytes: no date, no random ids, fonts that come with matplotlib.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from theorylab.report.readings import Plot, readings
from theorylab.report.style import INK, TERM, decimal_ticks, saved, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

# after Okabe and Ito (2008), each at least 4.5:1 on white; the dashes tell them apart in grey
_LOOKS: tuple[tuple[str, Any], ...] = (
    ("#0072B2", "-"),
    ("#b84f00", (0, (5, 2))),
    ("#007a59", (0, (1, 1.2))),
    ("#a8467f", (0, (7, 2, 1, 2))),
    ("#8a6d00", (0, (2, 2, 6, 2))),
    ("#2076a8", (0, (3, 1.5))),
    ("#1b1e23", (0, (1, 3))),
    ("#7b3294", (0, (9, 3))),
)
MOST = len(_LOOKS)
_WIDE, _HIGH = 4.3, 2.75  # inches of a panel, labels included
_CLIMB = 3.0  # decades above its start at which a line that grows may leave the panel
_FAR = 290.0  # decades: matplotlib's ticks overflow near the ends of float64
_HUGE = 1e290
_ROW = 0.25  # inches of a row of the legend
_BETWEEN = {  # ticks between powers of ten: where less than 0.9 decades are shown, less than 0.3
    False: (1.5, 2.0, 3.0, 4.0, 6.0),
    True: (1.2, 1.4, 1.6, 1.8, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0),
}


class Curve(NamedTuple):
    """A line and its band: rounds, centre, low and high, each (S,). nan is not drawn."""

    name: str
    rounds: Floats
    centre: Floats
    low: Floats
    high: Floats


class Panel(NamedTuple):
    """What one pair of axes shows. ``logarithmic``: the heights are, where all are positive.

    along: what the rounds of the curves are.
    """

    title: str
    curves: Sequence[Curve]
    logarithmic: bool
    along: str = "communication rounds"


def svg(title: str, note: str, panels: Sequence[Panel]) -> str:
    """The figure as an SVG document.

    Args:
        title: one line. note: what the band is; empty where there is none.
        panels: at least one. A name has the same colour in all of them.

    Raises:
        ValueError: no panel, more names than there are colours, or arrays of different lengths.
    """
    return _render(title, note, panels, "svg").decode("utf-8")


def png(title: str, note: str, panels: Sequence[Panel]) -> bytes:
    """The figure as a PNG, 160 dots per inch; arguments and errors as of ``svg``."""
    return _render(title, note, panels, "png")


def plots(title: str, note: str, panels: Sequence[Panel]) -> list[Plot]:
    """What a page tells under the pointer, see ``readings``; arguments and errors as of ``svg``."""
    looks = _looks(panels)
    return readings(lambda figure: _draw(figure, title, note, panels, looks))


def _render(title: str, note: str, panels: Sequence[Panel], kind: str) -> bytes:
    looks = _looks(panels)
    return saved(lambda figure: _draw(figure, title, note, panels, looks), kind, dpi=160)


def _looks(panels: Sequence[Panel]) -> dict[str, tuple[str, Any]]:
    """The look of each name, in the order in which the names first come."""
    names = list(dict.fromkeys(curve.name for panel in panels for curve in panel.curves))
    if not names:
        raise ValueError("curves: nothing to draw; need at least one curve")
    if len(names) > MOST:
        raise ValueError(f"curves: {len(names)} names; need at most {MOST}, one colour each")
    for panel in panels:
        for curve in panel.curves:
            shapes = {row.shape for row in curve[1:]}
            if len(shapes) != 1 or curve.rounds.ndim != 1:
                raise ValueError(
                    f"curves: {curve.name} in {panel.title!r} has rows of shapes {sorted(shapes)}; "
                    "need one shape (S,)"
                )
    return dict(zip(names, _LOOKS, strict=False))


def _draw(
    figure: Figure,
    title: str,
    note: str,
    panels: Sequence[Panel],
    looks: dict[str, tuple[str, Any]],
) -> None:
    columns = 2 if len(panels) in (2, 4) else min(len(panels), 3)
    rows = math.ceil(len(panels) / columns)
    wide = max(columns * _WIDE, 6.0)
    legend = _legend_rows(looks, wide) if len(looks) > 1 else []
    head = 0.42 + _ROW * len(legend) + 0.2 * bool(note)
    high = rows * _HIGH + head
    figure.set_size_inches(wide, high)
    for index, panel in enumerate(panels):
        row, column = divmod(index, columns)
        left = (column + 0.155) / columns
        bottom = ((rows - 1 - row) * _HIGH + 0.52) / high
        axes = figure.add_axes((left, bottom, 0.80 / columns, (_HIGH - 0.88) / high))
        _panel(axes, panel, looks)
    _text(figure, 0.10, high - 0.22, short(title, int(wide * 11)), size=11.5, bold=True)
    if note:
        _text(figure, 0.10, high - 0.45, short(note, int(wide * 15)), size=9, colour=TERM)
    for number, names in enumerate(legend):
        _legend(figure, names, looks, high - head + _ROW * (len(legend) - number - 0.35))


def _text(
    figure: Figure, x: float, y: float, text: str, size: float, bold: bool = False,
    colour: str = INK,
) -> None:  # fmt: skip
    """Text at x, y inches from the lower left corner."""
    wide, high = figure.get_size_inches()
    figure.text(x / wide, y / high, text, fontsize=size, fontweight="bold" if bold else "normal",
                color=colour, va="center", parse_math=False)  # fmt: skip


def _legend_rows(looks: dict[str, tuple[str, Any]], wide: float) -> list[list[str]]:
    """The names in rows that fit beside each other."""
    rows: list[list[str]] = [[]]
    used = 0.1
    for name in looks:
        need = _entry(name)
        if rows[-1] and used + need > wide - 0.1:
            rows.append([])
            used = 0.1
        rows[-1].append(name)
        used += need
    return rows


def _entry(name: str) -> float:
    """Inches that a name takes in the legend: its line, its text, a gap."""
    return 0.42 + 0.083 * len(short(name, 40)) + 0.25


def _legend(
    figure: Figure, names: Sequence[str], looks: dict[str, tuple[str, Any]], y: float
) -> None:
    from matplotlib.lines import Line2D

    wide, high = figure.get_size_inches()
    x = 0.12
    for name in names:
        colour, dashes = looks[name]
        ends = [x / wide, (x + 0.34) / wide]
        figure.add_artist(
            Line2D(ends, [y / high] * 2, color=colour, linestyle=dashes, linewidth=2.2)
        )
        _text(figure, x + 0.42, y, short(name, 40), size=9.5, colour=colour)
        x += _entry(name)


def _panel(axes: Axes, panel: Panel, looks: dict[str, tuple[str, Any]]) -> None:
    from matplotlib.ticker import LogLocator, MaxNLocator

    heights = np.concatenate([curve.centre for curve in panel.curves])
    seen = heights[np.isfinite(heights)]
    logarithmic = panel.logarithmic and bool((seen >= 0).all()) and bool((seen > 0).any())
    if logarithmic:
        axes.set_yscale("log")
        low, top = _log_limits(panel, seen[seen > 0])
        axes.set_ylim(10.0**low, 10.0**top)
        decimal_ticks(axes.yaxis, top - low)
        if top - low < 0.9:  # one power of ten at most lies inside
            axes.yaxis.set_minor_locator(LogLocator(subs=_BETWEEN[top - low < 0.3]))
    for curve in panel.curves:
        colour, dashes = looks[curve.name]
        centre, floor = np.clip(curve.centre, -_HUGE, _HUGE), curve.low
        if logarithmic:
            centre = np.where(centre > 0, centre, math.nan)
            floor = np.maximum(floor, 10.0**low)  # a band that reaches 0 leaves through the floor
        if not np.array_equal(curve.low, curve.high, equal_nan=True):
            low_end, high_end = (np.clip(row, -_HUGE, _HUGE) for row in (floor, curve.high))
            axes.fill_between(
                curve.rounds, low_end, high_end, color=colour, alpha=0.16, linewidth=0
            )
        dot: dict[str, Any] = {"marker": "o", "markersize": 4} if len(curve.rounds) < 3 else {}
        axes.plot(
            curve.rounds,
            centre,
            color=colour,
            linestyle=dashes,
            linewidth=1.8,
            label=curve.name,
            **dot,
        )
    last = max(float(curve.rounds[-1]) for curve in panel.curves)
    axes.set_xlim(0, max(last, 1.0))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    axes.grid(True, which="major", color=INK, alpha=0.13, linewidth=0.6)
    axes.set_title(short(panel.title, 60), fontsize=10, loc="left", parse_math=False)
    axes.tick_params(which="both", labelsize=9)
    axes.set_xlabel(panel.along, fontsize=9)


def _settled(centre: Floats) -> Floats:
    """The positive heights, without a first one that is the rounding of 0."""
    row = centre[np.isfinite(centre) & (centre > 0)]
    return row[1:] if len(row) > 2 and row[0] < 1e-9 * min(row[1], 1.0) else row


def _log_limits(panel: Panel, seen: Floats) -> tuple[float, float]:
    """Room for every line, and for the bands within a decade of them.

    Models that start alike agree up to rounding: a first point that far below the second is not
    made room for.
    """
    positive = [_settled(curve.centre) for curve in panel.curves]
    seen = np.concatenate([row for row in positive if len(row)] or [seen])
    low, top = float(np.log10(seen.min())), float(np.log10(seen.max()))
    for curve in panel.curves:
        for row in (curve.low, curve.high):
            shown = np.log10(row[np.isfinite(row) & (row > 0)])
            shown = shown[(shown >= low - 1) & (shown <= top + 1)]
            low, top = min([low, *shown]), max([top, *shown])
    start = max(float(np.log10(row[0])) for row in positive if len(row))
    top = min(top, max(start, low) + _CLIMB)
    room = max(0.05 * (top - low), 0.04)
    return max(low - room, -_FAR), min(top + room, _FAR)
