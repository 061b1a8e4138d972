"""One picture a result: the measured curve with its confidence band against the bound.

The same result gives the same bytes: no date, no random ids, fonts that come with matplotlib.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from theorylab.report.formula import mathtext
from theorylab.report.number import percent, typeset
from theorylab.report.shown import Shown
from theorylab.report.standing import OPEN, standing
from theorylab.report.style import BOUND, INK, MEASURED, TERM, decimal_ticks, saved, short, spread
from theorylab.verdicts.result import Curve, Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE = (8.0, 4.5)  # inches
_TALL = 0.6  # of the height, below two lines of text and a formula
_DECADES = 15  # a bound further than this above the measured side is named, not drawn to scale
_MANY = 1.5  # labels at the right edge keep this many line heights apart


def drawable(result: Result) -> bool:
    """Whether there is something to draw: a curve with a point at a positive abscissa."""
    return result.curve is not None and any(t > 0 for t in result.curve.rounds)


def svg(result: Result) -> str | None:
    """The figure as an SVG document; None for a result without a curve."""
    if result.curve is None or not drawable(result):
        return None
    curve = result.curve
    return saved(lambda figure: _draw(figure, result, curve), "svg", figsize=SIZE).decode("utf-8")


def _draw(figure: Figure, result: Result, curve: Curve) -> None:
    axes = figure.add_axes((0.115, 0.13, 0.63, _TALL))
    kept = [i for i, t in enumerate(curve.rounds) if t > 0]  # a log axis has no round 0
    rounds = np.array([curve.rounds[i] for i in kept], dtype=float)
    measured, lower, upper, bound = (
        np.array([math.nan if column[i] is None else column[i] for i in kept], dtype=float)
        for column in (curve.measured, curve.lower, curve.upper, curve.bound)
    )
    positive = [row[np.isfinite(row) & (row > 0)] for row in (measured, bound)]
    hidden = bool(((measured > 0) & (bound <= 0)).any())  # by an axis of logarithms
    logarithmic = any(len(row) for row in positive) and not hidden
    axes.set_xscale("log")
    if hidden:
        sizes = np.abs(np.concatenate([measured, bound]))
        axes.set_yscale("symlog", linthresh=float(sizes[np.isfinite(sizes) & (sizes > 0)].min()))
    if logarithmic:
        axes.set_yscale("log")
        for row in (measured, lower, upper, bound):
            row[~(row > 0)] = math.nan
    decimal_ticks(axes.xaxis, math.log10(rounds[-1] / rounds[0]))
    near = [lower, upper, np.array([value for _, value, _ in _largest(result)])]
    if logarithmic:
        _limits(axes, positive, near)
    floor, ceiling = axes.get_ylim()
    axes.fill_between(
        rounds,
        np.where(np.isnan(lower), floor, lower),
        np.where(np.isnan(upper), ceiling, upper),
        where=np.isfinite(measured).tolist(),
        color=MEASURED,
        alpha=0.22,
        linewidth=0,
        label="confidence band",
    )
    dot: dict[str, Any] = {"marker": "o", "markersize": 4} if len(rounds) < 3 else {}
    axes.plot(rounds, measured, color=MEASURED, linewidth=2, label="measured", **dot)
    axes.plot(rounds, bound, color=BOUND, linewidth=2, linestyle=(0, (5, 2)), label="bound", **dot)
    axes.grid(True, which="major", color=INK, alpha=0.13, linewidth=0.6)
    rounds_run = curve.axis == "T"
    axes.set_xlabel("communication rounds" if rounds_run else curve.axis.replace("_", " "))
    figure.text(0.015, 0.81, curve.text or _claimed(result), fontsize=12, va="center")
    if len(rounds) > 1:
        axes.set_xlim(rounds[0], rounds[-1])
    _beside(axes, result, measured, bound)
    _title(figure, result)


def _claimed(result: Result) -> str:
    """The measured side as mathtext, or in words where mathtext cannot parse it."""
    from matplotlib.mathtext import MathTextParser

    text = f"${mathtext(result.quantity)}$"
    try:
        MathTextParser("path").parse(text)
    except ValueError:
        return "measured side and bound"
    return text


def _limits(axes: Axes, curves: list[Any], near: list[Any]) -> None:
    """Room for both curves, unless the bound is so far up that the measured one would be flat.

    ``near``: rows that also show, as far as they lie within a decade or two of the curves.
    """
    measured, bound = (np.log10(row) for row in curves)  # a ratio may leave float64
    if len(measured) and len(bound) and bound.min() > measured.max() + _DECADES:
        bound = bound[:0]
    both = np.concatenate([measured, bound])
    low, top = both.min(), both.max()
    for row in near:
        shown = np.log10(row[np.isfinite(row) & (row > 0)])
        shown = shown[(shown >= low - 1.5) & (shown <= top + 1.5)]
        low, top = min([low, *shown]), max([top, *shown])
    room = max(0.07 * (top - low), 0.06)
    low, top = max(low - room, -307.0), min(top + room, 307.0)
    axes.set_ylim(10.0**low, 10.0**top)
    decimal_ticks(axes.yaxis, top - low)


def _beside(axes: Axes, result: Result, measured: Any, bound: Any) -> None:
    """Names, last values and the two largest terms at the right edge, none above another."""
    floor, ceiling = axes.get_ylim()
    labels: list[tuple[float, str, str, bool]] = []
    last = _last(measured)
    if last is not None:
        labels.append((last, f"measured {typeset(last, digits=3)}", MEASURED, True))
    end = _last(bound)
    if end is not None and end <= ceiling:
        labels.append((end, f"bound {typeset(end, digits=3)}", BOUND, True))
    else:
        text = f"bound {typeset(result.bound, result.log10_bound, digits=3)}\n(above the chart)"
        labels.append((ceiling, text, BOUND, True))
    for name, value, share in _largest(result):
        if floor < value < ceiling:
            axes.axhline(value, xmin=0.9, color=TERM, linewidth=1, linestyle=":")
            labels.append((value, f"{short(name)} {percent(share)}", TERM, False))
    _spread(axes, labels)


def _largest(result: Result) -> list[tuple[str, float, float]]:
    """(name, value, share) of the two largest terms, of those that matter at all."""
    known = {k: v for k, v in result.terms.items() if v is not None and math.isfinite(v)}
    total = sum(abs(value) for value in known.values())
    if len(known) < max(2, len(result.terms)):
        return []  # one term is the bound; an overflowing one leaves the others no share
    top = sorted(known.items(), key=lambda item: -item[1])[:2]
    return [(name, value, value / total) for name, value in top if value >= 0.05 * total > 0]


def _spread(axes: Axes, labels: list[tuple[float, str, str, bool]]) -> None:
    """Write the labels at their heights, moved apart where they would cover each other."""
    to_axes = axes.transData + axes.transAxes.inverted()
    x = axes.get_xlim()[1]
    placed = sorted(
        (
            (min(max(float(to_axes.transform((x, value))[1]), 0.0), 1.0), text, colour, strong)
            for value, text, colour, strong in labels
        ),
        key=lambda item: item[0],
    )
    line = 10.5 / 72 / (SIZE[1] * _TALL) * _MANY
    halves = [0.5 * line * (1 + text.count("\n")) for _, text, _, _ in placed]
    wanted = [height for height, *_ in placed]
    heights = spread(wanted, halves, 0.0, low=-0.5 * line, high=1.0 + 0.5 * line)
    for (anchor, text, colour, strong), height in zip(placed, heights, strict=True):
        axes.annotate(
            text,
            xy=(1.0, anchor),
            xytext=(1.035, height),
            xycoords="axes fraction",
            textcoords="axes fraction",
            va="center",
            fontsize=10 if strong else 9,
            fontweight="bold" if strong else "normal",
            color=colour,
            parse_math=False,
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.8, "shrinkA": 1},
        )


def _title(figure: Figure, result: Result) -> None:
    name = f"{result.id}   {result.version}   {result.check}"
    where = standing(result)
    verdict = result.verdict.replace("_", " ")
    if where in OPEN:
        verdict += f"   ({where.value}: expected {result.expected.replace('_', ' ')})"
    figure.text(0.015, 0.955, short(name, 84), fontsize=11.5, fontweight="bold", va="center",
                parse_math=False)  # fmt: skip
    figure.text(0.015, 0.9, verdict, fontsize=10.5, va="center", parse_math=False)
    above, below = ("bound", "measured") if result.relation == ">=" else ("measured", "bound")
    compared = f"{above} = {Shown(result, typeset).ratio} × {below}"
    if result.log10_ratio in (None, math.inf) or result.log10_bound is None:
        compared = f"measured {typeset(result.measured)}, bound {typeset(result.bound)}"
    figure.text(0.985, 0.9, compared, ha="right", fontsize=10.5, va="center", fontweight="bold")
    exact = result.curve is not None and result.curve.lower == result.curve.upper
    runs = f"shaded: confidence interval, {result.runs} run{'s' * (result.runs != 1)}"
    runs = "exact expectation" if exact else runs
    figure.text(0.985, 0.035, runs, ha="right", fontsize=9, va="center", color=TERM)


def _last(row: Any) -> float | None:
    """The value at the last round that has one; None where the last round has none."""
    return float(row[-1]) if len(row) and math.isfinite(row[-1]) else None
