"""A finite cycle: a method that returns to an earlier state stays away from the minimiser for ever.

A counterexample is about its own rounds. Where a method without chance returns to a state, all
later rounds are known, too: the left side never falls below its least value on the cycle, however
many rounds the claim is about. The run goes on in float64 until it repeats itself up to rounding.
Then the points are read as fractions of small numbers, and one turn is played without any rounding.
It is a cycle only if every number of the state returns exactly, and the left side is above 0 on the
whole way.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq

from theorylab.algorithms import ALGORITHMS
from theorylab.falsify.time_limit import at_most
from theorylab.own import is_own
from theorylab.scripts import UnscriptedError, script
from theorylab.scripts.arrays_of_balls import ball
from theorylab.scripts.balls import Ball, UndecidedError, UnenclosedError
from theorylab.scripts.play import played
from theorylab.statements import Statement
from theorylab.verdicts import Result

LONGEST = 12  # points of a cycle
_ROUNDS, _SECONDS = 3000, 10.0  # that the run goes on, at most
_SHOWN = 4  # points of a cycle that are told
_SAME = 1e-11  # of the size of a state: what rounding leaves of a state that comes back
_SMALL = 10**7  # the largest denominator of a point, and of a number that was computed
_BITS = 256
_OWN = "\n# From "  # begins what a script carries of a user's file
_BEGINS, _STEPS, _METRIC = "state = algorithm.init(", "algorithm.step(", "metric = "
_OWN_TIME = ("t", "seed", "runs", "coins", "step_size")  # what makes one round unlike another
_BY_NAME = ("getattr", "vars", "asdict", "astuple", "attrgetter", "eval", "exec", "__dict__")
_BESIDE, _NEAR, _LATER = 1e-6, 1e-4, 1000  # of a state's size: a start beside, its way, rounds
_STOP = (UnscriptedError, UndecidedError, UnenclosedError, ValueError, TypeError, ArithmeticError)
State = dict[str, Any]  # "x", "w", and the memory by name


@dataclass(frozen=True)
class Cycle:
    """points: of the models, one after the other, each (n, d). least: of the left side there,
    above 0. read: the decimals of the instance that were read as a fraction, and that fraction."""

    points: tuple[Any, ...]
    least: Fraction
    read: Mapping[float, Fraction]

    def words(self) -> str:
        """One sentence for a reader of the finding."""
        told = ", then ".join(_point(point) for point in self.points[:_SHOWN])
        more = f", and {len(self.points) - _SHOWN} more" if len(self.points) > _SHOWN else ""
        read = ", ".join(f"{value:.6g} as {fraction}" for value, fraction in self.read.items())
        of = "rests at" if len(self.points) == 1 else f"goes round {len(self.points)} points:"
        given = f", with {read}" if read else ""
        where = f"where the left side is at least {self.least}"
        return f"the method {of} {told}{more}, {where} (one turn played in fractions{given})"


def cycle_of(statement: Statement, result: Result, seed: int = 0) -> Cycle | None:
    """The cycle that the run of ``result`` comes to; None where none is found, or none is exact.

    Args:
        result: of a method of the user's own without chance, one of whose rounds is as the other.
    """
    kind = ALGORITHMS.get(statement.algorithm)
    if kind is None or is_own(kind) or result.runs > 1 or result.relation != "<=":
        return None
    try:
        lines = script(statement, result, seed, long=True).splitlines()
        begins = next((k for k, line in enumerate(lines) if line.startswith(_BEGINS)), -1)
        head = "\n".join(lines[:begins])
        if begins < 0 or not any(_STEPS in line for line in lines) or not _is_alike(head):
            return None
        states, go_on = _states(head + "\n" + lines[begins])
        period = _period(states) if _draws(go_on, states) else None
        ends = next((k for k, line in enumerate(lines) if line.startswith(_METRIC)), begins)
        seen = lines[begins + 1 : ends + 1]
        return None if period is None else _exact("\n".join([head, *seen]), states[-period:])
    except _STOP:
        return None


def _is_alike(head: str) -> bool:
    """Whether what a script carries of the user's file asks for nothing that differs from round to
    round; metrics may, as they change no state."""
    own = head.partition(_OWN)[2].partition("\n")[2]
    for node in ast.parse(own).body:
        bases = getattr(node, "bases", ())
        if any(isinstance(base, ast.Name) and base.id == "Metric" for base in bases):
            continue
        inside = list(ast.walk(node))
        asked = {each.attr for each in inside if isinstance(each, ast.Attribute)}
        called = {each.id for each in inside if isinstance(each, ast.Name)}
        if (asked | called) & {*_OWN_TIME, *_BY_NAME}:
            return False
    return bool(own)


def _states(text: str) -> tuple[list[State], Callable[[Any, int], Any]]:
    """The last states of a long run, in float64, and where models come to in rounds from there."""
    names: dict[str, Any] = {}
    kept: list[State] = []
    try:
        with np.errstate(all="ignore"), at_most(_SECONDS, processor=True):
            exec(compile(text, "script", "exec"), names)
            if len(names["P"]) != 1 or names["problem"].stochastic:
                raise UnscriptedError("its rounds are not alike")
            net, algorithm, state = names["net"], names["algorithm"], names["state"]
            for count in range(_ROUNDS):
                state = algorithm.step(state, net)
                if count >= _ROUNDS - 2 * LONGEST:
                    kept.append({"x": state.x, "w": state.w, **state.memory})
            if state.v is not None or (state.z != state.x / state.w[:, :, None]).any():
                raise UnscriptedError("its memory is in z or v, too")
    except Exception as error:  # of a user's text: any
        raise UnscriptedError(str(error)) from error

    def go_on(x: Any, rounds: int) -> Any:
        after, seen = replace(state, x=x, z=x / state.w[:, :, None]), []
        with np.errstate(all="ignore"), at_most(_SECONDS, processor=True):
            for _ in range(rounds):
                after = algorithm.step(after, net)
                seen.append(after.x)
        return np.array(seen)

    return kept, go_on


def _draws(go_on: Callable[[Any, int], Any], states: Sequence[State]) -> bool:
    """Whether a run that starts a little beside the last state stays beside it: to a cycle that
    repels all others it is rounding alone that brings a run."""
    x = states[-1]["x"]
    size = float(abs(x).max(initial=0.0)) or 1.0
    try:
        ways = [go_on(each, _LATER) for each in (x, x + _BESIDE * size)]
    except Exception as error:  # of a user's text: any
        raise UnscriptedError(str(error)) from error
    return bool((abs(ways[1] - ways[0]) <= _NEAR * size).all())


def _period(states: Sequence[State]) -> int | None:
    """After how many rounds the last state comes back, up to rounding."""
    last = states[-1]
    arrays = [np.asarray(value, float) for value in last.values()]
    if not all(np.isfinite(a).all() for a in arrays):
        return None
    size = max(float(abs(a).max(initial=0.0)) for a in arrays)
    for period in range(1, LONGEST + 1):
        pairs = zip(states[-LONGEST:], states[-LONGEST - period : -period], strict=True)
        moved = (abs(one[k] - two[k]).max(initial=0.0) for one, two in pairs for k in last)
        if max(moved) <= _SAME * size:
            return period
    return None


def _exact(head: str, states: Sequence[State]) -> Cycle | None:
    """The cycle, where one turn from its first point, without rounding, ends there."""
    first = {name: _fractions(value) for name, value in states[-1].items()}
    if any(value is None for value in first.values()):
        return None
    read: dict[float, Fraction] = {}
    memory = ", ".join(f"{k!r}: {_text(v)}" for k, v in first.items() if k not in ("x", "w"))
    lines = [
        head,
        f"x, w = {_text(first['x'])}, {_text(first['w'])}",
        f"state = State(0, x, w, x / w[:, :, None], None, {{{memory}}})",
        "states, seen = [state], []",
        f"for t in range({len(states)}):",
        "    net.t = t",
        "    before, state = state, algorithm.step(state, net)",
        "    states.append(state)",
    ]
    if f"\n{_METRIC}" in head:
        lines += [
            "    for row in metric.rows(before, state):",
            "        seen.append(row.values[0])",
        ]

    def reading(value: float) -> Any:
        near = Fraction(repr(value)).limit_denominator(_SMALL)
        exact = Fraction(repr(value))
        if near != exact and abs(near - exact) <= Fraction(1, 10**15) * abs(exact):
            read[value] = near
            exact = near
        return Ball(fmpq(exact.numerator, exact.denominator))

    names = played("\n".join(lines), _BITS, reading=reading)
    turn = [{"x": s.x, "w": s.w, **s.memory} for s in names["states"]]
    begins, ends = (list(_entries(turn[k])) for k in (0, -1))
    if None in begins or begins != ends:
        return None
    seen = [_exactly(ball(value).x) for value in names["seen"]]
    known = [value for value in seen if value is not None]
    least = min(known, default=Fraction(0)) if len(known) == len(seen) else Fraction(0)
    return (
        None if least <= 0 else Cycle(tuple(_models(each["x"]) for each in turn[:-1]), least, read)
    )


def _fractions(array: Any) -> list[Any] | None:
    """Nested lists of the fractions that a float array stands for; None where one is none small."""
    values = np.asarray(array, float)
    size = max(1.0, float(abs(values).max(initial=0.0)))
    near = [Fraction(float(v)).limit_denominator(_SMALL) for v in values.ravel()]
    far = any(abs(float(f) - v) > _SAME * size for f, v in zip(near, values.ravel(), strict=True))
    whole: list[Any] = np.array(near, object).reshape(values.shape).tolist()
    return None if far else whole


def _text(data: Any) -> str:
    """An array of fractions as a script has it: a quotient of whole numbers is exact there."""

    def written(each: Any) -> str:
        if isinstance(each, list):
            return f"[{', '.join(map(written, each))}]"
        return f"{each.numerator} / {each.denominator}"

    return f"np.array({written(data)})"


def _entries(state: Mapping[str, Any]) -> Iterator[Fraction | None]:
    for name in sorted(state):
        for value in np.asarray(ball(state[name]).raw, object).ravel():
            yield _exactly(value)


def _exactly(value: Any) -> Fraction | None:
    """A number of flint's as a fraction; None where it is an enclosure."""
    if isinstance(value, int):
        return Fraction(value)
    return Fraction(int(value.p), int(value.q)) if type(value) is fmpq else None


def _models(array: Any) -> list[list[Fraction | None]]:
    """The models of the first run, (n, d)."""
    values = np.asarray(ball(array).raw, object)[0]
    return [[_exactly(value) for value in row] for row in values]


def _point(models: Sequence[Sequence[Fraction]]) -> str:
    """A state of all clients in words: one model where all have the same."""
    rows = [f"{row[0]}" if len(row) == 1 else f"({', '.join(map(str, row))})" for row in models]
    return rows[0] if len(set(rows)) == 1 else f"[{', '.join(rows)}]"
