"""Versions of a claim on one instance, in the shortest way that they can be written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import sympy as sp
from sympy.logic.boolalg import Boolean

from theorylab import symbols
from theorylab.statements._assumption import Assumption, Told
from theorylab.statements._base import Version
from theorylab.statements._check import Check
from theorylab.statements._order import Order

Bound: TypeAlias = "sp.Expr | Order | Mapping[str, sp.Expr]"
Fact: TypeAlias = "Assumption | Boolean | Callable[[Any], Told]"


def versions(
    bounds: Mapping[str, Bound],
    instance: Mapping[str, Any],
    *facts: Fact,
    check: str = "",
    **options: Any,
) -> dict[str, Version]:
    """A version for each bound, all judged on one instance: a claim beside a rival that is false.

    A version that is called ``rival``, or ``rival/...``, has to be VIOLATED there, every other one
    has to HOLD.

    Args:
        bounds: by the version's name an expression, several terms by name, or an ``Order``.
        instance: as of ``Check``.
        facts: what all versions assume: a relation of symbols, a function of the instance, or an
            ``Assumption``. A relation is called as it is written, a function by its own name.
        check: the name of the check; where it is left out, that of the problem.
        options: of every ``Version``: ``constants``, ``relation``, ``tight``, ``quantity`` ...

    Returns:
        The versions by name, as a ``Statement`` takes them.

    Raises:
        TypeError: on a fact of another kind.
        ValueError: on a function without a name, and an instance that names no problem.

    >>> from theorylab.symbols import L, R2, T, eta, n
    >>> run = {"problem": {"name": "huber"}, "clients": 1, "rounds": 4, "algorithm": {"eta": 0.5}}
    >>> both = versions({"claim": R2 / (2 * eta * T), "rival": R2 / T**3}, run, eta * L <= 1)
    >>> both["rival"].checks[0].name, both["rival"].checks[0].expect, both["claim"].assumes[0].name
    ('huber', 'VIOLATED', 'L*eta <= 1')
    """
    problem = instance.get("problem")
    if not check and not (isinstance(problem, Mapping) and "name" in problem):
        raise ValueError("versions: the instance names no problem; need check=, a name of its own")
    made = {}
    for name, bound in bounds.items():
        verdict = "VIOLATED" if name.partition("/")[0] == "rival" else "HOLDS"
        judged = Check(check or str(problem["name"]), instance, verdict)  # type: ignore[index]
        stated: dict[str, Any] = {"order": bound} if isinstance(bound, Order) else {}
        if not stated:
            stated["terms"] = bound if isinstance(bound, Mapping) else {"bound": sp.sympify(bound)}
        assumes = tuple(map(_assumption, facts))
        made[name] = Version(assumes=assumes, checks=(judged,), **stated, **options)
    return made


def _assumption(fact: Fact) -> Assumption:
    if isinstance(fact, Assumption):
        return fact
    if isinstance(fact, Boolean):
        return Assumption(_text(fact), rule=fact)
    if not callable(fact):
        raise TypeError(
            f"versions: {fact!r} came as a fact; need a relation of symbols, a function of the "
            "instance, or an Assumption"
        )
    name = getattr(fact, "__name__", "<lambda>")
    if name == "<lambda>":
        raise ValueError(
            "versions: a function without a name came as a fact; need def, or "
            "Assumption(name, holds=function)"
        )
    return Assumption(name.strip("_").replace("_", " "), holds=fact)


def _text(rule: Boolean) -> str:
    """The relation in the letters of a keyboard."""
    letters = {each: sp.Symbol(symbols.name_of(each)) for each in rule.free_symbols}
    with sp.evaluate(False):
        written = rule.xreplace(letters)
    return f"{written.lhs} = {written.rhs}" if isinstance(written, sp.Eq) else str(written)
