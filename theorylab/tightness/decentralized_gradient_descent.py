r"""Decentralized gradient descent, x_i^{t+1} = sum_j W_ij x_j^t - eta grad f_i(x_i^t), on a path.

W is symmetric and doubly stochastic (Metropolis weights), lambda its largest eigenvalue modulus
beside 1; all start at x^0. Textbook bound, for L-smooth f_i with |grad f_i| <= B and eta <= 1/L:

    1/T sum_{t<T} |grad f(xbar^t)|^2 <= 2 (f(x^0) - f*) / (eta T) + (eta L B / (1 - lambda))^2.

Proof. xbar^{t+1} = xbar^t - eta gbar^t, and the descent lemma with eta <= 1/L gives
f(xbar^{t+1}) <= f(xbar^t) - eta/2 |grad f(xbar^t)|^2 + eta/2 |grad f(xbar^t) - gbar^t|^2, whose
last factor is at most L^2 (1/n) sum_i |x_i^t - xbar^t|^2. As X^t - 1 xbar^t =
-eta sum_{s<t} (W^{t-1-s} - 11^T/n) G^s, the root of that mean square is at most
eta B (1 + lambda + lambda^2 + ...) (Nedic, Ozdaglar 2009; Yuan, Ling, Yin 2016, Lemma 1).
|grad f_i| <= B is used at the x_i^t alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from theorylab.algorithms import algorithm
from theorylab.constants.mixing import symmetric_lambda
from theorylab.known import How, Known
from theorylab.tightness.setting import GAP, MEAN, B, L, Setting
from theorylab.topologies import topology

NAME = "decentralized-gradient-descent"
ETA = 1 / (2 * L)


def trajectory(
    gradient: Callable[[int, Any], Any], x: Any, W: list[list[float]], rounds: int
) -> list[Any]:
    """xbar^0, ..., xbar^{rounds-1}."""
    n = len(W)
    own, averages = [x] * n, [x]
    for _ in range(rounds - 1):
        slopes = [gradient(i, own[i]) for i in range(n)]
        mixed = []
        for i in range(n):
            total = -ETA * slopes[i]
            for j in range(n):
                if W[i][j]:
                    total = total + W[i][j] * own[j]
            mixed.append(total)
        own = mixed
        mean = (1 / n) * own[0]
        for i in range(1, n):
            mean = mean + (1 / n) * own[i]
        averages.append(mean)
    return averages


def settings(clients: int, rounds: int) -> list[Setting]:
    """The one claim, on a path of ``clients``."""
    path = topology("path", clients)
    W = path.matrix(0)
    known = symmetric_lambda(W)
    bound = 2 * GAP / (ETA * rounds) + (ETA * L * B / (1 - known.value)) ** 2
    text = f"2 (f(x^0) - f*) / (eta T) + (eta L B / (1 - lambda))^2, lambda = {known.value:.4g}"
    dense = W.toarray().tolist()
    return [
        Setting(
            method=NAME,
            claim=MEAN,
            clients=clients,
            rounds=rounds,
            trajectory=lambda g, x: trajectory(g, x, dense, rounds),
            topology=path,
            algorithm=algorithm("dpsgd", eta=ETA, order="mix-then-step"),
            bound=Known(bound, How.UPPER, text),
            bounded=True,
        )
    ]
