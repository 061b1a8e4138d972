"""Numbers from short texts of arithmetic: data that runs no code."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping

LONGEST = 200  # characters; it also keeps the parser's recursion small
_OPERATORS: dict[type[ast.AST], Callable[..., float]] = {
    **{ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul},
    **{ast.Div: operator.truediv, ast.Pow: operator.pow},
    **{ast.USub: operator.neg, ast.UAdd: operator.pos},
}
_FUNCTIONS: dict[str, Callable[..., float]] = {
    **{"sqrt": math.sqrt, "log": math.log, "exp": math.exp, "floor": math.floor},
    **{"ceil": math.ceil, "min": min, "max": max},
}


def evaluated(text: str, numbers: Mapping[str, float]) -> float:
    """The value of ``text``, as in ``1/(tau*sqrt(K))``, in float64.

    Args:
        text: numbers, + - * / **, parentheses, sqrt, log, exp, floor, ceil, min and max, and names.
        numbers: what a name stands for; a name may have dots.

    Raises:
        ValueError: one line, on anything else, an unknown name, or a result that is not finite.

    >>> evaluated("steps / sqrt(a.b)", {"steps": 6, "a.b": 4})
    3.0
    """
    if len(text) > LONGEST:
        raise ValueError(f"an expression of {len(text)} characters came; need at most {LONGEST}")
    try:
        found = _value(ast.parse(text.strip(), mode="eval").body, numbers)
    except (SyntaxError, RecursionError, MemoryError):
        raise ValueError(f"{text!r} is no arithmetic; need one such as 1/(tau*sqrt(K))") from None
    except (ArithmeticError, ValueError, TypeError) as error:
        raise ValueError(f"{text!r}: {error}") from None
    if isinstance(found, complex) or not math.isfinite(found):
        raise ValueError(f"{text!r} gives {found}; need a finite real number")
    return float(found)


def _value(node: ast.AST, numbers: Mapping[str, float]) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        if isinstance(node.value, bool):
            raise ValueError(f"{node.value} came; need numbers")
        return float(node.value)  # floats throughout: no power takes more than 8 bytes
    if isinstance(node, ast.Name | ast.Attribute):
        name = _dotted(node)
        if name not in numbers:
            raise ValueError(f"{name!r} is no number; need one of {', '.join(sorted(numbers))}")
        return float(numbers[name])
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.left, numbers), _value(node.right, numbers))
    if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.operand, numbers))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if node.func.id in _FUNCTIONS:
            return _FUNCTIONS[node.func.id](*(_value(each, numbers) for each in node.args))
        raise ValueError(f"{node.func.id} is no function; need one of {', '.join(_FUNCTIONS)}")
    raise ValueError(f"{ast.unparse(node)} came; need numbers, names, + - * / ** and functions")


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    if isinstance(node, ast.Name):
        return node.id
    raise ValueError(f"{ast.unparse(node)} came; need a name")
