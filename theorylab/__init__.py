"""theorylab: put a convergence theorem on the bench.

``kernels``, ``topologies``, ``problems``, ``algorithms`` and ``runs`` are the empirical arm;
``symbols``, ``statements`` and ``constants`` the theory arm. They meet in ``verdicts``.
``hypergradient`` differentiates a bilevel problem over a network in one call; ``to_frame`` makes a
pandas DataFrame of results, traces, curves and constants; ``sweep`` runs a campaign over a grid.
"""

from __future__ import annotations

from typing import Any

__all__ = ["__version__", "hypergradient", "sweep", "to_frame"]
__version__ = "0.2.0"


def __getattr__(name: str) -> Any:
    # Imported on first use: ``import theorylab`` alone must stay cheap.
    if name == "hypergradient":
        from theorylab.hypergradients import hypergradient

        return hypergradient
    if name == "to_frame":
        from theorylab.tables import to_frame

        return to_frame
    if name == "sweep":
        from theorylab.campaigns import sweep

        return sweep
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
