"""One picture a result: the measured curve with its confidence band against the bound.

The same result gives the same bytes: no date, no random ids.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from theorylab.report.axis import along
from theorylab.report.chart import (
    FONT,
    Floats,
    Scale,
    axis,
    band,
    both_ticks,
    dot,
    formula,
    line,
    linear_ticks,
    log_ticks,
    logarithm,
    segment,
    symmetric,
    text,
)
from theorylab.report.formula import mathtext
from theorylab.report.number import percent, typeset
from theorylab.report.shown import Shown
from theorylab.report.standing import OPEN, standing
from theorylab.report.style import BOUND, MEASURED, TERM, short, spread
from theorylab.verdicts.result import Curve, Result

WIDE, HIGH = 576.0, 324.0  # points
LEFT, RIGHT, TOP, BOTTOM = 66.24, 429.12, 87.48, 281.88  # of the chart, below three lines of text
_DECADES = 15  # a bound further than this above the measured side is named, not drawn to scale
_LINE = 15.75  # points that the middles of two labels at the right edge keep
_STROKE = 2.0  # points: how wide ``chart.line`` is; a narrower band cannot be seen
_MARGIN = 0.05  # of an axis that is not of logarithms, beyond what it shows
_SIDES = {False: ("measured", "bound"), True: ("ratio", "allowed")}  # True: of an order


class _Rows(NamedTuple):
    """The columns of a curve at positive abscissae, nan where there is no number."""

    rounds: Floats
    measured: Floats
    lower: Floats
    upper: Floats
    bound: Floats


def drawable(result: Result) -> bool:
    """Whether there is something to draw: a curve with a point at a positive abscissa."""
    return result.curve is not None and any(t > 0 for t in result.curve.rounds)


def svg(result: Result) -> str | None:
    """The figure as an SVG document; None for a result without a curve."""
    if result.curve is None or not drawable(result):
        return None
    rows = _rows(result.curve)
    x, y, ticks = _axes(result, rows)
    judged, shaded = _judged(result, rows), _shaded(rows, y)
    parts = [*_words(result, result.curve, shaded, judged is not None)]
    parts += _chart(result, rows, x, y, ticks, judged)
    drawn = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE:g}pt" height="{HIGH:g}pt" '
        f'viewBox="0 0 {WIDE:g} {HIGH:g}" font-family="{FONT}" stroke-linejoin="round">\n'
        f'<rect width="{WIDE:g}" height="{HIGH:g}" fill="#fff"/>\n{drawn}\n</svg>\n'
    )


def _rows(curve: Curve) -> _Rows:
    kept = [i for i, t in enumerate(curve.rounds) if t > 0]  # a log axis has no round 0
    columns = (curve.rounds, curve.measured, curve.lower, curve.upper, curve.bound)
    numbers = [[math.nan if c[i] is None else c[i] for i in kept] for c in columns]
    return _Rows(*(np.array(row, dtype=float) for row in numbers))


def _axes(result: Result, rows: _Rows) -> tuple[Scale, Scale, Sequence[float]]:
    """The scales of both axes, and the ticks of the heights."""
    first, last = float(rows.rounds[0]), float(rows.rounds[-1])
    ends = math.log10(first), math.log10(last)
    if ends[0] == ends[1]:
        ends = ends[0] - 0.05, ends[1] + 0.05
    return Scale(logarithm, *ends, LEFT, RIGHT), *_heights(result, rows)


def _shaded(rows: _Rows, y: Scale) -> bool:
    """Whether the band is somewhere wider than the line of the measured side."""
    wide = np.abs(_inside(y(rows.lower), BOTTOM) - _inside(y(rows.upper), TOP))
    return bool((wide[np.isfinite(rows.measured)] > _STROKE).any())


def _judged(result: Result, rows: _Rows) -> int | None:
    """The point whose sides are those of the result; None where it is the last, or there is none.

    The labels at the right edge are of the last point, the headline of the one that was judged.
    """
    if result.measured is None or result.bound is None:
        return None
    same = np.isclose(rows.measured, result.measured, rtol=1e-9, atol=0)
    same &= np.isclose(rows.bound, result.bound, rtol=1e-9, atol=0)
    return int(np.argmax(same)) if same.any() and not same[-1] else None


def _dots(rows: _Rows, judged: int | None, x: Scale, y: Scale) -> Iterator[str]:
    """Both sides of the point that the headline is about."""
    for row, colour in ((rows.measured, MEASURED), (rows.bound, BOUND)):
        height = math.nan if judged is None else float(y(row[judged]))
        if judged is not None and TOP <= height <= BOTTOM:
            yield dot(float(x(rows.rounds[judged])), height, colour)


def _inside(heights: Floats, edge: float) -> Floats:
    """Heights within the chart; a limit that is missing, or has no logarithm, is at its edge."""
    return np.clip(np.where(np.isnan(heights), edge, heights), TOP, BOTTOM)


def _chart(
    result: Result, rows: _Rows, x: Scale, y: Scale, ticks: Sequence[float], judged: int | None
) -> Iterator[str]:
    """The curves in their axes, the judged point, and what stands beside them."""
    yield f'<clipPath id="chart"><rect x="{LEFT}" y="{TOP}" width="{RIGHT - LEFT:g}" '
    yield f'height="{BOTTOM - TOP:g}"/></clipPath>'
    yield from axis(x, y, log_ticks(x.low, x.high), ticks)
    across, measured = x(rows.rounds), y(rows.measured)
    low, high = _inside(y(rows.lower), BOTTOM), _inside(y(rows.upper), TOP)
    yield '<g clip-path="url(#chart)">'
    yield band(across, low, high, np.isfinite(measured), MEASURED)
    yield line(across, measured, "measured", MEASURED)
    yield line(across, y(rows.bound), "bound", BOUND, "10 4")
    yield "</g>"
    yield from _dots(rows, judged, x, y)
    yield from _beside(result, rows, y, judged is None)


def _heights(result: Result, rows: _Rows) -> tuple[Scale, Sequence[float]]:
    """The scale of the heights and its ticks.

    Of logarithms where a side is positive; of both signs where a bound is not and the measured
    side is, since logarithms would hide it.
    """
    curves = rows.measured, rows.bound
    positive = [row[np.isfinite(row) & (row > 0)] for row in curves]
    if bool(((rows.measured > 0) & (rows.bound <= 0)).any()):
        both = np.concatenate(curves)
        sizes = np.abs(both[np.isfinite(both)])
        threshold = float(sizes[sizes > 0].min())
        forward = symmetric(threshold)
        low, high = (float(each(both[np.isfinite(both)])) for each in (np.min, np.max))
        ends = _wider(*forward(np.array([low, high])).tolist())
        return Scale(forward, *ends, BOTTOM, TOP), both_ticks(low, high, threshold)
    if any(len(row) for row in positive):
        near = [rows.lower, rows.upper, np.array([value for _, value, _ in _largest(result)])]
        low, high = _limits(positive, near)
        return Scale(logarithm, low, high, BOTTOM, TOP), log_ticks(low, high)
    every = np.concatenate([*curves, rows.lower, rows.upper])
    every = every[np.isfinite(every)]
    ends = _wider(float(every.min()), float(every.max())) if len(every) else (0.0, 1.0)
    return Scale(lambda values: values, *ends, BOTTOM, TOP), linear_ticks(*ends)


def _wider(low: float, high: float) -> tuple[float, float]:
    room = _MARGIN * (high - low) or _MARGIN * abs(low) or _MARGIN
    return low - room, high + room


def _limits(curves: Sequence[Floats], near: Sequence[Floats]) -> tuple[float, float]:
    """Room for both curves, unless the bound is so far up that the measured one would be flat.

    ``near``: rows that also show, as far as they lie within a decade or two of the curves.
    """
    measured, bound = (np.log10(row) for row in curves)  # a ratio may leave float64
    if len(measured) and len(bound) and bound.min() > measured.max() + _DECADES:
        bound = bound[:0]
    both = np.concatenate([measured, bound])
    low, top = float(both.min()), float(both.max())
    for row in near:
        shown = np.log10(row[np.isfinite(row) & (row > 0)])
        shown = shown[(shown >= low - 1.5) & (shown <= top + 1.5)]
        low, top = min([low, *shown.tolist()]), max([top, *shown.tolist()])
    room = max(0.07 * (top - low), 0.06)
    low = min(max(low - room, -307.0), 306.0)
    return low, max(min(top + room, 307.0), low + 0.12)


def _beside(result: Result, rows: _Rows, y: Scale, last_judged: bool) -> Iterator[str]:
    """Names, last values and the two largest terms at the right edge, none above another.

    Terms are of the judged point: they stand there alone where it is the last one.
    """
    labels: list[tuple[float, str, str, bool]] = []
    left, right = _SIDES[bool(Shown(result).per)]
    last, end = _last(rows.measured), _last(rows.bound)
    if last is not None:
        labels.append((float(y(last)), f"{left} {typeset(last, digits=3)}", MEASURED, True))
    if end is not None and not float(y(end)) < TOP:
        labels.append((float(y(end)), f"{right} {typeset(end, digits=3)}", BOUND, True))
    else:
        named = f"{right} {typeset(result.bound, result.log10_bound, digits=3)}\n(above the chart)"
        labels.append((TOP, named, BOUND, True))
    for name, value, share in _largest(result) if last_judged else ():
        height = float(y(value))
        if TOP < height < BOTTOM:
            yield segment(RIGHT - 36, height, RIGHT, height, TERM, 'stroke-dasharray="1 1.6"')
            labels.append((height, f"{short(name)} {percent(share)}", TERM, False))
    yield from _spread(labels)


def _largest(result: Result) -> list[tuple[str, float, float]]:
    """(name, value, share) of the two largest terms, of those that matter at all."""
    known = {k: v for k, v in result.terms.items() if v is not None and math.isfinite(v)}
    total = sum(abs(value) for value in known.values())
    if len(known) < max(2, len(result.terms)):
        return []  # one term is the bound; an overflowing one leaves the others no share
    top = sorted(known.items(), key=lambda item: -item[1])[:2]
    return [(name, value, value / total) for name, value in top if value >= 0.05 * total > 0]


def _spread(labels: Sequence[tuple[float, str, str, bool]]) -> Iterator[str]:
    """The labels at their heights, moved apart where they would cover each other."""
    placed = sorted(
        (
            (TOP if math.isnan(height) else min(max(height, TOP), BOTTOM), words, colour, strong)
            for height, words, colour, strong in labels
        ),
        key=lambda item: -item[0],
    )
    halves = [0.5 * _LINE * (1 + words.count("\n")) for _, words, _, _ in placed]
    wanted = [BOTTOM - height for height, *_ in placed]  # from below
    room = {"low": -0.5 * _LINE, "high": BOTTOM - TOP + 0.5 * _LINE}
    heights = [BOTTOM - up for up in spread(wanted, halves, 0.0, **room)]
    for (anchor, words, colour, strong), height in zip(placed, heights, strict=True):
        yield segment(RIGHT + 1, anchor, RIGHT + 10, height, colour, 'stroke-width=".8"')
        lines = words.split("\n")
        for number, words_of_line in enumerate(lines):
            place = height + 12.5 * (number - (len(lines) - 1) / 2)
            yield text(RIGHT + 12.7, place, words_of_line, 10 if strong else 9, colour=colour,
                       bold=strong)  # fmt: skip


def _words(result: Result, curve: Curve, shaded: bool, dotted: bool) -> Iterator[str]:
    """What was judged, the verdict, both sides, and what the axis and the shade are."""
    shown = Shown(result, typeset)
    name = short(f"{result.id}   {result.version}   {result.check}", 84)
    name = name.replace("   ", " \N{NO-BREAK SPACE} ")  # of blanks in a row a browser shows one
    where = standing(result)
    verdict = result.verdict.replace("_", " ")
    if where in OPEN:
        verdict += f" ({where.value}: expected {result.expected.replace('_', ' ')})"
    yield text(8.64, 14.58, name, 11.5, bold=True)
    yield text(8.64, 32.4, verdict, 10.5)
    above, below = ("bound", "measured") if result.relation == ">=" else ("measured", "bound")
    compared = f"{above} = {shown.ratio} × {below}"
    if shown.per:
        compared = f"ratio grows {shown.measured}-fold {shown.per}, {shown.bound}-fold is allowed"
    elif result.log10_ratio in (None, math.inf) or result.log10_bound is None:
        compared = f"measured {typeset(result.measured)}, bound {typeset(result.bound)}"
    compared = f"at the dots: {compared}" if dotted else compared
    yield text(WIDE - 8.64, 32.4, compared, 10.5, bold=True, anchor="end")
    yield _side(result, curve)
    name = short(along(result.id, curve.axis), 60)
    yield text((LEFT + RIGHT) / 2, 311, name, 10.5, anchor="middle")
    yield text(WIDE - 8.64, 312.7, _limits_told(result, shaded), 9, colour=TERM, anchor="end")


def _limits_told(result: Result, shaded: bool) -> str:
    """What is shaded; where nothing is, how the measured side is known."""
    parts = result.interval.split(",")
    method = parts[-1 if Shown(result).per else 0].strip()
    sampled = result.runs > 1 and "exact" not in method and "realisation" not in method
    if not shaded:
        return f"{method}, {result.runs} runs" if sampled else short(method, 40)
    if sampled:
        return f"shaded: confidence interval, {result.runs} runs"
    return f"shaded: limits, {short(method, 30)}"


def _side(result: Result, curve: Curve) -> str:
    """What is drawn: the curve's own words, or the measured side as mathematics."""
    words = curve.text or f"${mathtext(result.quantity)}$"
    drawn = formula(8.64, 61.56, words, WIDE - 17.28) if "$" in words else None
    plain = curve.text or "measured side and bound"
    return drawn or text(8.64, 61.56, short(plain, 84), 12)


def _last(row: Any) -> float | None:
    """The value at the last round that has one; None where the last round has none."""
    return float(row[-1]) if len(row) and math.isfinite(row[-1]) else None
