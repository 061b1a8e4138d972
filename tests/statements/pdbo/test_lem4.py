"""Lemma 4 is an identity, and each change of its formula is seen."""

import numpy as np
import pytest

from theorylab.experiments import hgp_identities as sides
from theorylab.kernels import Stream
from theorylab.statements import Check
from theorylab.statements.pdbo.lem4 import STATEMENT
from theorylab.verdicts import judge_check

CASES = [(name, check) for name, v in STATEMENT.versions.items() for check in v.checks]


@pytest.mark.parametrize(("version", "check"), CASES, ids=[f"{v} {c.name}" for v, c in CASES])
def test_every_check_gets_its_verdict(version, check):
    assert judge_check(STATEMENT, version, check, seeds=16).verdict == check.expect


def explicit(s, u, w, power=1, weight=None, shift=0, last=0):
    """Eq. (23) once more, with a fault."""
    M, made = s.terms, np.zeros((len(s.B), s.B.shape[2]))
    weight = 1 - s.alpha if weight is None else weight
    for i in range(M + 1 - last):
        sent = [np.einsum("rhn,rn->rh", s.B[:, i], part[i]) for part in (u, w)]
        made = made + s.alpha ** (M - i + power) * sent[0]
        made = made + weight * s.alpha ** (M - i + shift) * sent[1]
    return made


FAULTS = {
    "alpha^(M-i) for u": (sides, "explicit_v", lambda s, u, w: explicit(s, u, w, power=0)),
    "line 597's further alpha": (sides, "explicit_v", lambda s, u, w: explicit(s, u, w, shift=1)),
    "no 1 - alpha": (sides, "explicit_v", lambda s, u, w: explicit(s, u, w, weight=1.0)),
    "alpha for 1 - alpha": (
        sides, "explicit_v", lambda s, u, w: explicit(s, u, w, weight=s.alpha)
    ),
    "the sum ends at M - 1": (sides, "explicit_v", lambda s, u, w: explicit(s, u, w, last=1)),
    "u and w swapped": (sides, "explicit_v", lambda s, u, w: explicit(s, w, u)),
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
