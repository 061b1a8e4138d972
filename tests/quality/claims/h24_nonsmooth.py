"""h24. A NONSMOOTH MINIMISER: subgradient descent on f(x) = |x| (sign(0) = 0), eta = 1/5, |f'| <= B = 1.
From x^0 = .1 = eta/2 the models are +.1, -.1, ...: f = .1 for ever. R^2 = .01.
average: mean_{t<T} f - f* <= R^2/(2 eta T) + eta B^2/2: TRUE (left .1, bound .1025 at T = 10).
last: f(x^T) - f* <= R^2/(2 eta T) (the smooth rate): FALSE (.1 against .0025).
edge: f(x^T) - f* <= eta B^2/2 from x^0 = .1: TRUE, EQUALITY (.1 = .1). under: (1 - 10^-6) of it: FALSE.
smooth: "let f be L-smooth, eta <= 1/L: f(x^T) - f* <= R^2/(2 eta T)": L is infinite, so the
instance is outside: ASSUMPTION_FAILS best, INCONCLUSIVE acceptable; HOLDS, VIOLATED wrong.
lands: x^0 = .6 = 3 eta, T = 3: x^3 = 0 exactly (.6 - 3*.2), f(x^3) - f* <= 0: TRUE (in floats
.6 - .2 - .2 - .2 = -5.6e-17).
stays: x^0 = .6, T = 4: f(x^4) - f* <= 0 TRUE, as sign(0) = 0 (floats go to +.2!).
TRUE: HOLDS best, INCONCLUSIVE acceptable, VIOLATED wrong. FALSE: VIOLATED best, INCONCLUSIVE
acceptable, HOLDS wrong. stays: as the code is written in floats, f(x^4) = .2: VIOLATED is right of the
code and wrong of the mathematics; only HOLDS and INCONCLUSIVE are counted as right of it."""

import math

import numpy as np
import sympy as sp

from theorylab.known import How, Known
from theorylab.problems import Problem
from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import B, L, T, eta, symbol

R2 = symbol("R2", "R^2", "|x^0 - x*|^2", units=(0, 2))
G = symbol("g", "g", "a claimed value of f", units=(1, 0))


class Kink(Problem, name="h24-kink"):
    def __init__(self, clients):
        super().__init__(clients, 1)
        self.optimum = np.zeros(1)

    def loss(self, x):
        return np.abs(x).sum(axis=2)

    def gradient(self, x):
        return np.sign(x)

    def constants(self):
        exact = {"L": math.inf, "B": 1.0, "f_star": 0.0}
        return {key: Known(value, How.EXACT, "f = |x|") for key, value in exact.items()}


def run(start, rounds):
    place = {"problem": {"name": "h24-kink"}, "topology": {"name": "complete"}, "clients": 1}
    place |= {"rounds": rounds, "algorithm": {"eta": 0.2}, "x0": start}
    return place | {"constants": {"R2": round(start**2, 4), "g": 0}}


def version(name, left, bound, verdict, start=0.1, rounds=10, rules=()):
    check = (Check(name, run(start, rounds), verdict),)
    return Version({"b": bound}, rules, check, quantity=left)


MEAN, GAP = Quantity("suboptimality", "average"), Quantity("suboptimality", "last")
SMOOTH = (Assumption("eta <= 1/L", rule=eta * L <= 1, finite=(L,)),)
FAST, LITTLE = R2 / (2 * eta * T), sp.Rational(1, 10**6)
VERSIONS = {
    "a": version("average", MEAN, FAST + eta * B**2 / 2, "HOLDS"),
    "b": version("last", GAP, FAST, "VIOLATED"),
    "c": version("edge", GAP, eta * B**2 / 2, "HOLDS"),
    "d": version("under", GAP, eta * B**2 / 2 * (1 - LITTLE), "VIOLATED"),
    "e": version("smooth", GAP, FAST, "ASSUMPTION_FAILS", rules=SMOOTH),
    "f": version("lands", GAP, G, "HOLDS", 0.6, 3),
    "g": version("stays", GAP, G, "HOLDS", 0.6, 4),
}
SOURCE = Source("hostile", "Theorem 24", "the subgradient method")
STATEMENT = Statement("hostile.h24", SOURCE, GAP, VERSIONS, "sgp")
