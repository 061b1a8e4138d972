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
_COMPARISONS: dict[type[ast.AST], Callable[..., bool]] = {
    **{ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge},
    **{ast.Eq: operator.eq, ast.NotEq: operator.ne},
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


def satisfied(text: str, values: Mapping[str, object]) -> bool:
    """Whether ``text`` is true, as in ``clients <= 8 and topology != "ring"``.

    Args:
        text: comparisons of arithmetic or of texts in quotes, joined by and, or, not.
        values: what a name stands for, a number or a text.

    Raises:
        ValueError: one line, on anything else, or an unknown name.

    >>> satisfied("2 * a < 5 and b == 'x'", {"a": 2, "b": "x"})
    True
    """
    if len(text) > LONGEST:
        raise ValueError(f"a condition of {len(text)} characters came; need at most {LONGEST}")
    try:
        return _truth(ast.parse(text.strip(), mode="eval").body, values)
    except (SyntaxError, RecursionError, MemoryError):
        raise ValueError(f"{text!r} is no condition; need one such as clients <= 8") from None
    except (ArithmeticError, ValueError, TypeError) as error:
        raise ValueError(f"{text!r}: {error}") from None


def _truth(node: ast.AST, values: Mapping[str, object]) -> bool:
    if isinstance(node, ast.BoolOp):
        all_or_any = all if isinstance(node.op, ast.And) else any
        return all_or_any([_truth(each, values) for each in node.values])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not _truth(node.operand, values)
    if isinstance(node, ast.Compare) and all(type(each) in _COMPARISONS for each in node.ops):
        sides = [_side(each, values) for each in (node.left, *node.comparators)]
        for op, left, right in zip(node.ops, sides, sides[1:], strict=False):
            alike = isinstance(left, str) == isinstance(right, str)
            if not alike and not isinstance(op, ast.Eq | ast.NotEq):
                raise ValueError(f"{left!r} beside {right!r}; need two numbers or two texts")
            if not _COMPARISONS[type(op)](left, right):
                return False
        return True
    raise ValueError(f"{ast.unparse(node)} came; need comparisons, and, or, not")


def _side(node: ast.AST, values: Mapping[str, object]) -> object:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.Name | ast.Attribute) and isinstance(values.get(_dotted(node)), str):
        return values[_dotted(node)]
    numbers = {name: float(x) for name, x in values.items() if isinstance(x, int | float)}
    return _value(node, numbers)


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
