"""The parts of an instance of a run that a claim may speak of, and how one of them is fixed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from theorylab.falsify.instances import (
    SCALES,
    Instance,
    Path,
    copied,
    is_noisy,
    quiet,
    replaced,
    with_clients,
    with_problem,
)
from theorylab.own import is_own
from theorylab.problems import PROBLEMS, Problem
from theorylab.registry import options_of
from theorylab.topologies import TOPOLOGIES

Value = Callable[[Mapping[str, Any]], Any]


def _loss(instance: Mapping[str, Any]) -> Any:
    return with_defaults(quiet(instance["problem"]), PROBLEMS)


def _noise(instance: Mapping[str, Any]) -> float:
    """The largest scale of the gradient noise; 1 where the noise has no option of a scale."""
    options = instance["problem"]
    inner = options.get("base") if options.get("name") == "noisy" else None
    given = [each.get(key) for each in (options, inner or {}) for key in SCALES]
    scale = max((abs(x) for each in given for x in _numbers(each)), default=0.0)
    if inner is not None and "sigma" not in options:
        return max(scale, 1.0)
    kind = PROBLEMS.find(options.get("name"))
    if kind is not None and not is_own(kind):  # its options may mean anything
        return (scale or 1.0) if is_noisy(instance) else 0.0
    if scale or "batch" in options:
        return scale or 1.0
    if {*SCALES} & {*options_of(kind)}:
        return 0.0
    few = {**options, "dim": min(options["dim"], 2)} if "dim" in options else options
    return float(is_noisy({**instance, "problem": few}))  # small: whatever its size, it is built


def _numbers(value: Any) -> Iterator[float]:
    """Those of an option: one, or a list with an entry a client."""
    if isinstance(value, int | float):
        yield float(value)
    elif isinstance(value, list):
        for each in value:
            yield from _numbers(each)


def _network(instance: Mapping[str, Any]) -> Any:
    """None of one client: every network of it is the same."""
    return None if instance["clients"] == 1 else with_defaults(instance["topology"], TOPOLOGIES)


def filled(instance: Mapping[str, Any]) -> dict[str, Any]:
    """With the options of its loss and its network that stand at their defaults, where their
    classes are known."""
    made = copied(instance)
    for key, table in (("problem", PROBLEMS), ("topology", TOPOLOGIES)):
        options = made.get(key)
        name = options.get("name") if isinstance(options, Mapping) else None
        if isinstance(name, str) and name in table:
            made[key] = with_defaults(options, table)
    return dict(made)


def with_defaults(options: Mapping[str, Any], table: Any) -> dict[str, Any]:
    """With the options that stand at their defaults."""
    given = options_of(table.find(options.get("name"))).items()
    made = {key: each.default for key, each in given if each.default is not each.empty}
    return {k: v for k, v in (dict(options) | {**made, **options}).items() if v is not None}


def _start(instance: Mapping[str, Any]) -> Any:
    """The first client's, as short as it can be; None where the problem says it in its own way."""
    x0 = instance.get("x0")
    if x0 is None:
        inner = instance["problem"].get("base", instance["problem"])  # noise starts as its base
        kind = PROBLEMS.find(inner.get("name"))
        return 0.0 if getattr(kind, "initial", None) is Problem.initial else None
    row = x0[0] if isinstance(x0, list) and x0 and isinstance(x0[0], list) else x0
    alike = isinstance(row, list) and row and all(each == row[0] for each in row)
    return float(row[0]) if alike else float(row) if isinstance(row, int) else row


def _unlike(instance: Mapping[str, Any]) -> bool:
    x0 = instance.get("x0")
    rows = x0 if isinstance(x0, list) and x0 and isinstance(x0[0], list) else []
    return any(row != rows[0] for row in rows)


PARTS: dict[str, Value] = {
    "loss": _loss,
    "noise": _noise,
    "clients": lambda instance: instance["clients"],
    "network": _network,
    "start": _start,
    "starts": _unlike,
    "rounds": lambda instance: instance.get("rounds"),
}


@dataclass(frozen=True)
class Part:
    """``value`` of an instance; ``allowed``: these values, or from the first to the last. ``at``:
    the path of an option."""

    name: str
    at: Path
    value: Value
    allowed: tuple[Any, ...]
    ranged: bool = False
    listed: bool = False  # names of networks or losses, or words of an option

    def fits(self, instance: Mapping[str, Any]) -> bool:
        came = self.value(instance)
        if came is None and (self.ranged or self.listed or self.name == "network"):
            return True  # the instance has no such part
        if self.ranged:
            low, high = self.allowed
            each = came if isinstance(came, list) else [came]
            return all(isinstance(x, int | float) and low <= x <= high for x in each)
        if self.listed:
            came = came.get("name") if isinstance(came, Mapping) else came
        if self.name == "noise" and self.allowed:
            return (came > 0) in {value > 0 for value in self.allowed}
        return text_of(came) in {text_of(value) for value in self.allowed}

    @property
    def words(self) -> str:
        """What a claim needs that holds with this part as it is allowed, and not without."""
        if self.ranged:
            return f"{_number(self.allowed[0])} <= {self.name} <= {_number(self.allowed[1])}"
        return " or ".join(dict.fromkeys(_spelled(self.name, value) for value in self.allowed))


def _spelled(part: str, value: Any) -> str:
    name = value.get("name") if isinstance(value, Mapping) else value
    told = {
        "noise": "noise" if value else "no noise",
        "clients": "one client" if value == 1 else f"{value} clients",
        "network": f"the network {name}",
        "loss": f"the loss {name}",
        "start": f"x^0 = {_number(value)}",
        "starts": "unlike starts" if value else "equal starts",
        "rounds": f"{value} rounds",
    }
    return told.get(part, f"{part} = {_number(value)}")


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def text_of(value: Any) -> str:
    if isinstance(value, list):  # one an entry a client, however many there are
        parts = {text_of(each) for each in value}
        return min(parts) if len(parts) == 1 else json.dumps(sorted(parts))
    if type(value) is int:
        value = float(value)
    return json.dumps(value, sort_keys=True)


def place_of(instance: Mapping[str, Any], at: Path) -> Path:
    """Where an option is: that of a loss under noise is its base's."""
    if at[:1] != ("problem",) or at[1] in instance["problem"]:
        return at
    under = instance["problem"].get("name") == "noisy" and "base" in instance["problem"]
    return ("problem", "base", *at[1:]) if under else at


def put_back(instance: Instance, part: Part, check: Instance) -> Instance:
    """The instance with this part as the check has it, or as near as a range allows."""
    if part.name == "noise" and not part.at:
        return with_problem(instance, quiet(instance["problem"]))
    value = part.value(check)
    if part.ranged:
        low, high = part.allowed
        value = type(low)(min(max(part.value(instance), low), high))
    if part.at:
        return replaced(instance, place_of(instance, part.at), value)
    if part.name == "clients":
        return with_clients(instance, int(value))
    if part.name == "starts":
        return {**instance, "x0": instance["x0"][0]}
    if part.name == "loss":
        return with_problem(instance, check["problem"])
    key = {"network": "topology", "start": "x0"}.get(part.name, part.name)
    return {k: v for k, v in {**instance, key: copied(check.get(key))}.items() if v is not None}
