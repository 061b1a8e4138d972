"""AsyNG (Chen et al. 2023) as dfedsgpsm describes it: push-sum and K plain local steps."""

from __future__ import annotations

from dataclasses import dataclass

from theorylab.algorithms._base import (
    Array,
    Context,
    LocalStep,
    State,
    chosen,
    namespace,
    steps_of,
)
from theorylab.algorithms._local import working
from theorylab.algorithms._options import step_size
from theorylab.algorithms.osgp import OSGP

POINTS = ("recomputed", "one-point")


@dataclass(frozen=True)
class AsyNG(OSGP, name="asyng"):
    """K local SGD steps, then push-sum mixing, every round.

    Args:
        point: where a round's gradients are taken. "recomputed" (default): z = x / w in every local
            step, which is Algorithm 1 of dfedsgpsm with rho = alpha = 0. "one-point": z^t in all of
            them; Section 3.4 of dfedsgpsm says of AsyNG that they are "always different mini-batch
            stochastic gradients at the same de-biased parameter".
        Otherwise as ``OSGP``.
    """

    point: str = "recomputed"

    def __post_init__(self) -> None:
        super().__post_init__()
        chosen(self.name, "point", self.point, POINTS)

    def fixed_order(self) -> bool:
        return self.point == "recomputed"

    def half(self, state: State, context: Context) -> Array:
        """x^{t+1/2}, (R, n, d)."""
        if self.point == "recomputed":
            return super().half(state, context)
        eta, x = step_size(self, state.t), namespace(state.x).asarray(state.x, copy=True)
        most, counts = steps_of(context, self.local_steps)
        for k in range(most):
            g = context.problem.stochastic_gradient(state.z, context.sample(state.t, k))
            before, x = x, x - working(eta * g, counts, k)
            if context.record is not None:
                context.record.see(LocalStep(state.t, "", k, before, state.z, state.z, g, g, x))
        return x
