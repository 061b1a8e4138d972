"""Pictures of a campaign: two axes and a measure, one panel a value of a third."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from theorylab.campaigns.reading import Row, Rows
from theorylab.report.readings import Plot, readings
from theorylab.report.style import INK, saved, tick_label
from theorylab.words import ORDER, Verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_RATIO = "ratio"
_WRITTEN = 6  # columns and rows of a map at most whose cells say their numbers
_KINDS = ("svg", "png")
_MOST = 24  # panels, and curves of one
_TICKS = 12  # names on an axis; of more every other


def picture(rows: Rows, kind: str, **drawn: Any) -> bytes:
    """SVG or PNG. drawn: arguments of ``drawing``, whose errors are raised."""
    if kind not in _KINDS:
        raise ValueError(f"{kind!r} came; need a file that ends in .svg or .png")
    draw, _, options = drawing(rows, **drawn)
    return saved(draw, kind, dpi=120, **options)


def plots(rows: Rows, **drawn: Any) -> list[Plot]:
    """What a page tells under the pointer, see ``theorylab.report.readings``."""
    draw, cells, options = drawing(rows, **drawn)
    return readings(draw, cells, **options)


def drawing(
    rows: Rows,
    *,
    x: str | None = None,
    y: str | None = None,
    measure: str = "ratio",
    by: str | None = None,
    curves: bool = False,
) -> tuple[Callable[[Figure], None], dict[Axes, list[list[str]]], dict[str, Any]]:
    """A heat map of ``measure`` or, with ``curves``, its median and range over all other axes
    along x, a curve a value of y; a panel a value of ``by``.

    A cell of the map has all values of the other axes: of a ratio it shows the largest, and how
    many rows are VIOLATED, on colours that part at 1; of any other measure the mean.

    Returns:
        What draws it, what each cell says once it is drawn, and options of the figure.

    Raises:
        ValueError: one line, on an axis or a column that is not there.
    """
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
    cells: dict[Axes, list[list[str]]] = {}

    def draw(figure: Figure) -> None:
        grid = figure.subplots(high, wide, squeeze=False, sharex=True, sharey=True)
        shades = _Shades.of(measure, [float(row[measure]) for row in kept])
        drawn: Any = None
        for place, value in enumerate(panels):
            axes = grid.flat[place]
            part = kept if by is None else [row for row in kept if row.get(by) == value]
            if curves:
                _curves(axes, part, names[0], y, measure)
            else:
                drawn, cells[axes] = _map(axes, kept, part, names, shades)
            axes.set_title("" if by is None else f"{by} = {_text(value)}", fontsize=9)
        for axes in list(grid.flat)[len(panels) :]:
            axes.set_visible(False)
        if drawn is not None:
            bar = figure.colorbar(drawn, ax=grid, label=shades.label)
            if shades.ratio:
                bar.ax.axhline(shades.place(1.0), color=INK, linewidth=2)
                bar.ax.yaxis.set_major_formatter(lambda v, _: tick_label(shades.value(v)))

    return draw, cells, {"figsize": (1 + 3.6 * wide, 0.6 + 3 * high), "layout": "constrained"}


class _Shades(NamedTuple):
    """How numbers become colours. low, high: where they end; decades: of their logarithms."""

    measure: str
    low: float
    high: float
    decades: bool

    @classmethod
    def of(cls, measure: str, values: Sequence[float]) -> _Shades:
        low, high, base = _limits(values)
        if measure == _RATIO:  # 1 lies within, so that both sides of it are seen
            one, least = (0.0, 0.05) if base == 10 else (1.0, 0.1)
            low, high = min(low, one - least), max(high, one + least)
        return cls(measure, low, high, base == 10)

    @property
    def ratio(self) -> bool:
        return self.measure == _RATIO

    @property
    def label(self) -> str:
        if self.ratio:
            return "largest ratio; the line is at 1"
        return f"log10 {self.measure}" if self.decades else self.measure

    def place(self, value: float) -> float:
        """Where a number stands on the bar."""
        if not self.decades:
            return value
        return math.log10(value) if value > 0 else self.low

    def value(self, place: float) -> float:
        return 10.0**place if self.decades else place

    def reduced(self, numbers: Sequence[float]) -> float:
        """One number of a cell's rows."""
        return max(numbers) if self.ratio else sum(numbers) / len(numbers)

    def of_map(self) -> dict[str, Any]:
        """The arguments of ``imshow``."""
        from matplotlib.colors import TwoSlopeNorm

        if not self.ratio:
            return {"cmap": "viridis", "vmin": self.low, "vmax": self.high}
        norm = TwoSlopeNorm(vcenter=self.place(1.0), vmin=self.low, vmax=self.high)
        return {"cmap": "RdBu_r", "norm": norm}


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
    shades: _Shades,
) -> tuple[Any, list[list[str]]]:
    """The map and what its cells say, the lowest row first."""
    across, up = (_values(every, name) for name in names)
    groups: dict[tuple[int, int], list[Row]] = {}
    for row in rows:
        place = up.index(row.get(names[1])), across.index(row.get(names[0]))
        groups.setdefault(place, []).append(row)
    table = np.full((len(up), len(across)), np.nan)
    told = [["" for _ in across] for _ in up]
    for (i, j), group in groups.items():
        value = shades.reduced([float(row[shades.measure]) for row in group])
        table[i, j] = shades.place(value)
        said = [f"{value:.3g}", *_broken(group)]
        where = f"{names[0]} {_text(across[j])}, {names[1]} {_text(up[i])}"
        told[i][j] = f"{where}\n{shades.label.partition(';')[0]} {', '.join(said)}"
        if len(across) <= _WRITTEN and len(up) <= _WRITTEN:
            axes.text(j, i, "\n".join(said), ha="center", va="center", fontsize=8, color=INK,
                      bbox={"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 1.5},
                      parse_math=False)  # fmt: skip
    drawn = axes.imshow(table, origin="lower", aspect="auto", **shades.of_map())
    for set_ticks, values in ((axes.set_xticks, across), (axes.set_yticks, up)):
        step = -(-len(values) // _TICKS)
        set_ticks(range(0, len(values), step), [_text(v) for v in values[::step]])
    axes.tick_params(axis="x", rotation=45)
    axes.grid(False)
    axes.set_xlabel(names[0])
    axes.set_ylabel(names[1])
    return drawn, told


def _broken(rows: Sequence[Row]) -> list[str]:
    """How many of the rows break the claim; nothing where no row was judged."""
    judged = [Verdict[row["verdict"]] for row in rows if row.get("verdict") in ORDER]
    count = sum(verdict.broken for verdict in judged)
    return [f"{count} of {len(judged)} violated"] if judged else []


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
    if measure == _RATIO:
        axes.axhline(1.0, color=INK, linestyle=(0, (1, 3)), linewidth=1)
    if y is not None:
        axes.legend(fontsize=7)
    axes.set_xlabel(x)
    axes.set_ylabel(measure)


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
