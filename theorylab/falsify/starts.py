"""Where a search begins: the checks of a statement, completed, and what else may stand in them."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from theorylab.algorithms import ALGORITHMS, algorithm
from theorylab.exact import floated
from theorylab.experiments import experiment
from theorylab.falsify.clients import is_run, with_clients
from theorylab.falsify.moves import Choices, Instance, Path, choices, replaced
from theorylab.falsify.named import stands_for
from theorylab.falsify.parts import with_defaults
from theorylab.falsify.score import claim_of, claims, frozen
from theorylab.falsify.sizes import COUNTS, cost, limits
from theorylab.falsify.swept import at_values
from theorylab.problems import PROBLEMS, problem
from theorylab.registry import options_of
from theorylab.statements import BUILT_IN, Statement
from theorylab.topologies import TOPOLOGIES, topology
from theorylab.verdicts import guarded
from theorylab.verdicts.claimed import held
from theorylab.verdicts.sweep import KEY as SWEEP

_SHORT = (6, 64)  # rounds of the cut copies of a longer run, cheap enough to change many times
_FEW = 3  # and the most of everything that is counted, in a copy cheaper still
_NOT_OPTIONS = ("constants", SWEEP)  # of the experiment that an instance is about
_TIMES = ("rounds", "at")
_LONGEST_OPTION = 200  # characters of an option taken over from ``describe``: no big matrices


def starts(statement: Statement, version: str, *, cut: bool = True) -> list[Instance]:
    """The instances of all checks, each once, cut to a size that can be searched, cheapest first.

    Among equals this version's own come first. A long run comes with copies of 6 and of 64 rounds,
    and all with one that has three of everything, and one that has a single round besides: most
    of what breaks a bound can be seen early and small, and judging takes a fraction of the time.
    Of a sweep there is its last value alone, where the claim is no order.

    Args:
        cut: False leaves out the copies.
    """
    most = limits(statement, version)
    order = [version, *(name for name in statement.versions if name != version)]
    found: dict[str, Instance] = {}
    own = claims(statement, version)
    for name in order:
        for check in statement.versions[name].checks:
            if check.control:
                continue
            if own and claim_of(statement, check.instance) not in own:
                continue  # another reading's estimator: what breaks it says nothing of this one
            given = floated(json.loads(json.dumps(check.instance)))[0]
            fixed = frozen(statement, given)
            instance = given if fixed else completed(statement, given)
            sizes = iter([instance]) if fixed else _sizes(instance, most)
            if statement.versions[version].order is None:  # one value of a sweep costs least
                sizes = itertools.chain(sizes, at_values(instance)[-1:])
            for made in sizes if cut else itertools.islice(sizes, 1):
                found.setdefault(json.dumps(made, sort_keys=True), made)
    return sorted(found.values(), key=cost)


def _sizes(instance: Instance, most: Mapping[str, int]) -> Iterator[Instance]:
    made = dict(instance)
    for key, limit in most.items():
        if isinstance(made.get(key), int):
            made[key] = min(made[key], limit)
    if "rounds" in made:
        made = with_rounds(instance, made["rounds"]) | {k: made[k] for k in made if k not in _TIMES}
    yield made
    for rounds in _SHORT:
        if isinstance(made.get("rounds"), int) and made["rounds"] > rounds:
            yield with_rounds(made, rounds)
    few = _few(made)
    if is_run(made) and few["clients"] != made["clients"]:
        few = _few(with_clients(made, few["clients"]))
    if "rounds" in few:
        few = with_rounds(few | {k: made[k] for k in _TIMES if k in made}, few["rounds"])
    if few != made:
        yield few
    if isinstance(few.get("rounds"), int) and few["rounds"] > 1:
        yield with_rounds(few, 1)


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


def _few(data: Any, key: str = "") -> Any:
    """A copy with at most three of everything that is counted."""
    if isinstance(data, Mapping):
        return {name: _few(value, str(name)) for name, value in data.items()}
    whole = isinstance(data, int) and not isinstance(data, bool)
    if isinstance(data, list):
        made = [_few(value, key) for value in data]
        return sorted(set(made)) if key in COUNTS and made != data else made
    return min(data, _FEW) if whole and key in COUNTS else data


def completed(statement: Statement, instance: Instance) -> Instance:
    """With the options that the experiment fills in by itself, as far as they are short; of a run,
    with those of the algorithm that the statement has a symbol for."""
    if not statement.experiment:
        return _with_options(statement, instance)
    given = {key: value for key, value in instance.items() if key not in _NOT_OPTIONS}
    try:
        with guarded():
            described = json.loads(json.dumps(experiment(statement.experiment, **given).describe()))
            added = {
                key: value
                for key, value in described.items()
                if key not in (*given, *held(statement))
                and value is not None
                and len(json.dumps(value)) <= _LONGEST_OPTION
            }
            experiment(statement.experiment, **given, **added)
    except (ValueError, TypeError, ArithmeticError, KeyError):
        return instance
    return {**instance, **added}


def _with_options(statement: Statement, instance: Instance) -> Instance:
    """With all that the algorithm, the problem and the network declare; of a built-in statement
    with what a symbol stands for. A paper speaks of no other option of its algorithm."""
    given = instance.get("algorithm")
    if not isinstance(given, Mapping) or statement.algorithm not in ALGORITHMS:
        return instance
    own = statement.id not in BUILT_IN
    declared = {
        option: each.default
        for option, each in options_of(ALGORITHMS.find(statement.algorithm)).items()
        if option not in given
        and isinstance(each.default, int | float)
        and (own or any(stands_for(version, option) for version in statement.versions.values()))
    }
    made = {**instance, "algorithm": {**given, **declared}}
    return _with_parts(made) if own and is_run(made) else made


def _with_parts(instance: Instance) -> Instance:
    """With the numbers and switches of its problem and its network that stand at their defaults, as
    far as both take these beside what is given."""
    makers: tuple[tuple[str, Any, Any], ...] = (
        ("problem", PROBLEMS, problem),
        ("topology", TOPOLOGIES, topology),
    )
    for key, table, make in makers:
        given = instance[key]
        options = with_defaults(given, table) if given["name"] in table else given
        for option, value in options.items():
            if option in given or not isinstance(value, int | float):
                continue
            longer = {**instance[key], option: value}
            with contextlib.suppress(ValueError, TypeError), guarded():
                others = {name: each for name, each in longer.items() if name != "name"}
                make(given["name"], instance["clients"], **others)
                instance = {**instance, key: longer}
    return instance


def known_choices(statement: Statement, version: str, first: Sequence[Instance]) -> Choices:
    """What may stand at each path: what the instances have, and what a refusal says is there."""
    found = {at: known for at, known in choices(first).items() if at[0] not in held(statement)}
    for instance in first:
        for at, value in _names(instance):
            if at[0] in held(statement):
                continue
            for other in _listed(statement, at, replaced(instance, at, "?")):
                known = found.setdefault(at, [value])
                if other not in known:
                    known.append(other)
    return found


def _names(data: Any, at: Path = ()) -> Iterator[tuple[Path, str]]:
    """Options that are one word, but not the names of networks and losses, which need options."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from _names(value, (*at, key))
    elif isinstance(data, str) and at[-1] != "name":
        yield at, data


def _listed(statement: Statement, at: Path, instance: Instance) -> list[str]:
    """The words after "need one of" in the line that refuses ``instance``, or its algorithm."""
    options = {key: value for key, value in instance.items() if key not in _NOT_OPTIONS}
    try:
        with guarded():
            if statement.experiment:
                experiment(statement.experiment, **options)
            elif at[0] == "algorithm":
                algorithm(statement.algorithm, **options["algorithm"])
    except (ValueError, TypeError, KeyError) as error:
        after = re.search(r"need one of ([\w\-]+(?:, [\w\-]+)*)", str(error))
        return after.group(1).split(", ") if after and "'?'" in str(error) else []
    return []
