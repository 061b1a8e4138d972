"""An instance of a search: its numbers by path, its rounds, and what has an entry a client.

An instance is plain data. Lists with an entry a client follow the number of clients, and a start
follows the coordinates of the problem.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from theorylab.own import is_own
from theorylab.problems import PROBLEMS, Moves, Problem, problem
from theorylab.registry import options_of

Item = TypeVar("Item")
Path = tuple[str | int, ...]
Instance = dict[str, Any]
Move = tuple[str, Instance]  # a label, and what it makes
SCALES = ("sigma", "sigma_u", "sigma_v")  # options that say how large the noise is


def numbers_in(data: Any, at: Path = ()) -> list[tuple[Path, int | float]]:
    """Every number of the instance with its path, depth first; bools and names are none.

    >>> numbers_in({"rounds": 3, "x0": [[0.5], [True]]})
    [(('rounds',), 3), (('x0', 0, 0), 0.5)]
    """
    found: list[tuple[Path, int | float]] = []
    _add_numbers(data, at, found)
    return found


def _add_numbers(data: Any, at: Path, found: list[tuple[Path, int | float]]) -> None:
    if isinstance(data, int | float):
        if not isinstance(data, bool):
            found.append((at, data))
    elif data is None or isinstance(data, str):
        return
    elif not isinstance(data, list) and isinstance(data, Mapping):  # to ask a list takes longer
        for key, value in data.items():
            _add_numbers(value, (*at, key), found)
    else:
        for index, value in enumerate(data):
            _add_numbers(value, (*at, index), found)


def copied(data: Any) -> Any:
    """A deep copy of plain data, in a fifth of the time of ``copy.deepcopy``."""
    if isinstance(data, Mapping):
        return {key: copied(value) for key, value in data.items()}
    return [copied(each) for each in data] if isinstance(data, list | tuple) else data


def replaced(instance: Mapping[str, Any], at: Path, value: Any) -> Instance:
    """The same with another value at ``at``; what is elsewhere is shared, not copied."""
    made = dict(instance)
    inner: Any = made
    for key in at[:-1]:
        inner[key] = _shallow(inner[key])
        inner = inner[key]
    inner[at[-1]] = value
    return made


def _shallow(data: Any) -> Any:
    return dict(data) if isinstance(data, Mapping) else list(data)


def in_rotation(streams: Iterable[Iterator[Item]]) -> Iterator[Item]:
    """One of each stream in turns, until all are at their end.

    >>> list(in_rotation([iter("ace"), iter("bd")]))
    ['a', 'b', 'c', 'd', 'e']
    """
    left = list(streams)
    while left:
        for stream in list(left):
            try:
                yield next(stream)
            except StopIteration:
                left.remove(stream)


def with_rounds(instance: Mapping[str, Any], rounds: int) -> Instance:
    """A copy of so many rounds, looked at in rounds that it has.

    What is looked at one round before the last needs that one more, and keeps it: the copy then
    has two rounds at least.

    >>> with_rounds({"rounds": 1001, "at": [10, 1000]}, 6)
    {'rounds': 6, 'at': [5]}
    """
    made = {**instance, "rounds": rounds}
    if not isinstance(made.get("at"), list) or not made["at"]:
        return made
    made["rounds"] = max(rounds, 1 + _one_more(instance))
    made["at"] = sorted({min(t, last_seen(instance, made["rounds"])) for t in made["at"]})
    return made


def last_seen(instance: Mapping[str, Any], rounds: int) -> int:
    """The last round that can be looked at, of so many."""
    return rounds - _one_more(instance)


def _one_more(instance: Mapping[str, Any]) -> bool:
    return bool(max(instance["at"]) == instance["rounds"] - 1)


def moves_of(options: Mapping[str, Any]) -> Moves:
    """What the loss of these options says of them; of an unknown one what all losses say."""
    name = str(options.get("name"))
    return PROBLEMS[name].moves if name in PROBLEMS else Moves()


class Shape(NamedTuple):
    """Of a problem: clients, coordinates, and how many of these are shared."""

    clients: int
    dim: int
    shared: int

    @property
    def personal(self) -> bool:
        return self.shared < self.dim


def is_run(instance: Mapping[str, Any]) -> bool:
    """Whether the instance has the parts of a run: a problem, a network and clients."""
    parts = (instance.get("problem"), instance.get("topology"))
    named = all(isinstance(part, Mapping) and "name" in part for part in parts)
    return named and isinstance(instance.get("clients"), int) and "rounds" in instance


def shape_of(instance: Mapping[str, Any]) -> Shape:
    """ValueError or TypeError, one line, where the problem cannot be built."""
    return _built(json.dumps(instance["problem"], sort_keys=True), instance["clients"])[0]


def is_noisy(instance: Mapping[str, Any]) -> bool:
    """Whether a stochastic gradient of its problem is not the gradient; it raises as ``shape_of``
    does."""
    return _built(json.dumps(instance["problem"], sort_keys=True), instance["clients"])[1]


@functools.lru_cache(maxsize=1024)
def _built(text: str, clients: int) -> tuple[Shape, bool]:
    options = json.loads(text)
    made = problem(options.pop("name"), clients, **options)
    return Shape(made.clients, made.dim, made.shared), made.stochastic


def with_clients(instance: Mapping[str, Any], clients: int) -> Instance:
    """The same with another number of clients: lists with an entry a client repeat or are cut, and
    an edge list becomes a cycle whose self-loops weigh what its first one does."""
    made: Instance = copied(instance)
    before, made["clients"] = made["clients"], clients
    made["problem"] = _resized(made["problem"], before, clients)
    if isinstance(made.get("x0"), list) and made["x0"] and isinstance(made["x0"][0], list):
        made["x0"] = _cycled(made["x0"], before, clients)
    for key, value in made.get("algorithm", {}).items():
        made["algorithm"][key] = _cycled(value, before, clients)
    edges = made["topology"].get("edges")
    if isinstance(edges, list) and before != clients:
        given = [edge[2] for edge in edges if len(edge) == 3 and edge[0] == edge[1]]
        made["topology"] = cycle(clients, given[0] if given else 0.5)
    return made


def _resized(options: Mapping[str, Any], before: int, clients: int) -> dict[str, Any]:
    each = moves_of(options).each
    made = {
        key: _cycled(value, before, clients) if key in each else value
        for key, value in options.items()
    }
    if isinstance(made.get("base"), Mapping):
        made["base"] = _resized(made["base"], before, clients)
    return made


def alike(instance: Mapping[str, Any], k: int) -> Instance:
    """The same with losses and starts that are all client ``k``'s."""
    made: Instance = copied(instance)
    made["problem"] = _alike(made["problem"], made["clients"], k)
    x0 = made.get("x0")
    if isinstance(x0, list) and x0 and isinstance(x0[0], list):
        made["x0"] = copied(x0[k])
    return made


def _alike(options: Mapping[str, Any], clients: int, k: int) -> dict[str, Any]:
    each, made = moves_of(options).each, dict(options)
    for key, value in options.items():
        if key in each and isinstance(value, list) and len(value) == clients:
            made[key] = [copied(value[k]) for _ in range(clients)]
    if isinstance(made.get("base"), Mapping):
        made["base"] = _alike(made["base"], clients, k)
    return made


def _cycled(value: Any, before: int, clients: int) -> Any:
    if not isinstance(value, list) or len(value) != before:
        return value
    return [copied(value[k % before]) for k in range(clients)]


def cycle(clients: int, stays: float) -> dict[str, Any]:
    """A permutation with self-loops: client i keeps the share ``stays`` and sends on the rest."""
    if clients == 1:
        return {"name": "complete"}
    loops = [[i, i, stays] for i in range(clients)]
    return {
        "name": "edge-list",
        "edges": loops + [[i, (i + 1) % clients, 1 - stays] for i in range(clients)],
    }


def started(instance: Mapping[str, Any]) -> Instance:
    """The same with a start of the problem's shape: what does not fit becomes its first number."""
    made = dict(instance)
    x0 = made.get("x0", 0.0)
    if not isinstance(x0, list):
        return made
    shape = shape_of(made)
    if x0 and isinstance(x0[0], list):
        rows = [x0[k % len(x0)] for k in range(shape.clients)]
        made["x0"] = [_row(row, shape.dim) for row in rows]
    else:
        made["x0"] = _row(x0, shape.dim)
    return made


def _row(row: list[Any], dim: int) -> list[Any]:
    return row if len(row) == dim else [row[0] if row else 0.0] * dim


def with_problem(instance: Mapping[str, Any], options: Mapping[str, Any]) -> Instance:
    """The same with another problem, and a start that fits it."""
    return started({**instance, "problem": options})


def quiet(options: Mapping[str, Any]) -> dict[str, Any]:
    """The same losses without noise."""
    if options.get("name") == "noisy" and isinstance(options.get("base"), Mapping):
        return dict(options["base"])
    noise = noise_options(options)
    return {key: value for key, value in options.items() if key not in noise}


def noise_options(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Those of a problem's options that say what its noise is: of a user's class, which may mean
    anything else by ``length``, its scales alone, and none of a class without noise."""
    name = options.get("name")
    kind = PROBLEMS.find(name) if isinstance(name, str) else None  # a file may say anything
    if kind is not None and kind.stochastic_gradient is Problem.stochastic_gradient:
        return ()
    law = any(is_own(each) and "noise" in options_of(each) for each in getattr(kind, "__mro__", ()))
    law = law or name == "noisy"
    return (*SCALES, "noise", "chance", "length") if law else SCALES
