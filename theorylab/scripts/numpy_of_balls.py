"""NumPy's functions, as scripts use them, of balls: ``NUMPY``.

An array of floats becomes one of ``Ball``. What moves, adds or multiplies entries NumPy does
itself; what divides, compares or takes roots is written here.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from flint import acb_mat, arb, fmpq, fmpq_mat

from theorylab.scripts.balls import (
    FAST,
    Ball,
    Balls,
    UndecidedError,
    UnenclosedError,
    Work,
    ball,
    each,
    kept,
    larger,
    matrix,
    of_matrix,
    reduced,
    smaller,
)

_SMALL = 8  # rows of a matrix of fractions
PASSED = (  # NumPy's own: these divide nothing, and compare nothing
    *("abs", "append", "arange", "column_stack", "concatenate", "cumsum", "delete", "diag"),
    *("einsum", "hstack", "kron", "ndindex", "outer", "pad", "prod", "repeat", "reshape", "roll"),
    *("sum", "swapaxes", "tile", "trace", "triu_indices", "unique", "vstack", "where"),
)
MAPPED = ("sqrt", "exp", "log", "sin", "cos", "tanh")  # methods of ``Ball``


def _passed(name: str) -> Callable[..., Any]:
    plain = getattr(np, name)
    return lambda *args, **keep: kept(plain(*args, **keep))


def _mapped(name: str) -> Callable[..., Any]:
    plain = getattr(np, name)
    return lambda x: kept(plain(ball(x))) if np.ndim(x) else getattr(ball(x), name)()


def _array(entries: Any, dtype: Any = None) -> Any:
    """Whole numbers stay what they are, unless the script says float."""
    plain = np.array(entries)
    return plain if dtype is None and plain.dtype.kind in "bi" else ball(entries)


def _mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return ball(x).mean(axis=axis, keepdims=keepdims) if np.ndim(x) else ball(x)


def _clip(x: Any, low: Any, high: Any) -> Any:
    return kept(each(smaller, 2)(each(larger, 2)(x, low), high))


def _sign(x: Any) -> Ball:
    return Ball(fmpq(int(x > 0) - int(x < 0)))


def _added(a: Any, b: Any) -> Any:
    return (ball(a).exp() + ball(b).exp()).log()


def _line(x: Any, y: Any, degree: int) -> list[Any]:
    """np.polyfit of degree 1."""
    if degree != 1:
        raise UnenclosedError(f"a fit of degree {degree} has no balls")
    x, y = ball(x), ball(y)
    away = x - x.mean()
    slope = (away * y).sum() / (away * away).sum()
    return [slope, y.mean() - slope * x.mean()]


class _Joined:
    """np.r_ and np.c_."""

    def __init__(self, plain: Any) -> None:
        self.plain = plain

    def __getitem__(self, parts: Any) -> Any:
        return kept(self.plain[tuple(np.asarray(part, object) for part in parts)])


def _fractions(array: Any) -> Any:
    """flint's matrix of fractions; None where an entry is none, or there are many."""
    rows = [[entry.x for entry in row] for row in ball(array)]
    exact = len(rows) <= _SMALL and all(type(x) is fmpq for row in rows for x in row)
    return fmpq_mat(rows) if exact else None


def _solve(A: Any, b: Any) -> Any:
    Work.done(np.size(A) * len(A) // FAST)
    given = ball(b)
    columns = given if given.ndim == 2 else given[:, None]
    left, right = _fractions(A), _fractions(columns)
    if left is None or right is None:
        left, right = matrix(A), matrix(columns)
    found = of_matrix(left.solve(right))
    return found if given.ndim == 2 else found[:, 0]


def _least_squares(A: Any, b: Any, rcond: Any = None) -> list[Any]:
    """np.linalg.lstsq of fractions: one solution of the normal equations, whatever the rank."""
    whole = _fractions(np.column_stack([A.T @ A, A.T @ b]))
    if whole is None:
        raise UndecidedError("the rank of a matrix that balls leave open")
    form, rank = whole.rref()
    last = form.ncols() - 1
    found = [Ball(fmpq(0)) for _ in range(last)]
    for i in range(rank):
        found[next(j for j in range(last) if form[i, j] != 0)] = Ball(form[i, last])
    return [ball(found)]


def _matrix_power(A: Any, k: int) -> Any:
    if not isinstance(A, Balls):
        return np.linalg.matrix_power(A, k)
    Work.done(len(A) ** 3 * max(1, k.bit_length()) // FAST)
    return of_matrix(matrix(A) ** k)


def _eigvals(A: Any) -> Any:
    Work.done(100 * np.size(A))
    try:
        values = acb_mat(matrix(A)).eig(multiple=True)
    except ValueError:
        raise UndecidedError("eigenvalues that balls do not tell apart") from None
    found = np.empty(len(values), object)
    found[:] = [Ball(value) for value in values]
    return found.view(Balls)


def _norm(x: Any, order: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """np.linalg.norm: Euclid's, or of a matrix the largest singular value."""
    x = ball(x)
    if order is None:
        squares = (x * x).sum(axis=axis, keepdims=keepdims)
        return kept(each(_root)(squares)) if np.ndim(squares) else _root(squares)
    apart = x if axis is None else np.moveaxis(x, axis, (-2, -1))
    found = np.empty(apart.shape[:-2], object)
    for place in np.ndindex(found.shape):
        M = apart[place]
        gram = M.T @ M if M.shape[0] >= M.shape[1] else M @ M.T
        found[place] = _root(abs(_eigvals(gram)).max())
    return kept(found) if found.ndim else found[()]


def _root(square: Any) -> Ball:
    """Of what is no less than 0 by what it is, whatever the ball says."""
    x = ball(square)
    return x.sqrt() if type(x.x) is fmpq else Ball(x.x.nonnegative_part().sqrt())


NUMPY = SimpleNamespace(
    **{name: _passed(name) for name in PASSED},
    **{name: _mapped(name) for name in MAPPED},
    array=_array,
    asarray=_array,
    sign=lambda x: kept(each(_sign)(x)),
    zeros=lambda shape: ball(np.zeros(shape)),
    ones=lambda shape: ball(np.ones(shape)),
    eye=lambda *shape: ball(np.eye(*shape)),
    full=lambda shape, value: ball(np.full(shape, ball(value), object)),
    zeros_like=lambda x: ball(np.zeros(np.shape(x))),
    maximum=lambda a, b: kept(each(larger, 2)(a, b)),
    minimum=lambda a, b: kept(each(smaller, 2)(a, b)),
    max=lambda x, axis=None: reduced(larger, ball(x), axis),
    clip=_clip,
    mean=_mean,
    log10=lambda x: _mapped("log")(x) / ball(10).log(),
    logaddexp=each(_added, 2),
    polyfit=_line,
    r_=_Joined(np.r_),
    c_=_Joined(np.c_),
    inf=Ball(arb.pos_inf()),
    linalg=SimpleNamespace(
        norm=_norm,
        solve=_solve,
        lstsq=_least_squares,
        matrix_power=_matrix_power,
        eigvals=_eigvals,
    ),
)
