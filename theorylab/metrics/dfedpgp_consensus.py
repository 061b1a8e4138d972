"""Lemma 3 of dfedpgp: how far the debiased shared parts are from their mean, exact for any T."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from theorylab.algorithms import State
from theorylab.metrics._squares import Squares
from theorylab.problems import joined
from theorylab.runs.rounding import run_off

Floats = Any


class Consensus(Squares):
    """(1/m) sum_i E||ubar^T - z_i^T||^2 (T, dfedpgp_gradient: E||grad_u F(ubar^T, V^{T+1})||^2).

    A row at T needs T + 1 rounds of the instance.
    """

    name = "dfedpgp.consensus"
    value = "apart"
    symbols: ClassVar[Mapping[str, str]] = {"dfedpgp_gradient": "slope"}
    average = False

    def vectors(self, before: State, after: State) -> dict[str, Floats]:
        problem, n = self.setting.problem, self.setting.problem.clients
        mean = before.x.mean(axis=1, keepdims=True)
        slope = problem.gradient(joined(mean, after.v))[..., : problem.shared].mean(axis=1)
        away = (before.z - mean).reshape(len(mean), -1)
        return {"apart": away / math.sqrt(n), "slope": slope}

    def off(self, before: State, after: State) -> dict[str, float]:
        problem, options = self.setting.problem, self.setting.algorithm.options()
        mean = np.broadcast_to(before.x.mean(axis=1, keepdims=True), before.x.shape)
        points = [joined(u, v) for u in (before.x, before.z, mean) for v in (before.v, after.v)]
        steps = int(options["steps_u"] + options["steps_v"])
        slope, model = run_off(problem, points, before.t, steps)
        return {"apart": 2 * model, "slope": slope}


class MeanConsensus(Consensus):
    """Its average over t < T (T, dfedpgp_mean_gradient: that of the squared gradients)."""

    name = "dfedpgp.mean_consensus"
    symbols: ClassVar[Mapping[str, str]] = {"dfedpgp_mean_gradient": "slope"}
    average = True
