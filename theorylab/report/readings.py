"""What a page tells under the pointer: the curves and cells of a picture as numbers.

A page has them beside the picture, so that one offline file and its SVG are enough.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Plot = dict[str, Any]
_POINTS = 4000  # of all curves of a picture together: some 60 kB
_FEWEST = 16  # of one curve


def readings(
    draw: Callable[[Figure], None],
    cells: Mapping[Axes, Sequence[Sequence[str]]] | None = None,
    **options: Any,
) -> list[Plot]:
    """One plot a pair of axes with named curves or cells.

    Args:
        draw: as of ``saved``. options: of the ``Figure``.
        cells: of axes with a picture of cells, which ``draw`` fills: what each says, the lowest row
            first.

    Returns:
        Each with ``box``, the left end, top, width and height as shares of the picture, and
        ``cells``; or ``along``, ``log`` and the ends ``x`` of the axis, and ``curves`` of ``name``,
        ``colour``, ``x`` and ``y``, where None is no number.
    """
    from theorylab.report.style import figure_of

    figure = figure_of(draw, **options)
    figure.draw_without_rendering()  # a layout moves the axes
    shown = [axes for axes in figure.axes if axes.get_visible()]
    named = {axes: [line for line in axes.lines if _named(line)] for axes in shown}
    count = sum(map(len, named.values()))
    most = max(_FEWEST, _POINTS // max(count, 1))
    plots = []
    for axes in shown:
        left, bottom, wide, high = axes.get_position().bounds
        box = [_short(part) for part in (left, 1 - bottom - high, wide, high)]
        if cells is not None and axes in cells:
            plots.append({"box": box, "cells": [list(row) for row in cells[axes]]})
        elif named[axes]:
            log = axes.get_xscale() == "log"
            ends = [_short(math.log10(end) if log else end) for end in axes.get_xlim()]
            curves = [_curve(line, most) for line in named[axes]]
            along = axes.get_xlabel()
            plots.append({"box": box, "along": along, "log": log, "x": ends, "curves": curves})
    return plots


def _named(line: Any) -> bool:
    """Whether it is a curve that a reader was told the name of."""
    return not str(line.get_label()).startswith("_") and len(line.get_xdata()) > 1


def _curve(line: Any, most: int) -> Plot:
    points = list(zip(line.get_xdata(), line.get_ydata(), strict=True))
    step = -(-len(points) // most)
    kept = [*points[:-1:step], points[-1]]
    x, y = ([_short(float(value)) for value in column] for column in zip(*kept, strict=True))
    return {"name": line.get_label(), "colour": line.get_color(), "x": x, "y": y}


def _short(value: float) -> float | None:
    """In the digits that a page shows; JSON has no nan."""
    return float(f"{value:.5g}") if math.isfinite(value) else None
