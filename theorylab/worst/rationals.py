"""Numbers on which a step is played exactly, and a network whose matrix has such entries."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from theorylab import exact

_NONE: Mapping[float, Fraction] = MappingProxyType({})
_written: ContextVar[Mapping[float, Fraction]] = ContextVar("written", default=_NONE)
LONGEST = 1 << 14  # bits of a denominator


class NotExactError(TypeError):
    """A step does with a number what a rational number has not: a root, a float of it."""


@contextmanager
def written(fractions: Mapping[float, Fraction]) -> Iterator[None]:
    """Floats that stand for the rationals "p/q" that were written, while a step is played."""
    token = _written.set(fractions)
    try:
        yield
    finally:
        _written.reset(token)


def rational(value: Any) -> Fraction:
    """Which rational a number of a step is: the one it was written as, the decimal that it prints,
    or else the float's own binary value.

    >>> rational(0.1), rational(3)
    (Fraction(1, 10), Fraction(3, 1))
    """
    if isinstance(value, Number):
        return value.q
    if isinstance(value, bool | np.bool_):
        return Fraction(int(value))
    if isinstance(value, int | Fraction | np.integer):
        return Fraction(int(value)) if isinstance(value, np.integer) else Fraction(value)
    if isinstance(value, float | np.floating):
        number = float(value)
        if number in _written.get():
            return _written.get()[number]
        low, high = exact.span(number)
        return low if low == high else Fraction(number)
    raise NotExactError(f"a number is {type(value).__name__}; need one that is rational")


def _with(operation: Callable[[Fraction, Fraction], Fraction]) -> Callable[[Any, Any], Any]:
    def method(self: Number, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return Number(operation(self.q, rational(other)))

    return method


class Number:
    """A rational that meets floats as the decimals that they print; it becomes no float."""

    __slots__ = ("q",)
    __array_priority__ = 0

    def __init__(self, q: Any) -> None:
        self.q: Fraction = q if type(q) is Fraction else rational(q)
        if self.q.denominator.bit_length() > LONGEST:
            raise NotExactError(f"a denominator has more than {LONGEST} bits")

    __add__ = __radd__ = _with(lambda a, b: a + b if a and b else a or b)
    __sub__ = _with(lambda a, b: a - b if b else a)
    __rsub__ = _with(lambda a, b: b - a)
    __mul__ = __rmul__ = _with(lambda a, b: a * b if a and b else Fraction(0))
    __truediv__ = _with(lambda a, b: a / b if a else a)
    __rtruediv__ = _with(lambda a, b: b / a)

    def __pow__(self, power: Any) -> Number:
        if isinstance(power, int | np.integer):
            return Number(self.q ** int(power))
        raise NotExactError(f"a power is {power!r}; need an integer")

    def __neg__(self) -> Number:
        return Number(-self.q)

    def __pos__(self) -> Number:
        return self

    def __abs__(self) -> Number:
        return Number(abs(self.q))

    def __eq__(self, other: object) -> bool:
        return self.q == rational(other)

    def __lt__(self, other: Any) -> bool:
        return self.q < rational(other)

    def __le__(self, other: Any) -> bool:
        return self.q <= rational(other)

    def __gt__(self, other: Any) -> bool:
        return self.q > rational(other)

    def __ge__(self, other: Any) -> bool:
        return self.q >= rational(other)

    def __bool__(self) -> bool:
        return bool(self.q)

    def __hash__(self) -> int:
        return hash(self.q)

    def __float__(self) -> float:
        raise NotExactError("the step makes a float of a number; need arithmetic alone")

    def __repr__(self) -> str:
        return f"Number({self.q})"


def numbers(a: Any) -> Any:
    """An array of floats as an array of Numbers, of the same shape."""
    made = np.empty(np.shape(a), dtype=object)
    made.reshape(-1)[:] = [Number(v) for v in np.asarray(a).reshape(-1).tolist()]
    return made


def stochastic(P: csr_array) -> list[list[Fraction]]:
    """The rational matrix (n, n) that a matrix of floats stands for.

    An entry is a rational of small denominator that has this float. Raises ValueError, one line,
    where there is none, or where neither columns nor rows sum to 1 exactly.
    """
    dense = P.toarray().tolist()
    made = [[_simple(v) for v in row] for row in dense]
    columns = all(sum(column) == 1 for column in zip(*made, strict=True))
    rows = all(sum(row) == 1 for row in made)
    if not (columns or rows):
        raise ValueError(
            "the network's matrix is not stochastic as rationals: neither its columns nor its rows "
            "sum to 1"
        )
    return made


def _simple(value: float) -> Fraction:
    """The rational of a small denominator within the rounding of a few sums of such weights."""
    if value in _written.get():
        return _written.get()[value]
    near = near_rational(value)
    return rational(value) if near is None else near


def near_rational(value: float) -> Fraction | None:
    """The rational of the smallest of some denominators within 4 ulp of a float; else None."""
    for most in (16, 256, 4096, 10**6):
        near = Fraction(value).limit_denominator(most)
        if abs(near - Fraction(value)) <= 4 * Fraction(math.ulp(value)):
            return near
    return None


class Mixing:
    """P(t) in rationals, as a step meets it where it is played on Numbers."""

    def __init__(self, P: list[list[Fraction]]) -> None:
        self.rows = [[(j, Number(p)) for j, p in enumerate(row) if p] for row in P]

    def __matmul__(self, a: Any) -> Any:
        """P times an array of Numbers (R, n, ...)."""
        made = np.empty_like(a)
        zero = Number(0)
        for i, row in enumerate(self.rows):
            made[:, i] = zero
            for j, p in row:
                made[:, i] = made[:, i] + p * a[:, j]
        return made

    def pushed(self, x: Any, w: Any) -> tuple[Any, Any, Any]:
        """(P x, P w, P x / P w)."""
        x, w = self @ x, self @ w
        return x, w, x / w[:, :, None]
