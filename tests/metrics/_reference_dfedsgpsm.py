"""Algorithm 1 of dfedsgpsm in plain array code; imports nothing that it checks."""

import itertools
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


def split_by_hand():
    """E G^2, E A^2, E (G - N)^2 and E G - A of two steps, every sign in turn, b = (3/2, 1)."""
    found = []
    for signs in itertools.product((1, -1), repeat=2):
        x, v, G, A, N = 0.3, 0.0, 0.0, 0.0, 0.0
        for b, s in zip((1.5, 1.0), signs, strict=True):
            slope, noise = np.tanh(x - 1), 0.7 * s * np.cos(x)
            up = x + 0.2 * np.sign(slope + noise)
            used = np.tanh(up - 1) + 0.7 * s * np.cos(up)
            G, A, N = G + b * used, A + b * np.tanh(up - 1), N + b * noise
            v = 0.5 * v + used
            x -= 0.1 * v
        found.append((G * G, A * A, (G - N) ** 2, G - A))
    return np.mean(found, axis=0)
