"""One picture a topology: the measured contraction under the envelopes that claim to bound it.

Heights are given as log10, since printed envelopes leave float64. The same arrays give the same
bytes: no date, no random ids, fonts that come with matplotlib.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from theorylab.report.style import INK, MEASURED, saved, spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

# Okabe and Ito (2008): told apart by every colour vision; the dashes tell them apart in grey
_LOOKS: tuple[tuple[str, Any], ...] = (
    ("#b84f00", (0, (5, 2))),
    ("#007a59", (0, (1, 1.5))),
    ("#a8467f", (0, (7, 2, 1, 2))),
    ("#8a6d00", (0, (2, 2, 6, 2))),
)
_DECADES = 15  # an envelope further than this above the measured side is named, not drawn
_HIGH, _TALL = 4.5, 0.72  # inches of the figure; share of it that the axes take


class Envelope(NamedTuple):
    """A curve to draw: log10 of its heights, shape of the lags (-inf for 0); None: not defined."""

    name: str
    log10: Floats | None
    note: str


def svg(title: str, norm: str, lags: Floats, log10: Floats, envelopes: Sequence[Envelope]) -> str:
    """The figure as an SVG document.

    Args:
        title: one line. norm: of the measured side, for the axis.
        lags: increasing, shape (k,). log10: of the measured norms, shape (k,), -inf for 0.
        envelopes: at most four, drawn in this order.

    Raises:
        ValueError: on arrays of another shape, nan, or more envelopes than there are colours.
    """
    data = _render(title, norm, lags, log10, envelopes, "svg")
    return data.decode("utf-8")


def png(title: str, norm: str, lags: Floats, log10: Floats, envelopes: Sequence[Envelope]) -> bytes:
    """The figure as a PNG, 160 dots per inch; arguments as in ``svg``."""
    return _render(title, norm, lags, log10, envelopes, "png")


def _render(
    title: str, norm: str, lags: Floats, log10: Floats, envelopes: Sequence[Envelope], kind: str
) -> bytes:
    _check(lags, log10, envelopes)

    def draw(figure: Figure) -> None:
        _draw(figure, title, norm, lags, log10, envelopes)

    return saved(draw, kind, dpi=160, figsize=(8.6, _HIGH))


def _check(lags: Floats, log10: Floats, envelopes: Sequence[Envelope]) -> None:
    if len(envelopes) > len(_LOOKS):
        raise ValueError(f"envelope: {len(envelopes)} envelopes; need at most {len(_LOOKS)}")
    for name, row in (("measured", log10), *((e.name, e.log10) for e in envelopes)):
        if row is None:
            continue
        if row.shape != lags.shape or not len(lags):
            raise ValueError(
                f"envelope: {name} has shape {row.shape}; need that of the lags, {lags.shape}"
            )
        if np.isnan(row).any():
            raise ValueError(f"envelope: {name} has a nan; need log10, or -inf for 0")


def _draw(
    figure: Figure, title: str, norm: str, lags: Floats, log10: Floats, all_: Sequence[Envelope]
) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axes = figure.add_axes((0.095, 0.14, 0.665, _TALL))
    low, top = _limits(log10, all_)
    axes.set_ylim(low, top)
    axes.set_xlim(0, max(float(lags[-1]), 1.0))
    labels: list[tuple[float, str, str]] = []
    for (name, row, note), (colour, dashes) in zip(all_, _LOOKS, strict=False):
        text = f"{name}\n{note}" if note else name
        if row is None:
            labels.append((math.inf, f"{name}: none", colour))
            continue
        if row[np.isfinite(row)].min(initial=math.inf) > top:
            labels.append((math.inf, f"{text}\nabove the chart", colour))
            continue
        _line(axes, lags, row, low, color=colour, linewidth=1.8, linestyle=dashes)
        labels.append((max(float(row[-1]), low), text, colour))
    _line(axes, lags, log10, low, color=MEASURED, linewidth=2.4, zorder=1.9)
    zero = np.flatnonzero(log10 == -math.inf)
    text = f"measured\n0 from lag {lags[zero[0]]:g} on" if len(zero) else "measured"
    labels.append((max(float(log10[-1]), low), text, MEASURED))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=8, integer=True, min_n_ticks=1))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"$10^{{{v:.0f}}}$"))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(True, color=INK, alpha=0.13, linewidth=0.6)
    axes.set_xlabel("lag t − s, rounds")
    axes.set_ylabel(f"largest {norm} of M(t, s)")
    _beside(axes, labels)
    figure.text(0.015, 0.94, title, fontsize=11.5, fontweight="bold", va="center",
                parse_math=False)  # fmt: skip


def _limits(log10: Floats, envelopes: Sequence[Envelope]) -> tuple[float, float]:
    """Room for the measured side and every envelope that does not flatten it."""
    seen = log10[np.isfinite(log10)]
    low, top = (float(seen.min()), float(seen.max())) if len(seen) else (-1.0, 0.0)
    near = top + _DECADES
    for envelope in envelopes:
        row = np.array([]) if envelope.log10 is None else envelope.log10
        row = row[np.isfinite(row)]
        if len(row) and row.min() <= near:
            top = max(top, min(float(row.max()), near))
            low = min(low, max(float(row.min()), low - 3))
    room = max(0.05 * (top - low), 0.3)
    return low - room - 1.5 * bool(np.isneginf(log10).any()), top + room


def _line(axes: Axes, lags: Floats, log10: Floats, low: float, **look: Any) -> None:
    """A curve; where it becomes 0 it leaves through the floor, and is gone after that."""
    drawn = np.where(np.isfinite(log10), log10, math.nan)
    zero = np.flatnonzero(~np.isfinite(log10))
    if len(zero):
        drawn[zero[0]] = low - 1
    axes.plot(lags, drawn, **look)


def _beside(axes: Axes, labels: Sequence[tuple[float, str, str]]) -> None:
    """Names at the right edge, at their heights, moved apart where they would meet."""
    low, top = axes.get_ylim()
    line = 1.32 * 9.5 / 72 / (_HIGH * _TALL)
    order = sorted(range(len(labels)), key=lambda k: (labels[k][0], -k))
    placed = [labels[k] for k in order]
    halves = [0.5 * line * (text.count("\n") + 1) for _, text, _ in placed]
    wanted = [(height - low) / (top - low) for height, _, _ in placed]  # inf: above the chart
    within = [min(want, 1.0) for want in wanted]
    centres = spread(within, halves, 0.3 * line, low=-line, high=1.04)
    for (_, text, colour), want, centre in zip(placed, wanted, centres, strict=True):
        leader = {"arrowstyle": "-", "color": colour, "linewidth": 0.8, "relpos": (0.0, 0.5)}
        axes.annotate(
            text,
            xy=(1.0, min(want, 1.0)),
            xytext=(1.045, centre),
            xycoords="axes fraction",
            textcoords="axes fraction",
            va="center",
            fontsize=9.5,
            color=colour,
            linespacing=1.2,
            parse_math=False,
            annotation_clip=False,
            arrowprops=leader if math.isfinite(want) else None,
        )
