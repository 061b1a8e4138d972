"""Lemma 3 is an identity, and each change of its matrices is seen."""

import numpy as np
import pytest

from theorylab.experiments.pdbo import _terms as formulas
from theorylab.experiments.pdbo import identities as sides
from theorylab.statements.pdbo.lem3 import STATEMENT

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
def test_a_planted_fault_is_refuted(name, judged_with):
    assert judged_with(STATEMENT, FAULTS, name) == "VIOLATED"
