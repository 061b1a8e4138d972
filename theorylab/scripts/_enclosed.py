"""Numbers of a problem that a script writes as floats, though each is known between two ends."""

from __future__ import annotations

import ast
from fractions import Fraction

import numpy as np

from theorylab.exact import Span
from theorylab.known import How
from theorylab.problems import Problem, minimiser, minimiser_off
from theorylab.scripts._column_texts import least_written, minimiser_written
from theorylab.scripts.balls import UnenclosedError
from theorylab.scripts.base import NAMES, Facts
from theorylab.scripts.sweeps import alone, swept
from theorylab.statements import Statement
from theorylab.verdicts import Result
from theorylab.verdicts.sweep import is_swept

BALL, INTERVAL = "x* is known as a ball", "f* is known as an interval"


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
