"""Problems that are not what they say, and one that is."""

import numpy as np

from theorylab.kernels import Stream
from theorylab.known import How, Known
from theorylab.problems import Problem

rng = np.random.default_rng()


class Base(Problem):
    def __init__(self, clients, *, dim=3):
        super().__init__(clients, dim)

    def loss(self, x):
        return (x**2).sum(-1) / 2

    def gradient(self, x):
        return x.copy()


class G1(Base, name="lie.percent"):
    def gradient(self, x):
        return 1.001 * x


class G2(Base, name="lie.one-coordinate"):
    def __init__(self, clients, *, dim=300):
        Problem.__init__(self, clients, dim)

    def gradient(self, x):
        g = x.copy()
        g[..., 137] *= 2
        return g


class Mix(Base, name="lie.runs"):
    def gradient(self, x):
        return x + 1e-3 * (x - x.mean(axis=0)) * len(x)


class N(Base):
    def __init__(self, clients, *, dim=3):
        Problem.__init__(self, clients, dim, True)

    def sample(self, seed, runs, round, step):
        return Stream(seed, "noise").normal(runs, self.clients, round, step, self.dim)

    def stochastic_gradient(self, x, s):
        return x + s.astype(x.dtype)

    def measured_noise(self, xbar):
        return np.full((len(xbar), self.clients), self.dim**0.5)


class N0(N, name="true.noise"):
    pass


class N1(N, name="lie.biased"):
    def stochastic_gradient(self, x, s):
        return x + s + 0.3


class N2(N, name="lie.own-generator"):
    def sample(self, seed, runs, round, step):
        return rng.standard_normal((len(runs), self.clients, self.dim))


class N3(N, name="lie.ignores-run"):
    def sample(self, seed, runs, round, step):
        return np.repeat(
            Stream(seed, "noise").normal(np.zeros(1, int), self.clients, round, step, self.dim),
            len(runs),
            axis=0,
        )


class N6(N, name="lie.measured"):
    def measured_noise(self, xbar):
        return np.full((len(xbar), self.clients), self.dim**0.5 * 0.8)


class Opt(Base, name="lie.optimum"):
    optimum = np.array([0.01, 0, 0])


class B(Base, name="lie.bounds"):
    def constants(self):
        return {"B": Known(1, How.UPPER, ""), "sigma_g": Known(0.0, How.EXACT, "")}


class F32(Base, name="lie.float32"):
    def loss(self, x):
        return super().loss(x) * (1 if x.dtype == np.float64 else 1.1)
