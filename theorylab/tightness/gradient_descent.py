r"""Gradient descent, x^{t+1} = x^t - eta grad f(x^t), eta = 1/L, on one client.

Three claims, each with its textbook bound and what is known of the exact worst case:

* mean over t < T of |grad f(x^t)|^2 <= 2 (f(x^0) - f*) / (eta T), f L-smooth, eta <= 1/L: sum the
  descent lemma f(x^{t+1}) <= f(x^t) - eta/2 |grad f(x^t)|^2 (Nesterov 2004, (1.2.13)). Exact at
  eta = 1/L: L/2 x^2 meets it.
* the least of the same gradients: the same bound. Exact (Abbaszadehpeivasti, de Klerk, Zamani 2022,
  Theorem 2; T gradients are T - 1 steps), for eta <= 1/L:
  4 (f(x^0) - f*) / ((T - 1) eta (4 - L eta) + 2/L), at eta = 1/L 4 L (f(x^0) - f*) / (3T - 1).
* f(x^T) - f* <= |x^0 - x*|^2 / (2 eta T), f convex besides (Beck, Teboulle 2009, Theorem 3.1).
  Exact (Drori, Teboulle 2014, Theorem 3.1): L |x^0 - x*|^2 / (4 L eta T + 2).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from theorylab.algorithms import algorithm
from theorylab.known import How, Known
from theorylab.tightness.setting import GAP, LAST, LEAST, MEAN, L, Setting
from theorylab.topologies import topology

NAME = "gradient-descent"
ETA = 1 / L


def trajectory(gradient: Callable[[int, Any], Any], x: Any, steps: int) -> list[Any]:
    """x^0, ..., x^steps."""
    found = [x]
    for _ in range(steps):
        found.append(found[-1] - ETA * gradient(0, found[-1]))
    return found


def settings(clients: int, rounds: int) -> list[Setting]:
    """The three claims. There is one client, whatever ``clients`` says."""
    slopes = Known(2 * GAP / (ETA * rounds), How.EXACT, "2 (f(x^0) - f*) / (eta T)")
    last = Known(GAP**2 / (2 * ETA * rounds), How.EXACT, "|x^0 - x*|^2 / (2 eta T)")
    return [
        Setting(
            method=NAME,
            claim=claim,
            clients=1,
            rounds=rounds,
            trajectory=lambda g, x, steps=steps: trajectory(g, x, steps),  # type: ignore[misc]
            topology=topology("complete", 1),
            algorithm=algorithm("dpsgd", eta=ETA),
            bound=bound,
            convex=claim == LAST,
        )
        for claim, steps, bound in (
            (MEAN, rounds - 1, slopes),
            (LEAST, rounds - 1, slopes),
            (LAST, rounds, last),
        )
    ]
