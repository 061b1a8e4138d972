"""What rounding can do to the gradients, losses, local walks and squared lengths of an experiment.

Every number here is an upper bound on an error, for float64 with round to nearest (``UNIT``, half
an ulp of 1) and any order of addition: a sum of m products is off by at most m UNIT/(1 - m UNIT) of
the sum of their sizes (Higham 2002, Section 3.1). Left out is what is smaller than float64's least
normal number: squares of numbers below 1e-154 are lost.
"""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.known import UNIT
from theorylab.own import is_own
from theorylab.problems import Problem

Floats = NDArray[Any]
RELATIVE = 1e-9  # what the sums of up to 8e6 squares lose, 8e6 UNIT = 0.9e-9


def squared_room(square: float, off: float) -> float:
    """Error of ``square``, the computed mean of ||b_r||^2, as the mean of ||a_r||^2.

    ``off`` covers the root mean square over r of ||b_r - a_r||, in the Euclidean norm of the whole
    vector: where every entry of d is off by e, sqrt(d) e. The largest over r will do; and the
    largest of several squares covers each, for the room grows in both.

    With q the exact mean of the ||b_r||^2, Minkowski's inequality says |sqrt(mean ||a_r||^2) -
    sqrt(q)| <= off, and the sum of positive numbers that made ``square`` = s is off by a share: s
    <= (1 + g) q and q <= (1 + g) s, g <= ``RELATIVE``. So the true mean is at most (1 + g) (sqrt(s)
    + off)^2, which is above s by 2 off sqrt(s) + off^2 + g (sqrt(s) + off)^2. From below: if
    sqrt(q) >= off, it is at least q - 2 off sqrt(q) + off^2; otherwise it is at least 0, and s <=
    off sqrt((1 + g) s). Both are above s minus that same number.

    Without the share g the room is too small: equal squares, as fair signs have them, drift by more
    than a thousand UNIT in a plain sum over 2^14 outcomes, and ``off`` may be 0.
    """
    root = math.sqrt(square)
    return off * (2 * root + off) + RELATIVE * (root + off) ** 2


def size_room(size: float) -> float:
    """What rounding can do to a sum of numbers of that size: 4096 roundings, each half an ulp.

    >>> size_room(1.0)
    4.547473508864641e-13
    """
    return 4096 * UNIT * size


def reach(problem: Problem, x: Floats) -> Floats:
    """||x_i|| + ||c_i||, (R, n): no smaller than what curvatures act on, centers c_i included.

    Phases added to coordinates inside a sine count as centers, their sum is rounded alike; and so
    does the minimum that ``mean_gradient`` measures ways from.
    """
    far = np.linalg.norm(x, axis=-1)
    base = getattr(problem, "base", problem)
    solved = base.square_form is not None or not is_own(type(base))
    for name in ("centers", "phases", *(["optimum"] if solved else [])):
        table = getattr(base, name, None)
        if table is not None:
            far = far + np.linalg.norm(table, axis=-1)
    return np.asarray(far)


def farthest(parts: Iterable[Floats]) -> Floats:
    """The largest size of every coordinate: no part has a longer vector."""
    return functools.reduce(np.maximum, (np.abs(x) for x in parts))


def gradient_off(problem: Problem, x: Floats) -> Floats:
    """||computed - exact grad f_i(x_i)||, at most: (R, n).

    grad f_i is H (x - c) and bounded functions of slope <= L, ||H|| <= L: the difference is rounded
    once, and a sum of d products is off by (d + 1) UNIT | |H| |x - c| | <= (d + 1) UNIT sqrt(d) L
    ||x - c||, as || |H| || <= sqrt(d) ||H||. Sines are right to a few UNIT of their own size, which
    is at most that of their arguments; and whatever else a loss has is rounded to ||grad f_i||.
    """
    d, L = problem.dim, problem.constants()["L"].value
    size = np.linalg.norm(problem.gradient(x), axis=-1)
    if math.isfinite(L):  # a jump has no slope, and no products either
        size = size + L * reach(problem, x)
    return np.asarray((2 * d + 16) * math.sqrt(d) * UNIT * size)


def deviation_off(problem: Problem, x: Floats) -> float:
    """||error of grad f_i - (1/n) sum_j grad f_j||, at most, over all points and clients."""
    size = float(np.linalg.norm(problem.gradient(x), axis=-1).max())
    return 2 * float(gradient_off(problem, x).max()) + (problem.clients + 2) * UNIT * size


def loss_off(problem: Problem, x: Floats) -> Floats:
    """|computed - exact f_i(x_i)|, at most: (R, n).

    The quadratic part is half of the gradient's times x - c, and what is bounded in it by L ||x -
    c||^2 is so rounded; centers that are far, or curvatures that differ by orders, leave a loss
    far smaller than the numbers it is the sum of.
    """
    own = gradient_off(problem, x) * reach(problem, x)
    return own + (2 * problem.dim + 16) * UNIT * np.abs(problem.loss(x))


def descent_off(problem: Problem, points: Sequence[Floats], moves: Sequence[Floats]) -> Floats:
    """Error of a difference of mean losses beside its Taylor terms, (R,).

    points: (R, n, d), where losses or gradients are taken. moves: (R, n or 1, .), what gradients
    are multiplied by, and curvatures with their squares: exact but for their own last digits.
    """
    losses = sum(
        (loss_off(problem, x) + problem.clients * UNIT * np.abs(problem.loss(x))).mean(axis=1)
        for x in points
    )
    slopes = np.max([gradient_off(problem, x) for x in points], axis=0)
    way = sum(np.linalg.norm(move, axis=2) for move in moves)
    return np.asarray(losses + (2 * slopes * way).mean(axis=1))


def run_off(
    problem: Problem, points: Sequence[Floats], rounds: int | Floats, each: int
) -> tuple[Any, Any]:
    """How far a run of the whole algorithm puts (a gradient, a model) off, in norm: after
    ``rounds`` rounds of ``each`` operations on a model, n products of mixing and the rest.

    points: (R, n, d), what gradients are taken at or means over clients made of. What is off is
    carried along and not enlarged, as steps that theorems allow do not; a gradient is off by L
    times that, besides its own. With several numbers of rounds, (B,), the points of each stand
    below those of the one before, and both errors are (B,).
    """
    x, B = farthest(points), np.size(rounds)

    def largest(sizes: Floats) -> Floats:
        return np.asarray(sizes.reshape(B, -1).max(axis=1))

    size = largest(np.linalg.norm(x, axis=2))
    model = 8 * (np.asarray(rounds) + 1) * (problem.clients + each + 4) * UNIT * size
    own = (1 + problem.clients / 18) * largest(gradient_off(problem, x))
    L = problem.constants()["L"].value
    gradient = own + np.multiply(L, model, where=model > 0, out=np.zeros(B))  # L may be inf
    return (gradient, model) if np.ndim(rounds) else (float(gradient[0]), float(model[0]))


def walk_off(steps: int, eta: float, L: float, size: float, gradient: float) -> float:
    """How far ``steps`` computed steps x - eta g(x) end from the exact ones, in norm.

    size: of the largest model on the way. gradient: ``gradient_off`` on the way. A step rounds a
    product and a difference of models, 5 UNIT size together, has eta times the gradient's error,
    and moves what was off before by 1 + eta L.
    """
    growth = math.exp(min(steps * math.log1p(eta * L), 690.0))
    return steps * (8 * UNIT * size + eta * gradient) * growth


@contextlib.contextmanager
def in_float64(where: str, below: bool = True) -> Iterator[None]:
    """Numbers that leave float64, above or (with ``below``) below, are one line: an inf on the
    measured side or a 0 on the bound's is no measurement.

    Raises:
        ValueError: on an overflow, an underflow or an invalid operation inside.
    """
    under: Any = "raise" if below else "ignore"
    try:
        with np.errstate(over="raise", under=under, invalid="raise", divide="raise"):
            yield
    except FloatingPointError as error:
        raise ValueError(
            f"{where}: numbers leave float64 ({error}); need other steps, fewer of them, or "
            "models and curvatures nearer to 1"
        ) from None
