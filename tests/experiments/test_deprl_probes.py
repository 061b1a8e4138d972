"""The probes of DePRL's assumptions, each against a number known by hand."""

from fractions import Fraction

import numpy as np
import pytest

from theorylab.experiments import experiment

# Hessian blocks 1, 2 and .5 for all: slopes are known, and so is every difference of gradients.
QUADRATIC = {
    "problem": {
        "name": "coupled-quadratic",
        "A": [[[1.0]]] * 2,
        "B": [[[2.0]]] * 2,
        "C": [[[0.0]]] * 2,
        "a": [[1.0], [-1.0]],
        "b": [[3.0], [0.0]],
        "sigma_u": 0.5,
        "sigma_v": 0.25,
        "noise": "rademacher",
    },
    "topology": {"name": "complete"},
    "clients": 2,
}


def values(column, runs=range(1), **changed):
    found = experiment("deprl-probes", **{**QUADRATIC, **changed}).observe(column, runs, 0)
    return [row.values for row in found.rows]


def test_powers_are_exact_fractions():
    weights = [[Fraction(5, 8), Fraction(3, 8)], [Fraction(3, 8), Fraction(5, 8)]]
    edges = [[j, i, float(weights[i][j])] for i in range(2) for j in range(2)]
    found = values("mixing", topology={"name": "edge-list", "edges": edges}, powers=20)
    # |P^k - 1/2| = (1/4)^k / 2 for eigenvalue 5/8 - 3/8
    assert [float(v[0]) for v in found] == pytest.approx(
        [float(Fraction(1, 4) ** k / 2) for k in range(1, 21)], rel=0, abs=1e-15
    )


def test_slopes_are_at_most_the_blocks_and_near_them():
    for column, block in (("slope_phi", 1.0), ("slope_theta", 2.0)):
        tops = [float(v[0]) for v in values(column, probes=400)]
        # without coupling the slope is block |d own| / (|d phi| + |d theta|)
        assert all(0.9 * block < top <= block * (1 + 1e-9) for top in tops)


def test_every_draw_of_signs_has_its_length():
    for column, sigma in (("noise_phi", 0.5), ("noise_theta", 0.25)):
        for row in values(column, range(8)):
            np.testing.assert_allclose(row, sigma**2, rtol=1e-12)


def test_the_letter_of_assumption_4_is_the_other_gradient():
    found = experiment("deprl-probes", **QUADRATIC)
    x, _ = found.points(0)
    for i, row in enumerate(found.observe("noise_letter", range(64), 0).rows):
        phi, theta = x[0, i]
        gap = 2 * (theta - QUADRATIC["problem"]["b"][i][0]) - (
            phi - QUADRATIC["problem"]["a"][i][0]
        )
        for value in row.values:
            assert min(abs(value - (gap + s) ** 2) for s in (-0.25, 0.25)) < 1e-9


def test_means_over_all_signs_have_no_bias():
    for column in ("bias_phi", "bias_theta"):
        found = experiment("deprl-probes", **QUADRATIC).observe(column, range(1), 0)
        for row in found.rows:
            assert row.values[0] <= row.at["deprl_bias_room"]


def test_diversity_of_equal_curvatures_is_that_of_the_centers():
    # A (a_i - mean a) = -+1 at every probe
    np.testing.assert_allclose(np.concatenate(values("diversity")), 1.0, rtol=1e-12)


def test_all_heads_are_told_from_the_printed_sum():
    made = experiment("deprl-probes", **QUADRATIC)
    x, _ = made.points(0)
    for row, point in zip(made.observe("heads", range(1), 0).rows, x, strict=False):
        g = [2 * (point[i, 1] - QUADRATIC["problem"]["b"][i][0]) for i in range(2)]
        assert row.at["deprl_printed_heads"] == pytest.approx((sum(g) / 2) ** 2, rel=1e-12)
        assert row.at["deprl_all_heads"] == pytest.approx(sum(h * h for h in g) / 4, rel=1e-12)
        assert abs(float(row.values[0]) - row.at["deprl_all_heads"]) <= row.rounding


def test_differences_of_sines_are_within_what_a_wider_step_tells():
    # third derivatives of 50 near 0, where rounding hides less than they do
    zeros = {name: [[0.0]] * 2 for name in ("phases", "a", "b")}
    bent = {"name": "sin-sin", "A": [[1.0]], "B": [[1.0]], "c": [50.0, 50.0], **zeros}
    made = experiment("deprl-probes", **{**QUADRATIC, "problem": bent, "reach": 0.01})
    for column, exact in (("heads", "deprl_all_heads"), ("common_shift", "deprl_printed_heads")):
        for row in made.observe(column, range(1), 0).rows:
            error = abs(float(row.values[0]) - row.at[exact])
            assert error <= row.rounding < 1e-6 * float(row.values[0])


def test_a_common_shift_moves_every_head():
    made = experiment("deprl-probes", **QUADRATIC)
    x, _ = made.points(0)
    for row, point in zip(made.observe("common_shift", range(1), 0).rows, x, strict=False):
        g = [2 * (point[i, 1] - QUADRATIC["problem"]["b"][i][0]) for i in range(2)]
        assert abs(float(row.values[0]) - (sum(g) / 2) ** 2) <= row.rounding


def test_phi_is_common_and_heads_are_not():
    x, y = experiment("deprl-probes", **QUADRATIC).points(3)
    for points in (x, y):
        assert (points[:, 0, 0] == points[:, 1, 0]).all()
        assert (points[:, 0, 1] != points[:, 1, 1]).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [({"probes": 0}, "probes is 0"), ({"reach": 0.0}, "reach is 0.0"), ({"powers": 1.5}, "powers")],
)
def test_bad_options_are_one_line(change, message):
    with pytest.raises(ValueError, match=message):
        experiment("deprl-probes", **{**QUADRATIC, **change})


def test_a_bias_needs_a_noise_of_signs():
    gaussian = {**QUADRATIC["problem"], "noise": "gaussian"}
    with pytest.raises(ValueError, match="need"):
        values("bias_phi", problem=gaussian)


@pytest.mark.parametrize("name", ["deprl-probes", "dfedpgp-probes"])
def test_far_away_noise_is_not_told_from_rounding(name):
    # Gradients of size 1e13 are multiples of 1e-3: noise of 1e-7 is lost in them.
    loss = {"name": "sin-sin", "sigma_u": 1e-7, "sigma_v": 1e-7, "noise": "aligned", "seed": 1}
    options = {"problem": loss, "clients": 3, "reach": 1e13}
    if name == "deprl-probes":
        options["topology"] = {"name": "star"}
    made = experiment(name, **options)
    column = "noise_theta" if name == "deprl-probes" else "noise_v"
    for row in made.observe(column, range(64), 0).rows:
        assert row.values.mean() - row.rounding < 1e-14


def test_a_slope_between_points_that_rounding_moves_is_not_sure():
    loss = {"name": "coupled-quadratic", "a": [[1e6], [1e6]], "b": [[1e6], [1e6]],
            "A": [[[1.0]]] * 2, "B": [[[1.0]]] * 2, "C": [[[0.0]]] * 2}  # fmt: skip
    options = {"problem": loss, "topology": {"name": "complete"}, "clients": 2, "reach": 1e-9}
    for row in experiment("deprl-probes", **options).observe("slope_phi", range(1), 0).rows:
        assert row.values[0] - row.rounding <= 1.0
