"""Probes against plain formulas."""

import numpy as np
import pytest

from theorylab.experiments import experiment

SINES = {
    "problem": {"name": "sin-sin", "dim_u": 1, "dim_v": 1, "A": [[1.0]], "B": [[2.0]],
                "c": [0.5, -0.25, 0.75], "phases": [[0.1], [0.2], [0.3]],
                "a": [[1.0], [0.0], [2.0]], "b": [[0.0]] * 3},
    "topology": {"name": "path", "weights": "metropolis"},
    "clients": 3,
    "probes": 4,
}  # fmt: skip
c, phi, a = [0.5, -0.25, 0.75], [0.1, 0.2, 0.3], [1.0, 0.0, 2.0]


def grad_u(i, u, v):
    return u - a[i] + c[i] * np.cos(u) * np.sin(v + phi[i])


def test_diversity_with_a_u_each_and_with_one():
    made = experiment("alternating-probes", **SINES)
    x, _ = made.points(0)
    for own in (True, False):
        rows = made.observe("diversity_own" if own else "diversity", range(1), 0).rows
        for point, row in zip(x, rows, strict=True):
            u, v = point[:, 0], point[:, 1]
            total = 0.0
            for i in range(3):
                at = u[i] if own else u[0]
                every = [grad_u(j, at, v[j]) for j in range(3)]
                total += (every[i] - sum(every) / 3) ** 2 / 3
            assert row.values[0] == pytest.approx(total, rel=1e-12)
            assert row.rounding < 1.01e-9 * total  # a share for sums of up to 8e6 squares


def test_slopes_are_those_of_one_part_moved():
    made = experiment("alternating-probes", **SINES)
    x, y = made.points(0)
    rows = made.observe("slope_uv", range(1), 0).rows
    for i, row in enumerate(rows):
        slopes = [
            abs(grad_u(i, p[i, 0], p[i, 1]) - grad_u(i, p[i, 0], q[i, 1])) / abs(p[i, 1] - q[i, 1])
            for p, q in zip(x, y, strict=True)
        ]
        assert row.values[0] == pytest.approx(max(slopes), rel=1e-9)


def test_moduli_and_order_of_a_path():
    # W = [[2,1,0],[1,1,1],[0,1,2]]/3 has 1, 2/3, 0
    made = experiment("alternating-probes", **SINES)
    values = [r.values[0] for r in made.observe("modulus", range(1), 0).rows]
    assert values == pytest.approx([2 / 3, 0], abs=1e-15)
    (row,) = made.observe("order", range(1), 0).rows
    assert row.values[0] == pytest.approx(0, abs=1e-15)
    assert row.at["dfedalt_modulus"] == pytest.approx(2 / 3)
    powers = [r.values[0] for r in made.observe("powers", range(1), 0).rows]
    assert powers[:3] == pytest.approx([2 / 3, 4 / 9, 8 / 27], rel=1e-14)


def test_noise_is_the_variance_of_each_part():
    problem = {**SINES["problem"], "sigma_u": 0.5, "sigma_v": 2.0, "noise": "state", "length": 0.7}
    made = experiment("alternating-probes", **{**SINES, "problem": problem})
    x, _ = made.points(0)
    for part, column, sigma in (("u", 0, 0.5), ("v", 1, 2.0)):
        rows = made.observe(f"noise_{part}", range(1), 0).rows
        expected = (sigma * np.cos(x[..., column] / 0.7)) ** 2
        assert [r.values[0] for r in rows] == pytest.approx(expected.ravel().tolist(), rel=1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [({"probes": 0}, "probes is 0"), ({"powers": 0}, "powers is 0"), ({"reach": 0.0}, "reach")],
)
def test_a_wrong_option_is_one_line(change, message):
    with pytest.raises(ValueError, match=message):
        experiment("alternating-probes", **{**SINES, **change})


def test_noise_without_a_finite_law_and_one_client_are_refused():
    with pytest.raises(ValueError, match="rademacher"):
        experiment("alternating-probes", **SINES).observe("noise_u", range(1), 0)
    one = {"topology": {"name": "complete"}, "clients": 1,
           "problem": {"name": "coupled-quadratic"}}  # fmt: skip
    with pytest.raises(ValueError, match="lambda_2"):
        experiment("alternating-probes", **one).observe("modulus", range(1), 0)
