"""Generators that a step may draw from besides what it is handed: global ones, and its own."""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np


@contextlib.contextmanager
def other_generators(kind: type) -> Iterator[None]:
    """Generators that are made inside have another seed than the one they are asked for."""
    made, legacy = np.random.default_rng, random.Random
    scope = getattr(kind.step, "__globals__", {})  # type: ignore[attr-defined]
    places: list[tuple[dict[str, Any], str, Any]] = [
        (vars(np.random), "default_rng", lambda *_, **__: made(987654321)),
        (vars(random), "Random", lambda *_, **__: legacy(987654321)),
    ]
    places += [
        (scope, name, place[2])
        for name, value in scope.items()
        for place, whole in zip(tuple(places), (made, legacy), strict=True)
        if value is whole
    ]
    before = [(table, name, table[name]) for table, name, _ in places]
    try:
        for table, name, other in places:
            table[name] = other
        yield
    finally:
        for table, name, whole in before:
            table[name] = whole


@contextlib.contextmanager
def global_draws(found: list[str]) -> Iterator[None]:
    """Note which global generator was drawn from inside: numpy.random, random or torch."""
    before = _generators()
    yield
    after = _generators()
    found += [name for name, state in before.items() if name in after and after[name] != state]


def _generators() -> dict[str, Any]:
    legacy: Any = np.random.get_state()  # noqa: NPY002  who draws from it is told
    kind, keys, *rest = legacy
    states: dict[str, Any] = {
        "numpy.random": (kind, np.asarray(keys).tobytes(), *rest),
        "random": random.getstate(),
    }
    if "torch" in sys.modules:
        states["torch"] = sys.modules["torch"].get_rng_state().numpy().tobytes()
    return states
