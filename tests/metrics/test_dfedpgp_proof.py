"""The proof's left sides and its own symbols, against a plain loop over two clients."""

import pathlib
import runpy

import numpy as np
import pytest

HERE = runpy.run_path(str(pathlib.Path(__file__).with_name("_instances_dfedpgp.py")))
QUIET, quiet_round, rows = (HERE[name] for name in ("QUIET", "quiet_round", "rows"))
A, B, C, a, b = (np.array(x) for x in ((1, 2), (1, 0.5), (0.3, -0.2), (1, -1), (0, 2)))
P = np.array([[0.5, 1.0], [0.5, 0.0]])  # client 0 keeps half


def loss(u, v):
    return (A / 2 * (u - a) ** 2 + B / 2 * (v - b) ** 2 + C * (u - a) * (v - b)).mean()


def slope_u(u, v):
    return np.mean(A * (u - a) + C * (v - b))


def test_round_0_is_the_plain_loop_s():
    vs, us, _ = quiet_round()
    mean, later = us[0].mean(), (P @ us[3]).mean()
    slope = slope_u(mean, vs[-1])
    (away, *_), (body, *_), (heads, *_), (moved, *_) = (
        rows(name, **QUIET) for name in ("body_away", "body_descent", "head_descent", "heads_moved")
    )
    total = sum(((u - mean) ** 2).mean() for u in us[:-1])
    assert float(away.values[0]) == pytest.approx(total, rel=1e-12)
    assert float(body.values[0]) == pytest.approx(loss(later, vs[-1]) - loss(mean, vs[-1]))
    assert float(heads.values[0]) == pytest.approx(loss(mean, vs[-1]) - loss(mean, vs[0]))
    assert float(moved.values[0]) == pytest.approx(((vs[-1] - vs[0]) ** 2).mean(), rel=1e-12)
    for row in (away, body, heads):
        assert row.at["dfedpgp_body_gradient"] == pytest.approx(slope**2, rel=1e-12)
        assert row.at["dfedpgp_apart"] == pytest.approx(((us[0] - mean) ** 2).mean(), rel=1e-12)
    assert body.at["dfedpgp_body_away"] == pytest.approx(total, rel=1e-12)
    assert body.at["dfedpgp_moved_u"] == pytest.approx((later - mean) ** 2, rel=1e-12)


def test_heads_are_at_the_biased_the_debiased_and_the_mean_model():
    # round 1, where mu = (1.5, 0.5)
    vs, us, _ = quiet_round()
    u, v = P @ us[3], vs[-1]
    z = u / (P @ np.ones(2))
    row = rows("heads_moved", **QUIET)[1]
    for name, point in (("u", u), ("z", z)):
        square = ((B * (v - b) + C * (point - a)) ** 2).mean()
        assert row.at[f"dfedpgp_heads_at_{name}"] == pytest.approx(square, rel=1e-12)
    row = rows("head_descent", **QUIET)[1]
    square = ((B * (v - b) + C * (u.mean() - a)) ** 2).mean()
    assert row.at["dfedpgp_heads_at_mean"] == pytest.approx(square, rel=1e-12)


def test_a_local_step_is_told_client_by_client():
    vs, us, _ = quiet_round()
    places = rows("body_step", **QUIET)
    assert len(places) == 2 * 2 * 3  # rounds, clients, steps
    by_label = {row.label: row for row in places}
    for k in range(3):
        for i in range(2):
            row = by_label[f"t=0, i={i}, k={k}"]
            assert float(row.values[0]) == pytest.approx((us[k + 1][i] - us[0][i]) ** 2, rel=1e-12)
            assert row.at["dfedpgp_own_way"] == pytest.approx((us[k][i] - us[0][i]) ** 2, rel=1e-12)
            own = slope_u(us[0][i], vs[-1]) ** 2
            assert row.at["dfedpgp_own_gradient"] == pytest.approx(own, rel=1e-12)
    # round 1: z_i = u_i/mu_i
    row = by_label["t=1, i=1, k=2"]
    assert row.at["dfedpgp_own_z_way"] == pytest.approx(row.at["dfedpgp_own_way"] * 4, rel=1e-12)


def test_what_rounding_can_do_is_small_and_above_0():
    for name in ("body_step", "body_away", "body_descent", "heads_moved", "head_descent"):
        for row in rows(name, **QUIET):
            assert 0 < row.rounding < 1e-9, (name, row.label)
