"""Lemma 5 is an identity of v^(M+1), and each change of its matrices is seen."""

import numpy as np
import pytest

from theorylab.experiments import _hgp_terms as formulas
from theorylab.kernels import Stream
from theorylab.statements import Check
from theorylab.statements.pdbo.lem5 import STATEMENT
from theorylab.verdicts import judge_check

CASES = [(name, check) for name, v in STATEMENT.versions.items() for check in v.checks]


@pytest.mark.parametrize(("version", "check"), CASES, ids=[f"{v} {c.name}" for v, c in CASES])
def test_every_check_gets_its_verdict(version, check):
    assert judge_check(STATEMENT, version, check, seeds=16).verdict == check.expect


def test_what_the_paper_does_not_claim_is_a_control():
    assert all(check.control for check in STATEMENT.versions["printed/m-terms"].checks)


L4, L5, R1, R3 = formulas.L4, formulas.L5, formulas.R1, formulas.R3
FAULTS = {
    "R_3 without its first term": (
        formulas, "R3", lambda s, i: R3(s, i) - s.alpha ** (s.terms - i + 1)
        * formulas.power(s.A_bar, i)
    ),
    "R_3 for i + 1": (formulas, "R3", lambda s, i: R3(s, i + 1)),
    "L_4 without its second sum": (
        formulas, "L4", lambda s, i: sum(
            s.alpha ** (s.terms - j + 1) * s.B[:, j] @ formulas.product(s.A, i + 1, j - 1)
            for j in range(i + 1, s.terms + 1)
        )
    ),
    "L_5 without beta": (formulas, "L5", lambda s, i: L5(s, i) / s.beta),
    "L_5 without 1 - alpha": (formulas, "L5", lambda s, i: L5(s, i) / (1 - s.alpha)),
    "L_4 and L_5 swapped": (formulas, "L4", L5),
    "R_1 for I": (formulas, "R1", lambda s, i: np.eye(len(s.c)) if i else R1(s, 1)),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_refuted(name, monkeypatch):
    place, attribute, fault = FAULTS[name]
    monkeypatch.setattr(place, attribute, fault)
    # A seed of its own: what was measured under another fault is not what is measured here.
    found = judge_check(
        STATEMENT,
        "printed",
        STATEMENT.versions["printed"].checks[0],
        seed=1 + list(FAULTS).index(name),
    )
    assert found.verdict == "VIOLATED"


def at_random(k):
    """alpha, beta, sizes and M of the k-th instance, the ends of [0, 1] among them."""
    draws = Stream(7, "problem").uniform(1, 1, 0, k, 4)[0, 0]
    alpha, beta = (min(1.0, max(0.0, 1.2 * u - 0.1)) for u in draws[:2])
    size, outputs = 1 + int(3 * draws[2]), 1 + int(3 * draws[3])
    return {
        "alpha": float(alpha), "beta": float(beta), "size": size, "outputs": outputs,
        "scale": float(4 * draws[3]), "terms": [1 + k % 5],
    }  # fmt: skip


def agree(count):
    for k in range(count):
        check = Check(str(k), at_random(k))
        found = judge_check(STATEMENT, "printed", check, seeds=2, seed=1000 + k)
        assert found.verdict == "HOLDS", at_random(k)


def test_twenty_random_instances_hold():
    agree(20)


@pytest.mark.slow
def test_two_hundred_random_instances_hold():
    agree(200)
