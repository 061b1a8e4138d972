"""Lemma 5 is an identity of v^(M+1), and each change of its matrices is seen."""

import numpy as np
import pytest

from theorylab.experiments.pdbo import _terms as formulas
from theorylab.statements.pdbo.lem5 import STATEMENT


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
def test_a_planted_fault_is_refuted(name, judged_with):
    assert judged_with(STATEMENT, FAULTS, name) == "VIOLATED"
