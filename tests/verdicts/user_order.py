"""A user's own order: at eta = 1/sqrt(T) the mean squared gradient is O(1/sqrt(T))."""

import sympy as sp

from theorylab.statements import Assumption, Check, Order, Source, Statement, Version
from theorylab.symbols import L, T, eta, f0, f_star

RUN = {
    "problem": {"name": "quadratic", "dim": 3, "mu": 0.1, "L": 2.0, "seed": 0},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 100,
    "algorithm": {"eta": 0.5},
    "x0": 1.0,
    "sweep": {
        "parameter": "rounds",
        "values": [100, 316, 1000, 3162],
        "set": {"algorithm.eta": "1/sqrt(rounds)"},
        "window": 3,
    },
}

STATEMENT = Statement(
    id="textbook.rate",
    source=Source("textbook", "Corollary 1", "the rate of gradient descent"),
    algorithm="sgp",
    quantity="mean_squared_gradient",
    versions={
        "printed": Version(
            terms={"a twentieth of a decade": sp.Integer(10) ** sp.Rational(1, 20)},
            assumes=(
                Assumption("L-smooth", finite=(L,)),
                Assumption("eta <= 1/L", rule=eta * L <= 1),
            ),
            order=Order(1 / sp.sqrt(T), fixed=(L, f0, f_star)),
            checks=(Check("one-quadratic", RUN, "HOLDS"),),
        )
    },
)
