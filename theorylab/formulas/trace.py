"""A function of one client called with terms, so that it writes down what it does."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from theorylab.formulas.slope import ordered
from theorylab.formulas.term import FormulaError, Shape, Term, indexed, term


def traced(function: Callable[..., Any], shapes: Mapping[str, Any], shape: Shape = ()) -> Term:
    """What ``function`` gives, of one input a name: a shape, or a number that stays one.

    Raises FormulaError in one line, with the line of the function, on what has no terms.
    """
    given = {
        name: value if isinstance(value, float | Term) else Term("input", (), value, name)
        for name, value in shapes.items()
    }
    try:
        made = term(function(**given))
    except Exception as error:
        line, code = 0, getattr(inspect.unwrap(function), "__code__", None)
        trace = error.__traceback__
        while trace is not None:
            if code is not None and trace.tb_frame.f_code.co_filename == code.co_filename:
                line = trace.tb_lineno
            trace = trace.tb_next
        text = next(iter(str(error).splitlines()), type(error).__name__)
        raise FormulaError(f"line {line}: {text}" if line else text) from error
    if made.shape != shape:
        raise FormulaError(f"it gives shape {made.shape} for one client; need {shape}")
    return made


def kept(function: Callable[..., Any], shapes: Mapping[str, Shape], shape: Shape = ()) -> Term:
    """``traced``, once for all problems that have one function, where it reads its arguments and
    NumPy alone: what else it reads, of a closure or of a module's names, may change."""
    given = tuple(shapes.items())
    return _traced(function, given, shape) if _alone(function) else traced(function, shapes, shape)


def _alone(function: Callable[..., Any]) -> bool:
    if not isinstance(function, FunctionType) or function.__closure__ or function.__defaults__:
        return False
    code, names = function.__code__, function.__globals__
    plain = all(names.get(name, np) is np for name in code.co_names)
    inner = any(isinstance(each, CodeType) for each in code.co_consts)
    return plain and not inner and not function.__kwdefaults__


@functools.lru_cache(maxsize=256)
def _traced(
    function: Callable[..., Any], shapes: tuple[tuple[str, Shape], ...], shape: Shape
) -> Term:
    return traced(function, dict(shapes), shape)


def put(output: Term, name: str, value: Term) -> Term:
    """The output with a term in the place of an input."""
    made: dict[int, Term] = {}
    for node in ordered(output):
        args = [made[id(a)] for a in node.args]
        if node.op == "input" and node.option == name:
            made[id(node)] = value
        elif node.op == "index":
            made[id(node)] = indexed(args[0], node.option)
        else:
            made[id(node)] = Term(node.op, args, node.shape, node.option)
    return made[id(output)]
