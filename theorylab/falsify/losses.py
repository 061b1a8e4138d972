"""Losses that a search tries, for any number of clients: by label, as options of a problem."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any


def turned(n: int, size: float = 1.0) -> list[float]:
    """size, -size, size, ... around 0 for an even n."""
    return [size if i % 2 == 0 else -size for i in range(n)]


def away(n: int, size: float = 1.0) -> list[float]:
    return [size] + [0.0] * (n - 1)


def wave(n: int) -> list[float]:
    """Once around the clients: what a ring mixes slowest."""
    return [math.cos(2 * math.pi * i / n) for i in range(n)]


def columns(*parts: Sequence[float]) -> list[list[float]]:
    return [list(row) for row in zip(*parts, strict=True)]


def plain(n: int) -> Iterator[tuple[str, dict[str, Any]]]:
    zero, apart, one_away = [0.0] * n, turned(n), away(n)
    same, one = [[[1.0]]] * n, {"name": "quadratic"}
    yield "quadratics, centres apart", {**one, "H": same, "c": columns(apart)}
    yield "log-cosh, centres apart", {"name": "log-cosh", "centers": columns(turned(n, 5.0))}
    yield "quadratics alike", {**one, "H": same, "c": columns(zero)}
    yield (
        "log-cosh, centres 5, 6, -7",
        {"name": "log-cosh", "centers": columns([(5.0, 6.0, -7.0)[i % 3] for i in range(n)])},
    )
    curved = [[[1.0 if i % 2 == 0 else 1e-3]] for i in range(n)]
    yield "quadratics, one steep, one flat", {**one, "H": curved, "c": columns(apart)}
    yield "clipped-linear, far", {"name": "clipped-linear", "center": 10.0}
    yield (
        "clipped-linear, centres apart",
        {"name": "clipped-linear", "centers": columns(turned(n, 3.0))},
    )
    outvoted = [1.0] + [-0.8 / (n - 1)] * (n - 1) if n > 1 else [1.0]
    yield "one against all", {**one, "H": same, "c": columns(outvoted)}
    yield "one centre away", {**one, "H": same, "c": columns(one_away)}
    yield "log-cosh alike", {"name": "log-cosh", "dim": 1, "center": 1.0}
    yield "log-cosh, far", {"name": "log-cosh", "dim": 1, "center": 100.0}
    yield "log-cosh, one centre far", {"name": "log-cosh", "centers": columns(away(n, 50.0))}
    bent = [[[3.0 if i % 2 == 0 else -1.0]] for i in range(n)]
    yield "quadratics, some concave", {**one, "H": bent, "c": columns(apart)}
    plane = [[[1.0, 0.0], [0.0, 1e-2]]] * n
    yield "quadratics, centres on a wave", {**one, "H": same, "c": columns(wave(n))}
    yield "quadratics of a long valley", {**one, "H": plane, "c": columns(apart, zero)}
    yield "log-cosh in ten dimensions", {"name": "log-cosh", "dim": 10, "center": 1.0}
    yield "drawn quadratics", {**one, "dim": 2, "seed": 1}
    yield "pinwheel", {"name": "pinwheel"}


def personal(n: int) -> Iterator[tuple[str, dict[str, Any]]]:
    zero, apart, one_away, one = [0.0] * n, turned(n), away(n), [[[1.0]]] * n

    def coupled(a: list[float], b: list[float], **other: Any) -> dict[str, Any]:
        plain = {"A": one, "B": one, "C": [[[0.0]]] * n, "a": columns(a), "b": columns(b)}
        return {"name": "coupled-quadratic", **plain, **other}

    yield "shared minima apart", coupled(apart, zero)
    yield "heads' minima apart", coupled(zero, apart)
    yield "coupled quadratics alike", coupled(zero, zero)
    yield "one shared minimum away", coupled(one_away, zero)
    yield "shared minima on a wave", coupled(wave(n), zero)
    yield "steep heads", coupled(zero, zero, B=[[[10.0]]] * n)
    yield "coupled strongly", coupled(apart, apart, C=[[[0.9]]] * n)
    yield "one head away", coupled(zero, one_away)
    yield "coupled with both signs", coupled(apart, apart, C=[[[s * 0.5]] for s in apart])
    yield "flat heads", coupled(apart, zero, B=[[[1e-2]]] * n)
    yield "steep shared part", coupled(apart, zero, A=[[[10.0]]] * n)
    curved = [[[1.0 if i % 2 == 0 else 1e-2]] for i in range(n)]
    yield "one shared part steep, one flat", coupled(apart, zero, A=curved)
    bent = [[[3.0 if i % 2 == 0 else -1.0]] for i in range(n)]
    yield "some concave in the shared part", coupled(apart, zero, A=bent)
    yield "one head steep", coupled(zero, apart, B=[[[100.0]], *([[[1.0]]] * (n - 1))])
    # one client pulls against all others, and the mean gradient at 0 is near 0
    outvoted = [1.0] + [-0.8 / (n - 1)] * (n - 1) if n > 1 else [1.0]
    yield "one against all", coupled(outvoted, zero)
    yield "flat shared part", coupled(zero, zero, A=[[[0.0]]] * n)
    waves = {"name": "sin-sin", "dim_u": 1, "dim_v": 1, "seed": 1}
    yield "waves", {**waves, "coupling": 0.5}
    yield "waves uncoupled", {**waves, "coupling": 0.0}
    given = {"name": "sin-sin", "A": [[1.0]], "B": [[1.0]], "c": [2.0] * n}
    phases = [[0.0 if i % 2 == 0 else math.pi] for i in range(n)]
    centers = {"a": columns(zero), "b": columns([1.0] * n)}
    yield "waves of opposite phases", {**given, "phases": phases, **centers}
    centers = {"a": columns(apart), "b": columns(zero)}
    yield "waves of one phase", {**given, "c": [1.0] * n, "phases": [[math.pi / 2]] * n, **centers}
    ripples = {"name": "rippled", "A": 1.0, "B": 1.0, "r": 10.0}
    yield "ripples", {**ripples, "a": columns(turned(n, 10.0)), "b": columns(zero)}
