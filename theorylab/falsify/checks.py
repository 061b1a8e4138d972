"""A version's own checks: what they say before a search, and what a search begins with.

The checks are completed with the options that stand at their defaults, and long ones come with
shorter copies. A name may be any other that the experiment's own refusal lists.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from theorylab.algorithms import ALGORITHMS, algorithm
from theorylab.exact import floated
from theorylab.experiments import experiment
from theorylab.falsify.costs import COUNTS, LARGEST, cost, limits
from theorylab.falsify.instance_parts import with_defaults
from theorylab.falsify.instances import Instance, Path, is_run, replaced, with_clients, with_rounds
from theorylab.falsify.moves import Choices, choices
from theorylab.falsify.named_parts import stands_for
from theorylab.falsify.score import FAILURES, claim_of, claims, frozen, proven
from theorylab.falsify.screen import Measured, Screen
from theorylab.falsify.sweep_moves import at_values
from theorylab.problems import PROBLEMS, problem
from theorylab.registry import options_of
from theorylab.statements import BUILT_IN, Check, Statement
from theorylab.topologies import TOPOLOGIES, topology
from theorylab.verdicts import Result, guarded, judge_check
from theorylab.verdicts.claimed import held
from theorylab.verdicts.result import Verdict
from theorylab.verdicts.sweep import KEY as SWEEP
from theorylab.verdicts.sweep import is_swept

_SHORT = (6, 64)  # rounds of the cut copies of a longer run, cheap enough to change many times
_FEW = 3  # and the most of everything that is counted, in a copy cheaper still
_EVEN = 1e-12  # off 1/n, that a share of an even mean may be by rounding
_NOT_OPTIONS = ("constants", SWEEP)  # of the experiment that an instance is about
_TIMES = ("rounds", "at")
_LONGEST_OPTION = 200  # characters of an option taken over from ``describe``: no big matrices
_NEAR = -1e-6  # scores of the screening above this are judged: it rounds
_SCREENED_RUNS = 16  # runs of the screening


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
        n = few["clients"]
        many = with_clients(made, min(made["clients"], LARGEST))  # a check may have 10^5
        if _averages(with_clients(made, n)) and not _averages(many):
            n += 1  # three on a ring hear of all at once, and forget unlike starts in a round
        few = _few(with_clients(made, n)) | {"clients": n}
    if "rounds" in few:
        few = with_rounds(few | {k: made[k] for k in _TIMES if k in made}, few["rounds"])
    if few != made:
        yield few
    if isinstance(few.get("rounds"), int) and few["rounds"] > 1:
        yield with_rounds(few, 1)


def _averages(instance: Instance) -> bool:
    """Whether the network's first exchange is the mean over all clients."""
    options = {key: value for key, value in instance["topology"].items() if key != "name"}
    with contextlib.suppress(ValueError, TypeError), guarded():
        P = topology(instance["topology"]["name"], instance["clients"], **options).matrix(0)
        return bool(abs(P.toarray() * instance["clients"] - 1).max() < _EVEN)
    return False


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


def refuted_by_check(
    statement: Statement,
    version: str,
    *,
    seeds: int,
    seed: int,
    budget: float,
    clock: Callable[[], float],
    kept: Measured | None = None,
) -> tuple[Instance, Result, str] | None:
    """The first of the version's own checks that is VIOLATED, with its result and its name; None
    without one.

    Checks of which that is expected come first and are judged whatever it takes: a search that
    finds nothing must not be told of a version that its own catalogue refutes. The others are
    screened, for ``budget`` seconds of ``clock`` altogether.
    """
    until = clock() + budget
    screen = Screen(statement, version, kept)
    for check in _in_order(statement, version):
        surely = Verdict[check.expect].broken
        if not surely and clock() > until:
            continue
        instance = floated(json.loads(json.dumps(check.instance)))[0]
        try:
            with guarded():
                screened = not surely and not is_swept(statement, version, instance)
                if screened and not screen(instance, _SCREENED_RUNS, seed) > _NEAR:
                    continue
                result = judge_check(
                    statement,
                    version,
                    Check("search", instance),
                    seeds=seeds,
                    seed=seed,
                    budget=math.inf,
                    going=_going(surely, clock, max(clock() + 1.0, until)),
                )
        except FAILURES:  # a user's check that is no instance: the search tells why
            continue
        if proven(result):
            return instance, result, check.name
    return None


def _going(surely: bool, clock: Callable[[], float], ends: float) -> Callable[[], bool]:
    return lambda: surely or clock() <= ends


def _in_order(statement: Statement, version: str) -> Iterator[Check]:
    checks = [check for check in statement.versions[version].checks if not check.control]
    yield from sorted(checks, key=lambda c: (not Verdict[c.expect].broken, cost(c.instance)))
