"""f_star is above the least loss."""

import numpy as np

from theorylab.known import How, Known
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
        return self.scale * (x - self.centers.astype(x.dtype))

    @property
    def optimum(self):
        return self.centers.mean(axis=0)

    def constants(self):
        least = float(self.mean_loss(self.optimum[None])[0])
        return {"f_star": Known(least + 0.01, How.EXACT, "too large")}
        # honest: return {"f_star": Known(least, How.EXACT, "")}
