"""Algorithm 1 of dfedsgpsm in plain array code, with every local iterate kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.experiments._signs import signs
from theorylab.problems import Noisy, Pinwheel, Problem, plain
from theorylab.topologies import Topology

Floats = NDArray[np.float64]
MOST = 1 << 14  # outcomes of an exact law


@dataclass(frozen=True)
class Played:
    """One round of R runs.

    x, w: before it. xs[k]: x_{i,k} for k = 0..K. z[s], lifted[s], plain[s], used[s], s = 0..K-1:
    lines 5, 8, 7 and 9 of local step s + 1. after: x^{t+1}.
    """

    t: int
    x: Floats
    w: Floats
    xs: list[Floats]
    z: list[Floats]
    lifted: list[Floats]
    plain: list[Floats]
    used: list[Floats]
    after: Floats


def play(
    problem: Problem,
    topology: Topology,
    options: dict[str, float],
    x0: Floats,
    rounds: int,
    draw: Callable[[int, int], Any],
) -> Iterator[Played]:
    """Rounds 0 .. ``rounds`` - 1 from x0 (R, n, d); ``draw(t, k)`` is the sample of local step k.

    Line 8's direction is 0 where the gradient is.
    """
    eta, alpha, rho = options["eta"], options["alpha"], options["rho"]
    x, w = x0, np.ones(x0.shape[:2])
    for t in range(rounds):
        xs, zs, lifted, plain, used = [x], [], [], [], []
        v = np.zeros_like(x)
        for k in range(int(options["local_steps"])):
            z = xs[-1] / w[:, :, None]
            sample = draw(t, k)
            g = problem.stochastic_gradient(z, sample)
            up = z
            if rho:
                norm = np.linalg.norm(g, axis=-1, keepdims=True)
                up = z + rho * np.where(norm > 0, g / np.where(norm > 0, norm, 1), 0.0)
            breve = problem.stochastic_gradient(up, sample) if rho else g
            v = alpha * v + breve
            zs.append(z)
            lifted.append(up)
            plain.append(g)
            used.append(breve)
            xs.append(xs[-1] - eta * v)
        P = topology.matrix(t, 0).toarray()
        after = np.einsum("ij,rjd->rid", P, xs[-1])
        yield Played(t, x, w, xs, zs, lifted, plain, used, after)
        x, w = after, w @ P.T


def law(problem: Problem, steps: int) -> int:
    """How many equally likely outcomes ``steps`` local steps have in all.

    Raises:
        ValueError: where the noise is not a few equally likely samples, or there are too many.
    """
    cases = _cases(problem)
    if cases is None:
        raise ValueError(
            f"law 'exact': the noise of {problem.name} is no finite law; need a noisy problem with "
            "field rademacher or state, or pinwheel"
        )
    total = cases ** (problem.clients * steps)
    if total > MOST:
        raise ValueError(
            f"law 'exact': {cases}^({problem.clients} clients x {steps} steps) outcomes; need at "
            f"most {MOST}"
        )
    return int(total)


def outcome(problem: Problem, total: int, index: int) -> Any:
    """The samples of all ``total`` outcomes at the ``index``-th local step of the run."""
    n, cases = problem.clients, _cases(problem)
    assert cases is not None
    if isinstance(problem, Pinwheel):
        return np.arange(total)[:, None] // cases ** (n * index + np.arange(n)) % cases
    assert isinstance(problem, Noisy)
    return signs(total, index * n * problem.dim, n, problem.dim) * problem.field.scale


def _cases(problem: Problem) -> int | None:
    if isinstance(problem, Pinwheel):
        return problem.cases
    if plain(problem, Noisy) and problem.field.kind in ("rademacher", "state"):
        return int(2**problem.dim)
    return None
