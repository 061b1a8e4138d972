"""Linear speedup, measured without sampling: SGP's noise floor against the number of clients.

    python verify/speedup.py [--largest N] [--out DIR]

Quadratics with one optimum and additive gradient noise have exact moments, so the floor
E||grad f(xbar)||^2 of a constant step size is computed, not estimated. Linear speedup says that it
falls like 1/n; the last column is the slope of log(floor) against log(n) up to that n, -1 where
that is true.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from theorylab.algorithms import SGP
from theorylab.problems import problem
from theorylab.runs import expected_trace
from theorylab.topologies import topology

# The last two are not doubly stochastic: their push-sum weights differ from 1.
TOPOLOGIES: dict[str, tuple[str, dict[str, object]]] = {
    "complete": ("complete", {}),
    "directed-ring": ("directed-ring", {}),
    "random-out, degree 1": ("random-out", {"degree": 1, "seed": 0}),
    "star, uniform out-degree": ("star", {"weights": "uniform"}),
}
ETA, ROUNDS, DIM = 0.1, 300, 2


def floor(name: str, options: dict[str, object], clients: int) -> float:
    """E||grad f(xbar)||^2 after 300 rounds from the common optimum, where it has settled."""
    losses = problem("quadratic", clients, dim=DIM, mu=0.2, L=1.0, heterogeneity=0.0, sigma=1.0)
    if clients == 1:
        name, options = "complete", {}
    trace = expected_trace(losses, topology(name, clients, **options), SGP(ETA), rounds=ROUNDS)
    return float(trace.columns["squared_gradient"][0, -1])


def slope(sizes: list[int], floors: list[float]) -> float:
    """Least-squares slope of log(floor) against log(n)."""
    return float(np.polyfit(np.log(sizes), np.log(floors), 1)[0]) if len(sizes) > 1 else math.nan


def draw(measured: dict[str, list[float]], sizes: list[int], folder: Path) -> None:
    """Floors against n beside a line of slope -1, as DIR/speedup.svg and .png."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6.4, 4.2), layout="constrained")
    for (name, floors), marker in zip(measured.items(), "osD^", strict=True):
        axes.loglog(sizes, floors, marker=marker, label=name)
    start = measured["complete"][0]
    axes.loglog(sizes, [start / n for n in sizes], "k--", label="slope -1")
    axes.set_xlabel("clients n")
    axes.set_ylabel(r"$E\|\nabla f(\bar{x})\|^2$, settled")
    axes.legend()
    folder.mkdir(parents=True, exist_ok=True)
    for kind in ("svg", "png"):
        figure.savefig(folder / f"speedup.{kind}", dpi=150)


def main() -> int:
    """Print the table; exit 2 on bad input."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--largest", type=int, default=32, help="largest n, a power of two")
    parser.add_argument("--out", type=Path, help="folder for the plot")
    given = parser.parse_args()
    if not 2 <= given.largest <= 64:
        parser.error(f"--largest is {given.largest}; need 2 to 64")
    sizes = [2**k for k in range(int(math.log2(given.largest)) + 1)]
    measured = {
        label: [floor(name, options, n) for n in sizes]
        for label, (name, options) in TOPOLOGIES.items()
    }
    shown = Table(
        title=f"SGP, eta = {ETA}, quadratics with one optimum, sigma = 1: exact noise floor"
    )
    for heading in ("topology", "n", "floor", "floor(1) / floor(n)", "slope so far"):
        shown.add_column(heading, justify="left" if heading == "topology" else "right")
    for name, floors in measured.items():
        for k, n in enumerate(sizes):
            so_far = slope(sizes[: k + 1], floors[: k + 1])
            shown.add_row(
                name if not k else "",
                str(n),
                f"{floors[k]:.4g}",
                f"{floors[0] / floors[k]:.2f}",
                "" if math.isnan(so_far) else f"{so_far:.3f}",
            )
        shown.add_section()
    Console().print(shown)
    if given.out is not None:
        draw(measured, sizes, given.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
