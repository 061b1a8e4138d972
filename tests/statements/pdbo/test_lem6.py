"""Lemma 6's bounds hold, are attained, and every smaller one is refuted."""

from fractions import Fraction

import pytest
import sympy as sp

from theorylab.kernels import Stream
from theorylab.statements import Check
from theorylab.statements.pdbo._symbols import (
    eta_A,
    eta_B,
    rounds_left,
    term_index,
    vr_alpha,
    vr_beta,
)
from theorylab.statements.pdbo.lem6 import INSTANCES, L4, L4_SUM, L5, L5_SUM, R1, R3, STATEMENT
from theorylab.verdicts import judge_check

FAULTS = {
    "half": lambda term: term / 2,
    "alpha squared": lambda term: term.subs(vr_alpha, vr_alpha**2),
    "eta_A squared": lambda term: term.subs(eta_A, eta_A**2),
    "M - i + 1": lambda term: term.subs(rounds_left, rounds_left + 1),
    "i - 1": lambda term: term.subs(term_index, term_index - 1),
    "i + 1": lambda term: term.subs(term_index, term_index + 1),
    "times alpha^(4(M-i))": lambda term: term * vr_alpha ** (4 * rounds_left),
    "without beta": lambda term: term.subs(vr_beta, vr_beta / 2),
    "1 - eta_A dropped": lambda term: term * (1 - eta_A),
}
# What a bound does not contain, or what makes it larger at alpha = .9, beta = .1, eta_A = .5.
NO_I = {"i - 1", "i + 1"}
ABSENT = {
    "printed/r3": {"without beta", "i - 1"},
    "printed/r1": {"without beta", "alpha squared", "M - i + 1", "i + 1"},
    "printed/l4": {*NO_I, "without beta"},
    "printed/l5": {*NO_I, "alpha squared", "M - i + 1"},
    "corrected/l4": {*NO_I, "without beta"},
    "corrected/l5": {*NO_I, "alpha squared", "M - i + 1"},
}


@pytest.mark.parametrize("version", ABSENT)
def test_smaller_bounds_are_refuted(version, missed):
    faults = {name: FAULTS[name] for name in FAULTS.keys() - ABSENT[version]}
    assert missed(STATEMENT, version, faults, at=INSTANCES["scalar"]) == set()


def steps(alpha, beta, eta, p, i):
    """Lines 643 to 652 with eta_B = 1, M - i = p: each display's lines as exact numbers."""
    b = 1 - beta + beta * eta
    M = p + i
    js = range(i + 1, M + 1)
    r3 = [
        alpha ** (p + 1) * eta**i + (1 - alpha) * alpha**p * sum(eta**j for j in range(i + 1)),
        alpha ** (p + 1) * eta**i + (1 - alpha) * alpha**p * (1 - eta ** (i + 1)) / (1 - eta),
        alpha ** (p + 1) * eta**i + (1 - alpha) / (1 - eta) * alpha**p
        - alpha**p * eta ** (i + 1) / (1 - eta) + eta / (1 - eta) * alpha ** (p + 1) * eta**i,
    ]  # fmt: skip
    l4 = [
        sum(alpha ** (M - j + 1) * eta ** (j - i - 1) for j in js)
        + (1 - alpha) * (1 - beta) * sum(
            alpha ** (M - j) * sum(b ** (j - k) * eta ** (k - i - 1) for k in range(i + 1, j + 1))
            for j in js
        ),
        alpha / (alpha - eta) * (alpha**p - eta**p) + (1 - alpha) / (1 - eta)
        * sum(alpha ** (M - j) * (b ** (j - i) - eta ** (j - i)) for j in js),
        alpha / (alpha - eta) * (alpha**p - eta**p) + (1 - alpha) / (1 - eta)
        * (b * (alpha**p - b**p) / (alpha - b) - eta * (alpha**p - eta**p) / (alpha - eta)),
        (alpha**p - eta**p) / (1 - eta)
        + (1 - alpha) / (1 - eta) * b / (alpha - b) * (alpha**p - b**p),
    ]  # fmt: skip
    l5 = [(1 - alpha) * beta * sum(alpha ** (M - j) * b ** (j - i - 1) for j in js)]
    r1 = [
        b**i + sum(b ** (i - j) * (beta + (1 - beta) * eta**j) for j in range(1, i + 1)),
        b**i + (1 - b**i) / (1 - eta) + eta * (b**i - eta**i) / (1 - eta),
    ]
    return {R3: r3, L4: l4, L5: l5, R1: r1, L4_SUM: l4[:1], L5_SUM: l5}


@pytest.mark.parametrize("weights", [("9/10", "1/10", "1/2"), ("1/5", "2/3", "3/4")])
def test_every_line_of_the_proof_is_the_same_number(weights):
    alpha, beta, eta = map(Fraction, weights)
    for p in range(5):
        for i in range(4):
            at = {
                vr_alpha: sp.Rational(alpha), vr_beta: sp.Rational(beta), eta_A: sp.Rational(eta),
                eta_B: 1, rounds_left: p, term_index: i,
            }  # fmt: skip
            for bound, lines in steps(alpha, beta, eta, p, i).items():
                final = Fraction(str(bound.subs(at).doit()))
                assert all(line == final for line in lines), (bound, p, i)


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_hold(count):
    for k in range(count):
        u = Stream(5, "problem").uniform(1, 1, 0, k, 4)[0, 0]
        instance = {
            "family": ("random", "scalar", "alternating", "nilpotent")[k % 4],
            "terms": [1 + k % 4], "alpha": float(u[0]), "beta": float(u[1]),
            "eta_A": float(0.999 * u[2] + 5e-4), "size": 1 + int(3 * u[3]),
        }  # fmt: skip
        for version in ABSENT:
            found = judge_check(STATEMENT, version, Check(str(k), instance), seeds=3, seed=k)
            assert found.verdict == "HOLDS", (version, instance)
