r"""How much a column of a run can move with its Gaussian draws: c in |grad X|^2 <= 2 c X.

Rounds of SGD by n clients, x^{t+1} = W_t (x^t - eta_t (grad f_i(x_i^t) + xi_i^t)), where every f_i
is convex and L-smooth (mu-strongly, mu >= 0), eta_t <= 2/L, W_t is doubly stochastic, and xi is
Gaussian with variance at most v in a coordinate, whatever the point. x -> x - eta grad f_i(x) is
r_t-Lipschitz, r_t = max(|1 - eta_t mu|, |1 - eta_t L|) <= 1, and W_t is 1-Lipschitz in the norm of
all models together. So x^T moves with the standard normal draws at most S_T-fast,

    S_{t+1}^2 = r_t^2 S_t^2 + eta_t^2 v,    S_0 = 0,

for two runs are apart by at most sum_t a_t |d xi^t|, and this S_T is the norm of the a_t. The mean
model moves n^(1/2) times slower: s^2 = max_t S_t^2/n. With |grad f|^2 <= 2 L (f - f*),

    f - f*: c = s^2 L,   |grad f|^2: c = 2 s^2 L^2,   |xbar - x*|^2 and the consensus: c = 2 s^2,

the consensus as a square of (I - J) x/n^(1/2). Weighted averages over the rounds keep c (squares
are convex), and so do each run's largest and least (they are one of the rounds almost everywhere)
and the average iterate, which moves no faster.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from theorylab.algorithms import step_size
from theorylab.known import UNIT, Known
from theorylab.own import is_own
from theorylab.problems import Problem
from theorylab.runs import Setting

_LONGEST = 64  # matrices of a network that are looked at
_ROOM = 1 + 1e-6  # of all roundings of a run and of what is computed here


def self_bound(setting: Setting, column: str) -> float | None:
    """c; None where the proof does not apply."""
    L, f = setting.problem.constants().get("L"), setting.problem
    if L is None or not L.at_least or not math.isfinite(L.value):
        return None
    speed = _speed(setting, L)
    if speed is None:
        return None
    of_column = {
        "suboptimality": L.value,
        "loss": L.value,
        "squared_gradient": 2 * L.value**2,
        "squared_distance": 2.0,
        "consensus": 2.0,
    }
    factor = of_column.get(column)
    return None if factor is None else factor * speed / f.clients * _ROOM


def _speed(setting: Setting, L: Known) -> float | None:
    """max_t S_t^2."""
    problem, method = setting.problem, setting.algorithm
    variance, mu = _noise(problem), problem.convexity
    kind = _kind(method)
    plain = kind == "sgp" or (kind == "dpsgd" and method.options()["order"] == "step-then-mix")
    if not plain or variance is None or mu is None or not _doubly_stochastic(setting):
        return None
    square, most = 0.0, 0.0
    for t in range(setting.rounds):
        eta = step_size(method, t)
        if not eta * L.value <= 2:
            return None
        ratio = max(abs(1 - eta * mu), abs(1 - eta * L.value))
        square = ratio**2 * square + eta**2 * variance
        most = max(most, square)
    return most if most > 0 else None


def _noise(problem: Problem) -> float | None:
    """The largest variance of a coordinate of additive Gaussian noise; None of any other."""
    variances = problem.noise_variances() if problem.noise_law == "gaussian" else None
    return None if variances is None else float(np.max(variances))


def _kind(part: Any) -> str:
    """The name of a method of theorylab's own; "" of a user's, of which nothing is known."""
    return str(part.name) if is_own(type(part)) else ""


def _doubly_stochastic(setting: Setting) -> bool:
    """Whether all matrices are, so that weights stay 1 and no exchange drives models apart."""
    cycle = setting.topology.cycle(_LONGEST)
    if cycle is None or setting.topology.networks:
        return False
    sums = [matrix.sum(axis=axis) for matrix in cycle for axis in (0, 1)]
    return all(np.abs(np.asarray(each) - 1).max() <= 64 * UNIT for each in sums)
