r"""Local heavy ball: Algorithm 1 of dfedsgpsm without SAM and noise, K = 2, alpha = 1/2.

In every round v = 0, then K times g = grad f_i(x_i / w_i), v = alpha v + g, x_i = x_i - eta v; then
push-sum on the network of ``push_sum``. The bound is `dfedsgpsm.thm1`, corrected; its step size cap
is eta < 1/(L a~) with a~ = sum_k sum_{s<=k} alpha^{k-s} = 2 + alpha for K = 2; half of it is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from theorylab.algorithms import algorithm
from theorylab.tightness.push_sum import network, pushed
from theorylab.tightness.setting import MEAN, L, Setting
from theorylab.tightness.theorem import corrected_theorem1

NAME = "momentum"
STEPS, ALPHA = 2, 0.5
ETA = 1 / (2 * L * (2 + ALPHA))


def trajectory(
    gradient: Callable[[int, Any], Any], x: Any, P: list[list[float]], rounds: int
) -> list[Any]:
    """xbar^0, ..., xbar^{rounds-1}."""
    n = len(P)
    own, mass, averages = [x] * n, [1.0] * n, [x]
    for _ in range(rounds - 1):
        half = []
        for i in range(n):
            model, v = own[i], None
            for _ in range(STEPS):
                g = gradient(i, (1 / mass[i]) * model)
                v = g if v is None else ALPHA * v + g
                model = model - ETA * v
            half.append(model)
        own = [pushed(P[i], half) for i in range(n)]
        mass = [pushed(P[i], mass) for i in range(n)]
        averages.append(pushed([1 / n] * n, own))
    return averages


def settings(clients: int, rounds: int) -> list[Setting]:
    """The one claim."""
    network_ = network(clients)
    P = network_.matrix(0).toarray().tolist()
    options: dict[str, Any] = {"eta": ETA, "alpha": ALPHA, "local_steps": STEPS}
    return [
        Setting(
            method=NAME,
            claim=MEAN,
            clients=clients,
            rounds=rounds,
            trajectory=lambda g, x: trajectory(g, x, P, rounds),
            topology=network_,
            algorithm=algorithm("dfedsgpsm", **options),
            bound=corrected_theorem1(network_, rounds=rounds, **options),
            bounded=True,
        )
    ]
