"""More rounds than anybody can run: VACUOUS, with the power of ten."""

import dataclasses

import pytest
import sympy as sp

from theorylab.known import How, Known
from theorylab.statements import BUILT_IN, Assumption
from theorylab.symbols import L, T, n
from theorylab.verdicts import judge_check
from theorylab.verdicts.reach import out_of_reach


def at(value, how=How.EXACT, log10=None):
    return {L: Known(value, how, "test", log10_value=log10), n: Known(2.0, How.EXACT, "test")}


def asking(rounds):
    return [Assumption("many rounds", rule=rounds <= T, asks=rounds)]


def test_only_more_than_10_to_the_18_is_out_of_reach():
    assert out_of_reach(asking(L), at(1e18)) == {}
    found = out_of_reach(asking(L), at(1.1e18))
    assert list(found) == ["many rounds"]
    assert "asks for 10^18.0 rounds" in found["many rounds"]


def test_a_number_that_no_float_holds_is_told_by_its_power():
    found = out_of_reach(asking(L), at(float("inf"), log10=873.04))
    assert "asks for 10^873.0 rounds" in found["many rounds"]


@pytest.mark.parametrize("constants", [at(1e30, How.UPPER), at(float("inf"))])
def test_what_is_only_an_upper_bound_or_undefined_is_not_out_of_reach(constants):
    assert out_of_reach(asking(L), constants) == {}


def test_an_assumption_without_a_number_of_rounds_is_none_of_this():
    assert out_of_reach([Assumption("large", rule=L <= T)], at(1e30)) == {}


def test_another_assumption_that_fails_comes_first():
    statement = BUILT_IN["deprl.cor1_speedup"]
    check = next(c for c in statement.versions["printed"].checks if c.name == "directed-ring")
    ring = {**check.instance, "problem": {**check.instance["problem"], "heterogeneity": 1.0}}
    found = judge_check(statement, "printed", dataclasses.replace(check, instance=ring))
    assert found.verdict == "ASSUMPTION_FAILS"
    assert found.reason.startswith("O(.)")


def test_free_symbols_hold_what_is_asked():
    assert Assumption("x", rule=sp.true, asks=10**L).free == {L}
