"""Losses that are one function, and their gradients, as expressions of a script.

Models are arrays (..., n, d), one row a client; in front there may be an axis of outcomes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from theorylab.formulas import Formula, written
from theorylab.problems import Problem
from theorylab.scripts.base import UnscriptedError
from theorylab.scripts.text import MOST_NUMBERS, array, bare, identifier, literal

Linear = Callable[[str], str]  # a vector's text -> that of its image; "" where it is 0


@dataclass(frozen=True)
class Plain:
    """lines: the data. gradient: grad f_i(x_i) of all clients. value: f_i(x_i), (..., n)."""

    lines: list[str]
    gradient: Linear
    value: Linear


@dataclass(frozen=True)
class Personal:
    """Of f_i(u_i, v_i). body, heads: the gradients in u and in v, "" where they are 0. value: the
    mean over the clients. lines: the data."""

    lines: list[str]
    body: Callable[[str, str], str]
    heads: Callable[[str, str], str]
    value: Callable[[str, str], str]


def plain_losses(problem: Problem, general: bool = False) -> Plain:
    """Losses in one model; UnscriptedError where they are not told as one function."""
    lines, (value, gradient, _) = _parts(_formula(problem), 0, general)
    return Plain(lines, lambda x: gradient(x) or f"0.0 * {x}", value)


def personal_losses(problem: Problem, general: bool = False) -> Personal:
    """Losses in a shared u and personal v_i; UnscriptedError where they are not told so."""
    lines, (total, body, heads) = _parts(_formula(problem), problem.shared, general)
    return Personal(lines, body, heads, lambda u, v: f"np.mean({total(u, v)}, axis=-1)")


def _formula(problem: Problem) -> Formula:
    if problem.formula is None:
        raise UnscriptedError(f"no script is written for {problem.name} losses")
    return problem.formula


def _parts(formula: Formula, d_u: int, general: bool) -> tuple[list[str], list[Callable[..., str]]]:
    """(lines of the data, texts of the loss and of both gradients by those of the models).

    general: 0 and 1 have names, too.
    """
    names = {name: identifier(name, ("x", "u", "v", "U", "V", "X")) for name in formula.data}
    fixed, common = {}, {*formula.data} - {*formula.each}
    lines, many = [], 0
    for name, value in formula.data.items():
        one, data = formula.plain.get(name), np.asarray(value, float)
        if one is not None and one.option in (0, 1) and not general:
            fixed[name] = one
            continue
        if one is not None and (number := formula.named(name)) is not None:
            fixed[name] = number
            lines.append(f"{names[name]} = {literal(float(one.option))}")
            common.add(name)
            continue
        if name in formula.each and (data == data[0]).all():
            data = data[0]
            common.add(name)
        lines.append(f"{names[name]} = {array(data)}")
        many += data.size
    if many > MOST_NUMBERS:
        raise UnscriptedError(f"{many} numbers are too many for a script")
    models = ("x",) if d_u in (0, formula.dim) else ("u", "v")
    terms = formula.retraced(d_u, fixed)
    return lines, [_of(term, names, models, common) for term in terms]


def _of(
    term: Any, names: Mapping[str, str], parts: Sequence[str], common: Collection[str]
) -> Callable[..., str]:
    """The text of a term as a function of the texts of the parts of the model; "" of 0."""

    def text(*models: str) -> str:
        if term.op == "const":
            return f"{literal(float(term.option))} + 0 * {models[0]}" if term.option else ""
        plain = (x if x.isidentifier() or bare(x) != x else f"({x})" for x in models)
        return written(term, {**names, **dict(zip(parts, plain, strict=True))}, literal, common)

    return text
