"""Lemma 4 is an identity, and each change of its formula is seen."""

import numpy as np
import pytest

from theorylab.experiments.pdbo import identities as sides
from theorylab.statements.pdbo.lem4 import STATEMENT


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
def test_a_planted_fault_is_refuted(name, judged_with):
    assert judged_with(STATEMENT, FAULTS, name) == "VIOLATED"


@pytest.mark.parametrize("version", ["printed/line597", "printed/line603"])
def test_a_line_of_the_proof_is_off_by_its_misprint(version, judged):
    found = judged(STATEMENT)[version, "normal"]
    made = sides.HgpIdentities(**STATEMENT.versions[version].checks[0].instance)
    s = made.rounds(np.arange(found.runs), 0)
    _, w, _ = sides.recursion(s)
    a, M = s.alpha, int(found.place.removeprefix("M="))
    if version.endswith("597"):
        off = (1 - a) ** 2 * np.einsum("rhn,rn->rh", s.B[:, 0], w[0])
        assert found.measured == pytest.approx(np.abs(off).max(), rel=1e-12)
        return
    off = (1 - a) * np.einsum("rhn,rn->rh", s.B[:, M - 1], w[M] - w[M - 1])
    assert found.measured == pytest.approx(np.abs(off).max(), rel=1e-12)
