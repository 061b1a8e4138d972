"""Columns of a run, and sums of squares, over the rounds of a claim, as texts of ``_columns``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theorylab import symbols
from theorylab.known import How
from theorylab.problems import Problem, minimiser, minimiser_off
from theorylab.scripts._literals import constant
from theorylab.scripts._parts import indented
from theorylab.scripts.base import Facts, UnscriptedError
from theorylab.scripts.bound import formula, value_text
from theorylab.symbols import name_of

Pairs = Sequence[tuple[str, str]]  # (weight, vector)
_COLUMNS = {  # at the start of a round
    "suboptimality": "fbar(X0) - {best}",
    "squared_distance": "((X0.mean(-2) - {minimiser}) ** 2).sum(-1)",
    "loss": "fbar(X0)",
    "squared_gradient": "(gbar(X0) ** 2).sum(-1)",
    "consensus": "apart(X0 / w0, bar(X0))",
    "own_loss": "loss(own0).mean(-1)",
    "weight_min": "w0.min((-2, -1))",
    "weight_max": "w0.max((-2, -1))",
}
ENDS = {
    **{"max": "np.array(values).max(0)", "run best": "np.array(values).min(0)"},
    **{"best": "values", "average": "total / T"},
}


def column_text(facts: Facts) -> tuple[str, int, dict[str, Any]]:
    """(text, how many rounds it is of, numbers that it reads by name); UnscriptedError, one line,
    where there is none."""
    over, T = facts.quantity.over, facts.setting.rounds
    value = _value(facts)
    if over in ("last", "every"):
        return value, facts.at("t") if over == "every" else T, {}
    weights, numbers = weights_of(facts)
    first = [f"weights = {weights}", "shares = [p / sum(weights) for p in weights]"]
    share, end = ("shares[t] * ", "total") if weights else ("", "total / T")
    if over == "average iterate":
        end = value.replace("X0", f"({end})")
        value = "X0"
    elif over != "average":
        text = ["values = []", "for t in rounds:", f"    values.append({value})", ENDS[over]]
        return "\n".join(text), T, {}
    loop = ["total = 0.0", "for t in rounds:", f"    total = total + {share}({value})", end]
    return "\n".join([*(first if weights else []), *loop]), T, numbers


def _value(facts: Facts) -> str:
    name, problem = facts.column, facts.setting.problem
    if name not in _COLUMNS:
        raise UnscriptedError(f"no script is written for {name} of a run")
    text = _COLUMNS[name]
    if name == "suboptimality":
        best = least_written(problem) if facts.long else problem.constants()["f_star"].value
        return text.format(best=repr(float(best))) if best else text.removesuffix(" - {best}")
    if name == "squared_distance":
        best_x = minimiser_written(problem) if facts.long else minimiser(problem)
        assert best_x is not None
        if not best_x.any():
            return text.replace(" - {minimiser}", "")
        return text.format(minimiser=constant(best_x))
    return text


def least_written(problem: Problem) -> float:
    """f* in a script that is played: of an enclosure another float than 0, which has a literal."""
    least = problem.constants()["f_star"]
    enclosed = least.how is How.CERTIFIED
    return float(least.value or (enclosed and (least.upper or least.lower)) or 0.0)


def minimiser_written(problem: Problem) -> Any:
    """x* (d,) there: in its ball, and where an entry is 0, the radius, which has a literal."""
    best = minimiser(problem)
    return None if best is None else np.where(best == 0, minimiser_off(problem) or 0.0, best)


def weights_of(facts: Facts) -> tuple[str, dict[str, Any]]:
    """The weights of an average over the rounds, and the numbers that they are made of."""
    expr = facts.quantity.weights
    if expr is None:
        return "", {}
    names = {symbols.t: "t"}
    numbers: dict[str, Any] = {}
    for symbol in sorted(symbols.symbols_of(expr) - {symbols.t}, key=str):
        plain = name_of(symbol)
        if plain not in facts.result.constants:
            raise UnscriptedError("an average whose weights are not known")
        names[symbol] = plain
        numbers[plain] = float(value_text(symbol, facts.result.constants[plain], plain))
    return f"[{formula(expr, names)} for t in range(T)]", numbers


def program(pairs: Pairs, average: bool, first: int) -> str:
    """A sum of weighted squared vectors as a text, or its mean over T rounds from ``first`` on."""
    terms = [f"{'' if weight == '1' else f'{weight} * '}sq({v})" for weight, v in pairs]
    if not average:
        return " + ".join(terms)
    adds = [f"total += {term}" for term in terms]
    adds = [f"if t >= {first}:", *indented(adds)] if first else adds
    return "\n".join(["total = 0.0", "for t in rounds:", *indented(adds), "total / T"])
