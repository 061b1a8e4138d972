"""Honest methods that look odd: thresholds, two networks, draws of their own."""

from dataclasses import dataclass, replace

import numpy as np

from theorylab.algorithms import Algorithm, step_size
from theorylab.kernels import Stream


@dataclass(frozen=True)
class TopK(Algorithm, name="true.topk"):
    eta: float
    k: int = 1

    def init(self, x0, problem=None):
        s = super().init(x0, problem)
        return replace(s, memory={"e": 0 * s.x})

    def step(self, state, net):
        v = self.eta * net.gradient(state.x) + state.memory["e"]
        cut = -np.sort(-np.abs(v), axis=-1)[..., self.k - 1 : self.k]
        c = np.where(np.abs(v) >= cut, v, 0)
        return net.next(state, x=net.mix(state.x) - c, memory={"e": v - c})


@dataclass(frozen=True)
class Sign(Algorithm, name="true.sign"):
    eta: float = 0.1

    def step(self, state, net):
        return net.next(state, x=net.mix(state.x - self.eta * np.sign(net.gradient(state.x))))


class PushPull(Algorithm, name="true.pushpull"):
    def __init__(self, eta=0.05):
        self.eta = eta

    def init(self, x0, problem=None):
        s = super().init(x0, problem)
        return replace(s, memory={"y": 0 * s.x, "g": 0 * s.x})

    def step(self, state, net):
        g = net.gradient(state.x)
        y = net.mix(state.memory["y"], network="push") + g - state.memory["g"]
        x = net.mix(state.x, network="pull") - self.eta * y
        return net.next(state, x=x, memory={"y": y, "g": g})


class Central(Algorithm, name="true.drawer"):
    draws = True

    def __init__(self, eta=0.05):
        self.eta = eta

    def step(self, state, net):
        u = Stream(net.seed, "selection").uniform(net.runs, net.problem.clients, state.t, 0, 1)
        return net.next(state, x=net.mix(state.x) - self.eta * (u < 0.5) * net.gradient(state.x))


@dataclass(frozen=True)
class WeightDecay(Algorithm, name="true.decay"):
    eta: "float | str" = "1/(10+t)"

    def step(self, state, net):
        e = step_size(self, state.t)
        x, w = net.mix(0.9 * state.x - e * net.gradient(state.z), state.w)
        return net.next(state, x=x, w=w)
