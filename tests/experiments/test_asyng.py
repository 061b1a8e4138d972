"""Both algorithms against plain loops written from lines 107 to 110 of the paper."""

import numpy as np
import pytest

from theorylab.experiments import AsyNG, experiment
from theorylab.problems import problem
from theorylab.topologies import topology

RUN = {
    "problem": {"name": "log-cosh", "dim": 2, "spread": 1.0, "seed": 4},
    "topology": {"name": "random-out", "degree": 1, "seed": 2},
    "clients": 3,
    "rounds": 4,
    "algorithm": {"eta": 0.3, "local_steps": 3},
    "x0": [[1.0, 0.0], [0.0, -2.0], [0.5, 0.5]],
}


def rows(column, runs=range(1), seed=0, **changed):
    return experiment("asyng", **{**RUN, **changed}).observe(column, runs, seed)


def by_hand(one_point, sigma=0.0, run=0, seed=0):
    p = problem("log-cosh", 3, dim=2, spread=1.0, seed=4, sigma=sigma)
    net = topology("random-out", 3, degree=1, seed=2)
    x, w, total = np.array(RUN["x0"]), np.ones(3), 0.0
    for t in range(4):
        xbar = x.mean(axis=0)
        total += np.sum(p.gradient(np.tile(xbar, (1, 3, 1)))[0].mean(axis=0) ** 2)
        half = x.copy()
        for k in range(3):
            xi = p.sample(seed, np.array([run]), t, k)
            for i in range(3):
                z = (x if one_point else half)[i] / w[i]
                g = p.stochastic_gradient(np.tile(z, (1, 3, 1)), xi)[0, i]
                half[i] = half[i] - 0.3 * g
        P = net.matrix(t, 0).toarray()
        x, w = P @ half, P @ w
    return total / 4


@pytest.mark.parametrize("column", AsyNG.columns)
def test_a_run_is_the_papers_loops(column):
    found = rows(column)
    assert found.exact
    assert found.rows[0].values == pytest.approx(by_hand(column == "one_point"), rel=1e-12)


@pytest.mark.parametrize("column", AsyNG.columns)
def test_runs_with_noise_are_one_by_one_the_loops(column):
    found = rows(column, range(1, 3), 5, problem={**RUN["problem"], "sigma": 0.5})
    assert not found.exact
    expected = [by_hand(column == "one_point", 0.5, run, 5) for run in (1, 2)]
    assert found.rows[0].values == pytest.approx(expected, rel=1e-12)


def test_with_one_local_step_they_are_one_algorithm():
    one = {"eta": 0.3, "local_steps": 1}
    first, second = (rows(c, algorithm=one).rows[0].values[0] for c in AsyNG.columns)
    assert first == second
    first, second = (rows(c).rows[0].values[0] for c in AsyNG.columns)
    assert first != second


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"algorithm": {"eta": 0.1, "alpha": 0.5}}, "alpha is 0.5; AsyNG needs 0"),
        ({"algorithm": {"eta": 0.1, "rho": 0.5}}, "rho is 0.5; AsyNG needs 0"),
        ({"at": [1]}, "at or law came"),
        ({"law": "exact"}, "at or law came"),
    ],
)
def test_what_is_not_asyng_is_one_line(changed, line):
    with pytest.raises(ValueError, match=f"^asyng: [^\n]*{line}"):
        rows("recomputed", **changed)
