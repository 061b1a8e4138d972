"""h20. CANCELLATION: f(x) = 10^12 + x^2/2, f* = 10^12; gradient descent with eta = 1/2, so that
f(x^T) - f* = 4^-T (f0 - f*) exactly, while one unit in the last place of 10^12 is 1.22e-4.
a: x^0 = 1, T = 10: gap 4.77e-7 (floats: 0). b: x^0 = .8, T = 6: gap 7.8125e-5 (floats: 1.22e-4).
CLAIMS: claim: gap <= (1 - eta)^(2T) (f0 - f*): TRUE, equality. rival: half of it: FALSE.
numbers: as claim and rival with the number itself, (1 -+ 10^-3) 4^-T x0^2/2, as bound.
claim-a, claim-b, over-b: HOLDS best, INCONCLUSIVE acceptable (rounding is the limit), VIOLATED wrong.
rival-a, rival-b, under-a: VIOLATED best, INCONCLUSIVE acceptable, HOLDS wrong."""

import sympy as sp

import numpy as np

from theorylab.known import How, Known
from theorylab.problems import Problem
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import T, eta, f0, f_star, symbol

G = symbol("gap0", "G_0", "f(x^0) - f*", units=(1, 0))


class High(Problem, name="h20-high"):
    def __init__(self, clients):
        super().__init__(clients, 1)
        self.optimum = np.zeros(1)

    def loss(self, x):
        return 1e12 + (x**2).sum(axis=2) / 2

    def gradient(self, x):
        return 1 * x

    def constants(self):
        why = "f = 10^12 + x^2/2"
        exact = {"L": 1.0, "mu": 1.0, "f_star": 1e12}
        return {key: Known(value, How.EXACT, why) for key, value in exact.items()}


def run(start, rounds, gap):
    return {
        "problem": {"name": "h20-high"},
        "topology": {"name": "complete"},
        "clients": 1,
        "rounds": rounds,
        "algorithm": {"eta": 0.5},
        "x0": start,
        "constants": {"gap0": gap},
    }


A, B = run(1.0, 10, 0.5), run(0.8, 6, 0.32)
BOUND, NUMBER = (1 - eta) ** (2 * T) * (f0 - f_star), G / 4**T
LITTLE = sp.Rational(1, 1000)


def version(name, bound, place, verdict):
    return Version({"bound": bound}, (), (Check(name, place, verdict),))


STATEMENT = Statement(
    id="hostile.h20",
    source=Source("hostile", "Lemma 20", "a gap far below the loss"),
    algorithm="sgp",
    quantity=Quantity("suboptimality", "last"),
    versions={
        "a": version("claim-a", BOUND, A, "HOLDS"),
        "b": version("claim-b", BOUND, B, "HOLDS"),
        "c": version("rival-a", BOUND / 2, A, "VIOLATED"),
        "d": version("rival-b", BOUND / 2, B, "VIOLATED"),
        "e": version("under-a", NUMBER * (1 - LITTLE), A, "VIOLATED"),
        "f": version("over-b", NUMBER * (1 + LITTLE), B, "HOLDS"),
    },
)
