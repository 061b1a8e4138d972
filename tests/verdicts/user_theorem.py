"""A user's own theorem: on one client, gradient descent's mean squared gradient (textbook)."""

from theorylab.statements import Assumption, Check, Source, Statement, Version
from theorylab.symbols import L, T, eta, f0, f_star, n

RUN = {
    "problem": {"name": "quadratic", "dim": 3, "mu": 0.1, "L": 2.0, "seed": 0},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 200,
    "algorithm": {"eta": 0.25},
    "x0": 1.0,
}

STATEMENT = Statement(
    id="textbook.thm1",
    source=Source("textbook", "Theorem 1", "mean squared gradient of gradient descent"),
    algorithm="sgp",
    quantity="mean_squared_gradient",
    versions={
        "printed": Version(
            terms={"optimisation": 2 * (f0 - f_star) / (T * eta)},
            assumes=(
                Assumption("one client", rule=n <= 1),
                Assumption("eta <= 1/L", rule=eta * L <= 1, finite=(L,)),
            ),
            checks=(Check("one-quadratic", RUN, "HOLDS"),),
        )
    },
)
