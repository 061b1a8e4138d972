"""What a run leaves behind: one number a round and a run for every recorded column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.tables import Columns, Framed, html_table

Array = NDArray[Any]

COLUMNS = {
    # of the mean model; with personal parts, of (ubar^t, v_1^t, ..., v_n^t)
    "squared_gradient": "||grad f(xbar^t)||^2, or ||grad_u f(ubar^t, V^t)||^2",
    "consensus": "(1/n) sum_i ||z_i^t - xbar^t||^2",
    "loss": "f(xbar^t), or f(ubar^t, V^t)",
    "squared_distance": "||xbar^t - x*||^2, where the problem knows its minimiser",
    # of every client's own model
    "own_loss": "(1/n) sum_i f_i at client i's own debiased model",
    "accuracy": "mean over clients of the share of own test samples that are right; of own samples "
    "where none are held out (softmax)",
    "accuracy_low": "10th percentile of that share over clients",
    # what the theorems on personalised methods bound (DFedPGP, DFedAlt: Delta; DePRL: M)
    "gradient_u": "||grad_u f(ubar^t, V^{t+1})||^2",
    "gradient_v": "(1/n) sum_i ||grad_v f_i(z_i^t, v_i^t)||^2",
    "gradient_theta": "||(1/n) sum_i grad_v f_i(ubar^t, v_i^t)||^2",
    "weight_min": "min_i w_i^t",
    "weight_max": "max_i w_i^t",
    "update_residual_line9": "max_i ||x_i^{t+1/2} - x_i^t + eta sum alpha^{k-s} g-breve||_inf",
    "update_size": "max_i ||x_i^{t+1/2} - x_i^t||_inf, what that identity is about",
    "update_magnitude": "max_i of the sum of absolute values of that identity's summands",
}
LOCAL_COLUMNS = ("update_residual_line9", "update_size", "update_magnitude")
WORK_COLUMNS = ("gradient_u", *LOCAL_COLUMNS)  # of a round's work: a state alone has none
PERSONAL_COLUMNS = ("gradient_u", "gradient_v", "gradient_theta")
ACCURACY_COLUMNS = ("accuracy", "accuracy_low")
STATE_COLUMNS = ("squared_gradient", "consensus", "loss", "weight_min", "weight_max")


def long_table(columns: Mapping[str, Array], at: Array, runs: Array) -> Columns:
    """Columns (R, S) below one another: one row a run and a recorded round."""
    return {
        "run": np.repeat(runs, len(at)).tolist(),
        "round": np.tile(at, len(runs)).tolist(),
        **{name: values.ravel().tolist() for name, values in columns.items()},
    }


@dataclass(frozen=True)
class Trace(Framed):
    """What ``simulate`` recorded of R runs at S rounds.

    Args:
        columns: by name an array (R, S). Entry [r, s] belongs to run ``runs[r]`` at the start of
            round ``at[s]``; ``at`` is 0, 1, 2, ... unless fewer rounds were recorded.
        runs: the ids of the runs, (R,).
        exact: a row is the expectation itself (nothing random, or exact moments).
        final_x, final_w, final_v: the last state's models (R, n, d), push-sum weights (R, n) and
            personal parts, or None.
        recorded: the rounds that were recorded, (S,), or None for all.
        last: the columns of the state after the last round, (R,) each; those of a round's work
            have none there.
        size: the largest |entry| of that state's models.
        iterate: columns at the average of the mean models, (R,) each, where it was asked for.
        weights: the chances of the rows, (R,), where they are outcomes of a law and no sample.

    >>> trace = Trace({"loss": np.array([[3.0, 2.0, 1.0]])}, np.array([0]), exact=True)
    >>> trace.rounds, trace.reduced("loss", "average").tolist()
    (3, [2.0])
    """

    columns: Mapping[str, Array]
    runs: NDArray[np.int64]
    exact: bool
    final_x: Array | None = None
    final_w: Array | None = None
    final_v: Array | None = None
    recorded: NDArray[np.int64] | None = None
    last: Mapping[str, Array] = field(default_factory=dict)
    size: float = 0.0
    iterate: Mapping[str, Array] = field(default_factory=dict)
    weights: Array | None = None

    @property
    def at(self) -> NDArray[np.int64]:
        """The rounds that were recorded, (S,)."""
        return np.arange(self.rounds) if self.recorded is None else self.recorded

    @property
    def rounds(self) -> int:
        return int(next(iter(self.columns.values())).shape[1])

    def reduced(self, column: str, over: str, rounds: int | None = None) -> Array:
        """The column of h = ``rounds`` rounds reduced to one value a run: the "average", the "max",
        or the "run best", the least, over t = 0..h-1; or the "last", of the state x^h that the h-th
        round leaves.

        Raises ValueError where not every round was recorded, or a column has no last.
        """
        if self.recorded is not None and not np.array_equal(self.at, np.arange(self.rounds)):
            raise ValueError(
                f"trace: {self.rounds} rounds up to {self.at[-1]} were recorded; a reduction needs "
                "every one"
            )
        whole = self.columns[column]
        values = whole[:, :rounds]
        if over == "average":
            return np.asarray(values.mean(axis=1))
        if over == "last":
            if rounds is not None and rounds < self.rounds:
                return np.asarray(whole[:, rounds])
            if column not in self.last:
                raise ValueError(f"trace: {column} is of a round, not of a state; need no 'last'")
            if not np.isfinite(self.last[column]).all():
                raise ValueError(f"trace: {column} overflowed in the last round")
            return np.asarray(self.last[column])
        if over == "max":
            return np.asarray(values.max(axis=1))
        if over == "run best":
            return np.asarray(values.min(axis=1))
        raise ValueError(f"trace: reduction is {over!r}; need average, last, max or run best")

    def table(self) -> Columns:
        """One row a run and a recorded round, in that order; where every round was recorded, also
        the state after the last one, in which columns of a round's work are nan."""
        columns, at = dict(self.columns), self.at
        if self.last and np.array_equal(at, np.arange(self.rounds)):
            none = np.full(len(self.runs), np.nan)
            at = np.append(at, self.rounds)
            for name, values in columns.items():
                end = self.last.get(name, none)
                columns[name] = np.concatenate([values, end[:, None]], axis=1)
        return long_table(columns, at, self.runs)

    def _repr_html_(self) -> str:
        """The columns' means over the runs: first and last as recorded, and the extremes."""
        means = {name: values.mean(axis=0) for name, values in self.columns.items()}
        known = ", each exact" if self.exact else ""
        runs = f"{len(self.runs)} run{'s' * (len(self.runs) != 1)}"
        table: Columns = {
            "mean over runs of": [*means],
            "first": [float(mean[0]) for mean in means.values()],
            "last": [float(mean[-1]) for mean in means.values()],
            "least": [float(mean.min()) for mean in means.values()],
            "greatest": [float(mean.max()) for mean in means.values()],
        }
        return html_table(f"{runs}{known}, rounds {self.at[0]} to {self.at[-1]}", table)

    def joined(self, other: Trace) -> Trace:
        """This trace with the runs of ``other`` below its own."""
        return Trace(
            {k: np.concatenate([v, other.columns[k]]) for k, v in self.columns.items()},
            np.concatenate([self.runs, other.runs]),
            self.exact,
            recorded=self.recorded,
            last={k: np.concatenate([v, other.last[k]]) for k, v in self.last.items()},
            size=max(self.size, other.size),
            iterate={k: np.concatenate([v, other.iterate[k]]) for k, v in self.iterate.items()},
        )
