"""The gradient has the wrong sign."""

import numpy as np

from theorylab.problems import Problem


class Bowl(Problem, name="lie.bowl"):
    """Squared distances of clients from centers of their own."""

    def __init__(self, clients, *, dim=2, scale=1.5):
        self.scale = scale
        self.centers = np.linspace(-1, 2, clients * dim).reshape(clients, dim)
        super().__init__(clients, dim)

    def loss(self, x):
        return self.scale * ((x - self.centers.astype(x.dtype)) ** 2).sum(axis=-1) / 2

    def gradient(self, x):
        return -self.scale * (x - self.centers.astype(x.dtype))
        # honest: return self.scale * (x - self.centers.astype(x.dtype))
