"""Steps that are not what they say: mass that leaks, a server that is not there, another step size.

Each claim is true of the run as it is played, so HOLDS is right; a reader has to be told what was
played.
"""

from dataclasses import dataclass, replace

from theorylab.algorithms import Algorithm
from theorylab.statements import Check, Quantity, Source, Statement, Version, steps_within
from theorylab.symbols import f0, x0_spread

RUN = {
    "problem": {"name": "quadratic", "dim": 2, "mu": 0.5, "L": 1.0, "seed": 3},
    "topology": {"name": "ring"},
    "clients": 6,
    "rounds": 8,
    "algorithm": {"eta": 0.25},
    "x0": [[float(i), -1.0] for i in range(6)],
}


@dataclass(frozen=True)
class Leaky(Algorithm, name="claims.leaky"):
    """Mixes, and then loses a tenth of every model."""

    eta: float

    def step(self, state, net):
        x = 0.9 * net.mix(state.x - self.eta * net.gradient(state.x))
        return replace(state, t=state.t + 1, x=x, z=x)


@dataclass(frozen=True)
class Served(Algorithm, name="claims.served"):
    """All clients take the mean of all, whatever the network."""

    eta: float

    def step(self, state, net):
        x = net.mix(state.x - self.eta * net.gradient(state.x))
        x = x.mean(axis=1, keepdims=True) + 0 * x
        return replace(state, t=state.t + 1, x=x, z=x)


@dataclass(frozen=True)
class Hasty(Algorithm, name="claims.hasty"):
    """Says that its step falls, and takes a constant one."""

    eta: float

    def step_size(self, t):
        return self.eta / (t + 1)

    def step(self, state, net):
        x = net.mix(state.x - self.eta * net.gradient(state.x))
        return replace(state, t=state.t + 1, x=x, z=x)


def statement(name, quantity, bound, assumes=()):
    version = Version({"bound": bound}, assumes, (Check("ring", RUN),))
    source = Source("mass", name, "a step that is not what it says")
    return Statement(f"mass.{name}", source, quantity, {"claim": version}, f"claims.{name}")


CONSENSUS = Quantity("consensus", "last")
STATEMENTS = [
    statement("leaky", CONSENSUS, x0_spread),
    statement("served", CONSENSUS, x0_spread),
    statement("hasty", Quantity("loss", "last"), 2 * f0, (steps_within(factor=2, every=1),)),
]
