"""Lemma 3 of dfedpgp: how far the debiased shared parts are from their mean, exact for any T."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

from numpy.typing import NDArray

from theorylab.algorithms import State
from theorylab.known import Known
from theorylab.metrics._dfedpgp_terms import common, run_rooms, steps_of
from theorylab.metrics._squares import Squares
from theorylab.runs import Setting

Floats = NDArray[Any]


class Consensus(Squares, name="dfedpgp.consensus"):
    """(1/m) sum_i E||ubar^T - z_i^T||^2 (T, dfedpgp_gradient: E||grad_u F(ubar^T, V^{T+1})||^2).

    A row at T needs T + 1 rounds of the instance.
    """

    plain = (("1 / {n}", "U0 / w0 - bar(U0)"),)

    value = "apart"
    symbols: ClassVar[Mapping[str, str]] = {"dfedpgp_gradient": "slope"}
    average = False

    def __init__(self, setting: Setting, known: Mapping[str, Known]) -> None:
        super().__init__(setting, known)
        steps_of(self.name, setting)

    def vectors(self, before: State, after: State) -> dict[str, Floats]:
        mean = before.x.mean(axis=1, keepdims=True)
        away = (before.z - mean).reshape(len(mean), -1) / math.sqrt(self.setting.problem.clients)
        return {"apart": away, "slope": common(self.setting.problem, mean, after.v)}

    def off(self, before: State, after: State) -> dict[str, Any]:
        slope, model = run_rooms(self.setting, before, after)
        return {"apart": 2 * model, "slope": slope}


class MeanConsensus(Consensus, name="dfedpgp.mean_consensus"):
    """Its average over t < T (T, dfedpgp_mean_gradient: that of the squared gradients)."""

    symbols: ClassVar[Mapping[str, str]] = {"dfedpgp_mean_gradient": "slope"}
    average = True
