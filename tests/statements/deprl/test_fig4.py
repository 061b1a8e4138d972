"""Figure 4: the gradient at the average does not feel the network, and M(k) does."""

import pathlib
import runpy

import pytest

from theorylab.statements.deprl import _instances as made
from theorylab.statements.deprl.fig4 import STATEMENT

LEFT = runpy.run_path(str(pathlib.Path(__file__).with_name("_left_side.py")))["left_side"]
NETWORKS = [{"name": "directed-ring", "self_loops": loops} for loops in (True, False)]


def sides(column, N, K):
    run = {"problem": made.SPEEDUP_RING["problem"], "clients": N, "x0": 2.0, "tau": 2}
    return [float(LEFT(column, K, topology=P, **run).values[0]) for P in NETWORKS]


@pytest.mark.parametrize("N", [3, 8])
def test_the_gradient_is_the_same_where_nothing_is_averaged(N):
    ring, alone = sides("gradient", N, 2000)
    assert alone == pytest.approx(ring, rel=1e-9)
    ring, alone = sides("distance", N, 2000)
    assert alone > 10 * ring


def test_the_gradient_is_the_noise_of_the_average():
    # phibar is an AR(1) process: curvature A = .05, beta^2 = N/K, noise of variance sigma^2/N
    N, K, A = 4, 4000, 0.05
    beta = (N / K) ** 0.5
    keep = (1 - beta * A) ** 2
    spread = beta**2 / N / (1 - keep)
    mean = spread * (1 - (1 - keep**K) / (K * (1 - keep)))
    start = 4.0 * (1 - keep**K) / (K * (1 - keep))
    assert sides("gradient", N, K)[0] == pytest.approx(A**2 * (mean + start), rel=1e-9)


def test_a_rate_that_does_not_stay_is_refuted(judged):
    found = judged(STATEMENT)
    assert {check for _, check in found} == {"ring", "complete", "nothing-averaged"}
    assert len({round(result.measured, 9) for result in found.values()}) == 1
