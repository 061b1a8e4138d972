"""Linear methods of a few lines, as a user writes them, and networks in rationals."""

from dataclasses import replace
from fractions import Fraction

from theorylab.algorithms import Algorithm

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


class HeavyBall(Algorithm):
    def __init__(self, eta, beta):
        self.eta, self.beta = eta, beta

    def init(self, x0, problem=None):
        return replace(super().init(x0, problem), memory={"old": 1 * x0})

    def step(self, state, net):
        x, old = state.x, state.memory["old"]
        after = x - self.eta * net.gradient(x) + self.beta * (x - old)
        return net.next(state, x=after, memory={"old": x})


class Nesterov(HeavyBall):
    def step(self, state, net):
        y = state.x + self.beta * (state.x - state.memory["old"])
        return net.next(state, x=y - self.eta * net.gradient(y), memory={"old": state.x})


class LookAhead(Algorithm):
    """Gradients here and at two looks ahead: noise of the first is in the third by the second."""

    def __init__(self, eta, reach):
        self.eta, self.reach = eta, reach

    def step(self, state, net):
        x, first = state.x, net.gradient(state.x, 0)
        second = net.gradient(x - self.reach * first, 1)
        third = net.gradient(x - self.reach * second, 2)
        return net.next(state, x=x - self.eta * (first + third))


class Tracking(Algorithm):
    def __init__(self, eta):
        self.eta = eta

    def init(self, x0, problem=None):
        return replace(super().init(x0, problem), memory={"y": 0 * x0, "g": 0 * x0})

    def step(self, state, net):
        g = net.gradient(state.x)
        y = net.mix(state.memory["y"]) + g - state.memory["g"]
        return net.next(state, x=net.mix(state.x) - self.eta * y, memory={"y": y, "g": g})


def ring(n):
    """Directed, with loops: every client keeps a half and sends a half."""
    return [[HALF * (j in (i, (i - 1) % n)) for j in range(n)] for i in range(n)]


def path(n):
    """Undirected, 1/3 to each neighbour."""
    rows = [[THIRD * (abs(i - j) == 1) for j in range(n)] for i in range(n)]
    return [
        [1 - sum(row) if i == j else v for j, v in enumerate(row)] for i, row in enumerate(rows)
    ]


def chord():
    """Columns sum to 1, rows do not: client 0 sends a third to everybody."""
    return [[THIRD, 0, HALF], [THIRD, HALF, 0], [THIRD, HALF, HALF]]
