"""Growth along a sweep, on runs whose left side is a closed form."""

import numpy as np
import pytest

from theorylab.experiments import experiment
from theorylab.experiments._base import Row
from theorylab.experiments._slope import growth as slope
from theorylab.experiments._slope import lasting

# One client, f(x) = x^2 / 2 from x = 1 with step eta: x_t = (1 - eta)^t, gradient = x_t.
BASE = {
    "algorithm": {"name": "sgp", "eta": 0.5, "local_steps": 1},
    "problem": {"name": "quadratic", "dim": 1, "mu": 1.0, "L": 1.0, "heterogeneity": 0.0},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 64,
    "x0": 1.0,
    "measured": "squared_gradient",
    "over": "average",
    "sweep": "rounds",
    "values": [64, 128, 256, 512, 1024],
    "bracket": [[1.0, -1.0]],
}


def growth(**changed):
    found = experiment("rate", **{**BASE, **changed}).observe("growth", range(4), 0)
    assert found.exact
    (row,) = found.rows
    return float(row.values[0])


def expected(values, eta, bracket):
    """The mean of c^2 (1 - eta)^(2 t) over t < T is c^2 (1 - q^T) / (T (1 - q)), q = (1-eta)^2."""
    left = []
    for T in values:
        q = (1 - eta(T)) ** 2
        left.append((1 - q**T) / (T * (1 - q)) / bracket(T))
    x = np.log10(values)
    x = x - x.mean()
    return 10 ** float(x @ np.log10(left) / (x @ x))


def test_a_sum_over_T_over_T_has_no_growth_against_one_over_T():
    assert growth() == pytest.approx(1.0, abs=1e-9)  # 1 - q^T is 1 to 2^-128 from T = 64 on


def test_against_a_bracket_that_falls_too_fast_it_grows_by_the_missing_power():
    assert growth(bracket=[[1.0, -1.5]]) == pytest.approx(10**0.5, rel=1e-9)
    assert growth(bracket=[[1.0, -0.5]]) == pytest.approx(10**-0.5, rel=1e-9)


def test_a_coupled_step_size_follows_by_its_power():
    values = BASE["values"]
    found = growth(coupled={"algorithm.eta": -0.5}, bracket=[[2.0, -0.5], [1.0, -1.0]])
    exact = expected(values, lambda T: 0.5 * (T / 64) ** -0.5, lambda T: 2 * T**-0.5 + 1 / T)
    assert found == pytest.approx(exact, rel=1e-9)  # a slope over 1.2 decades keeps the digits


def test_only_the_last_values_are_fitted():
    values = [1, 2, 512, 1024, 2048]
    whole, tail = growth(values=values), growth(values=values, fit=3)
    assert tail == pytest.approx(1.0, abs=1e-9)
    assert whole == pytest.approx(expected(values, lambda T: 0.5, lambda T: 1 / T), rel=1e-9)


def test_an_option_of_the_problem_is_swept():
    # f = L x^2 / 2 with eta L fixed: the squared gradient is L^2 times that of L = 1.
    found = growth(
        sweep="problem.L",
        values=[1.0, 10.0, 100.0, 1000.0],
        problem={**BASE["problem"], "mu": 1.0},
        coupled={"algorithm.eta": -1.0, "problem.mu": 1.0},
        bracket=[[1.0, 2.0]],
    )
    assert found == pytest.approx(1.0, abs=1e-9)


def test_ratio_shows_every_point_of_the_sweep():
    found = experiment("rate", **BASE).observe("ratio", range(1), 0)
    assert found.axis == "sweep_value"
    assert [row.at["sweep_value"] for row in found.rows] == BASE["values"]
    np.testing.assert_allclose([row.values[0] for row in found.rows], 4 / 3, rtol=1e-12)


NOISY = {"name": "log-cosh", "dim": 1, "center": 1.0, "sigma": 0.2}


def sampled(runs, **changed):
    made = experiment("rate", **{**BASE, "problem": NOISY, **changed})
    (row,) = made.observe("growth", range(runs), 0).rows
    return float(row.values[0]), row.rounding


def test_a_sampled_growth_is_that_of_the_means_within_their_confidence_limits():
    few, wide = sampled(4)
    many, narrow = sampled(256)
    assert narrow < wide
    assert abs(few - many) <= wide + narrow
    # The growth of the mean, not the mean of the growths: the ratios' own means, fitted here.
    rows = experiment("rate", **{**BASE, "problem": NOISY}).observe("ratio", range(256), 0).rows
    x = np.log10([row.at["sweep_value"] for row in rows])
    slope = np.polyfit(x, np.log10([row.values.mean() for row in rows]), 1)[0]
    assert many == pytest.approx(10**slope, rel=1e-9)


def test_limits_that_say_nothing_leave_the_growth_open():
    assert sampled(1 + 1)[1] > 1.0  # two runs: no verdict can rest on that


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"values": [1, 2, 3]}, "at least four numbers > 0"),
        ({"values": [1, 2, 2, 3]}, "need an increasing list"),
        ({"fit": 2}, "fit is 2; need 0, or 3"),
        ({"bracket": [[0.0, 1.0]]}, "bracket is"),
        ({"sweep": "steps"}, "'steps' cannot be swept"),
        ({"coupled": {"algorithm.lr": 1.0}}, "algorithm.lr is coupled, but has no base value"),
        ({"problem": {"dim": 1}}, "problem has no name"),
    ],
)
def test_bad_options_are_one_line(changed, line):
    with pytest.raises(ValueError, match=f"^rate: [^\n]*{line}"):
        experiment("rate", **{**BASE, **changed})


def test_a_left_side_of_zero_has_no_growth():
    at_the_optimum = experiment("rate", **{**BASE, "x0": 0.0})
    with pytest.raises(ValueError, match="the left side is 0 at rounds=64"):
        at_the_optimum.observe("growth", range(1), 0)


def test_along_clients_what_the_order_hides_must_not_move():
    data = {**BASE, "sweep": "clients", "values": [2, 4, 8, 16], "bracket": [[1.0, 0.0]]}
    assert growth(**data) == pytest.approx(1.0, abs=1e-9)  # every client has the same loss
    drawn = {**BASE["problem"], "heterogeneity": 1.0}
    made = experiment("rate", **{**data, "problem": drawn})
    with pytest.raises(ValueError, match=r"^rate: [^\n]* is [^\n]* with 2 clients and [^\n]*need"):
        made.observe("growth", range(1), 0)


def test_a_growth_that_sets_in_at_the_end_is_not_hidden_by_a_fall_before():
    rows = [Row(np.array([ratio]), rounding=0.0) for ratio in (100.0, 10.0, 1.0, 5.0)]
    row = slope("here", "T", [1, 10, 100, 1000], rows, 0)
    # fitted: (3 (log 5 - 2) + (0 - 1)) / 10 = -.49 a decade; the last step: a factor of 5
    assert row.values[0] == pytest.approx(10 ** ((3 * (np.log10(5) - 2) - 1) / 10), rel=1e-14)
    assert row.most == pytest.approx(5.0, rel=1e-14)
    assert row.least == pytest.approx(row.values[0], rel=1e-14)


def test_a_growth_that_fades_is_only_shown_as_far_as_its_last_step():
    at = np.arange(4.0)
    assert lasting(at, np.array([0.0, 3.0, 4.0, 4.5])) == pytest.approx(0.5, rel=1e-15)
    # one that steepens keeps the fitted slope: (3 (y4 - y1) + y3 - y2) / 10
    assert lasting(at, np.array([0.0, 0.5, 1.0, 4.0])) == pytest.approx(1.25, rel=1e-15)


def least(**changed):
    (row,) = experiment("rate", **{**BASE, **changed}).observe("growth", range(1), 0).rows
    return float(row.values[0]), row.least


def test_a_growth_is_no_evidence_while_the_ratio_is_below_what_the_order_may_hide():
    # f(x^0) - f^* = 1/2, eta K T = 32: it may hide 1/32 over 64^-1.5, that is 16; 42 comes
    found, lower = least(bracket=[[1.0, -1.5]])
    assert lower == pytest.approx(found, rel=1e-12)
    # with steps of 1e-6 nothing moves in 1024 rounds, so the left side is 1 and the ratio rises
    # as sqrt T: to 32, where 1/(1e-6 64) over 64^-.5 may be hidden
    slow = {**BASE["algorithm"], "eta": 1e-6}
    found, lower = least(algorithm=slow, bracket=[[1.0, -0.5]])
    assert (found, lower) == (pytest.approx(10**0.5, rel=1e-2), 0.0)


def test_a_short_last_step_carries_the_rounding_of_its_two_ends():
    values = [1.0, 10.0, 100.0, 1000.0, 1100.0]
    rows = [Row(np.array([v]), rounding=0.01 * v) for v in values]
    # log10 of each end is off by -log10(.99), over log10 1.1 decades
    off = -2 * np.log10(0.99) / np.log10(1.1)
    row = slope("here", "value", values, rows, 0)
    assert row.values[0] == pytest.approx(10.0, rel=1e-9)
    assert row.least == pytest.approx(10 ** (1 - off), rel=1e-9)


def test_a_factor_that_is_no_float_is_one_line():
    rows = [Row(np.array([10.0**k]), rounding=0.0) for k in range(3)]
    with pytest.raises(ValueError, match=r"^here: value 1 .. 1 gives a factor of 10\^[^\n]*apart$"):
        slope("here", "value", [1.0, 1.0 + 1e-9, 1.0 + 2e-9], rows, 0)
