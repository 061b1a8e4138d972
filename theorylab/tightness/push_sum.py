r"""Push-sum gradient descent: Algorithm 1 of dfedsgpsm with K = 1, no momentum, no SAM, no noise.

x^{t+1} = P (x^t - eta g^t), w^{t+1} = P w^t, g_i^t = grad f_i(x_i^t / w_i^t), on a directed ring
with the chord 0 -> 2 (from three clients on), uniform out-degree weights: P is column-stochastic
and, from three clients on, not doubly stochastic. The w are known numbers, so the points are known
linear combinations of gradients. The bound is `dfedsgpsm.thm1`, corrected.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from theorylab.algorithms import algorithm
from theorylab.tightness.setting import MEAN, L, Setting
from theorylab.tightness.theorem import corrected_theorem1
from theorylab.topologies import Topology, topology

NAME = "push-sum"
ETA = 1 / (2 * L)


def network(clients: int) -> Topology:
    """The directed ring with self-loops and the chord 0 -> 2."""
    edges = [[i, i] for i in range(clients)]
    edges += [[i, (i + 1) % clients] for i in range(clients) if clients > 1]
    edges += [[0, 2]] if clients > 2 else []
    return topology("edge-list", clients, edges=edges, weights="uniform")


def trajectory(
    gradient: Callable[[int, Any], Any], x: Any, P: list[list[float]], rounds: int
) -> list[Any]:
    """xbar^0, ..., xbar^{rounds-1}."""
    n = len(P)
    own, mass, averages = [x] * n, [1.0] * n, [x]
    for _ in range(rounds - 1):
        half = [own[i] - ETA * gradient(i, (1 / mass[i]) * own[i]) for i in range(n)]
        own = [pushed(P[i], half) for i in range(n)]
        mass = [pushed(P[i], mass) for i in range(n)]
        averages.append(pushed([1 / n] * n, own))
    return averages


def pushed(weights: list[float], parts: list[Any]) -> Any:
    """sum_j weights_j parts_j over the weights that are not 0; one is not."""
    terms = [p * part for p, part in zip(weights, parts, strict=True) if p]
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def settings(clients: int, rounds: int) -> list[Setting]:
    """The one claim."""
    network_ = network(clients)
    P = network_.matrix(0).toarray().tolist()
    return [
        Setting(
            method=NAME,
            claim=MEAN,
            clients=clients,
            rounds=rounds,
            trajectory=lambda g, x: trajectory(g, x, P, rounds),
            topology=network_,
            algorithm=algorithm("dfedsgpsm", eta=ETA, alpha=0.0, local_steps=1),
            bound=corrected_theorem1(network_, eta=ETA, alpha=0.0, local_steps=1, rounds=rounds),
            bounded=True,
        )
    ]
