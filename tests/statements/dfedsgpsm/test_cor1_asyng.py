"""Theorem 1 without SAM and momentum, term by term, and runs that come near the bound."""

import numpy as np
import pytest
from sympy import Rational, sqrt

from theorylab.statements import Check
from theorylab.statements.dfedsgpsm.cor1_asyng import STATEMENT
from theorylab.statements.dfedsgpsm.thm1 import STATEMENT as THM1
from theorylab.symbols import (
    B,
    C,
    K,
    L,
    T,
    alpha,
    eta,
    f0,
    f_star,
    noise_clients,
    q,
    rho,
    sigma_l,
    x0_spread,
)
from theorylab.verdicts import judge_check

PRINTED = STATEMENT.versions["printed"].terms
FAR = {  # the slope stays 1: f falls by T eta K in all, half of what the first term says
    "problem": {"name": "log-cosh", "center": 20.0},
    "topology": {"name": "directed-ring"},
    "clients": 3,
    "rounds": 1900,
    "algorithm": {"eta": 0.0025, "local_steps": 4},
}


def test_it_is_theorem_1_without_sam_and_momentum():
    for here, there in (("printed", "printed"), ("corrected", "corrected")):
        terms, full = STATEMENT.versions[here].terms, THM1.versions[there].terms
        for name, term in full.items():
            plain = term.subs({alpha: 0, rho: 0})
            for steps in (1, 2, 5):  # sums over the local steps are added for each K
                gap = (plain - terms.get(name, 0)).subs(K, steps).doit()
                numbers = {x: Rational(1, k + 3) for k, x in enumerate(gap.free_symbols)}
                assert abs(gap.subs(numbers).evalf(30)) < 1e-25, (here, name, steps)


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    for version in STATEMENT.versions:
        assert 0.3 < found[version, "chords"].ratio < 0.6


@pytest.mark.parametrize("version", STATEMENT.versions)
def test_planted_errors_are_refuted(version, missed):
    terms = STATEMENT.versions[version].terms
    variants = {
        "less than half": {name: term / 2.2 for name, term in terms.items()},
        "(1-alpha)/K with alpha = .9": terms | {"optimisation": terms["optimisation"] / 10},
        "K^2 steps": terms | {"optimisation": terms["optimisation"] / K},
        "no first term": terms | {"optimisation": 0 * B**2},
        "T^2": terms | {"optimisation": terms["optimisation"] / T},
    }
    assert missed(STATEMENT, version, variants, [FAR]) == set()


def test_one_point_a_round_by_hand():
    # K = 3, eta = 1/100, L = 2, sigma = 4, B = 3, C = 3, q = 1/2, T = 10, mean |x^0 - xbar^0|^2 = 2
    at = {K: 3, eta: Rational(1, 100), L: 2, sigma_l: 4, B: 3, C: 3, q: Rational(1, 2), T: 10}
    terms = STATEMENT.versions["corrected/one-point"].terms
    at |= {x0_spread: 2, noise_clients: 5, f0: 5, f_star: 1}
    found = {name: term.subs(at) for name, term in terms.items()}
    start, updates = sqrt(4 * 9 * Rational(2) / (10 * Rational(3, 4))), 2 * Rational(3, 100) * 3 * 5
    assert found == {
        "optimisation": Rational(80, 3),
        "noise": Rational(32, 500),
        "initial disagreement": start * (start + updates),
        "consensus": updates * (start + updates),
    }


def drawn(index):
    rng = np.random.default_rng([23, index])
    n, steps = int(rng.integers(2, 6)), int(rng.integers(1, 5))
    scale = float(10 ** rng.uniform(-1, 1))
    return {
        "problem": {
            "name": "log-cosh", "center": float(rng.normal() * 3), "scale": scale,
            "spread": float(rng.choice([0.0, 1.0])), "seed": index,
        },
        "topology": {"name": str(rng.choice(["directed-ring", "directed-exponential"]))},
        "clients": n,
        "rounds": int(rng.integers(1, 200)),
        "algorithm": {
            "eta": float(10 ** rng.uniform(-3, -1) / scale / steps), "local_steps": steps,
        },
        "x0": rng.normal(size=(n, 1)).tolist(),
    }  # fmt: skip


@pytest.mark.parametrize("version", STATEMENT.versions)
def test_drawn_true_instances_are_never_violated(version):
    for index in range(20):
        found = judge_check(STATEMENT, version, Check(f"drawn-{index}", drawn(index)))
        assert found.verdict != "VIOLATED", (index, found.reason)


def test_printed_has_every_term_of_the_corollary():
    assert set(PRINTED) == {
        *("optimisation", "noise", "client drift", "initial disagreement", "consensus"),
    }
