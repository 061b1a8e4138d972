"""Bounds that branch, or have a pole or a root, exactly where the numbers of an instance are.

Right values: gradient descent on quadratics in closed form, with the bound's branch by fractions.
"""

import math
from fractions import Fraction

import pytest
import sympy as sp

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import L, T, eta, f0, f_star, mu
from theorylab.verdicts import judge_check

GAP = f0 - f_star


def judged(bound, problem, step, rounds=3, relation="<="):
    version = Version({"bound": bound}, relation=relation)
    quantity = Quantity("suboptimality", "last")
    source = Source("textbook", "Theorem 1", "gradient descent")
    claim = Statement("bound.gd", source, quantity, {"claim": version}, "sgp")
    instance = {"topology": {"name": "complete"}, "clients": 1, "rounds": rounds, "x0": 1.0}
    instance |= {"problem": problem, "algorithm": {"eta": step}}
    return judge_check(claim, "claim", Check("own", instance))


def bowl(top, low):
    return {"name": "quadratic", "H": [[[top, 0.0], [0.0, low]]], "c": [[0.0, 0.0]]}


def drawn(top, low):
    return {"name": "quadratic", "dim": 3, "mu": low, "L": top}


def after(top, low, step, rounds):
    """f(x^T) - f* of a bowl."""
    shares = [(1 - Fraction(repr(step)) * Fraction(repr(h))) ** rounds for h in (top, low)]
    pairs = zip((top, low), shares, strict=True)
    return float(sum(Fraction(repr(h)) * share**2 / 2 for h, share in pairs))


CASES = [  # bound, problem, step, rounds, what the bound is by fractions, over f0 - f*
    (sp.Piecewise((GAP, eta * L <= 1), (GAP / 100, True)), bowl(10.0, 1.0), 0.1, 3, 1),
    (sp.Piecewise((GAP, eta * L <= 1), (GAP / 1000, True)), drawn(2.0, 0.1), 0.5, 3, 1),
    (GAP * (sp.floor(eta * T) - 2), bowl(0.01, 0.001), 0.3, 10, math.floor(Fraction(3)) - 2),
    (GAP * (4 - sp.ceiling(10 * eta)), bowl(0.01, 0.001), 0.3, 1, 1),
    (GAP * (4 - sp.ceiling(sp.Float(0.1) * T)), bowl(0.01, 0.001), 0.3, 30, 1),
    (GAP * sp.Max(0, 5 - sp.ceiling(L / mu)), drawn(2.0, 0.5), 0.1, 3, 5 - 4),
    (GAP * sp.Heaviside(1 - eta * L, 1), bowl(10.0, 1.0), 0.1, 1, 1),
    (GAP * (1 + sp.sign(1 - eta * L)), bowl(10.0, 1.0), 0.1, 1, 1),
    (GAP * (1 + sp.sqrt(1 - eta * L)), bowl(10.0, 1.0), 0.1, 3, 1),
    (GAP * (1 + sp.sqrt(1 - eta * L)), drawn(10.0, 0.1), 0.1, 3, 1),
    (GAP * (1 + (1 - eta * L) ** sp.Rational(3, 2)), bowl(10.0, 1.0), 0.1, 1, 1),
    (GAP * (1 + sp.sqrt(sp.log(1 / (eta * L)))), bowl(10.0, 1.0), 0.1, 3, 1),
]


@pytest.mark.parametrize(("bound", "problem", "step", "rounds", "times"), CASES)
def test_a_true_claim_at_its_edge_holds(bound, problem, step, rounds, times):
    found = judged(bound, problem, step, rounds)
    assert found.verdict == "HOLDS", found.reason
    known = found.constants
    gap = known["f0"]["value"] - known["f_star"]["value"]
    assert math.isclose(found.bound, times * gap, rel_tol=1e-6)


def test_a_false_claim_at_the_edge_is_violated():
    """The branch of the rationals is too small; that of float64 would be large enough."""
    small = sp.Piecewise((GAP / 1000, eta * L <= 1), (GAP, True))
    assert judged(small, bowl(10.0, 1.0), 0.1).verdict == "VIOLATED"
    assert after(10.0, 1.0, 0.1, 3) > 11 / 2 / 1000
    assert judged(GAP * (3 - sp.floor(eta * T)), bowl(0.01, 0.001), 0.3, 10).verdict == "VIOLATED"


def test_a_claim_from_below_is_judged_with_the_same_branch():
    least = sp.Piecewise((GAP / 1000, eta * L <= 1), (GAP, True))
    assert judged(least, bowl(10.0, 1.0), 0.1, relation=">=").verdict == "HOLDS"
    large = sp.Piecewise((GAP, eta * L <= 1), (GAP / 1000, True))
    assert judged(large, bowl(10.0, 1.0), 0.1, relation=">=").verdict == "VIOLATED"


@pytest.mark.parametrize(("top", "step"), [(10.0, 0.1), (49.0, 1 / 49), (7.0, 1 / 7), (3.0, "1/3")])
@pytest.mark.parametrize("relation", ["<=", ">="])
def test_at_a_pole_nothing_is_decided(top, step, relation):
    for bound in (GAP / (T * (1 - eta * L)), GAP / (eta * L - 1)):
        found = judged(bound, bowl(top, top / 10), step, relation=relation)
        assert found.verdict == "INCONCLUSIVE"
        assert "no finite number with the numbers that were asked for" in found.reason


def test_a_float_that_may_be_on_either_side_of_a_branch_decides_only_what_both_sides_say():
    third = 1 / 3  # a third, or an ulp beside it: floor(eta T) is 0 or 1
    problem = bowl(0.3, 0.01)
    open_one = judged(GAP * sp.floor(eta * T), problem, third)
    assert open_one.verdict == "INCONCLUSIVE"
    assert "those that were asked for" in open_one.reason
    assert judged(GAP * (1 + sp.floor(eta * T)), problem, third).verdict == "HOLDS"
    assert judged(GAP * (1 + sp.floor(eta * T)) / 1000, problem, third).verdict == "VIOLATED"
