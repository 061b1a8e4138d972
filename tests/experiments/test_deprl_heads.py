"""Equation (8)'s gradients and Assumption 4's letter, each against a number known by hand."""

import numpy as np
import pytest

from theorylab.experiments import experiment

B = [3.0, 0.0]
QUADRATIC = {
    "problem": {"name": "coupled-quadratic", "A": [[[1.0]]] * 2, "B": [[[2.0]]] * 2,
                "C": [[[0.0]]] * 2, "a": [[1.0], [-1.0]], "b": [[b] for b in B],
                "sigma_u": 0.5, "sigma_v": 0.25, "noise": "rademacher"},
    "clients": 2,
}  # fmt: skip


def test_the_letter_of_assumption_4_is_the_other_gradient():
    made = experiment("deprl-heads", **QUADRATIC)
    x, _ = made.points(0)
    for i, row in enumerate(made.observe("noise_letter", range(64), 0).rows):
        phi, theta = x[0, i]
        gap = 2 * (theta - B[i]) - (phi - (1.0, -1.0)[i])
        for value in row.values:
            assert min(abs(value - (gap + s) ** 2) for s in (-0.25, 0.25)) < 1e-9


def test_all_heads_are_told_from_the_printed_sum_and_a_common_shift():
    made = experiment("deprl-heads", **QUADRATIC)
    x, _ = made.points(0)
    each, shift = (made.observe(column, range(1), 0).rows for column in ("heads", "common_shift"))
    for one, all_at_once, point in zip(each, shift, x, strict=False):
        g = 2 * (point[:, 1] - np.array(B))
        assert one.at["deprl_printed_heads"] == pytest.approx(g.mean() ** 2, rel=1e-12)
        assert one.at["deprl_all_heads"] == pytest.approx((g**2).sum() / 4, rel=1e-12)
        assert abs(float(one.values[0]) - one.at["deprl_all_heads"]) <= one.rounding
        assert abs(float(all_at_once.values[0]) - g.mean() ** 2) <= all_at_once.rounding


def test_differences_of_sines_are_within_what_a_wider_step_tells():
    # third derivatives of 50 near 0, where rounding hides less than they do
    zeros = {name: [[0.0]] * 2 for name in ("phases", "a", "b")}
    bent = {"name": "sin-sin", "A": [[1.0]], "B": [[1.0]], "c": [50.0, 50.0], **zeros}
    made = experiment("deprl-heads", problem=bent, clients=2, reach=0.01)
    for column, exact in (("heads", "deprl_all_heads"), ("common_shift", "deprl_printed_heads")):
        for row in made.observe(column, range(1), 0).rows:
            error = abs(float(row.values[0]) - row.at[exact])
            assert error <= row.rounding < 1e-6 * float(row.values[0])


def test_a_problem_without_heads_is_one_line():
    with pytest.raises(ValueError, match=r"^deprl-heads: log-cosh has no personal part"):
        experiment("deprl-heads", problem={"name": "log-cosh"}, clients=2)
