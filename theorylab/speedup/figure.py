"""The picture of a study: the error against n with the ideal line, and the error against rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from theorylab.report.readings import Plot, readings
from theorylab.report.style import BOUND, INK, MEASURED, TERM, decimal_ticks, saved, short
from theorylab.speedup.result import Speedup

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_SIZE: dict[str, Any] = {"figsize": (9.6, 5.0), "layout": "constrained"}


def picture(found: Speedup, kind: str) -> bytes:
    """SVG or PNG; the same study gives the same bytes."""
    return saved(lambda figure: _draw(figure, found), kind, dpi=150, **_SIZE)


def plots(found: Speedup) -> list[Plot]:
    """What a page tells under the pointer, see ``theorylab.report.readings``."""
    return readings(lambda figure: _draw(figure, found), **_SIZE)


def _draw(figure: Figure, found: Speedup) -> None:
    left, right = figure.subplots(1, 2)
    _against_n(left, found)
    _against_rounds(right, found)
    figure.suptitle(short(f"{found.verdict.name}: {found.title}", 110), fontsize=10)


def _against_n(axes: Axes, found: Speedup) -> None:
    n = np.array([row.n for row in found.rows], np.float64)
    for values, colour, dashes, name in (
        ([row.error for row in found.rows], MEASURED, "-", "error"),
        ([row.alone for row in found.rows], BOUND, (0, (5, 2)), "without communication"),
    ):
        low, centre, high = np.array(values).T
        low = np.maximum(low, centre * 1e-3)  # a limit of 0 leaves through the floor
        axes.fill_between(n, low, high, color=colour, alpha=0.16, linewidth=0)
        axes.plot(n, centre, color=colour, linestyle=dashes, marker="o", markersize=4, label=name)
    least = 1e-3 * min(row.error[1] for row in found.rows)
    own, handed = ([each or 0.0 for each in column] for column in
                   zip(*((row.own, row.handed) for row in found.rows), strict=True))  # fmt: skip
    for column, dashes, marker, name in (
        ([row.quiet for row in found.rows], ":", ".", "no noise"),
        (own, "-", "^", "clients' own"),
        (handed, "--", "v", "clients' own, handed round"),
    ):
        line = np.array(column)
        shown = line > least
        if shown.any() and not (name == "clients' own" and found.measure == "clients"):
            axes.plot(n[shown], line[shown], color=TERM, linestyle=dashes, marker=marker,
                      markersize=4, label=name)  # fmt: skip
    if found.slope is not None and np.isfinite([found.slope.low, found.slope.high]).all():
        x = np.log(n)
        level = np.mean(np.log([row.error[1] for row in found.rows]))
        low, high = (
            np.exp(level + slope * (x - x.mean())) for slope in (found.slope.low, found.slope.high)
        )
        axes.fill_between(n, np.minimum(low, high), np.maximum(low, high), color=INK, alpha=0.12,
                          linewidth=0, label=f"slope {found.slope}")  # fmt: skip
    first = found.rows[0].error[1]
    ideal = first * (n / n[0]) ** found.claim
    axes.plot(n, ideal, color=INK, linestyle=(0, (1, 3)), label=f"ideal, n^{found.claim:g}")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(n[0] * 0.9, n[-1] * 1.1)
    axes.set_xticks(n, [f"{each:g}" for each in n])
    axes.minorticks_off()
    axes.set_xlabel("clients n")
    axes.set_title(f"error after {found.grid[-1]} rounds", fontsize=10, loc="left")
    _legend(axes)
    axes.grid(True, color=INK, alpha=0.13, linewidth=0.6)


def _legend(axes: Axes) -> None:
    """Under the axes: controls fill the plane, so that no corner of it is free."""
    under = (0.5, -0.14)
    axes.legend(loc="upper center", bbox_to_anchor=under, fontsize=8, frameon=False, ncols=2)


def _against_rounds(axes: Axes, found: Speedup) -> None:
    at = np.array(found.grid, np.float64)
    shades = np.linspace(0.35, 1.0, len(found.curves))
    for (n, (low, mean, high)), shade in zip(found.curves.items(), shades, strict=True):
        floor = np.maximum(low, mean * 1e-3)
        axes.fill_between(at, floor, high, color=MEASURED, alpha=0.1 * shade, linewidth=0)
        axes.plot(at, mean, color=MEASURED, alpha=shade, label=f"n = {n}")
    axes.axhline(found.target, color=INK, linestyle=(0, (1, 3)), label="target")
    axes.set_yscale("log")
    tops = [float(mean.max() / mean.min()) for _, mean, _ in found.curves.values()]
    decimal_ticks(axes.yaxis, float(np.log10(max(tops))))
    axes.set_xlabel("communication rounds")
    axes.set_title("error against rounds", fontsize=10, loc="left")
    _legend(axes)
    axes.grid(True, color=INK, alpha=0.13, linewidth=0.6)
