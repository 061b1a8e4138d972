"""An instance as one line of mathematics: the losses, the network, the steps."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from theorylab.explain._losses import losses, number, one_line, vector

_STEPS = {  # option of an algorithm -> the letter of its number
    "eta": "eta", "eta_u": "eta_u", "eta_v": "eta_v", "alpha": "alpha", "beta": "beta",
    "rho": "rho", "local_steps": "K", "steps_u": "K_u", "steps_v": "K_v", "tau": "tau",
}  # fmt: skip
_LETTERS = {**_STEPS, "rounds": "T", "clients": "n"}
_SPACED = re.compile(r"-(?=\w{2})")  # directed-ring as words, sto-d as it is
_MOST = 12  # edges, values or options that are written out
_PAPER = re.compile(r"\b(?:dfedsgpsm|dfedpgp|dfedalt|dfedsalt|deprl|pdbo)_(?=\w)")  # of a name
_NAME = re.compile(r"\b(?:local_steps|steps_u|steps_v|rounds|clients)\b")  # in a rule
_LONGEST = 500  # characters of a line; what is left out is in the instance itself
_RUN = {"problem", "topology", "network", "clients", "rounds", "algorithm", "x0", "at", "law",
        "constants", "sweep", "algorithm_name", "experiment_name"}  # fmt: skip


def instance_line(instance: Mapping[str, Any], *, whole: bool = False) -> str:
    """One line that a reader can check by hand, in ASCII.

    Drawn numbers are named by their seed, long lists by their length; ``instance`` itself, as JSON,
    is what runs. Of a sweep the parameter and its values are told, and what follows it.

    Args:
        whole: tell a momentum and a radius of SAM that are 0, too.

    >>> instance_line({"problem": {"name": "log-cosh", "dim": 1, "center": 2.0}, "clients": 3,
    ...                "topology": {"name": "directed-ring"}, "rounds": 20,
    ...                "algorithm": {"eta": 0.1}})
    'f_i(x) = log cosh(x - 2), n = 3, directed ring, eta = .1, T = 20'
    """
    sweep, swept = instance.get("sweep"), list[str]()
    if isinstance(sweep, Mapping):
        moved = {str(sweep.get("parameter")), *map(str, _mapping(sweep.get("set")))}
        paths = [path.split(".") for path in sorted(moved)]
        swept = list(dict.fromkeys(p[1] for p in paths if p[0] == "problem" and len(p) > 1))
        instance = _without(instance, {path.rpartition(".")[2] for path in moved})
    parts: list[str] = []
    problem = instance.get("problem")
    if isinstance(problem, Mapping):
        n = {"clients": instance["clients"]} if "clients" in instance else {}
        named = "name" in problem
        parts.append(losses(problem, swept=swept, **n) if named else _options("losses", problem))
    if "clients" in instance:
        parts.append(f"n = {_text(instance['clients'])}")
    for name in ("topology", "network"):
        if isinstance(instance.get(name), Mapping):
            parts.append(_network(instance[name]))
    options = instance.get("algorithm")
    if isinstance(options, Mapping):
        parts += [
            f"{_STEPS.get(k, k)} = {_text(v)}" for k, v in options.items() if whole or _told(k, v)
        ]
    if "rounds" in instance:
        parts.append(f"T = {_text(instance['rounds'])}")
    start = instance.get("x0", 0.0)
    if start != 0 and start is not None:
        parts.append(f"x^0 = {_text(start)}")
    parts += [f"{key} = {_text(value)}" for key, value in instance.items() if key not in _RUN]
    constants = instance.get("constants")
    if isinstance(constants, Mapping):
        parts += [f"{key} = {_text(value)}" for key, value in constants.items()]
    if isinstance(sweep, Mapping):
        parts.append(_sweep(sweep))
    line = one_line(_PAPER.sub("", ", ".join(parts)), _LONGEST)
    return line or "no options"


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _without(instance: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
    """The instance without what a sweep sets, which is told there."""
    options = {k: v for k, v in _mapping(instance.get("algorithm")).items() if k not in names}
    rest = {key: value for key, value in instance.items() if key not in names}
    return {**rest, "algorithm": options} if "algorithm" in rest else rest


def _told(name: str, value: Any) -> bool:
    return not (name in ("alpha", "rho") and value == 0)  # without momentum, without SAM


def _network(topology: Mapping[str, Any]) -> str:
    name = str(topology.get("name", "network"))
    if name != "edge-list":
        return _options(_SPACED.sub(" ", name), topology)
    edges = topology.get("edges")
    if not isinstance(edges, Sequence) or isinstance(edges, str):
        return "edges"
    shown = [edge for edge in edges if isinstance(edge, Sequence) and len(edge) > 1]
    plain = [edge for edge in shown if len(edge) > 2 or edge[0] != edge[1]]
    if len(plain) > _MOST:
        return f"a network of {len(edges)} edges"
    arrows = [
        f"{_text(e[0])} -> {_text(e[1])}" + (f" ({_text(e[2])})" if len(e) > 2 else "")
        for e in plain
    ]
    loops = " and self-loops" if len(plain) < len(shown) else ""
    return f"edges {', '.join(arrows)}{loops}"


def _sweep(sweep: Mapping[str, Any]) -> str:
    values = sweep.get("values")
    along = vector(values) if isinstance(values, list) else _text(values)
    told = f"{letter(str(sweep.get('parameter', 'parameter')))} along {along}"
    follows = sweep.get("set")
    if isinstance(follows, Mapping) and len(follows) <= _MOST:
        parts = [f"{letter(str(key))} = {_rule(rule)}" for key, rule in follows.items()]
        told += f", where {', '.join(parts)}"
    return told


def _rule(rule: Any) -> str:
    """An expression of the swept parameter, with ^ for ** and letters for long names."""
    text = _text(rule).replace("**", "^")
    return _NAME.sub(lambda found: _LETTERS[found.group()], text)


def letter(path: str) -> str:
    """The letter of an option, by its path: ``K_u`` of ``algorithm.steps_u``; else its name."""
    name = path.rpartition(".")[2]
    if path == "at.0":
        return "at"
    return path if name.isdigit() else _LETTERS.get(name, name)


def _options(name: str, options: Mapping[str, Any]) -> str:
    """The name, and what differs from the class's own choice, in brackets."""
    parts = [f"{key} = {_text(value)}" for key, value in options.items() if key != "name"]
    if not parts:
        return name
    more = ", ..." if len(parts) > _MOST else ""
    return f"{name} ({', '.join(parts[:_MOST])}{more})"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float, str)):
        return one_line(value) if isinstance(value, str) else number(value)
    if isinstance(value, Mapping):
        if "name" in value:
            return _options(str(value["name"]), value)
        if len(value) <= 6:
            return "{" + ", ".join(f"{k} = {_text(v)}" for k, v in value.items()) + "}"
        return f"{len(value)} entries"
    if isinstance(value, list):
        return vector(value)
    return one_line(str(value))
