"""Sums over rounds that the path of push-sum is bound by, against a plain loop."""

import pathlib
import runpy

import numpy as np
import pytest

HERE = runpy.run_path(str(pathlib.Path(__file__).with_name("_instances_dfedpgp.py")))
QUIET, SIGNS, constants, quiet_round, rows = (
    HERE[name] for name in ("QUIET", "SIGNS", "constants", "quiet_round", "rows")
)


def test_push_sum_s_path_at_round_one():
    _, us, gu = quiet_round()
    half, P = us[3], np.array([[0.5, 1.0], [0.5, 0.0]])
    after, w = P @ half, P @ np.ones(2)
    found = rows("path", **QUIET)[2:]
    want = np.abs(after / w - after.mean())
    assert [float(r.values[0]) for r in found] == pytest.approx(list(want), rel=1e-12)
    moved = 0.05 * np.abs(sum(gu))
    q = constants(**QUIET)["q_row"].value
    assert found[0].at["dfedpgp_largest_sum"] == pytest.approx(q * moved.max(), rel=1e-12)


def test_the_sums_with_14_s_q_differ_by_that_q_alone():
    network = {"name": "directed-ring"}
    options = {**QUIET, "topology": network, "rounds": 3}
    known = constants(**options)
    ours, theirs = known["q_row"].value, known["q_dfedpgp"].value
    # ring of two: D = 2, Delta = 1, B = 1, K_u = 3
    assert theirs == pytest.approx((1 - 2 * 2.0**-4) ** 0.2, rel=1e-12)
    moved = 0.05 * np.abs(sum(quiet_round()[2]))
    for name, q in (("", ours), ("_eq14", theirs)):
        first, second = rows(f"memory{name}", **options)[::2]  # t = 1 and 2, client 0
        row = rows(f"path{name}", **options)
        # (18) leaves round 0 out, and (15) has it: both fade by q
        for t, memory in ((1, first), (2, second)):
            want = float(memory.values[0]) + q**t * moved[0]
            assert row[2 * t].at["dfedpgp_own_sum"] == pytest.approx(want, rel=1e-12)
        new = row[4].at["dfedpgp_own_sum"] - q * row[2].at["dfedpgp_own_sum"]
        assert float(second.values[0]) == pytest.approx(q * float(first.values[0]) + new, rel=1e-12)


def test_later_rounds_step_from_the_debiased_models():
    three = {**QUIET, "rounds": 3}
    (want,) = [row for row in rows("consensus", **three) if row.at["T"] == 2.0]
    mean = np.mean([float(row.values[0]) ** 2 for row in rows("path", **three)[-2:]])
    assert mean == pytest.approx(float(want.values[0]), rel=1e-12)
