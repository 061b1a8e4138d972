"""Theorem 1 for independent clients: 1/m on the noise, and what it takes."""

import dataclasses

import pytest

from theorylab.statements import Check
from theorylab.statements.dfedpgp import _instances as made
from theorylab.statements.dfedpgp.thm1 import STATEMENT
from theorylab.symbols import n
from theorylab.verdicts import judge_check

VERSION = STATEMENT.versions["corrected/independent"]


def judged(instance, **fields):
    content = dataclasses.replace(VERSION, checks=(), **fields)
    wrong = dataclasses.replace(STATEMENT, versions={"corrected/independent": content})
    return judge_check(wrong, "corrected/independent", Check("x", instance))


def test_eight_clients_have_an_eighth_of_the_noise():
    one, eight = (judged(x) for x in (made.TIGHT_NOISE, made.NOISE_OF_EIGHT))
    assert eight.measured == pytest.approx(one.measured / 8, rel=1e-6)
    assert eight.ratio == pytest.approx(one.ratio, rel=1e-6)
    without = judge_check(STATEMENT, "corrected", Check("x", made.NOISE_OF_EIGHT))
    assert without.bound == pytest.approx(8 * eight.bound, rel=1e-6)


def test_one_draw_for_all_refutes_it_where_nothing_asks_for_independence():
    assumes = tuple(a for a in VERSION.assumes if "independent" not in a.name)
    assert len(assumes) == len(VERSION.assumes) - 1
    assert judged(made.ONE_DRAW).verdict == "ASSUMPTION_FAILS"
    # eight alike clients with one noise are one client, whose bound has no 1/8
    few = {**made.ONE_DRAW, **made.rows_at(100), "law": "sampled"}
    few = made.changed(few, eta_u=0.2)
    assert judged(few, assumes=assumes).verdict == "VIOLATED"


@pytest.mark.parametrize("fault", [1 / n, 0.49])
def test_a_smaller_noise_is_refuted(fault):
    terms = {**VERSION.terms, "u noise": VERSION.terms["u noise"] * fault}
    assert judged(made.NOISE_OF_EIGHT, terms=terms).verdict == "VIOLATED"


def test_the_two_agree_on_all_but_the_noise_of_u():
    other = STATEMENT.versions["corrected"].terms
    assert {k for k in other if VERSION.terms[k] != other[k]} == {"u noise"}
    assert VERSION.terms["u noise"] * n == other["u noise"]


@pytest.mark.parametrize("part", [range(20), pytest.param(range(20, 200), marks=pytest.mark.slow)])
def test_no_random_true_instance_is_called_violated(part, never_violated):
    held = never_violated(STATEMENT, "corrected/independent", part, **made.rows_at(1, 5, 60))
    assert held >= 0.5 * len(part)
