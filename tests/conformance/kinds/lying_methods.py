"""Networks, methods, metrics and experiments that are not what they say."""

import numpy as np
from scipy.sparse import csr_array

from theorylab.algorithms import Algorithm
from theorylab.experiments import Experiment, Observation
from theorylab.kernels import Stream
from theorylab.known import How, Known
from theorylab.metrics import Metric
from theorylab.runs import Row
from theorylab.topologies import Topology

rng = np.random.default_rng()


class Neg(Topology, name="lie.negative"):
    def __init__(self, clients):
        super().__init__(clients, period=1, options={})

    def _build(self, t, run):
        n = self.clients
        return csr_array(1.5 * np.eye(n) - 0.5 * np.roll(np.eye(n), 1, axis=0))


class Rand(Topology, name="lie.seedless"):
    def __init__(self, clients):
        super().__init__(clients, period=None, options={}, seed=0)

    def _build(self, t, run):
        n = self.clients
        return csr_array((np.eye(n) + np.eye(n)[rng.permutation(n)]) / 2)


class Lose(Topology, name="lie.forgets"):
    def __init__(self, clients, *, hop=1):
        self.hop = hop
        super().__init__(clients, period=1, options={})

    def _build(self, t, run):
        n = self.clients
        return csr_array((np.eye(n) + np.roll(np.eye(n), self.hop, axis=0)) / 2)


class A(Algorithm):
    def __init__(self, eta=0.05):
        self.eta = eta


class A2(A, name="lie.undeclared"):
    def step(self, s, net):
        u = Stream(net.seed, "selection").uniform(net.runs, net.problem.clients, s.t, 0, 1)
        return net.next(s, x=net.mix(s.x) - self.eta * (u < 0.5) * net.gradient(s.x))


class A3(A, name="lie.weights"):
    def step(self, s, net):
        x, w = net.mix(s.x - self.eta * net.gradient(s.z), s.w)
        return net.next(s, x=x, w=0.99 * w)


class A5(A, name="lie.options"):
    def options(self):
        return {}

    def step(self, s, net):
        return net.next(s, x=net.mix(s.x) - self.eta * net.gradient(s.x))


class A6(A, name="lie.counts-itself"):
    def step(self, s, net):
        self.k = getattr(self, "k", 0) + 1
        return net.next(s, x=net.mix(s.x) - self.eta / self.k * net.gradient(s.x))


class M1(Metric, name="lie.one-number"):
    def rows(self, b, a):
        yield Row(np.array([a.x.sum()]), {"t": a.t}, f"{a.t}")


class M2(Metric, name="lie.mixes"):
    def rows(self, b, a):
        yield Row(((a.x - a.x.mean(axis=0)) ** 2).sum((1, 2)), {"t": a.t}, f"{a.t}")


class M3(Metric, name="lie.no-axis"):
    axis = "T"

    def rows(self, b, a):
        yield Row((a.x**2).sum((1, 2)), {"t": a.t}, f"{a.t}")


class E(Experiment):
    columns = ("c",)

    def __init__(self, *, q=0.5):
        self.q = q

    def describe(self):
        return {"q": self.q}

    def constants(self):
        return {"q": Known(self.q, How.EXACT, "")}

    def observe(self, column, runs, seed):
        return Observation((Row(np.array([self.q + r for r in runs]), {}, "a"),), False)


class E0(E, name="true.experiment"):
    pass


class E3(E, name="lie.by-place"):
    def observe(self, column, runs, seed):
        return Observation((Row(np.arange(len(runs)) * 1.0, {}, "a"),), False)


class E5(E, name="lie.plain-constant"):
    def constants(self):
        return {"q": 0.5}


class Nan(Metric, name="lie.nan"):
    def rows(self, before, after):
        yield Row(np.nan * after.x[:, 0, 0], {"t": after.t}, "nan")
