"""Exact moments probed from ``step``, against the rounds played one by one and many runs."""

import dataclasses
from typing import ClassVar

import numpy as np
import pytest

from theorylab.algorithms import DFedPGP, algorithm
from theorylab.metrics import measured, metric
from theorylab.problems import CoupledQuadratic, problem
from theorylab.runs import Setting
from theorylab.topologies import topology

UNEVEN = [[0, 1], [1, 2], [2, 0], [0, 2], [0, 0], [1, 1], [2, 2]]
COUNTS = [1, 4, 9]


def setting(sigma=0.0, kind=None, rounds=10, **options):
    scalars = {"A": [[[1.5]], [[0.5]], [[1.0]]], "B": [[[1.0]], [[2.0]], [[0.5]]],
               "C": [[[0.2]], [[-0.1]], [[0.3]]], "a": [[1.0], [-1.0], [0.5]],
               "b": [[0.0], [2.0], [-1.0]], "sigma_u": sigma, "sigma_v": sigma}  # fmt: skip
    p = problem("coupled-quadratic", 3, **scalars)
    steps = {"eta_u": 0.05, "eta_v": 0.1, "steps_u": 3, "steps_v": 2, "batch": "per-step"}
    steps |= options
    run = algorithm("dfedpgp", **steps) if kind is None else kind(**steps)
    graph = topology("edge-list", 3, edges=UNEVEN, weights="uniform")
    return Setting(p, graph, run, {}, rounds, np.tile([1.0, -0.5], (3, 1)))


def rows(name, given, law, **options):
    kind = metric(f"dfedpgp.{name}")
    return measured(kind, given, {}, law=law, rounds=COUNTS, **options).rows


@pytest.mark.parametrize("name", ["consensus", "mean_consensus"])
def test_without_noise_moments_are_the_rounds_one_by_one(name):
    for one, other in zip(rows(name, setting(), "moments"), rows(name, setting(), "exact"),
                          strict=True):  # fmt: skip
        assert one.at["T"] == other.at["T"]
        # some 100 roundings of numbers of order 1
        assert one.values == pytest.approx(other.values, rel=1e-12)
        for symbol, value in other.at.items():
            if symbol != "T":  # never too small: rounding is in
                known = one.at[symbol]
                assert known.value == pytest.approx(value, rel=1e-11)
                assert known.lower <= value <= known.upper == known.value


@pytest.mark.parametrize("batch", ["per-round", "per-step"])
@pytest.mark.parametrize("name", ["consensus", "mean_consensus"])
def test_with_noise_moments_are_the_mean_of_many_runs(name, batch):
    given = setting(0.5, batch=batch)
    last = rows(name, given, "moments")[-1]
    kind = metric(f"dfedpgp.{name}")

    class Alone(kind):  # a sample has no expectations for a right side
        name = ""
        symbols: ClassVar = {}

    runs = measured(Alone, given, {}, law="sampled", runs=range(4000), rounds=COUNTS).rows[-1]
    # five standard errors: one false alarm in 1.7 million
    error = 5 * runs.values.std() / np.sqrt(len(runs.values))
    assert last.values[0] == pytest.approx(runs.values.mean(), abs=error)
    assert error < 0.2 * last.values[0]


def test_a_million_rounds_are_powers_of_one():
    given = dataclasses.replace(setting(0.5, rounds=10**6), topology=topology("directed-ring", 3))
    far = measured(metric("dfedpgp.consensus"), given, {}, law="moments").rows[0]
    near = dataclasses.replace(given, rounds=2000)
    settled = measured(metric("dfedpgp.consensus"), near, {}, law="moments").rows[0]
    assert far.values == pytest.approx(settled.values, rel=1e-9)  # both stationary
    # 8 N eps a round of the size of what is summed, N = 7 coordinates, some hundred times the value
    assert far.rounding < 1e-5 * far.values[0]


@dataclasses.dataclass(frozen=True)
class Clipped(DFedPGP):
    """A stranger's method that is affine near the start and clips far out."""

    limit: float = 1e3

    def step(self, state, context):
        after = super().step(state, context)
        return dataclasses.replace(after, v=np.clip(after.v, -self.limit, self.limit))


@dataclasses.dataclass(frozen=True)
class Late(DFedPGP):
    """A stranger's method that changes its steps after a while."""

    def step(self, state, context):
        if state.t < 5:
            return super().step(state, context)
        return DFedPGP(**{**self.options(), "eta_u": self.eta_u / 2}).step(state, context)


@pytest.mark.parametrize("limit", [1e-3, 1e3, 1e9])
def test_a_step_that_clips_is_not_affine(limit):
    given = setting(kind=lambda **steps: Clipped(**steps, limit=limit))
    with pytest.raises(ValueError, match="is not affine; need law 'sampled'"):
        rows("consensus", given, "moments")


def test_a_stranger_s_rounds_are_probed_one_by_one():
    for one, other in zip(rows("consensus", setting(kind=Late), "moments"),
                          rows("consensus", setting(kind=Late), "exact"), strict=True):  # fmt: skip
        assert one.values == pytest.approx(other.values, rel=1e-12)


class Bent(CoupledQuadratic):
    """A stranger's gradient on a problem whose parent's is affine."""

    def gradient(self, x):
        return super().gradient(x)


def test_a_problem_whose_gradient_is_overridden_has_no_moments():
    bent = dataclasses.replace(setting(), problem=Bent(3))
    with pytest.raises(ValueError, match="gradients of Bent are not affine"):
        rows("consensus", bent, "moments")
