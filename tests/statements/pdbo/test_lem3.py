"""Lemma 3 is an identity, and each change of its matrices is seen."""

import numpy as np
import pytest

from theorylab.experiments import _hgp_terms as formulas
from theorylab.experiments import hgp_identities as sides
from theorylab.kernels import Stream
from theorylab.statements import Check
from theorylab.statements.pdbo.lem3 import STATEMENT
from theorylab.verdicts import judge_check

CASES = [(name, check) for name, v in STATEMENT.versions.items() for check in v.checks]


@pytest.mark.parametrize(("version", "check"), CASES, ids=[f"{v} {c.name}" for v, c in CASES])
def test_every_check_gets_its_verdict(version, check):
    assert judge_check(STATEMENT, version, check, seeds=16).verdict == check.expect


L1, L2, R1, power = formulas.L1, formulas.L2, formulas.R1, formulas.power
FAULTS = {
    "L_1 without beta": (formulas, "L1", lambda s, i, M: L1(s, i, M) / s.beta),
    "L_2 without 1 - beta": (formulas, "L2", lambda s, i, M: L2(s, i, M) / (1 - s.beta)),
    "L_1's product from i": (
        formulas, "L1", lambda s, i, M: s.beta * formulas.product(s.D, i, M - 1)
    ),
    "R_1 for i + 1": (formulas, "R1", lambda s, i: R1(s, i + 1)),
    "A-bar^(i+1)": (formulas, "power", lambda A, k: power(A, k + 1)),
    "L_2 and L_1 swapped": (formulas, "L1", L2),
}  # fmt: skip


def test_r1_is_the_partial_neumann_sum():
    s = sides.HgpIdentities(terms=[1], beta=0.3).rounds(np.arange(1), 0)
    for i in range(5):
        # at most 5 products of 4 columns, sizes of order 1
        np.testing.assert_allclose(R1(s, i), formulas.neumann(s.A_bar, i), rtol=0, atol=1e-13)


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
