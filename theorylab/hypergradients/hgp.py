"""Running HGP and VR-HGP over R runs at once (pdbo, Eq. 10-13, Appendix B, Algorithms 3-5)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from array_api_compat import array_namespace
from numpy.typing import NDArray

from theorylab.hypergradients._bilevel import Array, Floats
from theorylab.hypergradients.edge_law import EdgeLaw, matrices
from theorylab.hypergradients.linear import Linear, remedy, spectral_radius
from theorylab.hypergradients.recursion import Reading, coefficients, resolved
from theorylab.problems._options import count
from theorylab.topologies import Topology

BEARABLE = 1e8  # points times (n dx)^3 up to which check=None looks at rho: seconds of LAPACK
WAITS = ("debiased", "undivided", "received")  # weights of messages that have to arrive


@dataclass(frozen=True)
class Estimate:
    """gradient (R, n, dlam). history (M + 1, R, n, dlam): after each m, or None.

    rounds: how many rounds of the network were used.
    """

    gradient: Array
    history: Floats | None
    rounds: int


def hgp(
    at: Linear,
    topology: Topology,
    law: EdgeLaw,
    terms: int,
    *,
    reading: str | Reading = "eq12",
    alpha: float | None = None,
    beta: float | None = None,
    seed: int = 0,
    runs: NDArray[np.int64] | None = None,
    first: int = 0,
    history: bool = False,
    check: bool | None = None,
) -> Estimate:
    """M terms of a reading at ``at``.

    Args:
        terms: M >= 1.
        reading: a name of ``READINGS`` or a ``Reading`` of one's own.
        alpha, beta: weights in [0, 1]; VR-HGP's default (.9, .1). Equations that have none take
            none: Eq. (10)-(12) are (1, 0), Eq. (13) is (0, 1).
        seed: of the minibatches; the topology has its own. runs: ids, (R,).
        first: the first round used; rounds first, first + 1, ... of the network. Rounds that an
            estimated law has counted are not independent of it.
        check: that rho(A_zz) < 1 at every run's point, so that there is a hypergradient to
            estimate. None: where that costs seconds at most (``BEARABLE``).

    Raises:
        ValueError: on M < 1, weights out of range, a point that is not finite, Assumption 6,
            rho(A_zz) >= 1, or an estimate that is not finite: HGP's second moment can grow without
            limit, see ``moments``. TypeError: on M that is no integer.
    """
    rule, alpha, beta = resolved(reading, alpha, beta)
    count("hgp", "terms", terms)
    runs = np.arange(1) if runs is None else runs
    problem = at.problem
    if topology.clients != problem.clients:
        raise ValueError(f"hgp: topology has {topology.clients} clients, problem {problem.clients}")
    _check_point(at)
    if rule.weights in WAITS:
        _ = law.debiased  # Assumption 6
    if check or (check is None and bearable(at, law)):
        check_series(at, law)
    c_y, c_lam = at.seeds()
    xp = array_namespace(c_y)
    c_y, c_lam = (xp.broadcast_to(part, (len(runs), *part.shape[1:])) for part in (c_y, c_lam))
    both = alpha < 1
    state = [c_y[:, :, None, :]]
    if both:
        state.append(state[0] if rule.w0 == "c" else xp.zeros_like(state[0]))
    carried = xp.concat(state, axis=2)  # (R, n, 1 or 2, dy): u, w
    v = c_lam if rule.v0 == "c" else xp.zeros_like(c_lam)
    seen = [v]

    def drawn(t: int) -> tuple[Array, Any]:
        P = matrices(topology, t, runs)
        return problem.points(coefficients(rule.weights, law, P)), problem.sample(seed, runs, t)

    t = first
    with np.errstate(over="ignore", invalid="ignore"):  # seen below, in one line
        for m in range(terms):
            c, sample = drawn(t)
            if rule.power:
                c_after, sample_after = drawn(t + 1)
                carried = c_y[:, :, None, :]
                for _ in range(m):
                    carried = at.A(c_after, carried, sample_after)
            products = at.B(c, carried, sample)
            v = v + products[:, :, 0]
            if both:
                v = alpha * v + (1 - alpha) * products[:, :, 1]
            if rule.rounds == "alternate":
                t += 1
                if not rule.power and m + 1 < terms:  # the last A would not be used
                    c, sample = drawn(t)
            t += 1
            seen.append(v)
            if m + 1 < terms and not rule.power:
                carried = _onward(at, c, sample, carried, c_y, rule, beta)
    out = seen[-1] if rule.last else seen[-2]
    if rule.add:
        out = out + c_lam
    if not bool(xp.all(xp.isfinite(out))):
        raise ValueError(
            f"hgp: the estimate is not finite after M = {terms}; its second moment grows where "
            "rho(E[A (x) A]) >= 1, see moments.second_moment_radius"
        )
    table = None
    if history:
        table = np.array([problem.numbers(part + c_lam if rule.add else part) for part in seen])
    return Estimate(out, table, t - first)


def bearable(at: Linear, law: EdgeLaw) -> bool:
    """Whether rho(A_zz) at every run's point costs seconds at most."""
    n, d = at.problem.clients, at.problem.dim
    points = max(len(at.x), law.mean.size // n**2)
    return points * float(n * d) ** 3 <= BEARABLE


def check_series(
    at: Linear,
    law: EdgeLaw,
    where: str = "hgp",
    point: str = "the point",
    *,
    knob: str = "step",
    averaged: bool = True,
) -> float:
    """The largest rho(A_zz) of the runs' points; one line, naming the run, unless it is < 1.

    law: of one run's shape (n, n), or of every run's (R, n, n). knob: the option that holds the
    step. averaged: omega is the Perron weights already, so that omega='mean' is no advice.
    """
    laws, radii = law.mean.reshape(-1, *law.mean.shape[-2:]), []
    for r in range(max(len(at.x), len(laws))):
        one, mean = of_run(at, r), laws[r % len(laws)]
        radii.append(spectral_radius(one, replace(law, mean=mean)))
        if not radii[-1] < 1:
            other = "" if averaged else "; or take the weights' mean (omega='mean')"
            raise ValueError(
                f"{where}: rho(A_zz) is {radii[-1]:.6g} at {point} of run {r}, where the smallest "
                f"omega is {one.omega.min():.3g}; need < 1: {remedy(one, mean, knob)}{other}"
            )
    return max(radii)


def of_run(at: Linear, r: int) -> Linear:
    """``at`` of run r alone; a part that all runs share is run 0's."""
    x, omega, lam = (part[r % len(part)][None] for part in (at.x, at.omega, at.lam))
    return replace(at, x=x, omega=omega, lam=lam)


def _check_point(at: Linear) -> None:
    for name, part in (("x", at.x), ("omega", at.omega), ("lam", at.lam)):
        if not np.isfinite(part).all():
            run = int(np.argwhere(~np.isfinite(part))[0][0])
            raise ValueError(
                f"hgp: {name} of run {run} is not finite; need a point that the inner problem "
                "reached"
            )
    if not (at.omega > 0).all():
        raise ValueError(f"hgp: the smallest omega is {at.omega.min():.3g}; need > 0")


def _onward(
    at: Linear, c: Array, sample: Any, carried: Array, c_y: Array, rule: Reading, beta: float
) -> Array:
    """The next (u, w)."""
    xp = array_namespace(carried)
    if carried.shape[2] == 1:
        return at.A(c, carried, sample)
    if rule.message == "w":
        moved = at.A(c, carried, sample)
    else:  # Alg. 5, lines 21 to 24: w's sum over messages holds u_j
        messages = at.phi(c, carried[:, :, :1], sample)
        moved = xp.concat([messages, messages], axis=2) + at.psi(carried, sample)
    u, w = moved[:, :, 0], carried[:, :, 1]
    after = beta * (moved[:, :, 1] + c_y) + (1 - beta) * (w + u)
    return xp.stack([u, after], axis=2)
