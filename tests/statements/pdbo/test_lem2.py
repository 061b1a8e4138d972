"""Lemma 2 is an identity, and each change of its formula is seen."""

import numpy as np
import pytest

from theorylab.experiments.pdbo import _terms as formulas
from theorylab.experiments.pdbo import identities as sides
from theorylab.statements.pdbo.lem2 import STATEMENT


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
def test_a_planted_fault_is_refuted(name, judged_with):
    assert judged_with(STATEMENT, FAULTS, name) == "VIOLATED"
