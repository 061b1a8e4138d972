"""The cases that verify/worst.py certifies: methods, networks, classes, and rounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from theorylab.algorithms import Algorithm, Context, State, algorithm
from theorylab.problems import Problem
from theorylab.topologies import Topology, topology
from theorylab.worst import Functions, Worst, worst

STRONG, SMOOTH, BENT = Functions(Fraction(1, 10), 1), Functions(0, 1), Functions(-1, 1)
STEEP = Functions(-1, 1, B=1)
BALL, NEAR, DEEP = {"distance": 1, "spread": 1}, {"distance": 1}, {"gap": 1}


@dataclass(frozen=True)
class Momentum(Algorithm):
    """x' = W (x - eta grad f(x + look (x - before))) + beta (x - before): heavy ball, Nesterov."""

    name = "momentum of verify/worst.py"
    eta: float
    beta: float
    look: float = 0.0

    def init(self, x0: Any, problem: Problem | None = None) -> State:
        first = super().init(x0, problem)
        return replace(first, memory={"before": 1 * first.x})

    def step(self, state: State, context: Context) -> State:
        away = state.x - state.memory["before"]
        g = context.gradient(state.x + self.look * away)
        x = context.mix(state.x - self.eta * g) + self.beta * away
        return context.next(state, x=x, memory={"before": state.x})


@dataclass(frozen=True)
class Tracking(Algorithm):
    """DIGing: y = W y + the change of the gradient, x = W x - eta y."""

    name = "tracking of verify/worst.py"
    eta: float

    def init(self, x0: Any, problem: Problem | None = None) -> State:
        first = super().init(x0, problem)
        return replace(first, memory={"y": 0 * first.x, "g": 0 * first.x})

    def step(self, state: State, context: Context) -> State:
        g = context.gradient(state.x)
        y = context.mix(state.memory["y"]) + g - state.memory["g"]
        return context.next(state, x=context.mix(state.x) - self.eta * y, memory={"y": y, "g": g})


def chord(n: int) -> Topology:
    """A directed ring with self-loops, and the chord 0 -> 2."""
    edges = [[i, i] for i in range(n)] + [[i, (i + 1) % n] for i in range(n)] + [[0, 2]]
    return topology("edge-list", n, edges=edges, weights="uniform")


@dataclass(frozen=True)
class Case:
    """One row: a method over a network for T rounds, a class, a start, a metric."""

    label: str
    method: Algorithm
    network: Topology
    rounds: int
    functions: Functions = STRONG
    start: Mapping[str, Any] = field(default_factory=lambda: BALL)
    metric: str = "distance"

    def answer(self, certify: bool = True, margin: float = 1e-6) -> Worst:
        """The worst case, with its certificate."""
        return worst(
            self.method, self.network, rounds=self.rounds, start=self.start, metric=self.metric,
            functions=self.functions, certify=certify, margin=margin,
        )  # fmt: skip


def cases() -> list[Case]:
    """Thirty, of which 22 have n >= 3 and T >= 5."""
    one, path, ring = topology("complete", 1), topology("path", 3), topology("ring", 5)
    gd, sgp = algorithm("dpsgd", eta=1.0), algorithm("sgp", eta=0.5)
    dpsgd, mixed = algorithm("dpsgd", eta=0.5), algorithm("dpsgd", eta=0.5, order="mix-then-step")
    peers, ball = topology("one-peer-exponential", 4), Momentum(0.5, 0.25)

    def local(K: int, alpha: float, eta: float) -> Algorithm:
        return algorithm("dfedsgpsm", eta=eta, local_steps=K, alpha=alpha)

    return [
        Case("gradient descent", gd, one, 10, SMOOTH, NEAR, "gap"),
        Case("gradient descent", gd, one, 10, STRONG, NEAR),
        Case("gradient descent", gd, one, 10, BENT, DEEP, "mean-gradient"),
        Case("gradient descent", gd, one, 10, BENT, DEEP, "least-gradient"),
        Case("gradient descent, x* anywhere", gd, one, 10, SMOOTH, DEEP, "gradient"),
        Case("heavy ball", Momentum(1.0, 0.5), one, 6, STRONG, NEAR),
        Case("Nesterov", Momentum(1.0, 0.5, 0.5), one, 6, STRONG, NEAR),
        Case("bounded gradients", dpsgd, one, 10, Functions(0, None, B=1), NEAR, "gap-of-mean"),
        Case("heavy ball, path", ball, path, 5),
        Case("D-PSGD, path", dpsgd, path, 5),
        Case("D-PSGD, path", dpsgd, path, 8),
        Case("D-PSGD, ring", dpsgd, ring, 5),
        Case("D-PSGD, mix first", mixed, path, 5),
        Case("push-sum", sgp, chord(3), 5),
        Case("push-sum", sgp, chord(3), 10),
        Case("push-sum", sgp, chord(4), 6),
        Case("push-sum", sgp, chord(5), 5),
        Case("push-sum", sgp, topology("directed-ring", 4), 5),
        Case("push-sum, gap", sgp, chord(3), 5, SMOOTH, BALL, "gap"),
        Case("push-sum, periodic", sgp, peers, 5),
        Case("push-sum, periodic", sgp, peers, 6),
        Case("tracking, path", Tracking(0.25), path, 5),
        Case("tracking, path", Tracking(0.25), path, 6),
        Case("K = 2", local(2, 0.0, 0.25), chord(3), 5),
        Case("K = 3", local(3, 0.0, 0.2), chord(3), 5),
        Case("K = 2, momentum .5", local(2, 0.5, 0.2), chord(3), 5),
        Case("K = 2, momentum .9", local(2, 0.9, 0.1), chord(3), 5),
        Case("bounded gradients", sgp, chord(3), 5, STEEP, DEEP, "mean-gradient"),
        Case("not convex, K = 2", local(2, 0.5, 0.2), chord(3), 5, STEEP, DEEP, "mean-gradient"),
        Case("not smooth, path", dpsgd, path, 5, Functions(0, None, B=1), NEAR, "gap-of-mean"),
    ]


def relaxed() -> list[Case]:
    """With noise of deviation 1/2, or SAM of radius 1/10, which are bounded from above."""
    noisy = Functions(Fraction(1, 10), 1, noise=Fraction(1, 2))
    one, path, sgp = topology("complete", 1), topology("path", 3), algorithm("sgp", eta=0.5)
    dpsgd = algorithm("dpsgd", eta=0.5)
    sam = algorithm("dfedsam", eta=0.25, rho=0.1, local_steps=1)
    return [
        Case("noise, gradient descent", dpsgd, one, 10, noisy, NEAR),
        Case("noise, push-sum", sgp, chord(3), 4, noisy),
        Case("noise, D-PSGD, path", dpsgd, path, 4, noisy),
        Case("SAM, gradient descent", sam, one, 5, STRONG, NEAR),
        Case("SAM, path", sam, path, 3),
    ]


def large() -> list[tuple[Case, float]]:
    """Cases with the seconds of processor that solving and certifying may take."""
    sgp = algorithm("sgp", eta=0.5)
    return [
        (Case("push-sum", sgp, chord(3), 20), 10.0),
        (Case("push-sum", sgp, chord(10), 8), 10.0),
        (Case("push-sum, circulant", sgp, topology("directed-ring", 20), 8), 15.0),
    ]
