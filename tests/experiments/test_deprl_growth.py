"""Growth of DePRL's left side over Corollary 1's bracket, where it is known."""

import math

import numpy as np
import pytest

from theorylab.experiments import experiment
from theorylab.statements import Check
from theorylab.statements.deprl import cor1_consensus, cor1_rate
from theorylab.statements.deprl._instances import RATE_RING_OF_FOUR, RATE_ROUNDS, scalars
from theorylab.verdicts import judge_check

# Nothing but the representation's noise: the left side is near beta L sigma^2 / (2 N).
NOISE = {
    "problem": {
        "name": "coupled-quadratic",
        "A": [[[1.0]]] * 2,
        "B": [[[1.0]]] * 2,
        "C": [[[0.0]]] * 2,
        "a": [[0.0]] * 2,
        "b": [[0.0]] * 2,
        "sigma_u": 1.0,
    },
    "topology": {"name": "complete"},
    "clients": 2,
    "algorithm": {"tau": 1},
    "sweep": "rounds",
    "values": [10**k for k in range(6, 11)],
}


def test_the_ratio_of_pure_noise_tends_to_a_quarter():
    made = experiment("deprl-growth", **NOISE)
    rows = made.observe("ratio", range(1), 0).rows
    # beta/(2N) = 1/(2 sqrt(NK)) over (1 + 1/tau)/sqrt(NK): 1/4, with beta = sqrt(N/K) to spare
    for row, K in zip(rows, NOISE["values"], strict=True):
        assert float(row.values[0]) == pytest.approx(0.25, rel=3 / math.sqrt(K))
    (growth,) = made.observe("growth", range(1), 0).rows
    assert float(growth.values[0]) == pytest.approx(1.0, abs=2e-3)


def test_a_steeper_bracket_grows_by_its_missing_power():
    found = experiment("deprl-growth", **{**NOISE, "exponent": 1.5}).observe("growth", range(1), 0)
    assert float(found.rows[0].values[0]) == pytest.approx(10**0.25, rel=2e-3)


def test_growth_is_numpy_s_slope_of_the_last_points():
    # unevenly spaced, and steep, so that the points used and their places both matter
    uneven = [10**4, 10**5, 10**6, 10**8, 10**9]
    made = experiment("deprl-growth", **{**NOISE, "values": uneven, "exponent": 1.5, "fit": 3})
    ratios = [float(r.values[0]) for r in made.observe("ratio", range(1), 0).rows][-3:]
    slope = np.polyfit([6.0, 8.0, 9.0], np.log10(ratios), 1)[0]
    (row,) = made.observe("growth", range(1), 0).rows
    assert float(row.values[0]) == pytest.approx(10**slope, abs=1e-10)
    assert made.constants()["deprl_decades"].value == pytest.approx(3)


@pytest.mark.parametrize("sweep", ["clients", "tau"])
def test_each_point_of_a_sweep_is_its_own_run(sweep):
    problem = {"name": "coupled-quadratic", "mu_u": 1.0, "L_u": 1.0, "coupling": 0.0}
    options = {
        **{**NOISE, "problem": problem, "clients": 3},
        **{"sweep": sweep, "values": [2, 4, 8, 16], "rounds": 100, "follow": 2.0},
    }
    rows = experiment("deprl-growth", **options).observe("ratio", range(1), 0).rows
    for row, value in zip(rows, options["values"], strict=True):
        n, tau = (value, 1) if sweep == "clients" else (3, value)
        K = 100 * (value // 2) ** 2
        alone = experiment(
            "deprl-measure",
            **{key: options[key] for key in ("problem", "topology")},
            clients=n,
            algorithm={"tau": tau},
            rounds=[K],
            corollary=True,
        )
        left = alone.observe("measure", range(1), 0).rows[0].values[0]
        bracket = 1 / math.sqrt(n * K) + 1 / (K * math.sqrt(n)) + 1 / (tau * math.sqrt(n * K))
        assert float(row.values[0]) == pytest.approx(float(left) / bracket, rel=1e-14)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sweep": "L"}, "sweep is 'L'"),
        ({"values": [1, 2, 3]}, "at least four"),
        ({"values": [1, 2, 4, 3]}, "increasing"),
        ({"fit": 2}, "fit is 2"),
        ({"exponent": 0.0}, "exponent is 0.0"),
        ({"follow": 1.0}, "follow came with"),
    ],
)
def test_bad_options_are_one_line(change, message):
    with pytest.raises(ValueError, match=message):
        experiment("deprl-growth", **{**NOISE, **change})


def test_a_left_side_of_zero_has_no_growth():
    still = {**NOISE, "problem": {**NOISE["problem"], "sigma_u": 0.0}}
    with pytest.raises(ValueError, match="0 within rounding"):
        experiment("deprl-growth", **still).observe("growth", range(1), 0)


def test_a_window_is_no_evidence_where_no_limit_is_proved():
    # curvature 1e-6: in 10^6 rounds of steps 1/sqrt(K) nothing moves, so the ratio grows as sqrt K
    flat = {
        **{"name": "coupled-quadratic", "A": [[[1e-6]]] * 2, "B": [[[1e-6]]] * 2},
        **{"C": [[[0.0]]] * 2, "a": [[1.0]] * 2, "b": [[1.0]] * 2},
    }
    # from 0: elsewhere the rounding of phi - phibar hides gradients of 1e-6 after so many rounds
    made = experiment("deprl-growth", **{**NOISE, "problem": flat, "x0": 0.0})
    (row,) = made.observe("growth", range(1), 0).rows
    assert float(row.values[0]) == pytest.approx(10**0.5, rel=0.2)
    assert row.least == 0.0
    # a control's bracket^2 is no claim of the paper, and grows beyond any constant
    (row,) = (
        experiment("deprl-growth", **{**NOISE, "exponent": 2.0}).observe("growth", range(1), 0).rows
    )
    assert row.least == pytest.approx(float(row.values[0]), rel=1e-2)


def lazy_pair(w):
    edges = [[0, 0, 1 - w], [0, 1, w], [1, 0, w], [1, 1, 1 - w]]
    return {**RATE_ROUNDS, "topology": {"name": "edge-list", "edges": edges}}


@pytest.mark.parametrize(("statement", "w"), [(cor1_rate, 1e-6), (cor1_consensus, 1e-8)])
def test_a_network_that_has_not_mixed_yet_refutes_nothing(statement, w):
    # until 1/w rounds the noise piles up as K beta^2 = N, whatever K is; then it does not
    for version in ("printed", "corrected"):
        check = Check("lazy", lazy_pair(w))
        found = judge_check(statement.STATEMENT, version, check)
        assert found.verdict == "INCONCLUSIVE", found.reason
        assert "no limit is proved here" in found.reason


@pytest.mark.parametrize("statement", [cor1_rate, cor1_consensus])
def test_a_curvature_however_small_leaves_the_ring_open(statement):
    # the walk stops once beta 1e-9 K is of order 1, at K of about 1e17: no window shows it
    ring = {**RATE_RING_OF_FOUR, "problem": scalars(4, 1e-9, 0.05, sigma_u=1.0)}
    found = judge_check(statement.STATEMENT, "printed", Check("curved", ring))
    assert found.verdict == "INCONCLUSIVE", found.reason


def test_where_a_limit_is_proved_a_window_that_does_not_show_it_holds_nothing():
    # heads from far away: their decay hides the walk in the first decades
    ring = {**RATE_RING_OF_FOUR, "x0": [[0.0, 1e6]] * 4, "values": [10, 100, 1000, 10**4], "fit": 0}
    (row,) = experiment("deprl-growth", **ring).observe("growth", range(1), 0).rows
    assert row.most >= math.sqrt(10)
