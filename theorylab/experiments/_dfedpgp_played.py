"""Algorithm 1 of dfedpgp in plain array code, with every local iterate kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from theorylab.experiments._dfedpgp_instance import DfedpgpInstance
from theorylab.experiments._personal_parts import point
from theorylab.experiments._signs import signs
from theorylab.problems import CoupledQuadratic, SinSin, plain

Floats = Any
MOST = 1 << 14  # outcomes of an exact law


@dataclass(frozen=True)
class Played:
    """One round of R runs.

    u, w, z, v: before it. vs[k], us[k]: the local iterates, k = 0 .. K. gv[k], gu[k]: the
    stochastic gradients of the steps; hv[k], hu[k]: the gradients at the same points. after, and
    w_after: u^{t+1}, mu^{t+1}.
    """

    t: int
    u: Floats
    w: Floats
    z: Floats
    vs: list[Floats]
    us: list[Floats]
    gv: list[Floats]
    gu: list[Floats]
    hv: list[Floats]
    hu: list[Floats]
    after: Floats
    w_after: Floats


def play(at: DfedpgpInstance, runs: int, rounds: int, draw: Callable[[int], Any]) -> Iterator[Any]:
    """Rounds 0 .. ``rounds`` - 1; ``draw(number)`` is the run's ``number``-th minibatch."""
    made, shared, run = at.problem, at.shared, at.algorithm
    x0 = np.repeat(at.start[None], runs, axis=0)
    u, v = x0[..., :shared], x0[..., shared:]
    w, drawn = np.ones(x0.shape[:2]), 0
    for t in range(rounds):
        fixed = draw(drawn) if run.batch == "per-round" else None
        drawn += fixed is not None
        z, vs, us = u / w[..., None], [v], [u]
        gv: list[Floats] = []
        hv: list[Floats] = []
        gu: list[Floats] = []
        hu: list[Floats] = []
        for _ in range(at.K_v):
            sample = draw(drawn) if run.batch == "per-step" else fixed
            drawn += run.batch == "per-step"
            here = point(z, vs[-1])
            gv.append(made.stochastic_gradient(here, sample)[..., shared:])
            hv.append(made.gradient(here)[..., shared:])
            vs.append(vs[-1] - run.eta_v * gv[-1])
        for _ in range(at.K_u):
            sample = draw(drawn) if run.batch == "per-step" else fixed
            drawn += run.batch == "per-step"
            here = point(us[-1] / w[..., None], vs[-1])
            gu.append(made.stochastic_gradient(here, sample)[..., :shared])
            hu.append(made.gradient(here)[..., :shared])
            us.append(us[-1] - run.eta_u * gu[-1])
        P = at.topology.matrix(t, 0).toarray()
        after, w_after = np.einsum("ij,rjd->rid", P, us[-1]), w @ P.T
        yield Played(t, u, w, z, vs, us, gv, gu, hv, hu, after, w_after)
        u, w, v = after, w_after, vs[-1]


def law(at: DfedpgpInstance, rounds: int) -> int:
    """How many equally likely outcomes the noise of these rounds has: 1 without noise.

    Raises:
        ValueError: where the noise is no finite law of signs, or there are too many.
    """
    made = at.problem
    if not made.stochastic:
        return 1
    fair = (
        plain(made, object)
        and isinstance(made, CoupledQuadratic | SinSin)
        and made.field.kind in ("rademacher", "state")
    )
    steps = rounds * (1 if at.algorithm.batch == "per-round" else at.K_u + at.K_v)
    bits = made.clients * made.dim * steps
    if not fair or 2**bits > MOST:
        raise ValueError(
            f"dfedpgp-rounds: the noise of {made.name} has too many outcomes (2^{bits} for signs); "
            f"need noise 'rademacher' or 'state' and at most {MOST}"
        )
    return int(2**bits)


def outcome(at: DfedpgpInstance, total: int, number: int) -> Any:
    """The ``number``-th minibatch of all outcomes; None without noise."""
    made = at.problem
    if not made.stochastic:
        return None
    assert isinstance(made, CoupledQuadratic | SinSin)
    shape = (made.clients, made.dim)
    return signs(total, number * made.clients * made.dim, *shape) * made.field.scale
