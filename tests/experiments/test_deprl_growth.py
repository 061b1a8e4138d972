"""Growth of DePRL's left side over Corollary 1's bracket, where it is known."""

import math

import numpy as np
import pytest

from theorylab.experiments import DeprlGrowth, experiment
from theorylab.experiments.deprl_growth import hidden
from theorylab.statements import Check
from theorylab.statements.deprl import cor1_consensus, cor1_rate
from theorylab.statements.deprl._instances import RATE_ROUNDS
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


def test_while_the_order_hides_it_growth_is_no_evidence():
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


def test_what_the_order_hides_by_hand():
    made = experiment("deprl-growth", **{**NOISE, "x0": [[0.0, 2.0], [2.0, 0.0]]})
    K = 10**6
    # f_0 - f^* = (1/2 + (4/2 + 0)/2) = 3/2 at the mean phi; L = sigma = m = tau = 1, varsigma = 0,
    # and S = 0 on the complete graph, so that the consensus term is of the order, too
    by_hand = (4 * 1.5 + 2 * 2 + 4 * (3 + 2 / math.sqrt(2))) / math.sqrt(2 * K)
    assert hidden(made.first.at.known, K) == pytest.approx(by_hand, rel=1e-9)


def lazy_pair(w):
    edges = [[0, 0, 1 - w], [0, 1, w], [1, 0, w], [1, 1, 1 - w]]
    return {**RATE_ROUNDS, "topology": {"name": "edge-list", "edges": edges}}


@pytest.mark.parametrize(("statement", "w"), [(cor1_rate, 1e-6), (cor1_consensus, 1e-8)])
def test_a_network_that_has_not_mixed_yet_refutes_nothing(statement, w):
    # S = (1-2w)/(2w), so the corrected corollary asks for N^3 S^4 = 1/(2 w^4) rounds: 5e23, 5e31.
    # Until 1/w rounds the noise piles up as K beta^2 = N, whatever K is.
    for version in ("printed", "corrected"):
        check = Check("lazy", lazy_pair(w))
        found = judge_check(statement.STATEMENT, version, check)
        assert found.verdict == "INCONCLUSIVE", found.reason
        assert "K is below what Corollary 1 asks for" in found.reason


def test_a_distance_below_what_was_proven_at_first_refutes_nothing():
    made = DeprlGrowth(**RATE_ROUNDS)
    level = hidden(made._at(10**8).at.known, 10**8)
    assert made._transient(0.99 * level, True).endswith(f"the order may hide {level:.3g}")
    assert made._transient(1.01 * level, True) == ""
    assert "the order may hide" in made._transient(0.99 * hidden(made.last.at.known, 10**12), False)
