"""Gradient descent exactly on, and just beside, the edges of its step rules.

On f = sum_j L_j x_j^2 / 2 of one client, x_j^T = (1 - eta L_j)^T x_j^0, so every left side here is
a power. ``oracles/edges.py`` has them in fractions.
"""

import sympy

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import L, T, eta, f0, f_star, mu, symbol

R2 = symbol("R2", "R^2", "|x^0 - x*|^2", units=(0, 2))
AT_MOST = (Assumption("eta <= 1/L", rule=eta * L <= 1, finite=(L,)),)
BELOW = (Assumption("eta < 2/L", rule=eta * L < 2, finite=(L,)),)
ROOTS = 4 / (sympy.sqrt(L) + sympy.sqrt(mu)) ** 2


def distance(setting):
    return float(((setting.start.mean(axis=0) - setting.problem.optimum) ** 2).sum())


def bowl(curvatures, step, rounds=2, start=2.0):
    size = len(curvatures)
    bent = [[curvatures[i] if i == j else 0.0 for j in range(size)] for i in range(size)]
    return {
        "problem": {"name": "quadratic", "H": [bent], "c": [[0.0] * size]},
        "topology": {"name": "complete"},
        "clients": 1,
        "rounds": rounds,
        "algorithm": {"eta": step},
        "x0": start,
    }


def drawn(seed, step, top=2.0):
    run = bowl([1.0], step, 6, 3.0)
    return {**run, "problem": {"name": "quadratic", "dim": 3, "mu": 0.1, "L": top, "seed": seed}}


def statement(name, quantity, terms, assumes, checks):
    version = Version(terms, assumes, tuple(checks), constants={R2: distance})
    source = Source("edges", name, "gradient descent on the edge of a rule")
    return Statement(f"edges.{name}", source, quantity, {"claim": version}, "sgp")


GAP, DISTANCE = Quantity("suboptimality", "last"), Quantity("squared_distance", "last")
EXACT = [(10.0, 0.1), (0.3, 1 / 0.3), (1.1, 1 / 1.1), (0.001, 1000.0), (49.0, 1 / 49), (3.0, 1 / 3)]
CONTRACTS = ((L - mu) / (L + mu)) ** (2 * T)
HEAVY = ((sympy.sqrt(L) - sympy.sqrt(mu)) / (sympy.sqrt(L) + sympy.sqrt(mu))) ** (2 * T)
TIED = (Assumption("eta = 2/(L + mu)", rule=sympy.Eq(eta, 2 / (L + mu))),)
BY_ROOTS = (Assumption("eta = 4/(sqrt L + sqrt mu)^2", rule=sympy.Eq(eta, ROOTS)),)
TWO = bowl([0.3, 1.1], 2 / (1.1 + 0.3), 3)

STATEMENTS = [
    statement(
        "once",
        GAP,
        {"rate": L * R2 / (4 * T + 2)},
        AT_MOST,
        (Check(f"L = {top}", bowl([top], step)) for top, step in EXACT),
    ),
    statement(
        "strict",
        GAP,
        {"half": (f0 - f_star) / 2},
        BELOW,
        [
            Check("ten", bowl([10.0], 0.2), "ASSUMPTION_FAILS"),
            Check("half", bowl([0.5], 4.0), "ASSUMPTION_FAILS"),
            *(Check(f"drawn {k}", drawn(k, 1.0), "ASSUMPTION_FAILS") for k in range(10)),
        ],
    ),
    statement(
        "inside",
        GAP,
        {"almost": 0.99 * (f0 - f_star)},
        BELOW,
        [Check("near", bowl([10.0], 0.1999999999999, 3), "VIOLATED")],
    ),
    statement(
        "drawn",
        GAP,
        {"rate": R2 / (2 * eta * T)},
        AT_MOST,
        (Check(f"seed {k}", drawn(k, 0.5)) for k in range(10)),
    ),
    statement("tied", DISTANCE, {"rate": CONTRACTS * R2}, TIED, [Check("two", TWO)]),
    statement(
        "tighter",
        DISTANCE,
        {"rate": (1 - sympy.Rational(1, 10**6)) * CONTRACTS * R2},
        TIED,
        [Check("two", TWO, "VIOLATED")],
    ),
    statement(
        "roots",
        DISTANCE,
        {"heavy ball's rate": HEAVY * R2},
        BY_ROOTS,
        [Check("two", bowl([0.7, 3.0], 4 / (3.0**0.5 + 0.7**0.5) ** 2, 3), "VIOLATED")],
    ),
]
