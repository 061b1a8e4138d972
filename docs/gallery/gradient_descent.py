"""Gradient descent contracts (Nesterov 2004, Introductory Lectures, Theorem 2.1.15).

The claim says |x^T - x*|^2 <= (1 - 2 h mu L / (mu + L))^T |x^0 - x*|^2 for steps h <= 2 / (mu +
L). The rival says that it has the rate of the accelerated method, (1 - sqrt(mu / L))^T (1 + L /
mu); on this quadratic gradient descent shrinks one coordinate by 1 - h mu a step, which is slower.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import L, T, eta, mu, n, symbol

R2 = symbol("R2", "R^2", "|x^0 - x*|^2", units=(0, 2))
STEP = Assumption("h <= 2 / (mu + L)", rule=eta * (mu + L) <= 2, finite=(L,))
ONE = Assumption("one client", rule=n <= 1)
RUN = {
    "problem": {"name": "quadratic", "dim": 3, "mu": 0.1, "L": 2.0, "seed": 1},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 100,
    "algorithm": {"eta": 0.9},
    "x0": 4.0,
}


def distance(setting):
    return float(((setting.start.mean(axis=0) - setting.problem.optimum) ** 2).sum())


def version(bound, verdict):
    checks = (Check("quadratic", RUN, verdict),)
    return Version({"contraction": bound}, (ONE, STEP), checks, constants={R2: distance})


STATEMENT = Statement(
    id="gallery.gd",
    source=Source("Nesterov 2004", "Theorem 2.1.15", "gradient descent contracts"),
    algorithm="sgp",
    quantity=Quantity("squared_distance", "last"),
    versions={
        "claim": version((1 - 2 * eta * mu * L / (mu + L)) ** T * R2, "HOLDS"),
        "rival": version((1 - sp.sqrt(mu / L)) ** T * (1 + L / mu) * R2, "VIOLATED"),
    },
)
