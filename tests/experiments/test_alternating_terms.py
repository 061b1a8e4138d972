"""The proof's terms against plain loops over every sign, and against the lemmas' experiment."""

import itertools

import numpy as np
import pytest

from theorylab.experiments import experiment

A, B, C, a, b = 1.0, 2.0, 0.4, [1.0, -2.0], [0.5, 3.0]
W = [[0.75, 0.25], [0.25, 0.75]]
U0, V0, SU, SV, ETA_U, ETA_V = [0.7, -0.1], [0.2, 0.4], 0.7, 0.9, 0.1, 0.2
PAIR = {
    "problem": {
        "name": "coupled-quadratic",
        "A": [[[A]]] * 2,
        "B": [[[B]]] * 2,
        "C": [[[C]]] * 2,
        "a": [[x] for x in a],
        "b": [[x] for x in b],
        "sigma_u": SU,
        "sigma_v": SV,
        "noise": "rademacher",
    },
    "topology": {"name": "edge-list", "edges": [[i, j, W[i][j]] for i in (0, 1) for j in (0, 1)]},
    "clients": 2,
    "algorithm": {"eta_u": ETA_U, "eta_v": ETA_V, "steps_u": 2, "steps_v": 2},
    "x0": [[U0[0], V0[0]], [U0[1], V0[1]]],
}
FLAT = {
    "problem": {"name": "rippled", "a": [[1.0], [2.0]], "b": [[0.0]] * 2},
    "topology": {"name": "complete"},
    "clients": 2,
    "algorithm": {},
}


def grad_u(i, u, v):
    return A * (u - a[i]) + C * (v - b[i])


def grad_v(i, u, v):
    return B * (v - b[i]) + C * (u - a[i])


def F(u, v):
    total = 0.0
    for i in range(2):
        x, y = u - a[i], v[i] - b[i]
        total += A / 2 * x * x + B / 2 * y * y + C * x * y
    return total / 2


def by_hand():
    """Means over all signs of one round, by column."""
    found = []
    bar = sum(U0) / 2
    for signs in itertools.product((-1, 1), repeat=8):
        draw = iter(signs)
        v = list(V0)
        for _ in range(2):
            v = [v[i] - ETA_V * (grad_v(i, U0[i], v[i]) + SV * next(draw)) for i in range(2)]
        path = [list(U0)]
        for _ in range(2):
            u = path[-1]
            path.append(
                [u[i] - ETA_U * (grad_u(i, u[i], v[i]) + SU * next(draw)) for i in range(2)]
            )
        new = sum(path[-1]) / 2  # mixing keeps the average
        mean = [sum(grad_u(j, x, v[j]) for j in range(2)) / 2 for x in (*U0, bar)]
        found.append(
            {
                "u_step": F(new, v) - F(bar, v),
                "v_step": F(bar, v) - F(bar, V0),
                "wander": sum((u - bar) ** 2 for us in path[:2] for u in us) / 2,
                "leap": (new - bar) ** 2,
                "slope": (mean[0] ** 2 + mean[1] ** 2) / 2,
                "head_push": sum(grad_v(i, bar, V0[i]) * (v[i] - V0[i]) for i in range(2)) / 2,
                "head_leap": sum((v[i] - V0[i]) ** 2 for i in range(2)) / 2,
                "spread": sum((u - bar) ** 2 for u in U0) / 2,
                "Delta_u": mean[2] ** 2,
                "Delta_v": sum(grad_v(i, U0[i], V0[i]) ** 2 for i in range(2)) / 2,
            }
        )
    return {name: np.mean([one[name] for one in found]) for name in found[0]}


def test_every_column_is_the_mean_over_all_signs():
    made, numbers = experiment("alternating-terms", **PAIR), by_hand()
    close = {"rel": 1e-11, "abs": 1e-14}  # means over 256 outcomes of numbers near 1
    for column in made.columns:
        (row,) = made.observe(column, range(1), 0).rows
        assert row.values[0] == pytest.approx(numbers[column], **close), column
        for name in ("Delta_u", "Delta_v", "spread", "wander", "leap", "head_leap"):
            assert row.at[f"dfedalt_{name}"] == pytest.approx(numbers[name], **close), name
        assert row.at["dfedalt_G"] == pytest.approx(numbers["slope"], **close)


def test_both_steps_are_the_round_s_descent():
    data = {**PAIR, "algorithm": {**PAIR["algorithm"], "rho": 0.3}}
    terms = experiment("alternating-terms", **data)
    u, v = (terms.observe(c, range(1), 0).rows[0].values[0] for c in ("u_step", "v_step"))
    whole = experiment("alternating-rounds", **data).observe("descent", range(1), 0)
    # differences of losses of size 5, sums of a few terms each
    assert u + v == pytest.approx(whole.rows[0].values[0], abs=1e-13)


def test_rounds_asked_for_alone_are_measured():
    data = {**FLAT, "rounds": 4, "at": [0, 3], "x0": 0.1}
    rows = experiment("alternating-terms", **data).observe("spread", range(1), 0).rows
    assert [row.label for row in rows] == ["t=0", "t=3"]


def test_what_leaves_float64_is_one_line():
    far = {"eta_u": 1e3, "steps_u": 100}
    huge = experiment("alternating-terms", **{**FLAT, "algorithm": far})
    with pytest.raises(ValueError, match="numbers leave float64"):
        huge.observe("leap", range(1), 0)
    problem = {**FLAT["problem"], "a": [[0.0]] * 2}  # where nothing moves: rounding alone grows
    still = experiment("alternating-terms", **{**FLAT, "problem": problem, "algorithm": far})
    with pytest.raises(ValueError, match="rounding may grow by"):
        still.observe("leap", range(1), 0)
    away = experiment("alternating-terms", **{**FLAT, "x0": [0.0, 1e200]})
    with pytest.raises(ValueError, match="numbers leave float64"):
        away.observe("head_leap", range(1), 0)
    with pytest.raises(ValueError, match="column is 'drift'"):
        huge.observe("drift", range(1), 0)
