"""A chart as SVG text: scales, ticks, lines, words. No library draws it: a page has hundreds.

Lengths are points, of which y grows downwards; the same chart gives the same bytes.
"""

from __future__ import annotations

import functools
import html
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from theorylab.report.style import INK, STYLE, tick_label

Floats = NDArray[np.float64]

# Bitstream Vera, Verdana and Geneva are as wide as DejaVu: labels stay beside each other.
FONT = "'DejaVu Sans', 'Bitstream Vera Sans', Verdana, Geneva, sans-serif"
_DOWN = 0.35  # of the size: from the middle of a line of text down to its foot
_TICKS = 9  # powers of ten that an axis has room for
_NEAR = 0.5  # points: what a curve does within them a page cannot show
_FAR = 1e4  # points: where a line that leaves the chart ends


class Scale(NamedTuple):
    """Numbers along an axis. low, high: of what ``forward`` makes of them; begin, end: points."""

    forward: Callable[[Floats], Floats]
    low: float
    high: float
    begin: float
    end: float

    def __call__(self, values: Any) -> Floats:
        """Where the values are, in points; nan where they have no place."""
        with np.errstate(all="ignore"):
            share = (self.forward(np.asarray(values, float)) - self.low) / (self.high - self.low)
            return np.clip(self.begin + share * (self.end - self.begin), -_FAR, _FAR)

    def shows(self, value: float) -> bool:
        """Whether the value lies on the axis."""
        place = float(self(value))
        room = 1e-6 * abs(self.end - self.begin)
        return min(self.begin, self.end) - room <= place <= max(self.begin, self.end) + room


def logarithm(values: Floats) -> Floats:
    """log10, and nan where there is none."""
    return np.log10(np.where(values > 0, values, math.nan))


def symmetric(threshold: float) -> Callable[[Floats], Floats]:
    """log10 of both signs beyond a threshold, and straight within it."""

    def forward(values: Floats) -> Floats:
        beyond = np.abs(values) / threshold
        return np.where(
            beyond > 1, np.sign(values) * (1 + np.log10(np.maximum(beyond, 1))), values / threshold
        )

    return forward


def log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten from 10^low to 10^high, others between them where few are there."""
    powers = range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1)
    ticks = [10.0**power for power in powers[:: len(powers) // _TICKS + 1]]
    decades = high - low
    if decades < 1.6:
        steps = range(2, 10) if decades < 0.5 else (2, 5)
        between = [s * 10.0**p for p in range(math.floor(low), math.ceil(high)) for s in steps]
        ticks += [tick for tick in between if low <= math.log10(tick) <= high]
    return sorted(ticks) if len(ticks) > 1 else linear_ticks(10.0**low, 10.0**high)


def linear_ticks(low: float, high: float) -> list[float]:
    """About five multiples of 1, 2 or 5 times a power of ten."""
    least = (high / 4 - low / 4) * (1 - 1e-9)  # their difference may leave float64
    power = 10.0 ** math.floor(math.log10(least))
    step = next((s * power for s in (1, 2, 5) if s * power >= least), 10 * power)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{k * step:.12g}") for k in range(first, last + 1)]


def both_ticks(low: float, high: float, threshold: float) -> list[float]:
    """0, and the powers of ten of both signs that a ``symmetric`` axis shows."""
    ticks = [0.0] if low <= 0 <= high else []
    for sign, end in ((1, high), (-1, -low)):
        if end > threshold:
            bounds = math.log10(threshold), math.log10(end)
            ticks += [sign * tick for tick in log_ticks(*bounds)] if bounds[1] > bounds[0] else []
    return sorted(ticks)


def text(
    x: float, y: float, words: str, size: float, *, colour: str = INK, bold: bool = False,
    anchor: str = "start",
) -> str:  # fmt: skip
    """One line of text whose middle is at height y. anchor: ``start``, ``middle`` or ``end``."""
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{_point(x)}" y="{_point(y + _DOWN * size)}" font-size="{size:g}"'
        f' fill="{colour}" text-anchor="{anchor}"{weight}>{html.escape(words)}</text>'
    )


def line(x: Floats, y: Floats, role: str, colour: str, dashes: str = "") -> str:
    """A curve with gaps where a number is nan; of one or two points the dots, too."""
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    dots = ""
    if len(x) < 3:
        places = [(a, b) for a, b in zip(x, y, strict=True) if math.isfinite(b)]
        dots = "".join(
            f'<circle cx="{_point(a)}" cy="{_point(b)}" r="2" fill="{colour}"/>' for a, b in places
        )
    drawn = " ".join(_joined(x[part], y[part]) for part in _parts(np.isfinite(y)))
    return (
        f'<path class="{role}" d="{drawn}" fill="none" stroke="{colour}" stroke-width="2"'
        f"{dashed}/>{dots}"
    )


def band(x: Floats, low: Floats, high: Floats, shown: NDArray[np.bool_], colour: str) -> str:
    """The area between two curves, where it is shown."""
    drawn = " ".join(
        f"{_joined(x[part], low[part])} {_joined(x[part][::-1], high[part][::-1], 'L')} Z"
        for part in _parts(shown)
    )
    return f'<path class="band" d="{drawn}" fill="{colour}" fill-opacity=".22"/>'


def segment(x1: float, y1: float, x2: float, y2: float, colour: str, style: str = "") -> str:
    """A straight line. style: further attributes."""
    ends = f'x1="{_point(x1)}" y1="{_point(y1)}" x2="{_point(x2)}" y2="{_point(y2)}"'
    return f'<line {ends} stroke="{colour}" {style}/>'


def axis(x: Scale, y: Scale, ticks_x: Sequence[float], ticks_y: Sequence[float]) -> Iterator[str]:
    """Both axes with their ticks, labels and a grid."""
    grid = 'stroke-opacity=".13" stroke-width=".6"'
    for tick in filter(x.shows, ticks_x):
        place = float(x(tick))
        yield segment(place, y.begin, place, y.end, INK, grid)
        yield segment(place, y.begin, place, y.begin + 3.5, INK, 'stroke-width=".8"')
        yield text(place, y.begin + 12.5, tick_label(tick), 10.5, anchor="middle")
    for tick in filter(y.shows, ticks_y):
        place = float(y(tick))
        yield segment(x.begin, place, x.end, place, INK, grid)
        yield segment(x.begin - 3.5, place, x.begin, place, INK, 'stroke-width=".8"')
        yield text(x.begin - 7, place, tick_label(tick), 10.5, anchor="end")
    yield segment(x.begin, y.begin, x.end, y.begin, INK, 'stroke-width=".8"')
    yield segment(x.begin, y.begin, x.begin, y.end, INK, 'stroke-width=".8"')


def dot(x: float, y: float, colour: str) -> str:
    """A point that a headline is about."""
    return f'<circle class="dot" cx="{_point(x)}" cy="{_point(y)}" r="4" fill="{colour}"/>'


def formula(x: float, y: float, words: str, wide: float) -> str | None:
    """Mathtext as outlines, its middle at height y, made smaller where it is wider than ``wide``.

    None where mathtext cannot read it.
    """
    outlines = _outlines(words)
    if outlines is None:
        return None
    drawn, width, middle = outlines
    size = min(1.0, wide / max(width, 1e-9))
    place = f"translate({_point(x)} {_point(y + size * middle)}) scale({size:.4g} {-size:.4g})"
    return f'<path class="formula" transform="{place}" d="{drawn}" fill="{INK}"/>'


@functools.lru_cache(maxsize=1024)  # the versions of a statement share their left side
def _outlines(words: str) -> tuple[str, float, float] | None:
    """(the path, its width, the height of its middle); None where mathtext cannot read it."""
    import matplotlib as mpl
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    try:
        with mpl.rc_context(STYLE), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing from")
            path = TextPath((0, 0), words, size=12, prop=FontProperties(family="DejaVu Sans"))
    except ValueError:
        return None
    if not len(path.vertices):
        return None
    letters = {path.MOVETO: "M", path.LINETO: "L", path.CURVE3: "Q", path.CURVE4: "C"}
    parts, before = [], None
    for (a, b), code in zip(path.vertices.tolist(), path.codes.tolist(), strict=True):
        if code == path.CLOSEPOLY:
            parts.append("Z")
        else:  # the further points of a curve follow without a letter
            parts.append(f"{letters[code] if code != before or code == 1 else ' '}{a:.2f} {b:.2f}")
        before = code
    (_, low), (right, high) = extents(path)
    return "".join(parts), right, (low + high) / 2


def extents(path: Any) -> tuple[tuple[float, float], tuple[float, float]]:
    """The least and the largest (x, y) of a matplotlib path, whose ``get_extents`` takes as long as
    reading the mathtext: letters are lines and parabolas, which turn where their slope is 0."""
    points, codes = path.vertices, path.codes
    if (codes == path.CURVE4).any():
        (x0, y0), (x1, y1) = path.get_extents().get_points().tolist()
        return (x0, y0), (x1, y1)
    middle = np.flatnonzero(codes == path.CURVE3)[::2]
    a, b, c = points[middle - 1], points[middle], points[middle + 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (a - b) / (a - 2 * b + c)
    t = np.where((t > 0) & (t < 1), t, 0.0)
    ends = np.delete(points, [*middle, *np.flatnonzero(codes == path.CLOSEPOLY)], axis=0)
    every = np.concatenate([ends, a * (1 - t) ** 2 + 2 * b * t * (1 - t) + c * t**2])
    return tuple(every.min(axis=0).tolist()), tuple(every.max(axis=0).tolist())


def _parts(shown: NDArray[np.bool_]) -> list[slice]:
    """The stretches without a gap."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], shown, [False]]).astype(int)))
    return [slice(a, b) for a, b in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)]


def _joined(x: Floats, y: Floats, first: str = "M") -> str:
    """Points as a path; those that a page cannot show apart from the last one are left out."""
    kept: list[tuple[float, float]] = []
    for k, (a, b) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
        last = k == len(x) - 1
        if last or not kept or max(abs(a - kept[-1][0]), abs(b - kept[-1][1])) >= _NEAR:
            kept.append((a, b))
    return first + " L".join(f"{_point(a)} {_point(b)}" for a, b in kept)


def _point(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
