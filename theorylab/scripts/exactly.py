"""A claim that rounding leaves open, decided: its script is played until both sides are told apart.

The floats of a script and of its bound stand for the numbers that were written: .1 is a tenth, and
"1/3" is a third. An f* or x* that is known between two ends stands for all that lies between them.
Balls get narrower, from 53 bits to 1024. Where both sides may be equal and all operations are
rational, nothing is rounded at all, and fractions decide.
"""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, ctx, fmpq

from theorylab import symbols
from theorylab.exact import Span, behind, digits_of, floated, span
from theorylab.known import How
from theorylab.problems import Problem, minimiser, minimiser_off
from theorylab.scripts._agreement import ROOM, meets
from theorylab.scripts._columns import least_written, minimiser_written
from theorylab.scripts._user_text import COMPUTED
from theorylab.scripts.arrays_of_balls import Balls, ball
from theorylab.scripts.balls import (
    LONG,
    SHORT,
    Ball,
    UndecidedError,
    UnenclosedError,
)
from theorylab.scripts.base import NAMES, Facts, UnscriptedError
from theorylab.scripts.play import played
from theorylab.scripts.sweeps import alone, swept
from theorylab.scripts.write import script
from theorylab.statements import Statement, TooLongError, enclosed, resolved
from theorylab.verdicts import Result
from theorylab.verdicts.case import Constants
from theorylab.verdicts.edge import FRACTIONS, Decider, Exact
from theorylab.verdicts.evidence import value_on_side
from theorylab.verdicts.relation import numbers_of
from theorylab.verdicts.sweep import is_swept

_WIDE = Fraction(1, 2**44)  # of a number: what some hundred operations round
_UNITS = 2**8  # of its last bit: what is left where numbers cancel, as of .1 + .2 - .3, has few
_TYPED = 12  # digits: one float64 in 50 000 has at most these
_SIMPLE = 1000  # the largest denominator that a float64 shows by itself
BALL, INTERVAL = "x* is known as a ball", "f* is known as an interval"
BITS = (53, 113, 256, 1024)
WORK = 6_000_000  # operations of one play: a second
_FIRM = 8  # times what moved numbers move the left side
_PRIMES = (-97, 97, -89, 89)  # two, so that what two numbers do does not cancel
_NEAR = 1e-6  # to 1: sums of weights that are meant to be 1
_LONGEST = 100_000  # bits of a power in a bound
_FLOAT64 = 53


class Written:
    """What the floats of a script and of its bound stand for.

    strict: numbers that were computed are known up to their rounding, whatever they print. shift:
    0, or a prime, of either sign, by whose remainders those move that are nothing but floats.
    drawn: the first of these.
    """

    def __init__(self, result: Result, constants: Constants, computed: set[float]) -> None:
        self.strict, self.shift, self.drawn = False, 0, ""
        self.typed: dict[float, Span] = {}
        for value in _floats(result.instance):
            self.typed[abs(value)] = _absolute(span(value))
        for value, ends in behind(result.instance).items():
            self.typed[abs(value)] = _absolute(ends)
        options = {*_named(floated(result.instance)[0])}
        self.given = {s for s, k in constants.items() if (symbols.name_of(s), k.value) in options}
        unsure = {s: k for s, k in constants.items() if s not in self.given and not is_asked(k)}
        self.computed = computed | {abs(known.value) for known in unsure.values()}
        self.first = ""  # of the numbers that are not known exactly

    def ends(self, value: float, computed: bool) -> Span:
        """Between which rationals the number is that a float >= 0 stands for."""
        exact = Fraction(value)
        if not (computed and self.strict):
            simple = exact.limit_denominator(_SIMPLE)
            if value in self.typed:
                return self.noted(self.typed[value], value)
            if digits_of(value) <= _TYPED:
                return Fraction(repr(value)), Fraction(repr(value))
            if float(simple) == value and simple.numerator < _SIMPLE**2:
                return simple, simple
        if computed:
            return self.noted((exact * (1 - _WIDE), exact * (1 + _WIDE)), value)
        self.drawn = self.drawn or repr(value)
        if prime := abs(self.shift):  # no number moves by nothing
            apart = Fraction(2 * (exact.numerator % prime) - prime, self.shift)
            exact += apart * max(exact * _WIDE, Fraction(_UNITS, exact.denominator))
        return exact, exact

    def noted(self, ends: Span, value: float) -> Span:
        if ends[0] < ends[1]:
            self.first = self.first or repr(value)
        return ends

    def __call__(self, value: float) -> Ball:
        """A literal of a script."""
        if not math.isfinite(value):
            return Ball(arb(value))
        return between(*self.ends(value, value in self.computed))

    def of(self, symbol: sp.Symbol, known: Any) -> Span:
        """A constant of the bound; UnenclosedError of one that float64 cannot hold."""
        numbers = numbers_of(known, value_on_side(symbol, known))
        if numbers.digits is not None:
            raise UnenclosedError(f"{symbols.name_of(symbol)} is beyond float64")
        before = self.first
        if is_asked(known) or known.enclosure is not None:
            ends = self.noted(numbers.asked, known.value)
        else:
            low, high = self.ends(abs(known.value), symbol not in self.given)
            ends = (low, high) if known.value > 0 else (-high, -low)
        if self.first != before and known.asked is None:
            self.first = f"the computed {symbols.name_of(symbol)} = {self.first}"
        return ends


def between(low: Fraction, high: Fraction) -> Ball:
    """All that lies between two fractions."""
    ends = [fmpq(end.numerator, end.denominator) for end in (low, high)]
    return Ball(ends[0] if low == high else arb(ends[0]).union(arb(ends[1])))


def is_asked(known: Any) -> bool:
    """Whether a constant is what its user gave, or a bound, which is valid as it is."""
    return known.asked is not None or known.value == 0 or str(known.how) != "exact"


def _absolute(ends: Span) -> Span:
    return ends if ends[0] >= 0 else (-ends[1], -ends[0])


def _named(data: Any) -> Iterator[tuple[str, Any]]:
    """Every option with its name."""
    if isinstance(data, Mapping):
        for name, value in data.items():
            if isinstance(value, float):
                yield name, value
            yield from _named(value)


def _floats(data: Any) -> list[float]:
    if isinstance(data, Mapping):
        data = [*data.values()]
    if isinstance(data, list | tuple):
        return [value for each in data for value in _floats(each)]
    return [data] if isinstance(data, float) and math.isfinite(data) else []


def enclosures(statement: Statement, result: Result, text: str) -> dict[float, Span]:
    """The ends of |f*|, or of the |entries| of x*, by the literal that ``text``, the script, has
    for it. Empty where the left side has neither, or they are known as numbers.

    Raises UnenclosedError where the script has no such literal, or a metric of a user's own does
    with x* what it likes.
    """
    if statement.experiment:
        return {}
    column = statement.quantity_of(statement.versions[result.version]).column
    own = ".optimum = " in text
    if column not in ("suboptimality", "squared_distance") and not own:
        return {}
    every = [result.instance]
    if is_swept(statement, result.version, result.instance):
        names = {k: v for k, v in result.instance.items() if k in NAMES}
        cases = swept(statement, result)[1].cases
        every = [{**names, **case.check.instance} for case in cases]
        if statement.versions[result.version].order is None:
            every = [alone(statement, result).instance]
    found: dict[float, Span] = {}
    for instance in every:
        facts = Facts(statement, result.model_copy(update={"instance": instance}))
        problem = facts.setting.problem
        here = _least(problem) if column == "suboptimality" else _minimiser(problem)
        if own and minimiser_off(problem):
            raise UnenclosedError(BALL)
        for literal, (low, high) in here.items():
            ends = found.get(literal, (low, high))
            found[literal] = min(low, ends[0]), max(high, ends[1])
    written = {node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)}
    if not found.keys() <= written:
        raise UnenclosedError(INTERVAL if column == "suboptimality" else BALL)
    return found


def _least(problem: Problem) -> dict[float, Span]:
    least, literal = problem.constants()["f_star"], least_written(problem)
    ends = least.enclosure
    if least.how is not How.CERTIFIED or (ends is not None and ends[0] == ends[1]):
        return {}
    if ends is None:
        raise UnenclosedError(INTERVAL)
    return {abs(literal): ends if literal > 0 else (-ends[1], -ends[0])}


def _minimiser(problem: Problem) -> dict[float, Span]:
    best, off = minimiser(problem), Fraction(minimiser_off(problem) or 0)
    if not off:
        return {}
    sizes = np.abs([best, minimiser_written(problem)]).T.tolist()
    return {literal: (Fraction(size) - off, Fraction(size) + off) for size, literal in sizes}


class ByScript(Decider, name="script"):
    """Decides by a script that is played in balls and in fractions."""

    @staticmethod
    def decide(statement: Statement, result: Result, constants: Constants, seed: int) -> Exact:
        """Whether the claim holds at the place of ``result``, whose constants are ``constants``.

        What holds is decided with the numbers that were written. A violation has to stand, too,
        where a constant that was computed has another value that rounding leaves it. Two sides that
        differ have to do so where all that is nothing but a float is moved by its rounding.
        """
        try:
            if is_swept(statement, result.version, result.instance):
                result = alone(statement, result)
            expr = statement.versions[result.version].bound
            text = _left(script(statement, result, seed, long=True))
            if line := next((each for each in text.splitlines() if each.endswith(COMPUTED)), ""):
                name = line.partition(" =")[0]
                raise UnenclosedError(f"{name} was computed as the file was read, in float64")
            numbers = Written(result, constants, _of_problem(statement, result, text))
            found = _decided(result, expr, constants, text, numbers)
            if found.holds is False:
                numbers.strict = True
                found = _decided(result, expr, constants, text, numbers)
            if found.gap and numbers.drawn:
                _shifted(found, text, numbers)
        except (UnscriptedError, UnenclosedError, TooLongError) as error:
            return Exact(None, f"not decided exactly: {error}")
        return found


def _of_problem(statement: Statement, result: Result, text: str) -> set[float]:
    """What a script writes that is computed of a problem: its least value, or where that is.

    UnenclosedError where that is known between two ends alone.
    """
    column = statement.quantity_of(statement.versions[result.version]).column
    if enclosures(statement, result, text):
        raise UnenclosedError(INTERVAL if column == "suboptimality" else BALL)
    if statement.experiment or column not in ("suboptimality", "squared_distance"):
        return set()
    problem = Facts(statement, result).setting.problem
    if column == "squared_distance":
        return {abs(float(x)) for x in np.ravel(np.asarray(minimiser(problem), float))} - {0.0}
    least = problem.constants()["f_star"]
    return set() if is_asked(least) else {abs(least.value)}


def _left(text: str) -> str:
    """The script as far as the measured side."""
    assigned = [
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign)
        and any(isinstance(n, ast.Name) and n.id == "measured" for n in ast.walk(node.targets[0]))
    ]
    return "\n".join(text.splitlines()[: assigned[-1].end_lineno]) + "\n"


def _decided(
    result: Result, expr: sp.Expr, constants: Constants, text: str, numbers: Written
) -> Exact:
    """At the first precision that tells both sides apart; UnenclosedError where none does."""
    spans = {s: numbers.of(s, constants[s]) for s in symbols.in_order(expr)}
    for decimal in sorted(map(float, expr.atoms(sp.Float))):
        numbers.noted(span(decimal), decimal)
    why = ""
    for bits, longest in (*((bits, SHORT) for bits in BITS), (BITS[-1], LONG)):
        try:
            work = WORK if longest == SHORT else bits // 128 * WORK
            names = played(text, bits, work, longest=longest, reading=numbers)
        except UndecidedError as error:
            why = str(error)
            continue
        measured = ball(names["measured"])
        with ctx.workprec(bits):
            right = _bound(expr, spans, bits)
            sign, gap = _compared(measured.x, right)
        if sign is not None:
            fractions = type(measured.x) is fmpq and type(right) is fmpq
            how = FRACTIONS if fractions else f"in balls of {bits} bits"
            return _told(result, names, measured, right, (sign, gap, how), numbers.strict)
        why = f"both sides agree to {bits} bits, and not all of it is rational"
    if numbers.first:
        why = (
            f"{numbers.first} is known up to its rounding alone; need a decimal of at most 15 "
            "digits, or a fraction p/q"
        )
    raise UnenclosedError(why)


def _shifted(found: Exact, text: str, numbers: Written) -> None:
    """UnenclosedError where the side of the bound hangs on the last digits of what was drawn."""
    moved = 0.0
    for numbers.shift in _PRIMES:
        ends = ball(played(text, BITS[2], WORK, reading=numbers)["measured"]).ends
        moved = max(moved, abs(ends[0] - found.low), abs(ends[1] - found.high))
    numbers.shift = 0
    if not _FIRM * moved < found.gap:
        raise UnenclosedError(
            f"{numbers.drawn} is known up to its rounding alone, which moves the left side by "
            f"{moved:.2g}"
        )


def _bound(expr: sp.Expr, spans: Mapping[sp.Symbol, Span], bits: int) -> Any:
    """The bound as a fraction, where it is one, or in a ball."""
    decimals = expr.atoms(sp.Float)
    if any(x._prec > _FLOAT64 for x in decimals):
        raise UnenclosedError("the bound has a decimal of more digits than a float64")
    if all(low == high for low, high in spans.values()) and not expr.has(sp.Sum, sp.Product):
        exactly = {s: sp.Rational(low.numerator, low.denominator) for s, (low, _) in spans.items()}
        exactly |= {x: sp.Rational(repr(float(x))) for x in decimals if digits_of(float(x)) <= 15}
        if all(_short(each, exactly) for each in sp.postorder_traversal(expr)):
            found = expr.xreplace(exactly)
            if found.is_Rational:
                return fmpq(int(found.p), int(found.q))
    try:
        ways: list[Any] = [enclosed(way, spans, bits) for way in resolved(expr, spans)]
    except NotImplementedError:
        ways = [None]
    if any(way is None for way in ways):
        raise UnenclosedError("the bound has a function without a ball")
    return functools.reduce(lambda a, b: a.union(b), ways)


def _short(node: sp.Basic, exactly: Mapping[sp.Basic, sp.Basic]) -> bool:
    """Whether a power is no number that is too long; inner ones are looked at first."""
    if not node.is_Pow:
        return True
    base, exponent = (each.xreplace(exactly) for each in node.args)
    if not (exponent.is_Integer and base.is_Rational):
        return True
    return max(int(base.p).bit_length(), int(base.q).bit_length()) * abs(int(exponent)) <= _LONGEST


def _compared(left: Any, right: Any) -> tuple[int | None, Any]:
    """(the sign of left - right, their difference); None where balls leave it open."""
    if type(left) is fmpq and type(right) is fmpq:
        return (left > right) - (left < right), left - right
    away = arb(left) - arb(right)
    if away > 0 or away < 0:
        return (1 if away > 0 else -1), away
    return (0 if away.is_exact() and away == 0 else None), away


def _told(
    result: Result,
    names: Mapping[str, Any],
    measured: Ball,
    right: Any,
    found: tuple[int, Any, str],
    strict: bool,
) -> Exact:
    """What was found, where the enclosures meet what the engine has."""
    (sign, away, how), (low, high) = found, measured.ends
    ends, bound = Ball(right).ends, result.bound or 0.0
    room = ROOM * abs(bound)
    if not (meets(low, high, result) and ends[0] - room <= bound <= ends[1] + room):
        raise UnenclosedError(
            f"the script has [{low!r}, {high!r}] against [{ends[0]!r}, {ends[1]!r}], and the "
            f"engine {result.measured!r} against {result.bound!r}"
        )
    if strict and (told := _nearly_stochastic(names)):
        raise UnenclosedError(told)
    least = min(map(abs, Ball(away).ends))
    size = f" by {'' if how == FRACTIONS else 'at least '}{least:.2g}" if sign else ""
    word = {1: "exceeds", 0: "equals", -1: "is below"}[sign]
    text = f"{how} the left side {word} the bound{size}"
    holds = sign <= 0 if result.relation == "<=" else sign >= 0
    return Exact(holds, text, how, low, high, least)


def _nearly_stochastic(names: Mapping[str, Any]) -> str:
    """Of a network whose weights sum to 1 up to rounding alone; "" of any other."""
    for array in _arrays([*names.values()]):
        for axis in (0, 1):
            off = [x - 1 for x in ball(array.raw.sum(axis=axis))]
            if all(max(map(abs, x.ends)) < _NEAR for x in off) and not all(
                type(x.x) is fmpq and x.x == 0 for x in off
            ):
                return "weights of the network sum to 1 up to rounding alone"
    return ""


def _arrays(data: Any) -> Iterator[Balls]:
    """Square matrices of balls among names, in lists and in dictionaries."""
    if isinstance(data, Balls) and data.ndim >= 2 and data.shape[-1] == data.shape[-2]:
        yield from map(Balls, data.raw.reshape(-1, *data.shape[-2:]))
    elif isinstance(data, Mapping):
        yield from _arrays([*data.values()])
    elif isinstance(data, list | tuple):
        for each in data:
            yield from _arrays(each)
