"""Which parts of an instance a claim speaks of. A finding outside says what the claim needs.

The parts of an instance of a run are its loss, its noise, the number of clients, the network, the
start, whether all clients start alike (``starts``), the rounds, and each option of the algorithm.
``Version.scope`` decides about a part that it names. A part that it does not name is free if the
claim names it (``named_parts``), if the version's own checks differ in it, or if it is noise and a
check has some; otherwise the part is fixed as the checks have it. The network is free, too, where
all checks have one client, as one client has one network.

Rounds are always free. Every part of a built-in statement is free, because its paper has all of
them in its setting; so is every part of an experiment, whose ``claim_options`` say what is claimed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from theorylab.algorithms import ALGORITHMS
from theorylab.exact import floated
from theorylab.experiments import EXPERIMENTS
from theorylab.falsify.instance_parts import PARTS, Part, Value, place_of, put_back, text_of
from theorylab.falsify.instances import Instance, Path, copied, is_run
from theorylab.falsify.named_parts import named, names_option
from theorylab.problems import PROBLEMS
from theorylab.registry import options_of
from theorylab.statements import BUILT_IN, Statement
from theorylab.topologies import TOPOLOGIES
from theorylab.verdicts import Result

FREE, FIXED = "free", "fixed"
_RANGED, _LISTED = ("noise", "clients", "rounds"), ("loss", "network")


class Scope:
    """What one version speaks of.

    Raises:
        ValueError: on a scope that names nothing of the claim, and on one that no check of the
            version meets.
    """

    def __init__(self, statement: Statement, version: str) -> None:
        self.statement, self.version = statement, version
        self.fixed = False  # every part is
        self.checks = _checks(statement, version)
        self._parts = tuple(self._limits()) if self.checks else ()
        out = [part for part in self._parts if not any(map(part.fits, self.checks.values()))]
        if out or (self.checks and all(self.needs(each) for each in self.checks.values())):
            told = f" ({'; '.join(part.words for part in out)})" if out else ""
            raise ValueError(
                f"{statement.id} [{version}]: scope{told} leaves out every check; need one inside"
            )

    def needs(self, instance: Mapping[str, Any]) -> tuple[str, ...]:
        """What the claim would need to have this instance outside; () of one inside."""
        return tuple(part.words for part in self._outside(instance))

    def restored(self, instance: Instance) -> Iterator[Instance]:
        """The instance with one part that lies outside put back as the nearest check has it."""
        if not self.checks:
            return
        check = self.checks[self.nearest(instance)]
        for part in self._outside(instance):
            yield put_back(copied(instance), part, check)

    def nearest(self, instance: Mapping[str, Any]) -> str:
        """The name of the check that differs from the instance in the fewest parts."""
        return min(self.checks, key=lambda name: _distance(self.checks[name], instance))

    def _outside(self, instance: Mapping[str, Any]) -> list[Part]:
        try:
            return [part for part in self._parts if not part.fits(instance)]
        except (ValueError, TypeError, KeyError, AttributeError):  # it is no instance
            return []

    def _limits(self) -> Iterator[Part]:
        """Every part that is not free."""
        told = dict(self.statement.versions[self.version].scope)
        known = self._known(told)
        self.fixed = bool(known)
        for name, at, value, free in known:
            extent = told.pop(name, FREE if free else FIXED)
            self.fixed &= extent == FIXED
            if extent == FIXED:
                seen = tuple(value(check) for check in self.checks.values())
                yield Part(name, at, value, seen)
            elif extent != FREE:
                listed = isinstance(extent[0], str)
                if at == () and name not in (_LISTED if listed else _RANGED):
                    need = "'free', 'fixed' or a range" if listed else "'free' or 'fixed'"
                    raise self._wrong(f"{name}: {extent!r} came; need {need}")
                for each in extent if at == () and listed else ():
                    if each not in (PROBLEMS if name == "loss" else TOPOLOGIES):
                        raise self._wrong(f"{name}: no {name} {each!r}; need one that list shows")
                yield Part(name, at, value, tuple(extent), not listed, listed)
        if told:
            names = ", ".join(name for name, *_ in known)
            raise self._wrong(
                f"{next(iter(told))!r} names nothing of the claim; need one of {names}"
            )

    def _wrong(self, line: str) -> ValueError:
        return ValueError(f"{self.statement.id} [{self.version}]: scope: {line}")

    def _known(self, told: Mapping[str, Any]) -> list[tuple[str, Path, Value, bool]]:
        """Every part by its name, with its value and whether it is free where nothing says."""
        checks = [*self.checks.values()]
        everything = self.statement.id in BUILT_IN
        if everything and not told:
            return []
        if not all(map(is_run, checks)):
            options = sorted({key for check in checks for key in check})
            return [(key, (key,), _at((key,), None), True) for key in options]
        content = self.statement.versions[self.version]
        names = {*PARTS} if everything else {*named(content), "rounds"}

        def differ(value: Value) -> bool:
            return len({text_of(value(check)) for check in checks}) > 1

        found: list[tuple[str, Path, Value, bool]] = []
        for name, value in PARTS.items():
            shown = (name == "noise" and any(map(value, checks))) or (
                name == "network" and all(value(check) is None for check in checks)
            )
            found.append((name, (), value, shown or name in names or differ(value)))
        swept = {path for check in checks for path in _swept(check)}
        for option, default in declared(self.statement, checks).items():
            value = _at(("algorithm", option), default)
            free = everything or names_option(content, option) or differ(value)
            if f"algorithm.{option}" not in swept:
                found.append((option, ("algorithm", option), value, free))
        for name in told:  # an option of a loss or a network
            kind, _, option = name.rpartition(".")
            for key, table in (("problem", PROBLEMS), ("topology", TOPOLOGIES)):
                if kind in ("", key) and all(name != known for known, *_ in found):
                    classes: Any = [table.find(check[key].get("name")) for check in checks]
                    given = {o: d.default for made in classes for o, d in options_of(made).items()}
                    if option in given:
                        path = (key, option)
                        found.append((name, path, _at(path, given[option]), True))
        return found


def written(statement: Statement, instance: Mapping[str, Any]) -> Instance:
    """The instance with every option of its algorithm that stands at its default, and its start; an
    experiment's with its numbers and words that do."""
    made = copied(instance)
    kind = EXPERIMENTS.find(statement.experiment) if statement.experiment else None
    for key, each in options_of(kind).items() if kind is not None else ():
        if isinstance(each.default, bool | int | float | str):
            made.setdefault(key, each.default)
    if is_run(made) and statement.algorithm:
        for key, default in declared(statement, [made]).items():
            if default is not None:
                made["algorithm"].setdefault(key, default)
        if made.get("x0") is None:
            made["x0"] = PARTS["start"](made)
    return {key: value for key, value in made.items() if value not in (None, [], {})}


def _checks(statement: Statement, version: str) -> dict[str, Instance]:
    """The version's own, and where it has none those of all; controls lie outside the claim."""
    every = [version, *statement.versions]
    for names in ([version], every):
        found = {
            check.name: floated(json.loads(json.dumps(check.instance)))[0]
            for name in names
            for check in statement.versions[name].checks
            if not check.control
        }
        if found:
            return found
    return {}


def declared(statement: Statement, checks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The algorithm's options with their defaults; None of one that has none."""
    kind = ALGORITHMS.find(statement.algorithm)
    found = {
        name: None if each.default is each.empty else each.default
        for name, each in options_of(kind).items()
    }
    given = (key for check in checks for key in check.get("algorithm") or {})
    return {**dict.fromkeys(given), **found}


def _at(path: Path, default: Any) -> Value:
    def value(instance: Mapping[str, Any]) -> Any:
        inner: Any = instance
        *way, last = place_of(instance, path)
        for key in way:
            inner = inner.get(key, {})
        return inner.get(last, default)

    return value


def _swept(check: Mapping[str, Any]) -> set[str]:
    """What a sweep of the instance sets."""
    sweep = check.get("sweep")
    if not isinstance(sweep, Mapping):
        return set()
    return {str(sweep.get("parameter")), *map(str, sweep.get("set") or {})}


def _distance(check: Mapping[str, Any], instance: Mapping[str, Any]) -> int:
    """In how many parts and options the two differ."""
    options = [dict(each.get("algorithm") or {}) for each in (check, instance)]
    whole = [{**each, **made} for each, made in zip((check, instance), options, strict=True)]
    keys = {*whole[0], *whole[1]} - {"algorithm"}
    return sum(whole[0].get(key) != whole[1].get(key) for key in keys)


class Breaking(NamedTuple):
    """An instance that breaks the claim, its result, the moves that made it, and their stage."""

    instance: Instance
    result: Result
    how: str
    stage: str


class Outside:
    """``told``: by the words of what the claim needs, the first instance that shows it."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.told: dict[tuple[str, ...], Breaking] = {}

    def knows(self, instance: Instance) -> bool:
        """Whether the instance lies outside by all that one finding lies outside by."""
        needs = {*self.scope.needs(instance)} if self.told else set()
        return any(needs.issuperset(each) for each in self.told)

    def least(self) -> tuple[tuple[str, ...], Breaking]:
        """The finding that lies outside by the fewest parts; of several such the first."""
        return min(self.told.items(), key=lambda item: len(item[0]))

    def take(
        self, seen: Breaking, confirmed: Callable[[Instance], Result | None]
    ) -> Breaking | None:
        """Keep what breaks the claim outside the scope; give what lies inside it.

        The parts by which it lies outside are put back one by one, as far as what is left is still
        ``confirmed`` to break the claim.
        """
        instance, result, *way = seen
        going = True
        while going:
            going = False
            for made in self.scope.restored(instance):
                fewer = len(self.scope.needs(made)) < len(self.scope.needs(instance))
                found = confirmed(made) if fewer else None
                if found is not None:
                    instance, result, going = made, found, True
                    break
        needs = self.scope.needs(instance)
        if not needs:
            return Breaking(instance, result, *way)
        self.told.setdefault(needs, Breaking(instance, result, *way))
        return None
