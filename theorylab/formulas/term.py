"""A function of one client's model, written down: each operation on a ``Term`` is a ``Term``.

``trace.traced`` calls the function once, with terms for the model and for the client's data. Shapes
are those of one client; runs and clients come in front of them when the terms are computed. A
constant (op "const") may have any shape: it is one number everywhere.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

Shape = tuple[int, ...]
COMPARED = {"less": "less_equal", "less_equal": "less"}  # and the other side of a tie
_SWAPPED = {"greater": "less", "greater_equal": "less_equal"}
_UNARY = (
    *("negative", "absolute", "exp", "log", "log1p", "sqrt", "sin", "cos", "tanh", "sinh"),
    *("cosh", "sign", "bell"),
)
_BINARY = (
    *("add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "logaddexp"),
    *COMPARED,
)
ELEMENTWISE = {*_UNARY, *_BINARY, "where"}
_EXACT: dict[str, Callable[..., Fraction]] = {  # of constants: a constant
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul,
    "divide": operator.truediv, "negative": operator.neg,
}  # fmt: skip


class FormulaError(ValueError):
    """A function cannot be written down; the text says what it does, and the line."""


def _operator(op: str, swapped: bool = False) -> Callable[[Term, Any], Any]:
    return lambda self, other: applied(op, other, self) if swapped else applied(op, self, other)


class Term:
    """op: a function of NumPy's by its name, or "input", "const", "index", "sum", "full", "bell".

    option: the name of an input, the number of a constant, the key of an index, the axes of a sum.
    """

    __slots__ = ("args", "op", "option", "shape")
    __hash__ = object.__hash__

    def __init__(self, op: str, args: Sequence[Term], shape: Shape, option: Any = None) -> None:
        self.op, self.args, self.shape, self.option = op, tuple(args), shape, option

    __add__, __radd__ = _operator("add"), _operator("add", True)
    __sub__, __rsub__ = _operator("subtract"), _operator("subtract", True)
    __mul__, __rmul__ = _operator("multiply"), _operator("multiply", True)
    __truediv__, __rtruediv__ = _operator("divide"), _operator("divide", True)
    __lt__, __le__ = _operator("less"), _operator("less_equal")
    __gt__, __ge__ = _operator("less", True), _operator("less_equal", True)
    __pow__ = _operator("power")

    def __matmul__(self, other: Any) -> Term:
        return product(self, other)

    def __rmatmul__(self, other: Any) -> Term:
        return product(other, self)

    def __neg__(self) -> Term:
        return applied("negative", self)

    def __abs__(self) -> Term:
        return applied("absolute", self)

    def __eq__(self, other: Any) -> Any:
        raise FormulaError("it asks whether two values are equal; need <= or <")

    def __ne__(self, other: Any) -> Any:
        raise FormulaError("it asks whether two values differ; need <= or <")

    def __bool__(self) -> bool:
        raise FormulaError("it branches on a value; need np.where, np.minimum or np.maximum")

    def __float__(self) -> float:
        raise FormulaError("it makes a value a Python number; need NumPy's functions")

    __int__ = __index__ = __float__

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise FormulaError("it puts values into np.array; need np.stack")

    def __len__(self) -> int:
        if not self.shape:
            raise FormulaError("it takes the length of a number")
        return self.shape[0]

    def __iter__(self) -> Iterator[Term]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, key: Any) -> Term:
        return indexed(self, key if isinstance(key, tuple) else (key,))

    @property
    def T(self) -> Term:
        if len(self.shape) < 2 or self.op == "eye":
            return self
        if self.op == "const":
            return constant(self.option, self.shape[::-1])
        return Term("transpose", (self,), self.shape[::-1])

    def sum(self, axis: Any = None, **_: Any) -> Term:
        return summed(self, axis)

    def mean(self, axis: Any = None) -> Term:
        whole = summed(self, axis)
        made: Term = whole / (math.prod(self.shape) // max(1, math.prod(whole.shape)))
        return made

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **given: Any) -> Any:
        name = str(ufunc.__name__)
        if method == "reduce" and name == "add":
            return summed(term(inputs[0]), given.get("axis"))
        if method != "__call__" or given:
            raise FormulaError(f"it uses np.{name}.{method}, which has no terms")
        if name == "matmul":
            return product(*inputs)
        if name == "square":
            return term(inputs[0]) ** 2
        if name in _SWAPPED:
            name, inputs = _SWAPPED[name], inputs[::-1]
        return applied({"fabs": "absolute"}.get(name, name), *inputs)

    def __array_function__(self, function: Any, _: Any, args: Any, given: Any) -> Any:
        known = FUNCTIONS.get(str(function.__name__))
        if known is None:
            raise FormulaError(f"it uses np.{function.__name__}, which has no terms")
        return known(*args, **given)


def term(value: Any) -> Term:
    """A number as a term; FormulaError for what is neither."""
    if isinstance(value, Term):
        return value
    if isinstance(value, int | float | np.number | Fraction):
        return constant(value, ())
    raise FormulaError(f"it computes with {type(value).__name__}; need the model and its data")


def constant(value: Any, shape: Shape) -> Term:
    """A number, kept as the fraction that it is: a fold rounds nothing."""
    if not isinstance(value, int | Fraction) and not math.isfinite(value):
        raise FormulaError(f"it computes with {value}")
    return Term("const", (), shape, Fraction(value))


def is_constant(node: Term, value: Any = None) -> bool:
    return node.op == "const" and value in (None, node.option)


def applied(op: str, *values: Any) -> Term:
    """A function entry by entry; what adds 0, or multiplies by 0 or 1, is left out."""
    if op not in ELEMENTWISE:
        raise FormulaError(f"it uses np.{op}, which has no terms")
    args = [term(value) for value in values]
    if any(a.op == "eye" for a in args):
        raise FormulaError("it uses a multiple of the identity entry by entry")
    try:
        shape = np.broadcast_shapes(*(a.shape for a in args))
    except ValueError:
        raise FormulaError(
            f"it joins shapes {', '.join(str(a.shape) for a in args)} of one client"
        ) from None
    for k, a in enumerate(args):  # a number that is spread over a shape that is there anyway
        rest = (b.shape for b in args[:k] + args[k + 1 :])
        if a.op == "full" and np.broadcast_shapes(a.args[0].shape, *rest) == shape:
            args[k] = a.args[0]
    plain = _folded(op, args, shape)
    return Term(op, args, shape) if plain is None else plain


def _folded(op: str, args: list[Term], shape: Shape) -> Term | None:
    if op == "divide" and is_constant(args[1], 0):
        raise FormulaError("it divides by 0")
    if all(a.op == "const" for a in args) and op in _EXACT:
        return constant(_EXACT[op](*(a.option for a in args)), shape)
    if op == "where":
        same = args[1] is args[2] or (is_constant(args[1]) and is_constant(args[2], args[1].option))
        return spread(args[1], shape) if same else None
    if len(args) < 2:
        return None
    a, b = args
    if op == "multiply" and a is b:  # of an interval: no less than 0
        return applied("power", a, 2)
    if op == "multiply" and (is_constant(a, 0) or is_constant(b, 0)):
        return constant(0.0, shape)
    if op == "divide" and is_constant(a, 0):
        return constant(0.0, shape)
    if (op == "add" and is_constant(a, 0)) or (op == "multiply" and is_constant(a, 1)):
        return spread(b, shape)
    if op in ("add", "subtract") and is_constant(b, 0):
        return spread(a, shape)
    if op in ("multiply", "divide", "power") and is_constant(b, 1):
        return spread(a, shape)
    if op == "subtract" and is_constant(a, 0):
        return applied("negative", spread(b, shape))
    return None


def spread(node: Term, shape: Shape) -> Term:
    """The same numbers, repeated to fill a shape."""
    if node.shape == shape:
        return node
    return constant(node.option, shape) if is_constant(node) else Term("full", (node,), shape)


def summed(node: Term, axis: Any = None) -> Term:
    rank = len(node.shape)
    if isinstance(axis, int):
        axis = (axis,)
    axes = tuple(range(-rank, 0)) if axis is None else tuple(sorted(k % rank - rank for k in axis))
    if not axes:
        return node
    shape = tuple(size for k, size in enumerate(node.shape) if k - rank not in axes)
    many = math.prod(node.shape) // max(1, math.prod(shape))
    if node.op == "const":
        return constant(node.option * many, shape)
    return Term("sum", (node,), shape, axes)


def indexed(node: Term, key: tuple[Any, ...]) -> Term:
    """By whole numbers, slices and None: the key is as long as it can be, and plain."""
    whole: list[Any] = []
    shape: list[int] = []
    left = list(node.shape)
    for part in key:
        if part is None:
            whole.append(None)
            shape.append(1)
            continue
        if not left:
            raise FormulaError(f"it takes entry {part!r} of a number")
        size = left.pop(0)
        if isinstance(part, slice):
            span = range(size)[part]
            whole.append(slice(span.start, span.stop, span.step))
            shape.append(len(span))
        elif isinstance(part, int | np.integer) and -size <= part < size:
            whole.append(int(part) % size)
        else:
            raise FormulaError(f"it takes entry {part!r} of {size}")
    shape += left
    if node.op == "const":
        return constant(node.option, tuple(shape))
    plain = [part == slice(0, size, 1) for part, size in zip(whole, node.shape, strict=False)]
    if None not in whole and all(plain):
        return node
    if node.op == "index" and node.option == (None,) and whole == [0]:
        return node.args[0]
    if node.op == "concatenate" and whole[0] is not None and len(whole) == 1:
        part, first = whole[0], 0
        low, high = (part, part + 1) if isinstance(part, int) else (part.start, part.stop)
        for each in node.args:
            if first <= low and high <= first + each.shape[0] and low < high:
                move = slice(low - first, high - first)
                return each[low - first] if isinstance(part, int) else each[move]
            first += each.shape[0]
    return Term("index", (node,), tuple(shape), (*whole, *(slice(None) for _ in left)))


def product(left: Any, right: Any) -> Term:
    """``left @ right`` of vectors and matrices."""
    a, b = term(left), term(right)
    if len(a.shape) == len(b.shape) == 1:
        return summed(a * b)
    if not a.shape or not b.shape or a.shape[-1] != b.shape[0] or len(a.shape) + len(b.shape) > 4:
        raise FormulaError(f"it multiplies shapes {a.shape} and {b.shape}")
    shape = (*a.shape[:-1], *b.shape[1:])
    if a.op == "eye" or b.op == "eye":  # a multiple of the identity
        return applied("multiply", *((a.option, b) if a.op == "eye" else (b.option, a)))
    if a.shape == (1, 1) and len(b.shape) == 1:  # one coordinate: no matrix
        return applied("multiply", a[0], b)
    if b.shape == (1, 1) and len(a.shape) == 1:
        return applied("multiply", a, b[0])
    if is_constant(b):
        rows = summed(a, -1) * b.option
        return spread(rows if len(b.shape) == 1 or not rows.shape else rows[:, None], shape)
    if is_constant(a):
        return spread(summed(b, 0) * a.option, shape)
    return Term("matmul", (a, b), shape)


def joined(parts: Sequence[Any], axis: int = 0) -> Term:
    """np.concatenate of vectors."""
    terms = [term(part) for part in parts]
    if any(len(part.shape) != 1 for part in terms) or axis not in (0, -1):
        raise FormulaError("it concatenates what is no vector")
    terms = [part for part in terms if part.shape != (0,)]
    if len(terms) == 1:
        return terms[0]
    return Term("concatenate", terms, (sum(part.shape[0] for part in terms),))


def _stacked(parts: Sequence[Any], axis: int = 0) -> Term:
    return joined([term(part)[None] for part in parts], axis)


def _clipped(x: Any, low: Any, high: Any) -> Term:
    return applied("minimum", applied("maximum", x, low), high)


FUNCTIONS: dict[str, Callable[..., Term]] = {  # of NumPy, of whole arrays
    "where": lambda c, a, b: applied("where", c, a, b),
    "sum": lambda x, axis=None: summed(term(x), axis),
    "mean": lambda x, axis=None: term(x).mean(axis),
    "clip": _clipped,
    "concatenate": joined,
    "stack": _stacked,
    "dot": product,
}
