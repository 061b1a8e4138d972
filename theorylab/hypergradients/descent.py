"""Does an outer step of PDBO lower Fbar? Both of its ends are trained with the same draws.

Algorithm 1 never looks at the cost, and an estimate of the wrong sign makes it climb in silence:
with a ``series_eta`` of its own HGP differentiates other models than the training ended with. The
check knows nothing of the estimate: T rounds more at lambda^(s+1), with the edges, minibatches and
start of the training at lambda^(s), give the change of Fbar for these draws. Where a step rises, a
central difference along it tells a wrong sign from a step that is too long.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from theorylab.hypergradients._bilevel import Bilevel, Floats
from theorylab.hypergradients.edge_law import EdgeLaw, edge_law
from theorylab.hypergradients.hgp import of_run
from theorylab.hypergradients.linear import DENSE, Linear, spectral_radius
from theorylab.hypergradients.pdbo import PDBO, OuterState
from theorylab.hypergradients.reliability import (
    SQUARE,
    Reliability,
    UnreliableEstimateWarning,
    reliability,
)
from theorylab.hypergradients.sgp import Trained
from theorylab.hypergradients.stationary import exact
from theorylab.topologies import Topology


class RisingCostWarning(UserWarning):
    """An outer step of PDBO raised the outer cost; the line has the numbers and what helps."""


@dataclass(frozen=True)
class Training:
    """What is trained, and with which draws: all but lambda. rounds: T. runs: their ids, (R,)."""

    method: PDBO
    problem: Bilevel
    topology: Topology
    rounds: int
    seed: int
    runs: NDArray[np.int64]

    def at(self, state: OuterState, lam: Floats | None = None) -> Trained:
        """Algorithm 2 as at outer step ``state.s``, at lambda (R, n, dlam); None: its own."""
        state = state if lam is None else replace(state, lam=lam)
        return self.method.train(
            self.problem, self.topology, state, self.rounds, self.seed, self.runs
        )

    def cost(self, trained: Trained, lam: Floats) -> Floats:
        """Fbar of every run, (R,)."""
        points = map(self.problem.points, (np.ascontiguousarray(trained.x), lam))
        return np.asarray(self.problem.numbers(self.problem.outer(*points)).mean(axis=1))

    @property
    def repeats(self) -> bool:
        """Whether every outer step has the same draws and start: the network is static, every
        sample is the full batch, and no training goes on from the one before."""
        return self.topology.period == 1 and not self.problem.stochastic and not self.method.warm

    def tolerance(self, cost: Floats) -> float:
        """How far rounding may move a mean cost: a thousand roundings of every round."""
        rounds = 1e3 * self.rounds
        return float(min(rounds * self.problem.unit, 0.1) * np.abs(cost).max())


def check_descent(
    training: Training,
    state: OuterState,
    after: OuterState,
    gradient: Floats,
    costs: tuple[Floats, Floats],
    risen: float,
    tell: Callable[[str], None] | None,
) -> bool:
    """Whether the mean over runs of Fbar rises, at this step or over the last ones together; then
    ``tell`` gets one line that says so.

    Args:
        state, after: before and after the step. gradient: the estimate it rests on, (R, n, dlam).
        costs: Fbar at both, (R,) each, with the draws of ``state``.
        risen: the sum of its changes over the steps before, each with draws of its own, from
            where that sum was lowest; rounding might explain each of them, and not all.

    Raises:
        ValueError: the line, where ``tell`` is None.
    """
    before, then = (float(cost.mean()) for cost in costs)
    room = training.tolerance(costs[0])
    if then <= before or risen + then - before <= room:  # a cost that is nan rises
        return False
    along = after.lam - state.lam
    promised = float((gradient * along).sum(axis=(1, 2)).mean())
    slope = _slope(training, state, along)
    slowly = then - before <= room
    since = f", after a rise of {risen:.3g} at the steps before" if slowly else ""
    line = (
        f"pdbo: outer step {state.s} raises the outer cost from {before:.6g} to {then:.6g} (same "
        f"draws){since}; along it the estimate has slope {promised:.3g}, a finite difference "
        f"{slope:.3g}: {_remedy(training, promised, slope)}"
    )
    if tell is None:
        raise ValueError(line)
    tell(line)
    return True


def _slope(training: Training, state: OuterState, along: Floats) -> float:
    """d/dh of the mean Fbar at lambda^(s) + h ``along``, h = 0, by a central difference."""
    h = float(training.problem.unit ** (1 / 3))  # truncation h^2 against rounding unit / h
    ends = []
    for sign in (1, -1):
        lam = state.lam + sign * h * along
        ends.append(float(training.cost(training.at(state, lam), lam).mean()))
    return (ends[0] - ends[1]) / (2 * h)


def _remedy(training: Training, promised: float, slope: float) -> str:
    method = training.method
    if slope <= 0:
        return "the step goes down at first and is too long; need a smaller rate"
    if not promised < 0:
        return "the step goes uphill by its momentum; need a smaller rate or beta1"
    last = np.asarray(method.eta) * method.drop ** sum(t < training.rounds for t in method.drops)
    series = last if method.series_eta is None else np.asarray(method.series_eta)
    if not np.allclose(last, series, rtol=0.5):
        return (
            f"the series is taken with series_eta {_short(series)} at models that were trained "
            f"with step {_short(last)} at the end; need drops that end the training at a step "
            "near series_eta, or a series_eta near eta"
        )
    return (
        f"the estimate has the wrong sign; need more than {method.terms} terms, more rounds, or "
        "more runs to see it through its variance"
    )


def _short(step: Floats) -> str:
    return f"{float(step):.3g}" if step.ndim == 0 else f"{step.min():.3g} .. {step.max():.3g}"


RATED = {
    "series_radius": "rho(A_zz) at y^(T), to 1e-3 above 1500 numbers; none at the last step",
    "second_radius": "rho(E[A (x) A]) at y^(T): the estimate's variance settles where it is < 1",
    "estimate_rmse": "exact root mean square error of the estimate about the hypergradient",
}
LOOSE = 1e-3  # ARPACK's: some 20 products, where roundoff takes hundreds
Tell = Callable[[str], None]


def rated(problem: Bilevel) -> list[str]:
    """The columns of ``RATED`` that a problem of this size can give."""
    return list(RATED) if problem.clients * problem.dim <= SQUARE else ["series_radius"]


def too_large(problem: Bilevel) -> str:
    """Why the others are missing, in a line."""
    size = problem.clients * problem.dim
    return f"rho(E[A (x) A]) and the exact RMSE need n dx <= {SQUARE}, and n dx is {size}"


class Watch:
    """Fills the columns of ``table`` that rest on an estimate or on a step, and tells what is bad.

    tell: as of ``pdbo``.
    """

    def __init__(self, training: Training, table: dict[str, Floats], tell: Tell | None) -> None:
        self.training, self.table, self.tell = training, table, tell
        self.rose = self.doubted = False
        self.risen = 0.0  # of the outer cost: its changes, from where their sum was lowest

    def estimate(self, state: OuterState, trained: Trained, found: Floats) -> None:
        """The columns of the estimate ``found`` (R, n, dlam) at y^(T)."""
        s, table = state.s, self.table
        if "hypergradient" in table:
            table["hypergradient"][:, s] = (found * found).sum(axis=(1, 2))
        if not any(name in table for name in RATED):
            return
        each = self._each(state, trained)
        numbers = [(one.radius, one.second_radius, one.rmse) for one in each]
        values = np.array([[np.nan if x is None else x for x in row] for row in numbers])
        for name, row in zip(RATED, values.T, strict=True):
            if name in table:
                table[name][:, s] = row
        doubts = [one.doubt(moving=True) for one in each]
        worst = next((doubt for doubt in doubts if doubt is not None), None)
        if worst is not None and not self.doubted:
            line = f"pdbo: outer step {s}, run {self.training.runs[doubts.index(worst)]}: {worst}"
            self._say(UnreliableEstimateWarning)(line)
            self.doubted = True

    def step(
        self, before: OuterState, after: OuterState, trained: Trained, found: Floats
    ) -> Trained | None:
        """Look whether the step went down; the next training, where it has the same draws."""
        training = self.training
        if training.method.descent == "off":
            return None
        again = training.at(before, after.lam)
        costs = training.cost(trained, before.lam), training.cost(again, after.lam)
        if "outer_change" in self.table:
            self.table["outer_change"][:, before.s] = costs[1] - costs[0]
        refused = training.method.descent == "refuse"
        if not self.rose:
            say = None if refused else self._say(RisingCostWarning)
            self.rose = check_descent(training, before, after, found, costs, self.risen, say)
            self.risen = max(0.0, self.risen + float((costs[1] - costs[0]).mean()))
        return again if training.repeats else None

    def _say(self, kind: type[Warning]) -> Tell:
        """``tell``, or a warning at the caller of ``pdbo``."""
        return self.tell or (lambda line: warnings.warn(line, kind, stacklevel=5))

    def _each(self, state: OuterState, trained: Trained) -> list[Reliability]:
        """One a run, at its own y^(T) and with the pbar and dbar that it counted."""
        training = self.training
        at = training.method.place(training.problem, state, trained)
        law = trained.law
        return [
            _of_one(training, of_run(at, r), EdgeLaw(law.mean[r], law.frequency[r], law.source))
            for r in range(len(training.runs))
        ]


def _of_one(training: Training, at: Linear, law: EdgeLaw) -> Reliability:
    method, network = training.method, training.topology

    def truth() -> Floats:
        """At the stationary point of the series' step."""
        return exact(training.problem, edge_law(network), at.sgp, at.lam[0]).gradient

    radius, reason = None, None
    try:
        radius = spectral_radius(at, law, LOOSE)
    except ValueError as error:  # ARPACK gave up: the estimate stands, its radius is not known
        reason = str(error)
    found = reliability(
        at, network, law, method.terms, reading=method.reading, alpha=float(method.alpha or 0),
        beta=float(method.beta or 0), truth=truth, radius=radius,
        radius_error=2 * LOOSE if training.problem.clients * training.problem.dim > DENSE else 0.0,
    )  # fmt: skip
    return found if reason is None else found.without("radius", reason)
