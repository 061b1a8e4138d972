"""Corollary 1 with the proof's factors is Theorem 1."""

import pytest
from sympy import simplify, sqrt

from theorylab.statements.dfedsgpsm.cor1 import STATEMENT
from theorylab.statements.dfedsgpsm.thm1 import STATEMENT as THM1
from theorylab.symbols import T, alpha


def test_the_verdicts(judged):
    assert judged(STATEMENT)["printed/factors", "worked-example"].ratio > 2


def test_with_the_lost_term_it_is_theorem_1():
    explicit = STATEMENT.versions["printed/theorem-1"].bound
    assert simplify(explicit - THM1.versions["printed"].bound) == 0
    corrected = STATEMENT.versions["corrected"].bound
    assert simplify(corrected - THM1.versions["corrected"].bound) == 0


def test_planted_errors_are_refuted(missed):
    terms = STATEMENT.versions["corrected"].terms
    first = terms["optimisation"]
    variants = {
        "less than half": {name: term / 2.1 for name, term in terms.items()},
        "1 - alpha": terms | {"optimisation": first * (1 - alpha)},
        "1/T": terms | {"optimisation": first / sqrt(T)},
        "no first term": terms | {"optimisation": 0 * first},
        "a third": terms | {"optimisation": first / 3},
    }
    assert missed(STATEMENT, "corrected", variants) == set()


def test_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", 20) >= 1


@pytest.mark.slow
def test_two_hundred_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", 200) >= 1 * 9
