"""Instances in which one cause alone moves the clients: noise, unlike losses, or the start.

A bound is a sum over such causes. Where only one of them acts, the terms of all others are 0. Then
a term that is too small shows, and so does a cause for which the bound has no term.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from theorylab.falsify.instances import (
    Instance,
    Move,
    Shape,
    with_clients,
    with_problem,
    with_rounds,
)

_COUNTS = ("local_steps", "steps_u", "steps_v", "tau")
_SEVERAL = 5  # local steps, in place of single ones
_FLAT = 1e-2  # of a curvature that a noise outweighs, and of a bound that divides by it
_LENGTH = 0.05  # over which a noise that depends on the point turns
_OFF_CENTRE = 0.1178  # a start where such a noise has a slope and a curvature


def causes(instance: Mapping[str, Any], shape: Shape) -> Iterator[Move]:
    """Labels and instances: noise alone, the start alone, unlike losses alone; each of one client
    with single steps in one round, of one with as many steps, and as the instance is; and last all
    of one client with several steps where the instance has single ones."""
    small = ((_small(instance, 1), " smallest"), (_small(instance), " of one round"))
    sizes = (*small, (dict(instance), ""))
    alone = [list(_sized(base, shape.personal, size)) for base, size in sizes]
    for together in itertools.zip_longest(*alone):
        yield from filter(None, together)
    if _single(instance):
        yield from _sized(_small(instance, _SEVERAL), shape.personal, " of several steps")


def _sized(base: Instance | None, personal: bool, size: str) -> Iterator[Move]:
    if base is None:
        return
    for label, options, x0 in _alone(base["clients"], personal):
        made = {**with_problem({**base, "x0": 0.0}, options), "x0": x0}
        few = made["rounds"] <= (2 if size else 1)
        if few and _is_noise(options) and "law" not in made:
            made["law"] = "enumerated"
        yield f"alone: {label}{size}", made


def _small(instance: Mapping[str, Any], steps: int | None = None) -> Instance | None:
    """One client, one round, so many local steps; None where the instance is that."""
    made = with_rounds(with_clients(instance, 1), 1)
    options = made.get("algorithm")
    if isinstance(options, Mapping) and steps is not None:
        made["algorithm"] = {k: steps if k in _COUNTS else value for k, value in options.items()}
    return None if made == instance else made


def _single(instance: Mapping[str, Any]) -> bool:
    """Whether a kind of local steps has a single one."""
    options = instance.get("algorithm")
    return isinstance(options, Mapping) and any(options.get(key) == 1 for key in _COUNTS)


def _is_noise(options: Mapping[str, Any]) -> bool:
    return "noise" in options or "field" in options


def _alone(n: int, personal: bool) -> Iterator[tuple[str, dict[str, Any], Any]]:
    return _of_heads(n) if personal else _of_points(n)


def _of_heads(n: int) -> Iterator[tuple[str, dict[str, Any], Any]]:
    zero = [[0.0]] * n

    def rest(shared: float = 1.0, heads: float = 1.0) -> dict[str, Any]:
        curves = {"A": [[[shared]]] * n, "B": [[[heads]]] * n, "C": [[[0.0]]] * n}
        return {"name": "coupled-quadratic", **curves, "a": zero, "b": zero}

    bodies = (
        ("", rest()),
        (", flat heads", rest(heads=_FLAT)),
        (", no shared gradient", rest(shared=0.0)),
    )
    for part in ("sigma_v", "sigma_u"):
        for body, options in bodies:
            made = {**options, "noise": "rademacher", part: 1.0}
            yield f"noise {part}{body}", made, 0.0
    bent = {"noise": "state", "length": _LENGTH, "sigma_u": 1.0}
    yield "noise that bends, shared", {**rest(), **bent}, [_OFF_CENTRE, 0.0]
    bent = {"noise": "state", "length": _LENGTH, "sigma_v": 1.0}
    yield "noise that bends, heads", {**rest(), **bent}, [0.0, _OFF_CENTRE]
    yield "shared part away", rest(), [1.0, 0.0]
    yield "heads away", rest(), [0.0, 1.0]
    yield "heads away, flat", rest(heads=_FLAT), [0.0, 1.0]
    turned = [1.0 if i % 2 == 0 else -1.0 for i in range(n)]
    if n > 1:
        yield "shared parts apart, no gradient", rest(shared=0.0), [[s, 0.0] for s in turned]
        unlike = {**rest(), "a": [[s] for s in turned]}
        yield "unlike shared minima", unlike, 0.0
        yield "unlike heads' minima", {**rest(), "b": [[s] for s in turned]}, 0.0
    # a shared part that only acts through the heads, which are where they want to be
    waves = {"name": "sin-sin", "A": [[1.0]], "B": [[1.0]], "c": [0.1] * n, "phases": [[0.0]] * n}
    yield "waves", {**waves, "a": [[3.0]] * n, "b": zero}, [3.0, 0.0]


def _of_points(n: int) -> Iterator[tuple[str, dict[str, Any], Any]]:
    rest = {"name": "quadratic", "H": [[[1.0]]] * n, "c": [[0.0]] * n}
    flat = {**rest, "H": [[[_FLAT]]] * n}
    for body, options in (("", rest), (", flat", flat)):
        for field in ("rademacher", "common"):
            made = {"name": "noisy", "base": options, "field": field, "sigma": 1.0}
            yield f"noise {field}{body}", made, 0.0
    bent = {"field": "state", "length": _LENGTH, "sigma": 1.0}
    yield "noise that bends", {"name": "noisy", "base": rest, **bent}, _OFF_CENTRE
    hill = {"name": "log-cosh", "dim": 1, "center": 2.0}
    yield "noise that bends on a slope", {"name": "noisy", "base": hill, **bent}, 0.0
    yield "the start", rest, 1.0
    if n > 1:
        turned = [1.0 if i % 2 == 0 else -1.0 for i in range(n)]
        yield "unlike minima", {**rest, "c": [[s] for s in turned]}, 0.0
        yield "starts apart, nearly flat", flat, [[s] for s in turned]
