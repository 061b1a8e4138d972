"""The bound (4) falls with K_u: what of it (5) divides by K_u, and no more."""

import dataclasses

import pytest
import sympy as sp

from theorylab.statements import Check
from theorylab.statements.dfedpgp import _instances as made
from theorylab.statements.dfedpgp.rem1 import STATEMENT
from theorylab.verdicts import judge_check


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # one client, C = q = 0, no gap: sigma_u^2/(K_u L_u) and no more, but for F(ubar^1) at T = 1e5
    for name in ("noise", "one-batch"):
        assert found["printed", name].measured == pytest.approx(0.1, rel=1e-4)
    # what stands without K_u keeps the rest from falling as fast
    assert 0.1 < found["printed", "diverse"].measured < 1


def test_larger_gains_are_refuted(missed):
    content = STATEMENT.versions["printed"]
    windowed = dataclasses.replace(content, order=dataclasses.replace(content.order, window=True))
    statement = dataclasses.replace(STATEMENT, versions={"window": windowed})
    variants = {f"1/{k}": {"falls": sp.Rational(1, k)} for k in (11, 12, 16, 32, 64)}
    assert missed(statement, "window", variants) == set()


def test_a_first_loss_that_grows_with_the_steps_is_no_violation():
    # x = eta_u L_u K_u = 3/2: (1 - x/K)^K grows with K, and F(ubar^1) with it, from far away
    problem = {"name": "coupled-quadratic", "A": [[[1.0]]], "B": [[[1.0]]], "C": [[[0.0]]],
               "a": [[0.0]], "b": [[0.0]], "sigma_u": 1.0, "sigma_v": 0.0}  # fmt: skip
    steps = {f"algorithm.eta_{p}": f"dfedpgp_c_{p}/(steps_{p}*sqrt(at))" for p in "uv"}
    instance = {
        **made.IN_K_U,
        "problem": problem,
        "x0": [10.0, 0.0],
        "constants": {"dfedpgp_c_u": 3.0, "dfedpgp_c_v": 0.5},
        "sweep": {
            "parameter": "algorithm.steps_u",
            "values": [2, 20, 200],
            "set": {"at.0": "4", "rounds": "at + 1", **steps},
        },
    }
    found = judge_check(STATEMENT, "printed", Check("far", instance))
    assert found.measured > 1
    assert found.verdict == "INCONCLUSIVE"


def test_steps_that_fall_are_no_violation():
    sweep = {**made.MORE_STEPS_NOISE["sweep"], "values": [64, 16, 4, 1]}
    found = judge_check(STATEMENT, "printed", Check("f", {**made.MORE_STEPS_NOISE, "sweep": sweep}))
    assert found.measured == pytest.approx(10, rel=1e-4)  # 1/K_u, read backwards
    assert found.verdict == "INCONCLUSIVE"


def test_no_reading_is_called_false():
    assert [v.severity for v in STATEMENT.versions.values()] == [None]
