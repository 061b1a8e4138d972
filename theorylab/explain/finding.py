"""A finding in three lines: the check that it began from, what it is now, and the difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from theorylab.explain._losses import built, losses, number, one_line, vector
from theorylab.explain.instance_line import instance_line, letter
from theorylab.falsify.instance_parts import filled
from theorylab.falsify.instances import noise_options, quiet
from theorylab.problems import PROBLEMS, Problem

_MOST = 24  # numbers of a list that are written out
_ABSENT = "not given"


def finding_lines(check: str, began: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """Both instances in mathematics, and what differs, with every option at its default.

    Args:
        check: the name of the check. began, found: the instances with their defaults written out,
            as ``theorylab.falsify.scope.written`` gives them.

    >>> run = {"problem": {"name": "log-cosh", "dim": 1, "center": 2.0}, "clients": 1,
    ...        "topology": {"name": "ring"}, "rounds": 20, "algorithm": {"eta": 0.1, "rho": 0.0}}
    >>> other = {**run, "rounds": 2, "algorithm": {"eta": 0.1, "rho": 0.5}}
    >>> for line in finding_lines("bowl", run, other):
    ...     print(line)
    check bowl: f_i(x) = log cosh(x - 2), n = 1, ring, eta = .1, rho = 0, T = 20.
    finding: f_i(x) = log cosh(x - 2), n = 1, ring, eta = .1, rho = .5, T = 2.
    difference: rho: 0 -> .5; T: 20 -> 2.
    """
    apart = "; ".join(differences(began, found))
    lines = [instance_line(_shown(each), whole=True) for each in (began, found)]
    return [
        f"check {one_line(check)}: {lines[0]}.",
        f"finding: {lines[1]}.",
        f"difference: {apart or 'none'}.",
    ]


def _shown(instance: Mapping[str, Any]) -> Mapping[str, Any]:
    """With the options of a loss that is told by these, as of a user's class without a formula."""
    options = instance.get("problem")
    if not isinstance(options, Mapping):
        return instance
    base = options.get("base")
    if isinstance(base, Mapping):
        return {
            **instance,
            "problem": {**options, **{"base": _shown({"problem": base})["problem"]}},
        }
    kind = PROBLEMS.find(options["name"]) if isinstance(options.get("name"), str) else None
    if kind is None or kind.formula is not Problem.formula:
        return instance
    return {**instance, "problem": filled({"problem": options})["problem"]}


def differences(began: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """What one instance has in place of what the other has, a clause each."""
    told: list[str] = []
    began, found = filled(began), filled(found)
    alone = began.get("clients") == found.get("clients") == 1  # every network of one is the same
    for key in dict.fromkeys((*began, *found)):
        before: Any = began.get(key)
        after: Any = found.get(key)
        if before == after or (alone and key == "topology"):
            continue
        maps = isinstance(before, Mapping) and isinstance(after, Mapping)
        if not maps or "name" not in before or "name" not in after:
            told += _of_values(key, before, after)
        elif key == "problem":
            clients = [each.get("clients") for each in (began, found)]
            told += _of_losses(_settled(before, clients[0]), _settled(after, clients[1]))
        else:
            told += _of_names(key.replace("topology", "network"), before, after)
    return told


def _settled(options: Mapping[str, Any], clients: Any) -> Mapping[str, Any]:
    """The options of a loss that is one function as the loss itself tells them, where a default
    depends on others: the dimension that a list of centers has."""
    name, base = options.get("name"), options.get("base")
    if isinstance(base, Mapping):
        return {**options, "base": _settled(base, clients)}
    kind = PROBLEMS.find(name) if isinstance(name, str) else None  # a file may say anything
    if kind is None or kind.formula is Problem.formula:
        return options
    try:
        made = built(kind, {key: v for key, v in options.items() if key != "name"}, clients)
        told = {} if made is None else dict(made.describe())
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return options
    sizes = {"dim": made.dim} if made is not None and "dim" in told else {}
    told = {key: value for key, value in told.items() if value is not None}
    return {**{key: told[key] for key in told if key != "clients"}, **options, **sizes}


def _of_losses(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    calm = [quiet(filled({"problem": quiet(each)})["problem"]) for each in (before, after)]
    alike = calm[0].get("name") == calm[1].get("name") and {*calm[0]} == {*calm[1]}
    if alike or losses(calm[0]) == losses(calm[1]):
        yield from _of_names("loss", *calm)
    else:
        yield "another loss"  # both stand in the lines above
    noises = _noise(before), _noise(after)
    if noises[0] != noises[1]:
        texts = _told(noises[0]), _told(noises[1])
        same = texts[0] == texts[1]  # but for digits
        yield from _of_names("noise", *noises) if same else [f"noise: {texts[0]} -> {texts[1]}"]


def _noise(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Its options, the law under ``name``; {} without noise."""
    keys = ("field", *noise_options(options))
    given = {key: options[key] for key in keys if _is_some(options.get(key))}
    if options.get("name") == "noisy":
        given = {"field": "gaussian", "sigma": 1.0} | given
    elif not any(key.startswith("sigma") for key in given):
        return {}
    return {"name": given.pop("field", given.pop("noise", "gaussian")), **given}


def _is_some(value: Any) -> bool:
    return any(map(_is_some, value)) if isinstance(value, list) else bool(value)


def _told(noise: Mapping[str, Any]) -> str:
    parts = (f"{key} = {_text(value)}" for key, value in noise.items() if key != "name")
    return f"{noise['name']} ({', '.join(parts)})" if noise else "none"


def _of_names(what: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """Of two networks, or losses, of one name their options; of two names these."""
    if before.get("name") != after.get("name"):
        yield f"{what}: {_text(before.get('name'))} -> {_text(after.get('name'))}"
        before = after  # its other options are in the finding's own line
    for key in dict.fromkeys((*before, *after)):
        yield from _of_values(key, before.get(key), after.get(key))


def _of_values(key: str, before: Any, after: Any) -> Iterator[str]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in dict.fromkeys((*before, *after)):
            yield from _of_values(str(name), before.get(name), after.get(name))
    elif before != after:
        name = "x^0" if key == "x0" else letter(key)
        texts = _text(before), _text(after)
        yield (
            f"{name}: {texts[0]} -> {texts[1]}"
            if texts[0] != texts[1]
            else (f"{name}{_apart(before, after)}")
        )


def _apart(before: Any, after: Any, at: str = "") -> str:
    """In which entry, or digits, two values differ that read alike as texts."""
    lists = isinstance(before, list) and isinstance(after, list)
    if not lists or len(before) != len(after):
        return f"{at}: {before!r} -> {after!r}"
    unlike = [k for k, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]]
    more = f", and {len(unlike) - 1} more" if len(unlike) > 1 else ""
    k = unlike[0]
    return f"{_apart(before[k], after[k], f'{at}[{k}]')}{more}"


def _text(value: Any) -> str:
    if value is None:
        return _ABSENT
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, Mapping):
        return f"({', '.join(f'{key} = {_text(each)}' for key, each in value.items())})"
    return vector(value) if _count(value) <= _MOST else f"{_count(value)} numbers"


def _count(value: Any) -> int:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return sum(map(_count, value))
    return 1
