"""Terms as an expression of NumPy, on arrays with axes in front."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from typing import Any

from theorylab.formulas.slope import ordered
from theorylab.formulas.term import ELEMENTWISE, Term

_SIGNS = {"add": ("+", 1), "subtract": ("-", 1), "multiply": ("*", 3), "divide": ("/", 3)}
_COMPARED = {"less": "<", "less_equal": "<="}
_TURNED = ".swapaxes(-1, -2)"
# how tight a text binds: a sum 1; a matrix product 2, for y * (y @ A) is not y * y @ A; a product 3
_ATOM, _POWER, _NEGATIVE = 9, 5, 4


def written(
    output: Term, names: Mapping[str, str], number: Callable[[float], str], common: Collection[str]
) -> str:
    """A NumPy expression for the term, of inputs by their text.

    Args:
        names: the text of each input, an array whose last axes are its shape.
        number: how a constant is written.
        common: the inputs that are the same for all clients, and have no axis of clients.
    """
    done: dict[int, tuple[str, int]] = {}
    numbers: set[int] = set()  # terms that are one number, without an axis
    for node in ordered(output):
        parts = [done[id(a)] for a in node.args]
        alone = node.op == "const" or (node.op == "input" and node.option in common)
        if (alone and not node.shape) or (node.args and all(id(a) in numbers for a in node.args)):
            numbers.add(id(node))
        if node.op == "matmul":
            done[id(node)] = _matrix(node, parts, [_is_common(a, common) for a in node.args])
        else:
            done[id(node)] = _text(node, parts, names, number, numbers)
    return done[id(output)][0]


def _is_common(a: Term, common: Collection[str]) -> bool:
    if a.op == "transpose":
        return _is_common(a.args[0], common)
    return a.op == "input" and a.option in common


def _matrix(node: Term, parts: list[tuple[str, int]], common: list[bool]) -> tuple[str, int]:
    """A product with a matrix, of one client's or of all."""
    ranks = [len(a.shape) for a in node.args]
    if ranks == [2, 2]:
        left, right = (text if level == _ATOM else f"({text})" for text, level in parts)
        return f"{left} @ {right}", 2
    k = ranks.index(2)
    turned = (node.args[k].op == "transpose") != (k == 1)  # y @ A is A^T y
    matrix, vector = parts[k][0].removesuffix(_TURNED), parts[1 - k]
    if not common[k]:
        return (
            f'np.einsum("{"ikj" if turned else "ijk"},...ik->...ij", {matrix}, {vector[0]})',
            _ATOM,
        )
    atom = vector[0] if vector[1] == _ATOM else f"({vector[0]})"
    return f"{atom} @ {matrix if turned else f'{matrix}.T'}", 2


def _text(
    node: Term,
    parts: list[tuple[str, int]],
    names: Mapping[str, str],
    number: Callable[[float], str],
    numbers: Collection[int] = (),
) -> tuple[str, int]:
    """(text, how tight it binds)."""
    if node.op == "const":
        text, exact = number(float(node.option)), Fraction(float(node.option)) == node.option
        if not exact:
            return f"{node.option.numerator} / {node.option.denominator}", 3
        return text, _NEGATIVE if text.startswith("-") else _ATOM
    if node.op == "input":
        return names[node.option], _ATOM
    if node.op in ELEMENTWISE:
        rank = len(node.shape)
        parts = [
            part if id(a) in numbers else _padded(part, a, rank)
            for part, a in zip(parts, node.args, strict=True)
        ]
        return _elementwise(node, parts)
    first, level = parts[0]
    atom = first if level == _ATOM else f"({first})"
    if node.op == "sum":
        axes = node.option[0] if len(node.option) == 1 else node.option
        return f"{atom}.sum({axes})", _ATOM
    if node.op == "index":
        return f"{atom}[..., {', '.join(map(_key, node.option))}]", _ATOM
    if node.op == "transpose":
        return f"{atom}{_TURNED}", _ATOM
    if node.op == "full":
        a = node.args[0]
        padded = first if id(a) in numbers else _padded(parts[0], a, len(node.shape))[0]
        return f"({padded} + np.zeros({_axes(node.shape)}))", _ATOM
    assert node.op == "concatenate", node.op
    return f"np.concatenate([{', '.join(text for text, _ in parts)}], -1)", _ATOM


def _elementwise(node: Term, parts: list[tuple[str, int]]) -> tuple[str, int]:
    if node.op in _SIGNS:
        sign, level = _SIGNS[node.op]
        left, right = parts
        a = left[0] if left[1] >= level else f"({left[0]})"
        least = level if node.op in ("add", "multiply") else level + 1
        b = right[0] if right[1] >= least else f"({right[0]})"
        if sign == "+" and b.startswith("-"):
            return f"{a} - {b[1:]}" if right[1] > 1 else f"{a} + ({b})", level
        if sign != "*" and b.startswith("-"):
            b = f"({b})"
        return f"{a} {sign} {b}", level
    if node.op in _COMPARED:
        return f"{parts[0][0]} {_COMPARED[node.op]} {parts[1][0]}", 0
    if node.op == "negative":
        text, level = parts[0]
        return f"-{text if level > _NEGATIVE else f'({text})'}", _NEGATIVE
    if node.op == "power":
        (a, level), (k, exponent) = parts
        base = a if level == _ATOM else f"({a})"
        return f"{base} ** {k if exponent == _ATOM else f'({k})'}", _POWER
    texts = [text for text, _ in parts]
    if node.op == "bell":
        return f"1 / np.cosh(np.clip({texts[0]}, -355, 355)) ** 2", 3
    if node.op == "absolute":
        return f"np.abs({texts[0]})", _ATOM
    if node.op == "minimum" and texts[0].startswith("np.maximum("):
        return f"np.clip({texts[0][11:-1]}, {texts[1]})", _ATOM
    return f"np.{node.op}({', '.join(texts)})", _ATOM


def _padded(part: tuple[str, int], a: Term, rank: int) -> tuple[str, int]:
    lacks = rank - len(a.shape)
    if not lacks or a.op == "const":
        return part
    atom = part[0] if part[1] == _ATOM else f"({part[0]})"
    return f"{atom}[..., {', '.join(['None'] * lacks + [':'] * len(a.shape))}]", _ATOM


def _key(part: Any) -> str:
    if not isinstance(part, slice):
        return str(part)
    ends = "" if part.start in (0, None) else str(part.start), str(part.stop or "")
    return ":".join(ends) + (f":{part.step}" if part.step not in (None, 1) else "")


def _axes(shape: tuple[int, ...]) -> str:
    return str(shape[0]) if len(shape) == 1 else str(shape)
