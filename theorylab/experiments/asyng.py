"""AsyNG (Chen et al., 2023) as dfedsgpsm describes it: push-sum and K plain local steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from theorylab.experiments._base import Floats, Observation, Row, check_column
from theorylab.experiments._local_terms import EPS, squares
from theorylab.experiments.local_rounds import LocalRounds


class AsyNG(LocalRounds):
    """1/T sum_{t<T} ||grad f(xbar^t)||^2 of a run, over fixed edges (run 0's); one row.

    Columns:
        recomputed   Algorithm 1 of dfedsgpsm with rho = alpha = 0: z = x / w in every local step
        one_point    its Section 3.4 on AsyNG: the gradients of a round are "always different
                     mini-batch stochastic gradients at the same de-biased parameter"

    Args:
        as for ``LocalRounds``; ``algorithm`` has eta and local_steps alone, law is "runs".

    Raises:
        ValueError: also when alpha or rho is not 0, or ``at`` or another law is given.
    """

    name = "asyng"
    columns = ("recomputed", "one_point")

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        for option in ("alpha", "rho"):
            if self.run[option] != 0:
                raise ValueError(f"{self.name}: {option} is {self.run[option]!r}; AsyNG needs 0")
        if self.options["at"] or self.options["law"] != "runs":
            raise ValueError(
                f"{self.name}: at or law came; the average is over all rounds and runs"
            )

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        alone = not self.problem.stochastic
        ids = np.arange(runs.start, runs.start + 1 if alone else runs.stop)
        x, w = np.repeat(self.start, len(ids), axis=0), np.ones((len(ids), self.problem.clients))
        total: Floats = np.zeros(len(ids))
        rounds, eta, steps = self.options["rounds"], self.run["eta"], int(self.run["local_steps"])
        for t in range(rounds):
            total += squares(self.problem.mean_gradient(x.mean(axis=1)))
            half, z = x, x / w[:, :, None]
            for k in range(steps):
                if column == "recomputed":
                    z = half / w[:, :, None]
                sample = None if alone else self.problem.sample(seed, ids, t, k)
                half = half - eta * self.problem.stochastic_gradient(z, sample)
            P = self.topology.matrix(t, 0).toarray()
            x, w = np.einsum("ij,rjd->rid", P, half), w @ P.T
        values = total / rounds
        # the sum's own rounding, and 1e-9 for what rounding does to the models on the way
        room = (1e-9 + rounds * EPS) * float(values.max())
        return Observation((Row(values, label=f"T={rounds}", rounding=room),), alone)
