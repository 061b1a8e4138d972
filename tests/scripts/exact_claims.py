"""Claims of a stranger whose two sides float64 does not tell apart; right values in closed form."""

import numpy as np
import sympy as sp

from theorylab.algorithms import Algorithm
from theorylab.experiments import Experiment, Observation, Row
from theorylab.known import How, Known
from theorylab.metrics import Metric
from theorylab.problems import Problem
from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import L, T, eta, symbol, t

h = symbol("exact_h", "h", "how far the point moves")
R = sp.Rational
TENTH = (1 - 2 * eta) ** (2 * T) * R(121, 100)  # of gradient descent on x^2 from 1.1


class Step(Algorithm, name="exact.step"):
    def __init__(self, eta=0.1):
        self.eta = eta

    def step(self, state, net):
        return net.next(state, x=net.mix(state.x - self.eta * net.gradient(state.x)))


class Lazy(Algorithm, name="exact.lazy"):
    def __init__(self, eta=0.1):
        self.eta = eta

    def step(self, state, net):
        works = net.coins((), "bernoulli", p=0.3)[:, :, None]
        return net.next(state, x=net.mix(state.x - self.eta * works * net.gradient(state.x)))


class Bowl(Problem, name="exact.bowl"):
    """x^2 of every client."""

    optimum = np.zeros(1)

    def __init__(self, clients):
        super().__init__(clients, 1)

    def loss(self, x):
        return (x**2).sum(axis=2)

    def gradient(self, x):
        return 2 * x

    def constants(self):
        return {"L": Known(2.0, How.EXACT, "of x^2"), "f_star": Known(0.0, How.EXACT, "at 0")}


class Size(Metric, name="exact.size"):
    def rows(self, before, after):
        yield Row((after.x**2).sum(axis=2).mean(axis=1), {"t": after.t}, f"t={after.t}")


class Twins(Metric, name="exact.twins"):
    """Two rows of one label, apart by a 1e-11."""

    def rows(self, before, after):
        yield Row(1 + 1e-11 + 0 * after.x[:, 0, 0], {}, "one")
        yield Row(1 + 0 * after.x[:, 0, 0], {}, "one")


class Moved(Experiment, name="exact.moved"):
    """|g(x + h) - g(x)| of g(x) = 2 x."""

    columns = ("moved", "root")

    def __init__(self, *, x=1.0, exact_h=0.1, rounding=None):
        self.x, self.h, self.rounding = x, exact_h, rounding

    def describe(self):
        return {"x": self.x, "exact_h": self.h, "rounding": self.rounding}

    def constants(self):
        return {"exact_h": Known(self.h, How.EXACT, "option")}

    def observe(self, column, runs, seed):
        value = 2 * (self.x + self.h) - 2 * self.x
        value = value if column == "moved" else np.sqrt(2.0) * value
        return Observation((Row(np.array([value]), rounding=self.rounding),), True)


OWN, BUILT_IN = {"name": "exact.bowl"}, {"name": "quadratic", "H": [[[2.0]]], "c": [[0.0]]}
RUN = {"topology": {"name": "complete"}, "clients": 1, "rounds": 4, "x0": 1.1}
RUN |= {"algorithm": {"eta": 0.1}}


def claim(bound, quantity, rule=None, relation="<=", method="exact.step", **instance):
    """A claim with one check; an experiment's has no algorithm."""
    experiment = "exact.moved" if "exact_h" in instance else ""
    check = Check("one", instance if experiment else {"problem": OWN, **RUN, **instance})
    assumes = () if rule is None else (Assumption("rule", rule=rule),)
    version = Version({"b": sp.sympify(bound)}, assumes, (check,), relation=relation)
    source = Source("exact", "Lemma 1", "the two sides are one number, or nearly")
    if experiment:
        return Statement("exact.x", source, quantity, {"claim": version}, experiment=experiment)
    return Statement("exact.x", source, quantity, {"claim": version}, method)


DISTANCE = Quantity("squared_distance", "last")
SIZES = Quantity("exact.size", "rows", (0, 2), "x^2")
MOVED, ROOT = (Quantity(name, "rows", (0, 0), "m") for name in ("moved", "root"))
AT_T = TENTH.subs(T, t)
STEEP = TENTH.subs(eta, 1 / (5 * L))
