"""Lemma 2 is an identity, and each change of its formula is seen."""

import numpy as np
import pytest

from theorylab.experiments import _hgp_terms as formulas
from theorylab.experiments import hgp_identities as sides
from theorylab.kernels import Stream
from theorylab.statements import Check
from theorylab.statements.pdbo.lem2 import STATEMENT
from theorylab.verdicts import judge_check

CASES = [(name, check) for name, v in STATEMENT.versions.items() for check in v.checks]


@pytest.mark.parametrize(("version", "check"), CASES, ids=[f"{v} {c.name}" for v, c in CASES])
def test_every_check_gets_its_verdict(version, check):
    assert judge_check(STATEMENT, version, check, seeds=16).verdict == check.expect


def explicit(s, start=1, keep=True, swapped=False, shorter=0, backwards=False):
    """Eq. (20) once more, with a fault."""
    M, eye = s.terms, np.eye(len(s.c))
    keep_weight, new_weight = (1 - s.beta, s.beta) if swapped else (s.beta, 1 - s.beta)
    made = formulas.product(s.D, 0, M - 1) if keep else s.blank(len(s.c))
    for i in range(start, M + 1):
        chain = formulas.product(s.A[:, ::-1] if backwards else s.A, 0, i - 1 - shorter)
        made = made + formulas.product(s.D, i, M - 1) @ (keep_weight * eye + new_weight * chain)
    return made @ s.c


def test_without_a_fault_it_is_the_formula_that_is_judged():
    s = sides.HgpIdentities(terms=[4]).rounds(np.arange(3), 0)
    assert np.array_equal(explicit(s), formulas.explicit_w(s))


FAULTS = {
    "the sum starts at 2": (sides, "explicit_w", lambda s: explicit(s, start=2)),
    "no first product": (sides, "explicit_w", lambda s: explicit(s, keep=False)),
    "beta and 1 - beta swapped": (sides, "explicit_w", lambda s: explicit(s, swapped=True)),
    "one factor less": (sides, "explicit_w", lambda s: explicit(s, shorter=1)),
    "products in the other order": (sides, "explicit_w", lambda s: explicit(s, backwards=True)),
    "half of it": (sides, "explicit_w", lambda s: explicit(s) / 2),
}


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
