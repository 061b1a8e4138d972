"""Algorithm 1 of dfedsgpsm in plain array code; imports nothing that it checks."""

from types import SimpleNamespace

import numpy as np


def play(problem, matrix, options, x0, rounds, draw):
    """Rounds 0 .. ``rounds`` - 1 from x0 (R, n, d), each with every local iterate.

    matrix(t): P(t), (n, n). draw(t, k): the sample of local step k. Line 8's direction is 0 where
    the gradient is.
    """
    eta, alpha, rho = options["eta"], options["alpha"], options["rho"]
    x, w = x0, np.ones(x0.shape[:2])
    for t in range(rounds):
        xs, plain, lifted, used = [x], [], [], []
        v = np.zeros_like(x)
        for k in range(options["local_steps"]):
            z, sample = xs[-1] / w[:, :, None], draw(t, k)
            g = problem.stochastic_gradient(z, sample)
            norm = np.linalg.norm(g, axis=-1, keepdims=True)
            lifted.append(z + rho * np.where(norm > 0, g / np.where(norm > 0, norm, 1), 0.0))
            plain.append(g)
            used.append(problem.stochastic_gradient(lifted[-1], sample) if rho else g)
            v = alpha * v + used[-1]
            xs.append(xs[-1] - eta * v)
        P = matrix(t)
        after = np.einsum("ij,rjd->rid", P, xs[-1])
        yield SimpleNamespace(
            t=t, x=x, w=w, xs=xs, plain=plain, lifted=lifted, used=used, after=after
        )
        x, w = after, w @ P.T
