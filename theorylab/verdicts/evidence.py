"""The constants of an instance, and whether they settle a statement's assumptions."""

from __future__ import annotations

import functools
import math
from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import sympy as sp

from theorylab import symbols
from theorylab.algorithms import is_schedule
from theorylab.constants import PAIRS
from theorylab.exact import behind, fraction_in
from theorylab.known import How, Known
from theorylab.problems.formula import why_not
from theorylab.registry import near
from theorylab.runs import Setting
from theorylab.statements import DIGITS, Assumption, TooLongError, Version
from theorylab.symbols import Side
from theorylab.verdicts.instance import Instance
from theorylab.verdicts.of_run import constants_of_run
from theorylab.verdicts.relation import compared, numbers_of
from theorylab.verdicts.result import AssumptionResult

Constants = Mapping[sp.Symbol, Known]
Table = dict[str, Known]
NARROW = Fraction(1, 10**9)  # of a number: as narrow as measured sides are known
_AFTER_RUN = ("magnitude",)  # measured on the trace itself


def constant_name(version: Version, symbol: sp.Symbol) -> str:
    name = version.constants.get(symbol)
    return name if isinstance(name, str) else symbols.name_of(symbol)


def gathered(
    where: str, instance: Instance, setting: Setting, wanted: Iterable[tuple[sp.Symbol, str]]
) -> dict[sp.Symbol, Known]:
    """Every wanted constant of the instance, with its provenance.

    Raises ValueError, one line, for a symbol that nothing in the instance defines.
    """
    names = {symbol: name for symbol, name in wanted if name not in _AFTER_RUN}
    check_one_value(where, setting, names.values())
    table = constants_named(instance, setting, names.values())
    check_meanings(where, names, table)
    completed(where, table, setting.given, names.values(), setting.problem)
    return {symbol: narrow(symbol, table[name]) for symbol, name in names.items()}


def narrow(symbol: sp.Symbol, known: Known) -> Known:
    """A certified number that is the number itself up to rounding serves where that is asked for;
    the bound is then taken at both ends."""
    span = known.enclosure
    exact = symbols.meaning_of(symbol).side is Side.EXACT and known.how is How.CERTIFIED
    if exact and span is not None and span[1] - span[0] <= NARROW * abs(span[1]):
        return replace(known, how=How.EXACT)
    return known


def check_one_value(where: str, setting: Setting, names: Iterable[str]) -> None:
    """ValueError, one line, for a name that is an option which changes from round to round."""
    wanted = set(names) - set(setting.given)
    for name, value in setting.algorithm.options().items():
        if name in wanted and is_schedule(value) and name.startswith("eta"):
            raise ValueError(
                f"{where}: algorithm.{name} is {value!r}, so the constant {name!r} has no one "
                "value; need a number"
            )


def constants_named(instance: Instance, setting: Setting, names: Iterable[str]) -> dict[str, Known]:
    """What an instance defines by itself, by name; the network's constants where a name may be one,
    and its pairs (C, q) and delta only where one of these is named.
    """
    table = constants_of_run(instance, setting, set(names) - set(setting.given))
    known = dict(setting.problem.constants())
    for name in sorted(set(names) & set(table) & set(known)):
        if table[name].value != known[name].value:  # neither may hide the other
            raise ValueError(
                f"{name} is {table[name].value:.6g} ({table[name].source}) and "
                f"{known[name].value:.6g} (of the problem); need two names"
            )
    table |= known
    if missing := set(names) - set(table) - set(setting.given):
        from theorylab.constants import network_constants  # slow to import

        table |= network_constants(setting.topology, instance.rounds, missing, setting.problem.dim)
    others = [instance.problem, instance.topology]
    return with_rationals(table, instance.problem | instance.algorithm, others)


def with_rationals(
    table: dict[str, Known], options: Mapping[str, Any], parts: Any
) -> dict[str, Known]:
    """``table``, where the constants that were given as "p/q" are these rationals: by the names of
    ``options``, and others by the float64 that is run for a number of ``parts``."""
    others = behind(parts)
    for name, known in [(name, known) for name, known in table.items() if known.how is How.EXACT]:
        exact = fraction_in(options.get(name))
        if exact is not None and float(exact) == known.value:
            table[name] = replace(known, asked=(exact, exact))
        elif known.value in others and options.get(name) != known.value:
            table[name] = replace(known, asked=others[known.value])
    return table


def check_meanings(where: str, names: Mapping[sp.Symbol, str], measured: Container[str]) -> None:
    """Raise ValueError where a user's own symbol would silently take a constant of another meaning:
    one that theorylab measures here, and that a built-in symbol of other units or side stands for.
    """
    for symbol, name in names.items():
        built_in = symbols.BY_NAME.get(name)
        if built_in is None or symbols.name_of(symbol) != name or name not in measured:
            continue
        own, there = symbols.meaning_of(symbol), symbols.meaning_of(built_in)
        if (own.units, own.side) != (there.units, there.side):
            raise ValueError(
                f"{where}: {name} is measured here, as {there.text!r}, and the file declares it as "
                f"{own.text!r} with other units or another side; need another name"
            )


def completed(
    where: str, table: Table, given: Mapping[str, Known], needed: Iterable[str], problem: Any = None
) -> None:
    """Add the given constants to the computed ones; ValueError unless all needed are there."""
    for name, known in given.items():
        if name in table:
            text = f"constants.{name} is computed from the instance"
            if table[name].source == f"option {name}":
                text += f", where option {name} of the algorithm gives it"
            raise ValueError(f"{where}: {text}; need no constants for it, or another name")
        table[name] = known
    for name in sorted(set(needed)):
        if name not in table:
            why = why_not(problem, name) or _without_minimiser(problem, name)
            meant = near(name, sorted({*table, *PAIRS}))
            lacks = f"nothing defines the constant {name!r}{why}"
            raise ValueError(f"{where}: {lacks}; need it under constants, or {meant}")


def _without_minimiser(problem: Any, name: str) -> str:
    lacks = name in ("R2", "R2_clients") and problem is not None
    return f" ({problem.name} does not know its x*)" if lacks else ""


def value_on_side(symbol: sp.Symbol, known: Known) -> Any:
    """The number to plug in for ``symbol``, or None where its side is not known.

    A theorem stays true when an UPPER symbol grows or a LOWER one shrinks; any other
    approximation could fake a violation. A number that float64 cannot hold comes as an mpf.
    """
    side = symbols.meaning_of(symbol).side
    if known.how is How.EXACT and known.enclosure is not None:  # up to the rounding around it
        return {Side.UPPER: known.upper, Side.LOWER: known.lower, Side.EXACT: known.value}[side]
    if known.how is How.CERTIFIED:
        return {Side.UPPER: known.upper, Side.LOWER: known.lower, Side.EXACT: None}[side]
    fits = known.how is How.EXACT or (side, known.how) in (
        (Side.UPPER, How.UPPER),
        (Side.LOWER, How.LOWER),
    )
    if not fits:
        return None
    return known.value if known.log10_value is None else _ten_to(known.log10_value)


@functools.lru_cache(maxsize=1 << 12)  # it takes longer than all else that is asked of a constant
def _ten_to(power: float) -> mpmath.mpf:
    with mpmath.workdps(DIGITS):
        return mpmath.power(10, mpmath.mpf(power))


def _other_side(symbol: sp.Symbol, known: Known) -> Any:
    """The most favourable value the constant could still have; None if that is not known."""
    if known.how is How.EXACT:
        return value_on_side(symbol, known)
    side = symbols.meaning_of(symbol).side
    return known.lower if side is Side.UPPER else known.upper


_DOES = {  # which kinds of knowledge serve a symbol's side
    Side.EXACT: "exact",
    Side.UPPER: "exact, certified or upper",
    Side.LOWER: "exact, certified or lower",
}


def wrong_side(constants: Constants) -> list[str]:
    """A clause for each constant that is not known from the side the theorem needs: what is known
    of it, and what would do."""
    told = []
    for symbol, known in constants.items():
        if value_on_side(symbol, known) is None:
            side = symbols.meaning_of(symbol).side
            told.append(
                f"{symbols.name_of(symbol)} is known as {known.how.value} ({known.source}), and "
                f"the theorem needs {side.value}, known as {_DOES[side]}"
            )
    return told


def settled(assumption: Assumption, constants: Constants, content: Any = None) -> AssumptionResult:
    """Whether the assumption holds; margin is the room left, relative to the larger side.

    content: what the instance builds, a ``Setting`` or an experiment, for a predicate of it.
    """
    if assumption.holds is not None:
        return _answered(assumption, content)
    for symbol in assumption.finite:
        if not constants[symbol].finite:
            return _infinite(assumption, symbol, constants[symbol])
    scopes = {constants[s].within for s in assumption.free if s in constants} - {""}
    within = "; ".join(sorted(scopes))
    if assumption.rule is None:
        return AssumptionResult(name=assumption.name, holds=True, within=within)
    if assumption.rule in (sp.true, sp.false, True, False):
        return AssumptionResult(name=assumption.name, holds=bool(assumption.rule))
    used = {symbol: constants[symbol] for symbol in symbols.in_order(assumption.rule)}
    infinite = [symbol for symbol, known in used.items() if not known.finite]
    if infinite:
        return _infinite(assumption, infinite[0], used[infinite[0]])
    values = {symbol: value_on_side(symbol, known) for symbol, known in used.items()}
    if any(value is None for value in values.values()):
        return AssumptionResult(
            name=assumption.name,
            holds=None,
            reason="; ".join(wrong_side(used)),
        )
    try:
        numbers = {symbol: numbers_of(known, values[symbol]) for symbol, known in used.items()}
        found = compared(assumption.rule, numbers)
        unsure = found.holds is False and _could_hold(assumption.rule, used)
    except TooLongError as error:
        return AssumptionResult(name=assumption.name, holds=None, reason=str(error))
    told = [found.text, *(known.source for known in used.values() if known.source[:7] == "fails: ")]
    return AssumptionResult(
        name=assumption.name,
        holds=None if unsure else found.holds,
        margin=found.margin,
        reason=f"{found.text}, but a constant in it is only a bound" if unsure else "; ".join(told),
        within=within if found.holds else "",
        firm=found.firm,
    )


def _answered(assumption: Assumption, content: Any) -> AssumptionResult:
    """What a predicate says; ValueError where that is no answer."""
    if content is None:
        why = "it asks the instance, and there is none here"
        return AssumptionResult(name=assumption.name, holds=None, reason=why)
    assert assumption.holds is not None
    told: Any = assumption.holds(content)
    holds, margin, why = told if isinstance(told, tuple) and len(told) == 3 else (told, None, "")
    number = margin is None or (isinstance(margin, int | float | np.number) and margin == margin)
    if not (holds is None or isinstance(holds, bool | np.bool_)) or not number:
        raise ValueError(
            f"assumption {assumption.name!r}: its function gave {told!r}; need True, False or "
            "None, or (one of these, margin, why)"
        )
    return AssumptionResult(
        name=assumption.name,
        holds=None if holds is None else bool(holds),
        margin=None if margin is None or not math.isfinite(margin) else float(margin),
        reason=str(why) or ("" if holds else "its function says so"),
        firm=not (holds and margin is not None and margin < 0),
    )


def _could_hold(rule: sp.Basic, used: Constants) -> bool:
    """Whether a rule that fails may hold with what its constants really are."""
    best = {symbol: _other_side(symbol, known) for symbol, known in used.items()}
    if any(value is None or not mpmath.isfinite(value) for value in best.values()):
        return True
    numbers = {symbol: numbers_of(known, best[symbol]) for symbol, known in used.items()}
    return compared(rule, numbers).holds is not False


def _infinite(assumption: Assumption, symbol: sp.Symbol, known: Known) -> AssumptionResult:
    """An infinite upper bound says that none was found; any other infinity that there is none."""
    name = symbols.name_of(symbol)
    if known.how is How.UPPER:
        reason = f"no finite {name} was found: {known.source}"
        return AssumptionResult(name=assumption.name, holds=None, reason=reason)
    reason = f"{name} is infinite: {known.source}"
    return AssumptionResult(name=assumption.name, holds=False, reason=reason)
