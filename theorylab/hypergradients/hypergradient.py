"""One call: the hypergradient of a bilevel problem over a network, exact or estimated."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from theorylab.hypergradients._bilevel import Bilevel, Floats, per_client
from theorylab.hypergradients.edge_law import EdgeLaw, check_connected, edge_law, network_of
from theorylab.hypergradients.hgp import check_series, hgp, of_run
from theorylab.hypergradients.linear import Linear, check_radius, spectral_radius
from theorylab.hypergradients.recursion import Reading, resolved
from theorylab.hypergradients.reliability import (
    Reliability,
    UnreliableEstimateWarning,
    reliability,
)
from theorylab.hypergradients.sgp import SGP, algorithm2
from theorylab.hypergradients.stationary import Stationary, exact, perron, stationary
from theorylab.problems._options import count
from theorylab.topologies import Topology

METHODS = {"hgp": "eq12", "vr-hgp": "appendix-b"}


@dataclass(frozen=True)
class Hypergradient:
    """A hypergradient, and what is known of its error.

    Attributes:
        gradient: (n, dlam) for "exact", (R, n, dlam) for an estimate, NumPy.
        method: "exact", "hgp" or "vr-hgp".
        radius: rho(A_zz) at the stationary point; after ``train``, where every run has its own, the
            largest.
        point: the stationary point, or None after ``train``.
        law: the pbar and dbar used.
        rounds: of the network, training included.
        history: v^(m) of every m, (M + 1, ...), or None.
        reliability: what is known exactly of an estimate's error, at run 0's point; None for
            "exact", and where it was not asked for.

    >>> from theorylab import hypergradient
    >>> from theorylab.hypergradients import QuadraticBilevel
    >>> from theorylab.topologies import topology
    >>> losses = QuadraticBilevel.random(4, dim=2, hyper=1, seed=0)
    >>> answer = hypergradient(losses, topology("ring", 4), "hgp", terms=50, runs=3)
    >>> answer.gradient.shape, answer.method  # (R, n, dlam)
    ((3, 4, 1), 'hgp')
    """

    gradient: Floats
    method: str
    radius: float | None
    point: Stationary | None
    law: EdgeLaw
    rounds: int = 0
    history: Floats | None = None
    reliability: Reliability | None = None


def hypergradient(
    problem: Bilevel,
    topology: Topology | Any,
    method: str = "exact",
    *,
    lam: Any = None,
    step: float | Sequence[float] = 0.05,
    variant: str = "4b",
    terms: int = 200,
    alpha: float | None = None,
    beta: float | None = None,
    reading: str | Reading | None = None,
    together: bool = False,
    train: int | None = None,
    omega: str = "realised",
    law: EdgeLaw | None = None,
    runs: int = 1,
    seed: int = 0,
    history: bool = False,
    assess: bool = True,
) -> Hypergradient:
    """d_lambda Fbar, exactly, or by HGP or VR-HGP (pdbo, Section 4).

    Args:
        problem: a ``Bilevel``: ``QuadraticBilevel``, ``SoftmaxWeights``, ``TorchBilevel``, ...
        topology: the network; its rounds have to be independent. Or a networkx graph.
        method: "exact" (the solve on z), "hgp" (Eq. 12) or "vr-hgp" (Appendix B).
        lam: (n, dlam); 0 if None.
        step: the inner SGP's alpha_i, one number or one a client.
        variant: of the inner SGP, "4a" or "4b".
        terms: M.
        alpha, beta: VR-HGP's weights, (.9, .1) by default.
        reading: another of ``READINGS``, or a ``Reading``, in place of the method's own.
        together: draw A and B in one round (Section 6.1): half the rounds, as unbiased.
        train: None: at the stationary point, with exact pbar and dbar. T: at y^(T) of T rounds of
            Algorithm 2, with the pbar and dbar it counted (unless ``law`` is given).
        omega: after training, the weights at which the Jacobians are taken: "realised" (y^(T), as
            printed) or "mean" (x^(T) with the Perron weights of the law's mean). On random
            networks omega^(T) never settles; where it is small, step / omega times the curvature
            can pass 2, and the series at y^(T) diverges however long T is.
        law: pbar and dbar to use; ``edge_law(topology)`` if None and there was no training.
        runs: R estimates, with run ids 0 .. R-1.
        seed: of the minibatches.
        history: keep v^(m) of every m.
        assess: work out ``reliability``, where that takes seconds at most or, at the stationary
            point, about as many products as one run, and warn (``UnreliableEstimateWarning``) of an
            estimate that is biased by too few terms, or cannot be relied on.

    Returns:
        The gradient of every client, and what is known of its error.

    Raises:
        ValueError: one line, naming the condition and its value: an unknown method; Assumption 1,
            2, 5 or 6; an inner problem that does not converge; rho(A_zz) >= 1; an estimate that is
            not finite.

    >>> from theorylab.hypergradients import QuadraticBilevel
    >>> from theorylab.topologies import topology
    >>> losses = QuadraticBilevel.random(4, dim=2, hyper=1, seed=0)
    >>> answer = hypergradient(losses, topology("directed-ring", 4))
    >>> answer.gradient.shape, answer.radius < 1  # (n, dlam)
    ((4, 1), True)
    """
    if method != "exact" and method not in METHODS:
        known = ", ".join(("exact", *METHODS))
        raise ValueError(f"hypergradient: method is {method!r}; need one of {known}")
    if omega not in ("realised", "mean"):
        raise ValueError(f"hypergradient: omega is {omega!r}; need one of realised, mean")
    for name, value in (("terms", terms), ("runs", runs), ("train", 1 if train is None else train)):
        count("hypergradient", name, value)
    n, topology = problem.clients, network_of("hypergradient", topology)
    if topology.clients != n:
        raise ValueError(f"hypergradient: topology has {topology.clients} clients, problem {n}")
    if not topology.column_stochastic:
        raise ValueError(
            f"hypergradient: {topology.name} has no column-stochastic P; Eq. (3) needs it"
        )
    at = np.zeros((n, problem.hyper)) if lam is None else lam
    at = per_client("hypergradient: lam", at, n, problem.hyper)
    sgp = SGP(step, variant)
    if method == "exact":
        law = edge_law(topology) if law is None else law
        found = exact(problem, law, sgp, at)
        return Hypergradient(found.gradient, method, found.radius, found.point, law)
    if reading is None:
        reading = METHODS[method]
    # HGP's names fix its weights; a Reading of one's own does not
    rule, alpha, beta = resolved(reading, alpha, beta)
    if together:
        rule = replace(rule, rounds="together")
    ids = np.arange(runs)
    radius, point = None, None
    if train is None:
        law = edge_law(topology) if law is None else law
        point = stationary(problem, law, sgp, at)
        where = Linear(problem, sgp, point.x[None], point.omega[None], at[None])
        radius = spectral_radius(where, law)
        check_radius(radius, where, law)
    else:
        trained = algorithm2(problem, topology, sgp, at[None], train, seed=seed, runs=ids)
        law = trained.law if law is None else law
        check_connected(law, "hypergradient")
        lams = np.broadcast_to(at, (runs, *at.shape))
        weights = trained.omega if omega == "realised" else _mean_weights(law, runs)
        where = Linear(problem, sgp, trained.x, weights, lams)
        radius = check_series(where, law, "hypergradient", "y^(T)", averaged=omega == "mean")
    first = train or 0
    made = hgp(
        where, topology, law, terms, reading=rule, alpha=alpha, beta=beta, seed=seed, runs=ids,
        first=first, history=history, check=False,
    )  # fmt: skip
    rating: Reliability | None = None
    if assess:
        rating = reliability(
            of_run(where, 0), topology, law, terms, reading=rule, alpha=alpha, beta=beta,
            truth=lambda: exact(problem, edge_law(topology), sgp, at, point=point).gradient,
            radius=radius, products=train is None,
        )  # fmt: skip
        doubt = rating.doubt()
        if doubt is not None:
            warnings.warn(f"{method}: {doubt}", UnreliableEstimateWarning, stacklevel=2)
    return Hypergradient(
        problem.numbers(made.gradient), method, radius, point, law, first + made.rounds,
        made.history, rating,
    )  # fmt: skip


def _mean_weights(law: EdgeLaw, runs: int) -> Floats:
    """The Perron weights of the law's mean, (R, n)."""
    tables = np.broadcast_to(law.mean, (runs, *law.mean.shape[-2:]))
    return np.array([perron(table) for table in tables])
