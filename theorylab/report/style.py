"""What every picture of the project shares: colours, matplotlib settings, ticks, labels."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

INK = "#1b1e23"  # text and axes; a page replaces it by its own text colour
MEASURED, BOUND = "#0072B2", "#b84f00"  # after Okabe and Ito (2008), dark enough to be read
TERM = "#5f646c"
STYLE: Any = {  # matplotlib's own type of it changes from version to version
    "svg.hashsalt": "theorylab",
    "svg.fonttype": "path",
    "font.family": "DejaVu Sans",
    "font.size": 10.5,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.formatter.useoffset": False,
}


_UNSAID = {"svg": ("Date", "Creator", "Format", "Type"), "png": ("Software",)}


def figure_of(draw: Callable[[Figure], None], **options: Any) -> Figure:
    """A figure in this style. options: of the ``Figure``."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        figure = Figure(facecolor="white", **options)
        FigureCanvasAgg(figure)
        draw(figure)
    return figure


def saved(draw: Callable[[Figure], None], kind: str, *, dpi: int | None = None,
          **options: Any) -> bytes:  # fmt: skip
    """What ``draw`` puts on a figure, as SVG or PNG; the same drawing gives the same bytes.

    Args:
        kind: "svg" or "png". dpi: dots per inch. options: of the ``Figure``.
    """
    import matplotlib as mpl

    buffer = io.BytesIO()
    with mpl.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # a name may be any text
        figure_of(draw, **options).savefig(
            buffer, format=kind, dpi=dpi or "figure", metadata=dict.fromkeys(_UNSAID[kind])
        )
    return buffer.getvalue()


def decimal_ticks(axis: Axis, decades: float) -> None:
    """0.5, 2, 100 where a person reads that faster than a power of ten; minor ones if few.

    Labels are plain text, whose layout takes a tenth of the time of a formula's.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

    axis.set_major_formatter(FuncFormatter(lambda v, _: tick_label(v)))
    axis.set_minor_formatter(NullFormatter())
    axis.set_minor_locator(NullLocator())
    if decades < 1.6:
        steps = range(2, 10) if decades < 0.5 else (2, 5)
        axis.set_minor_locator(LogLocator(subs=[float(step) for step in steps]))
        axis.set_minor_formatter(FuncFormatter(lambda v, _: f"{v:.6g}"))


_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def tick_label(value: float) -> str:
    """``0.5``, ``100``, ``2·10⁻⁷``: plain text, in the fewest signs."""
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        return f"{value:g}"
    digits, _, power = f"{value:.6e}".partition("e")
    front = digits.rstrip("0").rstrip(".")
    times = {"1": "", "-1": "-"}.get(front, f"{front}·")
    return f"{times}10{str(int(power)).translate(_RAISED)}"


def spread(
    wanted: Sequence[float], halves: Sequence[float], gap: float, low: float, high: float
) -> list[float]:
    """The centres of labels, each as near to where it is wanted as keeps it apart from the others.

    Args:
        wanted: rising; inf for the top. halves: half the height of each label. gap: between two.
        low, high: the ends of the room for them; what runs out at the top moves the others down.
    """
    centres: list[float] = []
    edge = low - gap
    for want, half in zip(wanted, halves, strict=True):
        centres.append(max(want, edge + gap + half))
        edge = centres[-1] + half
    edge = high + gap
    for k in reversed(range(len(centres))):
        centres[k] = min(centres[k], edge - gap - halves[k])
        edge = centres[k] - halves[k]
    return centres


def short(text: str, most: int = 22) -> str:
    """One printable line; an SVG must not hold a control character, a label must not run away."""
    clean = "".join(c if c.isprintable() else "?" for c in text)
    return clean if len(clean) <= most else clean[: most - 1] + "…"
