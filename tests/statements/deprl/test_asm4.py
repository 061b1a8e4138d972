"""Assumption 4: both parts' variance, the printed letter, and too small a sigma."""

import pytest

from theorylab.experiments import experiment
from theorylab.statements import Check
from theorylab.statements.deprl import _instances as made
from theorylab.statements.deprl._symbols import sigma
from theorylab.statements.deprl.asm4 import STATEMENT
from theorylab.verdicts import judge_check

CONSTANT = {
    **made.PROBED,
    "problem": {"name": "sin-sin", "noise": "rademacher", "sigma_u": 0.4, "sigma_v": 0.4},
}


@pytest.mark.parametrize("version", ["corrected", "printed/theta"])
def test_less_than_sigma_squared_is_refuted_where_every_draw_has_that_length(version, planted):
    half = planted(STATEMENT, version, {"variance": sigma**2 / 2})
    found = judge_check(half, version, Check("planted", CONSTANT, "VIOLATED"))
    assert found.verdict == "VIOLATED"
    # every length is sigma^2 up to rounding
    assert found.measured == pytest.approx(0.16, rel=1e-12)


def test_the_letter_needs_parts_of_one_size():
    problem = {"name": "sin-sin", "dim_u": 3, "dim_v": 2, "sigma_u": 0.1}
    check = Check("sizes", {**made.PROBED, "problem": problem}, "ASSUMPTION_FAILS")
    found = judge_check(STATEMENT, "printed", check)
    assert found.verdict == "ASSUMPTION_FAILS"
    assert "phi has 3 coordinates, theta 2" in found.reason


@pytest.mark.parametrize("instance", [made.PROBED, made.PROBED_COUPLED])
def test_by_the_letter_points_further_out_exceed_any_sigma(instance):
    # E||g_theta - grad_phi F_i||^2 grows as the square of the distance
    means = []
    for reach in (1e3, 1e6):
        probes = experiment("deprl-heads", **{**instance, "reach": reach})
        rows = probes.observe("noise_letter", range(4), 0).rows
        means.append(min(float(row.values.mean()) for row in rows))
    assert means[1] / means[0] == pytest.approx(1e6, rel=0.1)
