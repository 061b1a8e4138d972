"""Rules that float64, 50 digits or sympy's products of decimals round are met at their edge.

Oracles: fractions, and numbers that are chosen so that both sides are one.
"""

import math
from dataclasses import replace
from fractions import Fraction

import pytest
import sympy as sp

from theorylab.exact import span
from theorylab.known import How, Known
from theorylab.statements import enclosed, resolved
from theorylab.symbols import R2, L, T, eta, mu
from theorylab.verdicts.relation import compared, numbers_of

K = sp.Symbol("k", integer=True)


def decided(rule, values):
    known = {s: Known(float(v), How.EXACT, "typed", asked=span(v)) for s, v in values.items()}
    return compared(rule, {s: numbers_of(k, k.value) for s, k in known.items()})


def test_a_step_computed_as_its_rule_reads_meets_the_rule():
    """Some of these 160 are an ulp above the rule, as its own float64 value is."""
    above = 0
    for top in (10.0, 3.0, 0.7, 1.1, 49.0, 1.0, 2.0, 5.0, 0.3, 7.0):
        for rounds in (3, 7, 20, 30):
            forms = [
                (1 / (2 * L * (1 + sp.sqrt(T))), 1 / (2 * top * (1 + math.sqrt(rounds)))),
                (sp.log(T) / (L * T), math.log(rounds) / (top * rounds)),
                (1 / (3 * L), 1 / top / 3),
                ((1 - 1 / sp.sqrt(T)) / L, (1 - 1 / math.sqrt(rounds)) / top),
            ]
            for rule, step in forms:
                values = {eta: step, L: top, T: rounds}
                found = decided(eta <= rule, values)
                assert found.holds is True, (rule, values, found)
                assert decided(rule >= eta, values).holds is True
                assert decided(eta <= rule, {**values, eta: step * (1 + 1e-14)}).holds is False
                if "exceeds" in found.text:
                    above += 1
                    assert not found.firm
                    assert found.text.endswith("the rounding of float64: it is met at its edge")
    assert above > 5


@pytest.mark.parametrize("rule", [sp.Eq(R2, 1), sp.Eq(eta, sp.sqrt(R2) / T), sp.Eq(1 / R2, 1)])
@pytest.mark.parametrize(
    ("off", "holds"), [(1e-9, None), (2e-11, None), (1e-12, True), (0.0, True)]
)
def test_an_equality_is_met_within_rounding_and_not_within_what_is_not_known(rule, off, holds):
    """R2 is what rounding leaves of it, or as wide as the ball that x* lies in."""
    known = {R2: Known(1.0, How.EXACT, "of a ball", lower=1 - off, upper=1 + off)}
    known |= {s: Known(v, How.EXACT, "typed", asked=span(v)) for s, v in ((eta, 0.25), (T, 4.0))}
    numbers = {s: numbers_of(k, k.value) for s, k in known.items() if s in rule.free_symbols}
    found = compared(rule, numbers)
    assert found.holds is holds
    if holds is None:
        assert not found.firm
        assert found.text.endswith("may be equal or not, as R2 is known between two ends alone")
    apart = replace(known[R2], value=1 + 3e-9, lower=1 + 3e-9 - off, upper=1 + 3e-9 + off)
    assert compared(rule, numbers | {R2: numbers_of(apart, apart.value)}).holds is False


def test_numbers_that_were_typed_meet_no_rule_that_they_break():
    assert decided(eta <= 1 / L, {eta: 0.333333333334, L: 3}).holds is False
    assert decided(eta <= 1 / L, {eta: 0.3333333333333334, L: 3}).firm is False


@pytest.mark.parametrize(("step", "rounds", "total"), [(0.1, 10, 1), (0.7, 10, 7), (0.3, 10, 3)])
def test_sums_have_no_rounding_of_the_last_digits(step, rounds, total):
    values, whole = {eta: step, T: rounds}, sp.Sum(eta, (K, 1, T))
    assert decided(whole <= total, values).text.endswith("are equal: it is met at its edge")
    assert decided(whole >= total, values).holds is True
    assert decided(sp.Eq(whole, total), values).holds is True
    assert decided(whole < total, values).holds is False  # as eta T < total does
    assert decided(whole <= total - sp.Rational(1, 10**30), values).holds is False
    harmonic = enclosed(sp.Sum(eta / K, (K, 1, T)), {s: span(v) for s, v in values.items()}, 192)
    exact = Fraction(repr(step)) * sum(Fraction(1, k) for k in range(1, rounds + 1))
    assert abs(Fraction(float(harmonic.mid())) - exact) < Fraction(1, 10**15)


def test_decimals_that_sympy_multiplied_are_what_was_written():
    values = {eta: 0.1, L: 10}
    for rule in (
        3 * (0.1 * L * eta) <= 0.3,
        0.1 * L * eta + 0.2 * L * eta <= 0.3,
        eta <= sp.Float(0.1) ** 2 * L,
        sp.Piecewise((0.1 * L, T > 1), (2, True)) <= 1,
        sp.Piecewise((0.1 * L, (T > 1) & sp.Not(sp.Eq(eta, 2))), (2, True)) <= 1,
    ):
        assert decided(rule, {**values, T: 3}).holds is True, rule
    assert decided(3 * (0.1 * L * eta) <= 0.3, {eta: 0.1000000001, L: 10}).holds is False
    assert decided(sp.Piecewise((0.1 * L, T > 1), (2, True)) <= 1, {L: 10, T: 1}).holds is False


def test_what_branches_is_decided_with_the_rationals():
    values = {eta: 0.3, T: 10, L: 10, mu: 0.1}
    spans = {s: span(v) for s, v in values.items()}
    whole = Fraction(3, 10) * 10
    assert resolved(sp.floor(eta * T), spans) == [math.floor(whole)]
    assert resolved(sp.ceiling(eta * T), spans) == [math.ceil(whole)]
    assert resolved(sp.ceiling(eta * T), spans, as_run=True) == [math.ceil(Fraction(0.3) * 10)]
    assert resolved(sp.Mod(eta * T + mu, 1), spans) == [eta * T + mu - 3]
    assert resolved(sp.Heaviside(1 - mu * L, 1) + sp.sign(mu * L - 1), spans) == [1]
    assert resolved(sp.Max(0, 1 - mu * L) * eta, spans) == [sp.Max(0, 1 - mu * L) * eta]
    third = {eta: span(1 / 3), T: span(3)}
    assert set(resolved(sp.floor(eta * T), third)) == {0, 1}
    assert set(resolved(sp.sign(1 - eta * T), third)) == {-1, 0, 1}
    assert decided(sp.ceiling(eta * T) <= 3, values).holds is True
    failed = decided(1 + sp.ceiling(eta * T) <= 3, values)
    assert failed.text == "ceiling(T*eta) + 1 = 4 exceeds 3 by 1"
    assert decided(1 + sp.floor(eta * T) >= 2, {eta: 1 / 3, T: 3}).holds is None
    assert decided(1 + sp.floor(eta * T) >= 4, values).holds is True
    with pytest.raises(NotImplementedError):
        resolved(sp.Sum(sp.floor(eta * K), (K, 1, T)), spans)
