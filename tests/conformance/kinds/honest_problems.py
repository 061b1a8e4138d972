"""Honest problems that look odd: stiff, cancelling, kinked, heavy tails."""

import numpy as np

from theorylab.kernels import Stream
from theorylab.known import How, Known
from theorylab.problems import Problem


class Stiff(Problem, name="true.stiff"):
    def __init__(self, clients, *, dim=6, cond=1e8):
        self.h = np.logspace(0, np.log10(cond), dim)
        self.c = np.arange(clients * dim, dtype=float).reshape(clients, dim)
        super().__init__(clients, dim)
        self.optimum = self.c.mean(axis=0)

    def loss(self, x):
        return (self.h * (x - self.c) ** 2).sum(-1) / 2

    def gradient(self, x):
        return self.h * (x - self.c)

    def constants(self):
        fs = float(self.mean_loss(self.optimum[None])[0])
        return {
            "L": Known(self.h.max(), How.EXACT, ""),
            "mu": Known(self.h.min(), How.EXACT, ""),
            "f_star": Known(fs, How.EXACT, ""),
        }


class Offset(Problem, name="true.offset"):
    "cancels: a loss near 1e9, gradient small"

    def __init__(self, clients):
        super().__init__(clients, 2)

    def loss(self, x):
        return 1e9 + 1e-3 * (x**2).sum(-1)

    def gradient(self, x):
        return 2e-3 * x

    def constants(self):
        return {
            "L": Known(2e-3, How.EXACT, ""),
            "mu": Known(2e-3, How.EXACT, ""),
            "f_star": Known(1e9, How.EXACT, ""),
        }


class Cancel(Problem, name="true.cancels"):
    "hidden cancellation"

    def __init__(self, clients):
        super().__init__(clients, 2)

    def loss(self, x):
        return ((1e7 + x) ** 2 - 1e14 - 2e7 * x).sum(-1)

    def gradient(self, x):
        return 2 * x

    def constants(self):
        return {
            "L": Known(2, How.EXACT, ""),
            "f_star": Known(0, How.EXACT, ""),
            "mu": Known(2, How.EXACT, ""),
        }


class Abs(Problem, name="true.abs"):
    def __init__(self, clients):
        super().__init__(clients, 3)

    def loss(self, x):
        return np.abs(x).sum(-1)

    def gradient(self, x):
        return np.sign(x)

    def constants(self):
        return {
            "B": Known(3**0.5, How.EXACT, ""),
            "mu": Known(0, How.EXACT, ""),
            "f_star": Known(0, How.EXACT, ""),
        }


class Exp(Problem, name="true.exp"):
    def __init__(self, clients):
        super().__init__(clients, 3)

    def loss(self, x):
        return np.exp(np.abs(x)).sum(-1)

    def gradient(self, x):
        return np.sign(x) * np.exp(np.abs(x))


class Quartic(Problem, name="true.quartic"):
    def __init__(self, clients, *, p=4):
        self.p = p
        super().__init__(clients, 3)

    def loss(self, x):
        return (x**self.p).sum(-1) / self.p

    def gradient(self, x):
        return x ** (self.p - 1)

    def constants(self):
        return {
            "mu": Known(0, How.EXACT, ""),
            "f_star": Known(0, How.EXACT, ""),
            "L": Known(np.inf, How.EXACT, ""),
        }


class Wave(Problem, name="true.wave"):
    def __init__(self, clients):
        super().__init__(clients, 3)

    def loss(self, x):
        return np.cos(1000 * x).sum(-1) / 1e6

    def gradient(self, x):
        return -np.sin(1000 * x) / 1e3

    def constants(self):
        return {
            "L": Known(1, How.EXACT, ""),
            "mu": Known(-1, How.LOWER, ""),
            "f_star": Known(-3e-6, How.EXACT, ""),
            "B": Known(3**0.5 / 1e3, How.EXACT, ""),
        }


class Constant(Problem, name="true.constant"):
    def __init__(self, clients):
        super().__init__(clients, 1)

    def loss(self, x):
        return np.zeros(x.shape[:2], x.dtype)

    def gradient(self, x):
        return np.zeros_like(x)

    def constants(self):
        return {
            k: Known(0, How.EXACT, "") for k in ("L", "mu", "B", "f_star", "sigma_g", "sigma_l")
        }


class Skew(Problem, name="true.skew"):
    "minibatch of one rare huge sample: heavy, asymmetric"

    def __init__(self, clients, *, p=0.01):
        self.p = p
        super().__init__(clients, 2, True)

    def loss(self, x):
        return (x**2).sum(-1) / 2

    def gradient(self, x):
        return x.copy()

    def sample(self, seed, runs, round, step):
        u = Stream(seed, "noise").uniform(runs, self.clients, round, step, 1)
        return np.where(u < self.p, (1 - self.p), -self.p)

    def stochastic_gradient(self, x, s):
        return x + (100 * s).astype(x.dtype)

    def measured_noise(self, xbar):
        return np.full((len(xbar), self.clients), 100 * (2 * self.p * (1 - self.p)) ** 0.5)

    def constants(self):
        return {"sigma_l": Known(100 * (2 * self.p * (1 - self.p)) ** 0.5, How.EXACT, "")}


class Cauchyish(Problem, name="true.lognormal"):
    def __init__(self, clients):
        super().__init__(clients, 1, True)

    def loss(self, x):
        return (x**2).sum(-1) / 2

    def gradient(self, x):
        return x.copy()

    def sample(self, seed, runs, round, step):
        return np.exp(
            2 * Stream(seed, "noise").normal(runs, self.clients, round, step, 1)
        ) - np.exp(2)

    def stochastic_gradient(self, x, s):
        return x + s

    def measured_noise(self, xbar):
        return np.full((len(xbar), self.clients), ((np.exp(4) - 1) * np.exp(4)) ** 0.5)


class OneSided(Problem, name="true.onesided"):
    """Noise whose mean is 0 by an event of chance 1e-4 that no sample is likely to show."""

    def __init__(self, clients):
        super().__init__(clients, 1, True)

    def loss(self, x):
        return (x**2).sum(-1) / 2

    def gradient(self, x):
        return x.copy()

    def sample(self, seed, runs, round, step):
        hit = Stream(seed, "noise").uniform(runs, self.clients, round, step, 1) < 1e-4
        return np.where(hit, 0.9999, -0.0001) / (1e-4 * 0.9999) ** 0.5

    def stochastic_gradient(self, x, s):
        return x + s.astype(x.dtype)

    def constants(self):
        return {"sigma_l": Known(1.0, How.EXACT, "a coin")}


class Simplex(Problem, name="true.simplex"):
    """f is linear, and least over the simplex at a vertex; beyond it f has no least value."""

    optimum, slope = np.array([0.0, 1.0, 0.0]), np.array([0.5, 0.24, 0.9])

    def __init__(self, clients):
        super().__init__(clients, 3, False)

    def initial(self, seed, runs):
        return np.full((len(runs), self.clients, 3), 1 / 3)

    def inside(self, x):
        return (x >= 0).all(axis=-1) & (abs(x.sum(axis=-1) - 1) < 1e-9)

    def loss(self, x):
        return x @ self.slope.astype(x.dtype)

    def gradient(self, x):
        return np.broadcast_to(self.slope.astype(x.dtype), x.shape).copy()

    def constants(self):
        return {"L": Known(0.0, How.EXACT, "linear"), "f_star": Known(0.24, How.EXACT, "a vertex")}
