"""Means that lie in rare runs: every run that anyone is likely to see is harmless.

Noise: sgp on log cosh from its minimum, with noise of chance 1e-4 and size 100. While nothing
happens x stays 0; each hit moves it by eta 100 = 10. Coins: a run survives a round with chance 1/2
and doubles (x^2 is then 4 times as large, its mean twice), or jumps with chance 1e-6.
``oracles/rare.py`` counts the outcomes.
"""

from dataclasses import dataclass, replace

import numpy as np
import sympy

from theorylab.algorithms import Algorithm
from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import T, eta, f0, f_star, n, sigma_l, symbol

p = symbol("p", "p", "the chance of a hit")
GAP = Quantity("suboptimality", "last")
SQUARE = Quantity("squared_distance", "last")
ONE = (Assumption("one client", rule=n <= 1),)
NOISY = {
    "problem": {
        "name": "noisy",
        "base": {"name": "log-cosh", "dim": 1},
        "field": "two-point",
        "sigma": 1.0,
        "chance": 1e-4,
    },
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 30,
    "algorithm": {"eta": 0.1},
    "constants": {"p": 1e-4},
}
BOWL = {
    "problem": {"name": "quadratic", "H": [[[1.0]]], "c": [[0.0]]},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 12,
    "algorithm": {},
    "x0": 1.0,
}


class Doubling(Algorithm, name="claims.doubling"):
    """Each round a run doubles with chance 1/2, else it is at 0; it draws by its own generator."""

    draws = True

    def step(self, state, net):
        coins = [np.random.Philox(key=[net.seed, 4096 * int(run) + state.t]) for run in net.runs]
        alive = np.array([np.random.Generator(coin).random() < 0.5 for coin in coins])
        x = 2.0 * state.x * alive[:, None, None]
        return replace(state, t=state.t + 1, x=x, z=x)


class Tossing(Algorithm, name="claims.tossing"):
    """The same by a counted coin."""

    def step(self, state, net):
        alive = net.coins(1, "bernoulli", p=0.5)
        x = 2.0 * state.x * alive
        return replace(state, t=state.t + 1, x=x, z=x)


@dataclass(frozen=True)
class Jumping(Algorithm, name="claims.jumping"):
    """Each round x moves by 1000 with the given chance."""

    chance: float = 1e-6

    def step(self, state, net):
        x = state.x + 1000.0 * net.coins(1, "bernoulli", p=self.chance)
        return replace(state, t=state.t + 1, x=x, z=x)


class Swelling(Algorithm, name="claims.swelling"):
    """x is multiplied by exp(1.5 N) each round: x^2 has the mean exp(4.5 T), and a tiny median."""

    draws = True

    def step(self, state, net):
        draws = [np.random.Philox(key=[net.seed, 4096 * int(run) + state.t]) for run in net.runs]
        grow = np.exp([1.5 * np.random.Generator(draw).standard_normal() for draw in draws])
        x = state.x * grow[:, None, None]
        return replace(state, t=state.t + 1, x=x, z=x)


def statement(name, algorithm, quantity, bound, check):
    version = Version({"bound": sympy.sympify(bound)}, ONE, (check,))
    source = Source("rare", name, "a mean in rare runs")
    return Statement(f"rare.{name}", source, quantity, {"claim": version}, algorithm)


LATER = {**BOWL, "rounds": 20, "x0": 0.0}
STATEMENTS = [
    statement("noise", "sgp", GAP, eta**2 * sigma_l**2 / 4, Check("far", NOISY, "VIOLATED")),
    statement("walk", "sgp", GAP, eta * T * sigma_l * p**0.5, Check("far", NOISY)),
    statement("own", "claims.doubling", GAP, f0 - f_star, Check("own", BOWL, "INCONCLUSIVE")),
    statement("coin", "claims.tossing", GAP, f0 - f_star, Check("coin", BOWL, "VIOLATED")),
    statement("twin", "claims.tossing", GAP, 1.001 * 2**T * (f0 - f_star), Check("coin", BOWL)),
    statement("jump", "claims.jumping", SQUARE, 1, Check("jump", LATER, "VIOLATED")),
    statement("leap", "claims.jumping", SQUARE, 20.01, Check("jump", LATER)),
    statement(
        "swell",
        "claims.swelling",
        SQUARE,
        1000,
        Check("swell", {**BOWL, "rounds": 8}, "INCONCLUSIVE"),
    ),
]
