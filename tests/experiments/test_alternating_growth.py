"""Growth against a closed form, and brackets by hand."""

import itertools

import numpy as np
import pytest

from theorylab.experiments import experiment

PROBLEM = {
    "name": "coupled-quadratic", "A": [[[2.0]]] * 2, "B": [[[4.0]]] * 2, "C": [[[0.0]]] * 2,
    "a": [[1.0], [-1.0]], "b": [[0.0], [0.0]], "sigma_u": 3.0, "sigma_v": 5.0,
}  # fmt: skip
PAIR = {"name": "edge-list", "edges": [[0, 0, 0.875], [1, 1, 0.875], [0, 1, 0.125], [1, 0, 0.125]]}
QUIET = {**PROBLEM, "a": [[0.0], [0.0]], "sigma_v": 0.0}  # sigma_u alone, from the minimum
DATA = {
    "problem": PROBLEM, "topology": PAIR, "algorithm": {"steps_u": 2, "steps_v": 3},
    "sweep": "rounds", "values": [100, 1000, 10000, 100000], "x0": 1.0, "bracket": "thm1",
}  # fmt: skip

# L_u = 2, L_v = 4, sigma_u^2 = 9, delta = 2, sigma_v^2 = 25, lambda = 3/4, F - F* = 1 + 2
S = 9 + 4
SLOW = 3 + 25 * 5 / 16
BY_HAND = {
    "thm1": lambda T: SLOW / T**0.5 + S / (2 * T * 0.0625),
    "thm2": lambda T: SLOW / T**0.5 + 2 / T + S / 16 * 2 / (T * 0.0625),
    "thm2-appendix": lambda T: SLOW / T**0.5 + 2 / T + S / 4 * 2 / (T * 0.0625 * 4),
    "corrected": lambda T: (3 + 25 / 12 + 9 / 8) / T**0.5 + 10 * (4 + 9 / 2) / (2 * T),
}


@pytest.mark.parametrize("bracket", list(BY_HAND))
def test_brackets_by_hand(bracket):
    made = experiment("alternating-growth", **{**DATA, "bracket": bracket})
    for T, run in zip(DATA["values"], made.made, strict=True):
        assert made._bracket(run) == pytest.approx(BY_HAND[bracket](T), rel=1e-12)


def test_the_coupling_enters_each_bracket():
    # delta is infinite with a linear coupling: the numbers are those of a sine's
    problem = {"name": "sin-sin", "dim_u": 1, "dim_v": 1, "coupling": 0.5, "seed": 1}
    found = {}
    for bracket in BY_HAND:
        data = {**DATA, "problem": problem, "bracket": bracket}
        made = experiment("alternating-growth", **data)
        at = {k: v.value for k, v in made.made[0].made.known.items()}
        S2, cross = at["dfedalt_delta"] ** 2, at["dfedalt_L_vu"] ** 2
        drop = at["dfedalt_F_start"] - at["dfedalt_F_star"]
        L_u, L_v, T = at["dfedalt_L_u"], at["dfedalt_L_v"], 100
        found[bracket] = (made._bracket(made.made[0]), S2, cross, drop, L_u, L_v, T)
    value, S2, cross, drop, L_u, L_v, T = found["thm1"]
    assert value == pytest.approx((drop + cross * S2 / L_u**2) / 10 + S2 / (L_u * T * 0.0625))
    by_hand = (
        (drop + S2 / L_v**2 * cross / 0.0625) / 10 + L_u / T + S2 / L_v**2 * L_u / (T * 0.0625)
    )
    assert found["thm2"][0] == pytest.approx(by_hand)
    by_hand = drop / 10 + (1 + cross / (L_u * L_v)) * 10 * S2 / (L_u * T)
    assert found["corrected"][0] == pytest.approx(by_hand)


def growth_of(ratios):
    # least squares over four equidistant points: (3 (y4 - y1) + y3 - y2) / 10
    return (ratios[3] ** 3 / ratios[0] ** 3 * ratios[2] / ratios[1]) ** 0.1


def test_with_one_term_growth_is_the_slope_of_the_ratios():
    made = experiment("alternating-growth", **{**DATA, "x0": 0.0, "problem": QUIET})
    ratios = [row.values[0] for row in made.observe("ratio", range(1), 0).rows]
    (row,) = made.observe("growth", range(1), 0).rows
    assert row.values[0] == pytest.approx(growth_of(ratios), rel=1e-9)


def test_growth_gives_every_term_the_power_of_c_of_its_proof():
    made = experiment("alternating-growth", **DATA)
    ratios = [row.values[0] for row in made.observe("ratio", range(1), 0).rows]
    (row,) = made.observe("growth", range(1), 0).rows
    # F - F* = 1 + 2, heads 25 * 5 / 16, S/(2/16); c = .1
    by_hand = [
        ratio * BY_HAND["thm1"](T) / (30 / T**0.5 + 12.5 / 16 / T**0.5 + 0.8 * S / T)
        for ratio, T in zip(ratios, DATA["values"], strict=True)
    ]
    assert row.values[0] == pytest.approx(growth_of(by_hand), rel=1e-9)


def test_where_one_term_takes_over_from_another_nothing_grows():
    # F - F* stays and the noise falls as 1/n: with equal constants the ratio goes from about that
    # before the noise to that before F - F*, 1/c^2 times as much, and no further
    problem = {
        **{"name": "coupled-quadratic", "dim_u": 1, "dim_v": 1, "coupling": 0.0},
        **{"mu_u": 1.0, "L_u": 1.0, "mu_v": 1.0, "L_v": 1.0, "heterogeneity": 0.0, "sigma_u": 1.0},
    }
    data = {
        **{"problem": problem, "topology": {"name": "complete"}, "algorithm": {}, "x0": 0.77},
        **{"sweep": "clients", "values": [2, 4, 8, 16, 32], "rounds": 64, "bracket": "corrected"},
    }
    made = experiment("alternating-growth", **data)
    ratios = [row.values[0] for row in made.observe("ratio", range(1), 0).rows]
    assert ratios[-1] / ratios[0] > 10 ** (1 / 20 * 1.2)  # over 1.2 decades
    assert made.observe("growth", range(1), 0).rows[0].values[0] < 10 ** (1 / 20)


def test_sweeps_reach_the_run():
    steps = experiment("alternating-growth", **{**DATA, "sweep": "steps_u", "values": [1, 2, 3, 4],
                                                "rounds": 100, "follow": 1.0})  # fmt: skip
    assert [run.made.steps["steps_u"] for run in steps.made] == [1, 2, 3, 4]
    assert [run.options["rounds"] for run in steps.made] == [[100], [200], [300], [400]]
    data = {**DATA, "topology": None, "sweep": "gap", "values": [2, 4, 8, 16], "rounds": 10}
    gaps = [run.made.known["dfedalt_lambda"].value for run in
            experiment("alternating-growth", **data).made]  # fmt: skip
    assert gaps == pytest.approx([1 / 2, 3 / 4, 7 / 8, 15 / 16], rel=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sweep": "d"}, "sweep is 'd'"),
        ({"bracket": "thm3"}, "bracket is 'thm3'"),
        ({"values": [1, 2, 3]}, "need four or more"),
        ({"fit": 2}, "fit is 2"),
        ({"follow": 1.0}, "follow came with"),
        ({"scale": 0.0}, "need > 0"),
        ({"topology": None}, "need a topology"),
    ],
)
def test_a_wrong_option_is_one_line(change, message):
    with pytest.raises(ValueError, match=message):
        experiment("alternating-growth", **{**DATA, **change})


def test_a_bracket_of_nothing_is_refused_in_one_line():
    made = experiment("alternating-growth", **{
        **DATA, "x0": 0.0, "problem": {**QUIET, "sigma_u": 0.0}, "bracket": "corrected",
    })  # fmt: skip
    with pytest.raises(ValueError, match="the bracket is 0"):
        made.observe("growth", range(1), 0)


def test_losses_that_change_along_a_sweep_are_refused_in_one_line():
    drawn = {"name": "coupled-quadratic", "dim_u": 1, "dim_v": 1, "heterogeneity": 0.3}
    data = {**DATA, "problem": drawn, "topology": {"name": "complete"}, "sweep": "clients"}
    with pytest.raises(ValueError, match="need the same losses at every value"):
        experiment("alternating-growth", **{**data, "values": [2, 4, 8, 16], "rounds": 100})


def test_a_sweep_of_the_curvature_scales_the_blocks():
    data = {**DATA, "sweep": "L_v", "values": [1, 2, 4, 8], "rounds": 100}
    made = experiment("alternating-growth", **data).made
    assert [run.made.known["dfedalt_L_v"].value for run in made] == [4, 8, 16, 32]
    assert [run.made.known["dfedalt_L_u"].value for run in made] == [2, 2, 2, 2]
    drawn = {"name": "coupled-quadratic", "dim_u": 1, "dim_v": 1}
    with pytest.raises(ValueError, match="came without B"):
        experiment("alternating-growth", **{**data, "problem": drawn})


def evidence(**changes):
    data = {**DATA, "problem": QUIET, "x0": 0.0, "values": [10**k for k in range(5, 10)], **changes}
    (row,) = experiment("alternating-growth", **data).observe("growth", range(1), 0).rows
    return row


@pytest.mark.parametrize("bracket", ["thm1", "thm2", "thm2-appendix"])
def test_where_the_limit_is_proved_a_growth_is_evidence(bracket):
    row = evidence(bracket=bracket)
    assert row.least == pytest.approx(10**0.5, rel=0.01)
    assert "proved: the ratio grows as sqrt T" in row.label


@pytest.mark.parametrize(
    "changes",
    [
        {"bracket": "corrected"},
        {"x0": 1.0},  # F - F* falls as 1/sqrt T, too
        {"problem": {**QUIET, "sigma_v": 1.0}},
        {"problem": {**QUIET, "sigma_u": 0.0}, "x0": 1.0},
        {"sweep": "steps_u", "values": [1, 2, 4, 8], "rounds": 10**5},
    ],
    ids=["corrected", "drop", "heads", "quiet", "along-steps"],
)
def test_elsewhere_a_window_is_none(changes):
    row = evidence(**changes)
    assert row.least == 0
    assert "no limit is proved here" in row.label


def test_sam_beside_noise_is_inside_its_enclosure():
    # every outcome of three rounds' signs, in plain NumPy
    c, rho0, T, L, sigma = 0.5, 0.3, 3, 2.0, 3.0
    eta, rho = c / (L * T**0.5), rho0 / T**0.5
    W = np.array([[0.875, 0.125], [0.125, 0.875]])
    total = {0.0: 0.0, rho: 0.0}
    for radius in total:
        for bits in itertools.product((-1, 1), repeat=2 * T):
            u, noise = np.array([0.4, 0.4]), sigma * np.array(bits).reshape(T, 2)
            for n in noise:
                total[radius] += L * u.mean() ** 2 / T / 4**T
                g = L * u + n
                u = W @ (u - eta * (L * (u + radius * np.sign(g)) + n))
    run = {
        "problem": {**QUIET, "noise": "rademacher"}, "topology": PAIR, "clients": 2,
        "x0": [0.4, 0.0], "rounds": [T], "scale": c,
    }  # fmt: skip
    rows = {
        r: experiment("alternating-measure", **run, algorithm={"rho": r * T**0.5})
        .observe("measure", range(1), 0).rows[0]
        for r in total
    }  # fmt: skip
    assert float(rows[0.0].values[0]) == pytest.approx(total[0.0], rel=1e-12)
    assert rows[rho].values[0] == rows[0.0].values[0]
    assert 0.05 * rows[rho].rounding < abs(total[rho] - total[0.0]) <= rows[rho].rounding
