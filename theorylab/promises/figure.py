"""The picture of a plan: rounds that are promised, and rounds that runs need, over the target."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from theorylab.promises.plan import Plan
from theorylab.report.style import BOUND, INK, MEASURED, saved

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def picture(found: Plan, kind: str) -> bytes:
    """SVG or PNG; the same plan gives the same bytes."""
    table = {
        name: np.array([np.nan if value is None else value for value in column], float)
        for name, column in found.table().items()
    }

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        at = table["target"]
        low, high = table["needed_low"], table["needed_high"]
        axes.fill_between(at, low, high, color=MEASURED, alpha=0.22, linewidth=0)
        axes.plot(at, table["needed"], color=MEASURED, marker="o", markersize=4, label="needed")
        axes.plot(
            at, table["promised"], color=BOUND, linestyle=(0, (5, 2)), marker="s", markersize=4,
            label="promised",
        )  # fmt: skip
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("target of the left side")
        axes.set_ylabel("rounds T")
        axes.set_title(f"{found.id} [{found.version}]", fontsize=10, loc="left")
        axes.grid(True, color=INK, alpha=0.13, linewidth=0.6)
        axes.legend(fontsize=8, frameon=False)

    return saved(draw, kind, dpi=150, figsize=(6.4, 4.2), layout="constrained")
