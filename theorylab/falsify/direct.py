"""The real numbers of the best instance, moved together over their logarithms."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from typing import Any

from theorylab.falsify.hunt import SHARES, Hunt
from theorylab.falsify.moves import Instance, numbers_in, replaced

_DIMENSIONS = 8  # real numbers that are moved together
_WORTH_CMA = 6.0  # seconds left from which on CMA-ES is used: importing it takes two


def directed(hunt: Hunt, base: Instance) -> None:
    """CMA-ES, where the package ``cma`` is there and time is left for it; else scipy's direct."""
    paths = [
        (at, value)
        for at, value in numbers_in(base)
        if isinstance(value, float) and value > 0 and at[-1] != "seed" and at[0] != "constants"
    ][:_DIMENSIONS]
    if not paths:
        return

    def negative(logs: Any) -> float:
        made: Mapping[str, Any] = base
        for (at, value), log in zip(paths, logs, strict=True):
            made = replaced(made, at, value * 10.0 ** float(log))
        if not hunt.going():
            return 0.0
        return -max(hunt.look(dict(made)), -1e9)

    hunt.after(base, "all real numbers together")
    left = (SHARES["direct"] - hunt.used()) * hunt.budget
    there = importlib.util.find_spec("cma") is not None
    if there and len(paths) > 1 and left > _WORTH_CMA:
        cma: Any = importlib.import_module("cma")
        options = {"bounds": [-3.0, 3.0], "verbose": -9, "seed": hunt.judge.seed + 1}
        walk = cma.CMAEvolutionStrategy([0.0] * len(paths), 0.3, options)
        while hunt.going() and not walk.stop():
            asked = walk.ask()
            walk.tell(asked, [negative(logs) for logs in asked])
        return

    # scipy's own stopping rules do not know the clock: the callback ends it.
    def stop(_: Any) -> None:
        if not hunt.going():
            raise StopIteration

    try:
        from scipy.optimize import direct  # slow to import

        direct(negative, [(-1.5, 1.5)] * len(paths), maxfun=4000, callback=stop)
    except StopIteration:
        return
