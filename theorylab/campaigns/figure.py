"""Pictures of a campaign: two axes and a measure, one panel a value of a third."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from theorylab.campaigns.reading import Row, Rows
from theorylab.report.style import saved

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_KINDS = ("svg", "png")
_MOST = 24  # panels, and curves of one
_TICKS = 12  # names on an axis; of more every other


def picture(
    rows: Rows,
    kind: str,
    *,
    x: str | None = None,
    y: str | None = None,
    measure: str = "ratio",
    by: str | None = None,
    curves: bool = False,
) -> bytes:
    """A heat map of the mean of ``measure`` over all other axes or, with ``curves``, its median
    and range over them along x, a curve a value of y; a panel a value of ``by``.

    Raises ValueError: one line, on an axis or a column that is not there.
    """
    if kind not in _KINDS:
        raise ValueError(f"{kind!r} came; need a file that ends in .svg or .png")
    names = _axes(rows, x, y, by, curves)
    rows.check(measure)
    kept = [r for r in rows.rows if isinstance(r.get(measure), int | float)]
    if not kept:
        raise ValueError(f"no row has a number in {measure}; need another column")
    panels = _values(kept, by) if by else [None]
    if len(panels) > _MOST:
        raise ValueError(f"{by} has {len(panels)} values; need at most {_MOST} panels")
    wide = min(4, len(panels))
    high = -(-len(panels) // wide)

    def draw(figure: Figure) -> None:
        grid = figure.subplots(high, wide, squeeze=False, sharex=True, sharey=True)
        limits = _limits([float(row[measure]) for row in kept])
        drawn: Any = None
        for place, value in enumerate(panels):
            axes = grid.flat[place]
            part = kept if by is None else [row for row in kept if row.get(by) == value]
            if curves:
                _curves(axes, part, names[0], y, measure)
            else:
                drawn = _map(axes, kept, part, names, measure, limits)
            axes.set_title("" if by is None else f"{by} = {_text(value)}", fontsize=9)
        for axes in list(grid.flat)[len(panels) :]:
            axes.set_visible(False)
        if drawn is not None:
            figure.colorbar(drawn, ax=grid, label=measure if limits[2] == 1 else f"log10 {measure}")

    size = (1 + 3.6 * wide, 0.6 + 3 * high)
    return saved(draw, kind, dpi=120, figsize=size, layout="constrained")


def _axes(
    rows: Rows, x: str | None, y: str | None, by: str | None, curves: bool
) -> tuple[str, str]:
    """x and y; what is not said is an axis of the plan that is not taken."""
    given = [name for name in (x, y, by) if name is not None]
    for name in given:
        if name not in rows.axes:
            raise ValueError(f"{name!r} is no axis; need some of {', '.join(rows.axes)}")
    if len(given) > len({*given}):
        raise ValueError(f"{', '.join(given)} came; need each axis once")
    left = [name for name in rows.axes if name not in (x, y, by)]
    if x is None:
        if not left:
            raise ValueError("there is no axis left for --x; need fewer names")
        x = left.pop(0)
    if y is None and not curves:
        if not left:
            raise ValueError("there is no axis left for --y; need two, or --curves")
        y = left.pop(0)
    return x, y or ""


def _values(rows: Sequence[Row], name: str) -> list[Any]:
    """What a column has, numbers rising, texts as they come."""
    found = list(dict.fromkeys(row.get(name) for row in rows))
    numbers = all(isinstance(value, int | float) for value in found)
    return sorted(found, key=float) if numbers else found


def _limits(values: Sequence[float]) -> tuple[float, float, int]:
    """(low, high, 1 or 10): in decades where positive numbers span more than one."""
    positive = [value for value in values if value > 0]
    if len(positive) == len(values) and max(values) > 10 * min(values):
        return math.log10(min(values)), math.log10(max(values)), 10
    return min(values), max(values), 1


def _map(
    axes: Axes,
    every: Sequence[Row],
    rows: Sequence[Row],
    names: tuple[str, str],
    measure: str,
    limits: tuple[float, float, int],
) -> Any:
    across, up = (_values(every, name) for name in names)
    cells: dict[tuple[int, int], list[float]] = {}
    for row in rows:
        place = up.index(row.get(names[1])), across.index(row.get(names[0]))
        cells.setdefault(place, []).append(float(row[measure]))
    table = np.full((len(up), len(across)), np.nan)
    for place, numbers in cells.items():
        mean = sum(numbers) / len(numbers)
        table[place] = math.log10(mean) if limits[2] == 10 else mean
    drawn = axes.imshow(
        table, origin="lower", aspect="auto", cmap="viridis", vmin=limits[0], vmax=limits[1]
    )
    for set_ticks, values in ((axes.set_xticks, across), (axes.set_yticks, up)):
        step = -(-len(values) // _TICKS)
        set_ticks(range(0, len(values), step), [_text(v) for v in values[::step]])
    axes.tick_params(axis="x", rotation=45)
    axes.grid(False)
    axes.set_xlabel(names[0])
    axes.set_ylabel(names[1])
    return drawn


def _curves(axes: Axes, rows: Sequence[Row], x: str, y: str | None, measure: str) -> None:
    values = _values(rows, y) if y else [None]
    if len(values) > _MOST:
        raise ValueError(f"{y} has {len(values)} values; need at most {_MOST} curves")
    across = _values(rows, x)
    numbers = all(isinstance(value, int | float) for value in across)
    for value in values:
        part = [row for row in rows if y is None or row.get(y) == value]
        groups = [[float(row[measure]) for row in part if row.get(x) == at] for at in across]
        full = [place for place, group in enumerate(groups) if group]
        at = np.array([float(across[p]) if numbers else p for p in full])
        spread = np.array(
            [(min(groups[p]), float(np.median(groups[p])), max(groups[p])) for p in full]
        )
        label = "" if y is None else f"{y} = {_text(value)}"
        (line,) = axes.plot(at, spread[:, 1], marker="o", markersize=3, label=label)
        axes.fill_between(at, spread[:, 0], spread[:, 2], alpha=0.2, color=line.get_color(), lw=0)
    if not numbers:
        axes.set_xticks(range(len(across)), [_text(value) for value in across])
    elif min(across) > 0 and max(across) > 10 * min(across):
        axes.set_xscale("log")
    if _limits([float(row[measure]) for row in rows])[2] == 10:
        axes.set_yscale("log")
    if y is not None:
        axes.legend(fontsize=7)
    axes.set_xlabel(x)
    axes.set_ylabel(measure)


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
