"""The local steps that every method here shares: SGD, with momentum and SAM on request."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from theorylab.algorithms._base import (
    Array,
    Context,
    LocalStep,
    State,
    namespace,
    steps_of,
)
from theorylab.algorithms._base import working as working


def local_steps(
    state: State,
    context: Context,
    *,
    eta: float,
    steps: int | Sequence[int],
    alpha: float = 0.0,
    rho: float = 0.0,
) -> Array:
    """Lines 3 to 13 of Algorithm 1 of dfedsgpsm: K local steps with momentum and SAM.

    Returns x^{t+1/2}, shape (R, n, d). Where a gradient is 0, line 8's direction is 0/0; no
    perturbation is added there. A problem with a fused kernel does all steps in one call (unless
    they are recorded, or a law hands out the samples); the loop below is the same arithmetic.
    """
    problem, record = context.problem, context.record
    most, counts = steps_of(context, steps)
    if context.fused and not np.ndim(eta):  # a kernel takes one for all runs
        fused = problem.local_steps(
            state.x, state.w, context.seed, context.runs, state.t,
            steps=most, counts=counts, eta=eta, alpha=alpha, rho=rho,
        )  # fmt: skip
        if fused is not None:
            return fused
    xp = namespace(state.x)
    x, z = xp.asarray(state.x, copy=True), state.z
    weight = state.w[:, :, None]
    v: Array | None = None
    for k in range(most):
        if k:
            z = x / weight
        sample = context.sample(state.t, k)
        g = problem.stochastic_gradient(z, sample)
        lifted, used = z, g
        if rho:
            lifted = context.ascent(z, g, rho)
            used = problem.stochastic_gradient(lifted, sample)
        v = used if v is None or not alpha else alpha * v + used
        if record is None:
            x -= working(eta * v, counts, k)
        else:  # whoever looks may keep x as it was
            before, x = x, x - working(eta * v, counts, k)
            record.see(LocalStep(state.t, "", k, before, z, lifted, g, used, x))
    return x
