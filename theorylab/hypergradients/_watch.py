"""What is looked at in every outer step of PDBO: its estimate, and whether it goes down."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from theorylab.hypergradients._bilevel import Bilevel, Floats
from theorylab.hypergradients._spectrum import DENSE, spectral_radius
from theorylab.hypergradients.descent import RisingCostWarning, Training, check_descent
from theorylab.hypergradients.edge_law import EdgeLaw, edge_law
from theorylab.hypergradients.hgp import of_run
from theorylab.hypergradients.linear import Linear
from theorylab.hypergradients.oracle import exact
from theorylab.hypergradients.pdbo import OuterState
from theorylab.hypergradients.reliability import (
    SQUARE,
    Reliability,
    UnreliableEstimateWarning,
    reliability,
)
from theorylab.hypergradients.sgp import Trained

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
