"""A function of one client called with terms, so that it writes down what it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

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
        line, code = 0, getattr(function, "__code__", None)
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
