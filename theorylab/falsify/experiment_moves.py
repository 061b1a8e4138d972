"""Structural moves of an instance of an experiment: its networks, sizes, problems, lists, options.

An experiment is not about a run, so its options are its own. What they have in common is moved: a
network under any key of that name, a problem, everything that is counted, lists of counts, and
options that may be left out. What an experiment does not accept, it refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from theorylab.falsify.instances import Move, Path, copied, cycle, replaced
from theorylab.falsify.moves import NETWORKS
from theorylab.falsify.sweep_moves import sweep_moves, values_of

_NETWORKS = ("network", "topology")
_SIZES = ("clients", "dim", "hyper", "size", "outputs", "population", "samples")
_WEIGHTS = ("alpha", "beta")  # of a step that takes a share of what was, and one of what is new
_PAIRS = ((1.0, 0.0), (0.5, 0.5), (0.9, 0.1), (1.0, 1.0), (0.99999, 1e-4), (0.9, 0.3))
_COUNTED = ([1], [1, 2, 5], [1, 2, 3, 10, 100, 1000], [40])
_REAL = (1e3, 1e-3, 1e-6)
_STEPS = (0.3, 0.05, 1.0)
_PROBABILITIES = ([[1, 0.3], [0.3, 1]], [[1, 0.05], [0.9, 1]])
_DRAWN: tuple[dict[str, Any], ...] = (
    {"clients": 3, "dim": 1, "hyper": 1, "seed": 1},
    {"clients": 3, "dim": 2, "hyper": 2, "noise": 0.3, "seed": 1},
    {"clients": 2, "dim": 1, "hyper": 1, "noise": 0.4, "seed": 1},
    {"clients": 5, "dim": 2, "hyper": 1, "seed": 2},
)


def settings(instance: Mapping[str, Any]) -> tuple[Iterator[Move], ...]:
    """The structural moves of an instance that is no run's, an iterator a kind."""
    kinds = (*_KINDS, sweep_moves) if values_of(instance) else _KINDS
    return tuple(kind(instance) for kind in kinds)


def _networks(instance: Mapping[str, Any]) -> Iterator[Move]:
    """Another network at every place that has one, for the clients that are there."""
    for at, options in list(_mappings(instance)):
        if at[-1] not in _NETWORKS:
            continue
        n = _clients(instance, at)
        for label, made in _for_clients(n):
            if made != options:
                yield f"network: {label}", replaced(instance, at, made)


def _for_clients(n: int) -> Iterator[tuple[str, dict[str, Any]]]:
    around = [[i, (i + step) % n] for i in range(n) for step in (1, -1)] if n > 2 else []
    halves = [[i, j, 0.5] for i, j in around]
    if halves:
        yield "no self-loops", {"name": "edge-list", "edges": halves, "self_loops": False}
    for probabilities in _PROBABILITIES:
        if n == 2:
            yield f"sto-d {probabilities[0][1]}", {"name": "sto-d", "probabilities": probabilities}
    for options in NETWORKS:
        yield str(options["name"]), options
    if n > 1:
        yield "few self-loops", cycle(n, 1e-3)
        yield "large self-loops", cycle(n, 0.999)
        chain = [[i, i] for i in range(n)] + [[i, i + 1] for i in range(n - 1)]
        apart = {"name": "edge-list", "weights": "uniform", "allow_disconnected": True}
        yield "a chain", {**apart, "edges": chain}
        yield "nobody hears anybody", {**apart, "edges": chain[:n]}
        # client 0 tells little of what it has, and all others tell it most of theirs
        hub = [[0, 0, 0.7], *([0, i, 0.3 / (n - 1)] for i in range(1, n))]
        hub += [edge for i in range(1, n) for edge in ([i, i, 0.4], [i, 0, 0.6])]
        yield "a hub", {"name": "edge-list", "edges": hub}
    yield "directed ring without self-loops", {"name": "directed-ring", "self_loops": False}
    yield "star, uniform", {"name": "star", "weights": "uniform"}
    yield "sto-u, other edges", {"name": "sto-u", "seed": 2}
    yield "sto-u, constant", {"name": "sto-u", "weights": "constant"}
    yield "sto-d, other edges", {"name": "sto-d", "seed": 2}
    yield "sto-d, rare edges", {"name": "sto-d", "low": 0.05, "high": 0.1}
    yield "erdos-renyi", {"name": "erdos-renyi", "p": 0.5, "seed": 0}


def _clients(instance: Mapping[str, Any], at: Path) -> int:
    """Of a network: what stands beside it, or with the problem beside it; 3 where nothing says."""
    beside: Any = instance
    for key in at[:-1]:
        beside = beside[key]
    problem = beside.get("problem")
    given = problem if isinstance(problem, Mapping) else {}
    found = beside.get("clients", given.get("clients", len(given.get("H", ())) or 3))
    return found if isinstance(found, int) and found > 0 else 3


def _sizes(instance: Mapping[str, Any]) -> Iterator[Move]:
    """Everything that is a size at once, over the network as it is and over the complete one; of
    the instance, and of what is left of it without numbers that have a default."""
    plain = {k: v for k, v in instance.items() if k in _SIZES or not _is_number(v)}
    for size, base, name in ((1, instance, ""), (1, plain, "plain, "), (2, instance, ""),
                             (2, plain, "plain, "), (3, instance, "")):  # fmt: skip
        made = _sized(base, size)
        bare = made
        for at, _ in list(_mappings(made)):
            if at[-1] in _NETWORKS:
                bare = replaced(bare, at, {"name": "complete"})
        for label, one in ((f"size {size}", made), (f"size {size}, complete", bare)):
            if one != instance:
                yield f"{name}{label}", one


def _is_number(value: Any) -> bool:
    """Whether it is a number, or a list that begins with one."""
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, int | float) and not isinstance(first, bool)


def _sized(data: Any, size: int) -> Any:
    if not isinstance(data, Mapping):
        return copied(data)
    return {
        key: size if key in _SIZES and type(value) is int else _sized(value, size)
        for key, value in data.items()
    }


def _problems(instance: Mapping[str, Any]) -> Iterator[Move]:
    """Bilevel problems: clients that pull apart, one alone, and drawn ones; where a place has
    both, also with a random network, another variant and another step."""
    if "problem" in instance and "network" in instance and "variant" in instance:
        for label, made in _places(instance):
            yield f"place: {label}", made
    for at, options in list(_mappings(instance)):
        if at[-1] == "problem" and "name" not in options and {"clients", "H"} & set(options):
            for label, made in _bilevel(options):
                yield f"problem: {label}", replaced(instance, at, made)
        if "problem" in options and "network" in options:
            for label, made in _places(options):
                yield f"place: {label}", replaced(instance, at, made)


def _bilevel(options: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for sign, label in ((1.0, "clients pull apart"), (-1.0, "clients pull together")):
        one = [[[1.0]], [[1.0]]]
        made = {"H": one, "G": one, "b": [[-1.0], [sign]], "t": [[0.0], [0.0]]}
        yield label, made
        yield f"{label}, noise", {**made, "noise": 0.4}
    steep = {"H": [[[1.0]], [[100.0]]], "G": [[[1.0]], [[-1.0]]], "b": [[1.0], [0.0]]}
    yield "one steep", {**steep, "t": [[0.0], [1.0]]}
    for k, made in enumerate(_DRAWN):
        if made != options:
            yield f"drawn {k}", dict(made)
    yield "noise", {**options, "noise": 0.4}
    yield "no noise", {**options, "noise": 0.0}


def _places(options: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    networks = ({"name": "sto-d"}, {"name": "sto-u"}, {"name": "directed-ring"})
    for step in _STEPS:
        for k, problem in enumerate(_DRAWN[:3]):
            for network in networks:
                for variant in ("4a", "4b"):
                    made = {"problem": dict(problem), "network": dict(network)}
                    label = f"{network['name']} {variant} drawn {k} {step}"
                    yield label, {**options, **made, "variant": variant, "step": step}


def _weights(instance: Mapping[str, Any]) -> Iterator[Move]:
    if all(isinstance(instance.get(key), int | float) for key in _WEIGHTS):
        for alpha, beta in _PAIRS:
            if (alpha, beta) != (instance["alpha"], instance["beta"]):
                yield f"weights {alpha} {beta}", {**instance, "alpha": alpha, "beta": beta}


def _lists(instance: Mapping[str, Any]) -> Iterator[Move]:
    """Lists of numbers: of counts others, of real numbers all of them times a factor."""
    for key, value in instance.items():
        if not isinstance(value, list) or not value or isinstance(value[0], list | dict | str):
            continue
        if all(type(each) is int for each in value):
            for counts in _COUNTED:
                if counts != value:
                    yield f"{key}: {counts}", {**instance, key: list(counts)}
        elif all(isinstance(each, int | float) for each in value):
            for factor in _REAL:
                made = [each * factor for each in value]
                yield f"{key} times {factor:g}", {**instance, key: made}


def _absent(instance: Mapping[str, Any]) -> Iterator[Move]:
    """Every option left out, so that it has its default."""
    for key in instance:
        if key not in ("sweep", "constants"):
            yield f"without {key}", {k: v for k, v in instance.items() if k != key}


def _mappings(data: Mapping[str, Any], at: Path = ()) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Every mapping inside, the outer one left out, but for the values of a sweep."""
    for key, value in data.items():
        if isinstance(value, Mapping) and key not in ("sweep", "constants"):
            yield (*at, key), value
            yield from _mappings(value, (*at, key))


_KINDS: tuple[Callable[[Mapping[str, Any]], Iterator[Move]], ...] = (
    *(_networks, _sizes, _problems, _weights, _lists, _absent),
)
