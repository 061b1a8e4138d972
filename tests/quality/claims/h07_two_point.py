"""h07. SGD from the minimum 0 under the built-in "two-point" noise (0 with chance 1 - p, else
+-sigma/sqrt p), p = 10^-6, sigma = 1, eta = 1/2; 1000 runs of T = 30 see no jump with chance .97.
quadratic (L = 1): E|x^T|^2 = eta^2 sigma^2 sum_k (1-eta)^(2k) = .3333 (T = 30), exactly.
  quad-false: <= eta^2 sigma^2/100 = .0025: FALSE. quad-true: <= eta sigma^2/(2-eta) = 1/3: TRUE.
log cosh: E f(x^T) >= sum_s P(one jump, in round s) f(...) = .01476 (the oracle computes it);
  E f(x^T) <= B E|x^T| <= B T eta sigma sqrt p = .015 (each step is nonexpansive, 0 is fixed).
  cosh-false: <= B T eta sigma/10^5 = .00015: FALSE, 100 times. cosh-true: <= B T eta sigma sqrt p: TRUE.
  *-given: the same with the true ceiling f <= B T eta sigma/sqrt p = 15000 declared.
  *-kurtosis: with k = 1.1e6, true: E X^2 <= 15000 E X and E X >= .01476, so E X^2 <= 1.02e6 (E X)^2.
RIGHT: false: VIOLATED best, INCONCLUSIVE acceptable, HOLDS wrong. true: HOLDS best, INCONCLUSIVE
acceptable, VIOLATED wrong."""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import B, L, T, eta, mu, sigma_l, symbol

p = symbol("chance_p", "p", "chance of a jump", positive=True)
STEP = Assumption("eta <= 1/L", rule=eta * L <= 1, finite=(L,))


def run(base):
    return {
        "problem": {"name": "noisy", "base": base, "field": "two-point", "chance": 1e-6},
        "topology": {"name": "complete"},
        "clients": 1,
        "rounds": 30,
        "algorithm": {"eta": 0.5},
        "constants": {"chance_p": 1e-6},
    }


QUAD = run({"name": "quadratic", "H": [[[1.0]]], "c": [[0.0]]})
COSH = run({"name": "log-cosh", "dim": 1})
WALK = B * T * eta * sigma_l
DISTANCE, GAP = Quantity("squared_distance", "last"), Quantity("suboptimality", "last")
GIVEN = Quantity("suboptimality", "last", ceiling=WALK / sp.sqrt(p))
HEAVY = Quantity("suboptimality", "last", kurtosis=11 * 10**5)


def version(name, quantity, bound, place, verdict):
    return Version({"bound": bound}, (STEP,), (Check(name, place, verdict),), quantity=quantity)


LITTLE = eta**2 * sigma_l**2 / 100
VARIANCE = eta * sigma_l**2 / (mu * (2 - eta * mu))
STATEMENT = Statement(
    id="hostile.h07",
    source=Source("hostile", "Theorem 7", "the mean hides in rare jumps"),
    algorithm="sgp",
    quantity=GAP,
    versions={
        "a": version("quad-false", DISTANCE, LITTLE, QUAD, "VIOLATED"),
        "b": version("quad-true", DISTANCE, VARIANCE, QUAD, "HOLDS"),
        "c": version("cosh-false", GAP, WALK / 10**5, COSH, "VIOLATED"),
        "d": version("cosh-true", GAP, WALK * sp.sqrt(p), COSH, "HOLDS"),
        "e": version("cosh-false-given", GIVEN, WALK / 10**5, COSH, "VIOLATED"),
        "f": version("cosh-true-given", GIVEN, WALK * sp.sqrt(p), COSH, "HOLDS"),
        "g": version("cosh-false-kurtosis", HEAVY, WALK / 10**5, COSH, "VIOLATED"),
        "h": version("cosh-true-kurtosis", HEAVY, WALK * sp.sqrt(p), COSH, "HOLDS"),
    },
)
