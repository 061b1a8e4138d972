"""Structural moves of an instance: another loss, noise, network, start, or other counts.

A move is a label and an instance. A label names the same move wherever it is made, so that what
moved one instance can be tried first on the next. Lists with an entry a client are made for the
clients at hand. What cannot be built is refused by whatever builds it. The moves of an experiment's
instance are in ``experiment_moves``.

A step size also becomes a sequence in t: one that falls, and one that repeats itself. A claim about
a constant step has no value there, and such an instance is refused at once. A claim about any step,
or about all steps below a cap, has to hold along a sequence, too.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from theorylab.falsify.experiment_moves import settings
from theorylab.falsify.instances import (
    Instance,
    Move,
    Shape,
    alike,
    cycle,
    in_rotation,
    is_run,
    last_seen,
    quiet,
    shape_of,
    with_clients,
    with_problem,
    with_rounds,
)
from theorylab.falsify.ladders import COUNTS, STEPS, with_option
from theorylab.falsify.moves import NETWORKS, first_losses, is_field
from theorylab.falsify.single_cause_moves import causes
from theorylab.falsify.sweep_moves import sweep_moves, values_of
from theorylab.problems._apart import turned, wave
from theorylab.problems._noise import RARE

_FIELDS = (
    *("rademacher", "common", "aligned", "state", "two-point", "skewed", "gaussian", "coordinate"),
)
_LISTED = ("rademacher", "aligned", "state", "two-point", "skewed", "coordinate")
_RARE = 0.01  # how often the rare noise is there
_OPTIONS = {  # of an algorithm
    "momentum": (0.0, 0.9, 0.99),
    "alpha": (0.0, 0.9, 0.99),
    "rho": (0.0, 0.01, 1.0),
    **dict.fromkeys(COUNTS, (1, 5, 20)),
}
_CLIENTS = (1, 2, 3, 4, 8, 16, 5, 24)
_ROUNDS = (1, 2, 3, 10, 40, 200, 1000, 4000)
_MORE_NETWORKS: tuple[dict[str, Any], ...] = (
    {"name": "two-sources"},
    {"name": "hypercube"},
    {"name": "erdos-renyi", "p": 0.5, "seed": 0},
    {"name": "random-symmetric", "degree": 2, "seed": 0},
    {"name": "ring", "weights": "lazy"},
    {"name": "ring", "weights": "uniform", "self_loops": False},
    {"name": "directed-ring", "self_loops": False},
    {"name": "star", "weights": "metropolis"},
)
_SEQUENCES = (
    ("falls as 1/t", "{}/(1 + t)"),
    ("falls as 1/sqrt t", "{}/sqrt(1 + t)"),
    ("is small in every other round", "{}*(101 + 99*(-1)**t)/200"),
    ("falls by half", "{}/2**t"),
)


def structural(instance: Mapping[str, Any]) -> Iterator[Move]:
    """All structural moves of an instance, in turns over their kinds."""
    try:
        turns = list(_turns(instance))
    except (ValueError, TypeError, KeyError):
        return
    yield from in_rotation(map(_as_far_as_built, turns))


def _as_far_as_built(turn: Iterator[Move]) -> Iterator[Move]:
    """The moves up to the first one that cannot be made."""
    with contextlib.suppress(ValueError, TypeError, KeyError):
        yield from turn


def drawn_move(instance: Mapping[str, Any], draw: np.random.Generator) -> Instance | None:
    """One of them, at random: a kind, and then one of the kind. None where there is none."""
    try:
        turns = _turns(instance)
        found = list(turns[int(draw.integers(len(turns)))])
    except (ValueError, TypeError, KeyError):
        return None
    return found[int(draw.integers(len(found)))][1] if found else None


def _turns(instance: Mapping[str, Any]) -> tuple[Iterator[Move], ...]:
    """An iterator a kind of move: of a run's, or of an experiment's."""
    if is_run(instance):
        shape = shape_of(instance)
        kinds = (causes, _losses, _starts, _networks, _noises, _clients, _horizons, _methods)
        swept = (sweep_moves(instance),) if values_of(instance) else ()
        return (*(_of_one_kind(instance, kind(instance, shape)) for kind in kinds), *swept)
    turns = settings(instance)
    given = instance.get("problem")
    named = isinstance(given, Mapping) and "name" in given
    if named and isinstance(instance.get("clients"), int):
        return (*turns, _of_one_kind(instance, _losses(instance, shape_of(instance))))
    return turns


def _of_one_kind(instance: Mapping[str, Any], moves: Iterator[Move]) -> Iterator[Move]:
    """Without those that put a loss in the place of a saddle problem, or the other way round."""
    field = is_field(instance["problem"])
    return (move for move in moves if is_field(move[1]["problem"]) == field)


def _losses(instance: Mapping[str, Any], shape: Shape) -> Iterator[Move]:
    for label, options in first_losses(shape.clients, shape.personal):
        if options != instance["problem"]:
            yield f"loss: {label}", with_problem(instance, options)


def _networks(instance: Mapping[str, Any], shape: Shape) -> Iterator[Move]:
    n = shape.clients
    made: list[dict[str, Any]] = []
    if n > 1:
        pairs = [(i, j) for i in range(n) for j in range(n)]
        slow = [[i, j, 1 - 1e-4 if i == j else 1e-4 / (n - 1)] for i, j in pairs]
        made += [cycle(n, 1e-3), {"name": "edge-list", "edges": slow}, cycle(n, 0.999)]
        # client 0 hears of all at once, and tells little of what it has
        hub = [[0, 0, 1 - 1e-2], *([0, j, 1e-2 / (n - 1)] for j in range(1, n))]
        hub += [[j, i, 0.5] for j in range(1, n) for i in (0, j)]
        made += [{"name": "edge-list", "edges": hub}, cycle(n, 0.5)]
        halves = [[i, j, 1.0 / _half(i, n)] for i, j in pairs if (2 * i < n) == (2 * j < n)]
        made.append({"name": "edge-list", "edges": halves, "allow_disconnected": True})
    for options in (*NETWORKS, *made, *_MORE_NETWORKS):
        if options != instance["topology"]:
            label = ", ".join(str(v) for k, v in options.items() if k not in ("edges", "seed"))
            label += f" {len(options['edges'])} {options['edges'][0]}" if "edges" in options else ""
            made_of = {**instance, "topology": options}
            yield f"network: {label}", made_of
            if n == 1:
                yield f"network: {label}, two clients", {**with_clients(made_of, 2)}


def _half(i: int, n: int) -> int:
    """How many clients are in the half of client ``i``."""
    return -(-n // 2) if 2 * i < n else n // 2


def _noises(instance: Mapping[str, Any], shape: Shape) -> Iterator[Move]:
    problem = instance["problem"]
    calm = quiet(problem)
    if calm != problem:
        yield "noise: none", with_problem(instance, calm)
    for field in _FIELDS:
        given = {"chance": _RARE} if field in RARE else {}  # a number, which moves then
        for sigma in (1.0,) if field not in ("rademacher", "common") else (1.0, 1e-2, 100.0):
            label = f"noise: {field} {sigma:g}"
            if shape.personal:
                for parts in (("sigma_u", "sigma_v"), ("sigma_u",), ("sigma_v",)):
                    more = dict.fromkeys(parts, sigma)
                    made = {**calm, "noise": field, **more, **given}
                    if field == "state":  # steep in the point
                        made["length"] = 0.1
                    yield f"{label} {' '.join(parts)}", _enumerated(instance, made)
            else:
                made = {"name": "noisy", "base": calm, "field": field, "sigma": sigma, **given}
                yield label, _enumerated(instance, made)


def _enumerated(instance: Mapping[str, Any], options: dict[str, Any]) -> Instance:
    """With a noise whose outcomes can be listed: of one round, where the law is asked for."""
    made = with_problem(instance, options)
    kind = options.get("noise", options.get("field"))
    if made["rounds"] == 1 and kind in _LISTED and "law" not in made:
        made["law"] = "enumerated"
    return made


def _methods(instance: Mapping[str, Any], shape: Shape) -> Iterator[Move]:
    """Momentum, SAM and local steps: none, some, many; and step sizes that are sequences."""
    for key, values in _OPTIONS.items():
        for value in values:
            made = with_option(instance, key, value)
            if made is not None:
                yield f"option: {key} {value}", made
    yield from schedules(instance)


def _clients(instance: Mapping[str, Any], shape: Shape) -> Iterator[Move]:
    for n in _CLIENTS:
        if n != shape.clients:
            yield f"clients: {n}", with_clients(instance, n)
        if n == _CLIENTS[0] < shape.clients:
            for label, k in (("first", 0), ("last", shape.clients - 1)):
                if (made := alike(instance, k)) != instance:
                    yield f"clients: all like the {label}", made


def _starts(instance: Mapping[str, Any], shape: Shape) -> Iterator[Move]:
    n, d, shared = shape
    found: list[tuple[str, Any]] = []
    if n > 1:
        found += [
            ("one client away", [[1.0] * d, *([0.0] * d for _ in range(n - 1))]),
            ("apart", [[value] * d for value in turned(n)]),
            ("on a wave", [[value] * d for value in wave(n)]),
        ]
    found += [("at one", 1.0), ("at zero", 0.0), ("far", 100.0)]
    if shape.personal:
        found += [
            ("heads away", [0.0] * shared + [1.0] * (d - shared)),
            ("shared part away", [1.0] * shared + [0.0] * (d - shared)),
            ("heads apart", [[0.0] * shared + [s] * (d - shared) for s in turned(n)]),
            ("shared parts apart", [[s] * shared + [0.0] * (d - shared) for s in turned(n)]),
            ("on the slope", [math.pi / 2] * shared + [0.0] * (d - shared)),
            (
                "on opposite slopes",
                [[s] * shared + [0.0] * (d - shared) for s in turned(n, math.pi / 2)],
            ),
        ]
    minima = _minima(instance["problem"])
    if minima is not None and len(minima) == n and len(minima[0]) == d:
        found += [
            ("all at their minima", minima),
            ("all at the first one's minimum", minima[0]),
            ("one at its minimum", [minima[0], *([x + 10.0 for x in m] for m in minima[1:])]),
        ]
    if n > 1:
        found += [("one client far", [[1e3] * d, *([0.0] * d for _ in range(n - 1))])]
    for label, x0 in found:
        if x0 != instance.get("x0", 0.0):
            yield f"start: {label}", {**instance, "x0": x0}


def _minima(options: Mapping[str, Any]) -> list[list[float]] | None:
    """Of every client's own loss, where the options say them."""
    if isinstance(options.get("base"), Mapping):
        return _minima(options["base"])
    if "a" in options and "b" in options:
        return [[*a, *b] for a, b in zip(options["a"], options["b"], strict=True)]
    given = options.get("centers", options.get("c"))
    whole = isinstance(given, list) and all(isinstance(row, list) for row in given)
    return [list(row) for row in given] if whole and given else None


def _horizons(instance: Mapping[str, Any], shape: Shape) -> Iterator[Move]:
    for rounds in _ROUNDS:
        if rounds != instance["rounds"]:
            made = with_rounds(instance, rounds)
            if isinstance(made.get("at"), list) and made["at"]:
                made["at"] = sorted({*made["at"], last_seen(instance, made["rounds"])})
            yield f"rounds: {rounds}", made


def schedules(instance: Mapping[str, Any]) -> Iterator[Move]:
    """Labels and instances: every step size of the algorithm as a sequence in t."""
    options = instance.get("algorithm")
    for key, value in options.items() if isinstance(options, Mapping) else ():
        if key in STEPS and isinstance(value, float):
            for label, text in _SEQUENCES:
                made = {**options, key: text.format(repr(value))}  # type: ignore[dict-item]
                yield f"steps: {key} {label}", {**instance, "algorithm": made}
