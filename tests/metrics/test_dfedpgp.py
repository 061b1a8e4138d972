"""Lemma left sides at every round, against a plain loop over clients and outcomes."""

import itertools
import pathlib
import runpy

import numpy as np
import pytest

from theorylab.metrics import _dfedpgp_terms
from theorylab.runs import laws

HERE = runpy.run_path(str(pathlib.Path(__file__).with_name("_instances_dfedpgp.py")))
QUIET, SIGNS, constants, quiet_round, rows = (
    HERE[name] for name in ("QUIET", "SIGNS", "constants", "quiet_round", "rows")
)


def test_local_iterates_are_the_plain_loop_s():
    vs, us, gu = quiet_round()
    heads = [float(r.values[0]) for r in rows("head_drift", **QUIET)[:2]]
    assert heads == pytest.approx(list((vs[1] - vs[0]) ** 2), rel=1e-12)
    heads = [float(r.values[0]) for r in rows("head_drift_all", **QUIET)[:2]]
    assert heads == pytest.approx(list((vs[2] - vs[0]) ** 2), rel=1e-12)
    drift = rows("body_drift", **QUIET)[:2]
    assert [r.at["local_step"] for r in drift] == [1, 2]
    for k, row in enumerate(drift, start=1):
        assert float(row.values[0]) == pytest.approx(((us[k] - us[0]) ** 2).mean(), rel=1e-12)
    total = sum((g**2).mean() for g in gu)
    (row, _) = rows("square", **QUIET)
    assert row.at["dfedpgp_gradient_sum"] == pytest.approx(total, rel=1e-12)
    assert float(row.values[0]) == pytest.approx((us[3] - us[0]).mean() ** 2, rel=1e-12)


def test_the_gradient_of_f_at_every_z_averages_over_clients():
    vs, us, _ = quiet_round()
    A, C, a, b = (1, 2), (0.3, -0.2), (1, -1), (0, 2)
    squares = [
        np.mean([A[j] * (z - a[j]) + C[j] * (vs[-1][j] - b[j]) for j in range(2)]) ** 2
        for z in us[0]
    ]
    row = rows("body_drift", **QUIET)[0]
    assert row.at["dfedpgp_own_gradient"] == pytest.approx(np.mean(squares), rel=1e-12)


def test_a_law_of_signs_is_all_its_outcomes():
    # v: two steps with fresh signs, by hand
    cosine, total = np.cos, []
    for s, t in itertools.product((1, -1), repeat=2):
        one = 0.7 - 0.1 * (0.7 + 0.25 * s * cosine(0.7))
        two = one - 0.1 * (one + 0.25 * t * cosine(one))
        total.append((two - 0.7) ** 2)
    (row,) = rows("head_drift_all", **SIGNS)
    assert float(row.values[0]) == pytest.approx(np.mean(total), rel=1e-12)
    one_batch = {**SIGNS, "algorithm": {**SIGNS["algorithm"], "batch": "per-round"}}
    total = []
    for s in (1, -1):
        one = 0.7 - 0.1 * (0.7 + 0.25 * s * cosine(0.7))
        total.append((one - 0.1 * (one + 0.25 * s * cosine(one)) - 0.7) ** 2)
    (row,) = rows("head_drift_all", **one_batch)
    assert float(row.values[0]) == pytest.approx(np.mean(total), rel=1e-12)


def test_the_descent_s_parts_add_up_to_taylor_s_formula_for_one_quadratic():
    alone = {**SIGNS, "problem": {**SIGNS["problem"], "sigma_u": 0.0, "sigma_v": 0.0}}
    alone["problem"].pop("noise")
    (row,) = rows("descent", **alone)
    # curvature 1 in both parts, no coupling: the expansion ends there
    taylor = (
        row.at["dfedpgp_linear_part"] + (row.at["dfedpgp_moved_u"] + row.at["dfedpgp_moved_v"]) / 2
    )
    assert float(row.values[0]) == pytest.approx(taylor, rel=1e-12)


def test_one_minibatch_a_round_is_biased_and_one_a_step_is_not():
    one_batch = {**SIGNS, "algorithm": {**SIGNS["algorithm"], "batch": "per-round"}}
    biased = {r.label: float(r.values[0]) for r in rows("bias", **one_batch)}
    assert biased["t=0, v, k=0, i=0"] < 1e-16 < 1e-3 < biased["t=0, v, k=1, i=0"]
    assert max(float(r.values[0]) for r in rows("bias", **SIGNS)) < 1e-15


def test_the_gradient_at_z_the_head_product_and_the_memory_are_the_plain_loop_s():
    vs, us, _ = quiet_round()
    A, B, C, a, b = (1, 2), (1, 0.5), (0.3, -0.2), (1, -1), (0, 2)
    at = [
        np.mean([A[j] * (z - a[j]) + C[j] * (vs[-1][j] - b[j]) for j in range(2)]) ** 2
        for z in (*us[0], 0.5)
    ]
    found = rows("gradient_at_z", **QUIET)[:2]
    assert [float(r.values[0]) for r in found] == pytest.approx(at[:2], rel=1e-12)
    assert [r.at["dfedpgp_own_apart"] for r in found] == [0.25, 0.25]
    assert found[0].at["dfedpgp_gradient"] == pytest.approx(at[2], rel=1e-12)
    v = vs[0]
    h = np.array([B[i] * (v[i] - b[i]) + C[i] * (0.5 - a[i]) for i in range(2)])
    own = np.array([B[i] * (v[i] - b[i]) + C[i] * (us[0][i] - a[i]) for i in range(2)])
    row = rows("head_product", **QUIET)[0]
    assert float(row.values[0]) == pytest.approx((h * (vs[2] - v)).mean(), rel=1e-12)
    want = {
        "heads_at_mean": (h**2).mean(), "heads_at_u": (own**2).mean(), "apart": 0.25,
        "heads_at_z": (own**2).mean(),  # mu_i is 1 in round 0
        "moved_v": ((vs[2] - v) ** 2).mean(), "head_walk": ((vs[1] - v) ** 2).mean(),
    }  # fmt: skip
    for name, value in want.items():
        assert row.at[f"dfedpgp_{name}"] == pytest.approx(value, rel=1e-12)
    P = np.array([[0.5, 1.0], [0.5, 0.0]])
    u, w, v = P @ us[3], P.sum(axis=1), vs[2]
    for _ in range(2):
        v = v - 0.1 * (np.array(B) * (v - b) + np.array(C) * (u / w - a))
    row = rows("head_product", **QUIET)[1]
    at_z = np.array(B) * (vs[2] - b) + np.array(C) * (u / w - a)
    assert row.at["dfedpgp_heads_at_z"] == pytest.approx((at_z**2).mean(), rel=1e-12)
    later = []
    for _ in range(3):
        later.append(np.array(A) * (u / w - a) + np.array(C) * (v - b))
        u = u - 0.05 * later[-1]
    found = rows("memory", **QUIET)  # of t = 1, from round 1 on
    want = list(0.05 * np.abs(sum(later)))
    assert [float(r.values[0]) for r in found] == pytest.approx(want, rel=1e-12)
    for name in ("last", "largest"):
        top = max(abs(g[0]) for g in later)
        assert found[0].at[f"dfedpgp_{name}_gradient"] == pytest.approx(top, rel=1e-12)


def test_a_metric_that_reads_the_wrong_iterate_fails_these_tests(monkeypatch):
    of = _dfedpgp_terms.Played.of

    def late(before, steps, after):
        p = of(before, steps, after)
        object.__setattr__(p, "us", [*p.us[1:], p.us[-1]])
        object.__setattr__(p, "vs", [*p.vs[1:], p.vs[-1]])
        return p

    monkeypatch.setattr(_dfedpgp_terms.Played, "of", staticmethod(late))
    for oracle in (
        test_local_iterates_are_the_plain_loop_s,
        test_a_law_of_signs_is_all_its_outcomes,
        test_the_gradient_at_z_the_head_product_and_the_memory_are_the_plain_loop_s,
    ):
        with pytest.raises(AssertionError):
            oracle()


def test_a_law_whose_chances_are_off_fails_these_tests(monkeypatch):
    chunks = laws.Enumeration.chunks

    def tilted(law):
        for chunk in chunks(law):
            tilt = 1 + 1e-9 * np.where(chunk.numbers % 2, -1, 1)
            yield laws.Chunk(law, chunk.numbers, chunk.weights * tilt)

    monkeypatch.setattr(laws.Enumeration, "chunks", tilted)
    for oracle in (
        test_a_law_of_signs_is_all_its_outcomes,
        test_one_minibatch_a_round_is_biased_and_one_a_step_is_not,
    ):
        with pytest.raises(AssertionError):
            oracle()
