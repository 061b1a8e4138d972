"""The noise is twice as large as its declared sigma_l."""

import numpy as np

from theorylab.kernels import Stream
from theorylab.known import How, Known
from theorylab.problems import Problem


class Bowl(Problem, name="lie.bowl"):
    """Squared distances of clients from centers of their own."""

    def __init__(self, clients, *, dim=2, scale=1.5):
        self.scale = scale
        self.centers = np.linspace(-1, 2, clients * dim).reshape(clients, dim)
        super().__init__(clients, dim, True)

    def loss(self, x):
        return self.scale * ((x - self.centers.astype(x.dtype)) ** 2).sum(axis=-1) / 2

    def gradient(self, x):
        return self.scale * (x - self.centers.astype(x.dtype))

    def sample(self, seed, runs, round, step):
        return Stream(seed, "noise").normal(runs, self.clients, round, step, self.dim)

    def stochastic_gradient(self, x, sample):
        return self.gradient(x) + sample.astype(x.dtype)

    def measured_noise(self, xbar):
        return np.full((len(xbar), self.clients), np.sqrt(self.dim))

    def constants(self):
        return {"sigma_l": Known(self.dim**0.5 / 2, How.EXACT, "half")}
        # honest: return {"sigma_l": Known(self.dim**0.5, How.EXACT, "")}
