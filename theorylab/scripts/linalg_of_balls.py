"""np.linalg of balls, by flint's matrices: ``LINALG``."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from flint import acb_mat, fmpq, fmpq_mat

from theorylab.scripts.arrays_of_balls import (
    Balls,
    ball,
    each,
    made,
    matrix,
    of_matrix,
)
from theorylab.scripts.balls import FAST, Ball, UndecidedError, UnenclosedError, Work, root

_SMALL = 8  # rows of a matrix of fractions


def _fractions(array: Any) -> Any:
    """flint's matrix of fractions; None where an entry is none, or there are many."""
    rows = ball(array).raw.tolist()
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
    A, b = ball(A), ball(b)
    whole = _fractions(Balls(np.column_stack([(A.T @ A).raw, (A.T @ b).raw])))
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
    return made(np.array([*values, None], object)[:-1])


def _norm(x: Any, order: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """np.linalg.norm: Euclid's, or of a matrix the largest singular value."""
    x = ball(x)
    if order not in (None, 2, "fro"):
        raise UnenclosedError(f"a norm of the order {order} has no balls")
    if order in (None, "fro") or (order == 2 and (x.ndim == 1 or isinstance(axis, int))):
        return _root((x * x).sum(axis=axis, keepdims=keepdims))
    apart = x.raw if axis is None else np.moveaxis(x.raw, axis, (-2, -1))
    found = np.empty(apart.shape[:-2], object)
    for place in np.ndindex(found.shape):
        M = Balls(apart[place])
        gram = M.T @ M if M.shape[0] >= M.shape[1] else M @ M.T
        found[place] = _root(abs(_eigvals(gram)).max()).x
    return made(found)


def _root(square: Any) -> Any:
    return made(each(_length, square.raw if type(square) is Balls else square.x))


def _length(x: Any) -> Any:
    """The root of what is no less than 0 by what it is, whatever the ball says."""
    return root(x) if type(x) is fmpq else x.nonnegative_part().sqrt()


LINALG = SimpleNamespace(
    norm=_norm,
    solve=_solve,
    inv=lambda A: _solve(A, np.eye(len(A), dtype=int)),
    lstsq=_least_squares,
    matrix_power=_matrix_power,
    eigvals=_eigvals,
)
