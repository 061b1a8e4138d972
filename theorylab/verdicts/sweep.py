"""A sweep: one number of an instance moves over decades, others follow by expressions of it."""

from __future__ import annotations

import copy
import inspect
import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, StrictFloat, StrictInt

from theorylab.arithmetic import evaluated
from theorylab.exact import fraction_in
from theorylab.experiments import EXPERIMENTS
from theorylab.runs.paths import put
from theorylab.statements import Statement
from theorylab.verdicts.growth import FEWEST
from theorylab.verdicts.instance import validated

KEY = "sweep"  # of an instance


def is_swept(statement: Statement, version: str, instance: Any) -> bool:
    """Whether ``instance`` moves: of an order always, else where a ``sweep`` came that is no option
    of the experiment's own."""
    if statement.versions[version].order is not None:
        return True
    kind = EXPERIMENTS.get(statement.experiment)
    own = kind is not None and KEY in inspect.signature(kind).parameters
    return isinstance(instance, Mapping) and KEY in instance and not own


class Sweep(BaseModel):
    """What ``sweep`` holds in an instance.

    An option is named by its path from the top of the instance, as in ``algorithm.tau``; a number
    in a path is a place in a list.

    Args:
        parameter: the option that moves, or a name of its own that only ``set`` uses.
        values: of the parameter, above 0, rising or falling; of an order at least three, and its
            growth is towards the last one.
        set: option -> arithmetic (see ``theorylab.arithmetic``) in the parameter and the other
            numbers of the instance, by their paths or, where only one has it, by the last word of
            a path. An expression may use what another one sets. Where the instance has an integer
            at the option, the result is rounded to one.
        each: what else the instance has, option by option, at each of the values, one after the
            other: lists that grow with the parameter. It comes before ``set``.
        window: of an order, how many of the last values are fitted, at least three; all if 0.

    >>> made = Sweep(parameter="rounds", values=[10, 100, 1000], set={"eta": "1/sqrt(rounds)"})
    >>> made.at("here", {"rounds": 1}, 100)
    {'rounds': 100, 'eta': 0.1}
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    parameter: str
    values: list[StrictInt | StrictFloat]
    set: dict[str, str] = {}
    each: list[dict[str, Any]] = []
    window: StrictInt = 0

    @staticmethod
    def of(
        where: str, instance: Mapping[str, Any], least: int = FEWEST
    ) -> tuple[Sweep, dict[str, Any]]:
        """(the sweep of an instance, all else in it); ValueError, one line, on a wrong one.

        least: how few values will do: an order needs ``FEWEST``, and may leave out the first ones.
        """
        rest = {key: value for key, value in instance.items() if key != KEY}
        if KEY not in instance:
            raise ValueError(f"{where}: no sweep came; need {{parameter, values}} under {KEY!r}")
        made = validated(f"{where}: {KEY}", Sweep, instance[KEY])
        values = made.values
        steps = [b - a for a, b in itertools.pairwise(values)]
        one_way = all(step > 0 for step in steps) or all(step < 0 for step in steps)
        if len(values) < least or not one_way or not 0 < min(values) <= max(values) < math.inf:
            raise ValueError(
                f"{where}: {KEY}.values is {values!r}; need at least {least} numbers > 0, rising "
                "or falling"
            )
        fits = range(FEWEST, len(values) + 1 if least == FEWEST else 0)
        if made.window and made.window not in fits:
            more = f", or {FEWEST} .. {len(values)}" if fits else ""
            raise ValueError(f"{where}: {KEY}.window is {made.window}; need 0{more}")
        if made.each and len(made.each) != len(values):
            raise ValueError(
                f"{where}: {KEY}.each has {len(made.each)} parts; need one a value, {len(values)}"
            )
        return made, rest

    @property
    def fitted(self) -> int:
        return self.window or len(self.values)

    @property
    def label(self) -> str:
        """Of the window, as in "rounds 10 .. 1000"."""
        return f"{self.name} {self.values[-self.fitted]:g} .. {self.values[-1]:g}"

    @property
    def name(self) -> str:
        return _last(self.parameter)

    def at(self, where: str, instance: Mapping[str, Any], value: float) -> dict[str, Any]:
        """The instance at one value; ``instance`` is left as it is."""
        more = dict(zip(self.values, self.each, strict=True)) if self.each else {}
        made = copy.deepcopy({**instance, **more.get(value, {})})
        where = f"{where}: {KEY}"
        if "." in self.parameter or self.parameter in made:
            put(where, made, self.parameter, value, whole=True)
        known = {**numbers_of(made), self.parameter: float(value), self.name: float(value)}
        follow(where + ".set", made, self.set, known)
        return made


def follow(
    where: str, made: dict[str, Any], expressions: Mapping[str, str], known: Mapping[str, float]
) -> None:
    """Set every path in ``expressions`` in the instance ``made``, in place, to its arithmetic in
    ``known`` and in what other expressions set. Raises ValueError, one line."""
    known, waiting = dict(known), dict(expressions)
    while waiting:
        blocked = {name for path in waiting for name in (path, _last(path))}
        for path, text in list(waiting.items()):
            free = {name: number for name, number in known.items() if name not in blocked}
            try:
                found = evaluated(text, free)
            except ValueError as error:
                problem = f"{where}.{path}: {error}"
                continue
            put(where.removesuffix(".set"), made, path, found, whole=True)
            del waiting[path]
            known = {**known, **numbers_of(made)}
            break
        else:
            raise ValueError(problem)


def _last(path: str) -> str:
    """The last word of a path; the path where it has none."""
    return next((part for part in reversed(path.split(".")) if not part.isdigit()), path)


def numbers_of(instance: Mapping[str, Any]) -> dict[str, float]:
    """Every number of an instance by its path, and by the last word where only one has it."""
    paths = dict(_found(instance, ""))
    words = [_last(path) for path in paths]
    return paths | {
        _last(path): number for path, number in paths.items() if words.count(_last(path)) == 1
    }


def _found(data: Any, at: str) -> Iterator[tuple[str, float]]:
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from _found(value, f"{at}.{key}" if at else str(key))
    elif isinstance(data, list) and len(data) == 1:  # of more, none has a name
        yield from _found(data[0], f"{at}.0")
    elif (exact := fraction_in(data)) is not None:
        yield at, float(exact)
    elif isinstance(data, int | float) and not isinstance(data, bool):
        yield at, float(data)
