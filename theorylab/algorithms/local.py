"""Local: every client trains alone (dfedpgp, Appendix C.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from theorylab.algorithms._algorithm import Algorithm
from theorylab.algorithms._base import Context, State, checked, rules
from theorylab.algorithms._local import local_steps
from theorylab.algorithms._options import StepSize, step_size


@dataclass(frozen=True)
class Local(Algorithm, name="local"):
    """x_i <- x_i - eta m_i, m_i = alpha m_i + g_i, K times a round. Nothing is exchanged.

    "only trains the personalized model on the local data and does not communicate with other
    clients [...] we train 5 epochs locally in each round" (dfedpgp, Appendix C.1; the same words in
    dfedalt_dfedsalt, Appendix B). The topology plays no part; a failing client misses its steps.

    Args:
        eta, decay: step size eta decay^t > 0. alpha: momentum, from 0 in every round; experiments
            .9. local_steps: K >= 1, or one a client.

    Raises:
        ValueError: one line naming the option that is out of range.
    """

    eta: StepSize
    alpha: float = 0.0
    local_steps: int | Sequence[int] = 5
    decay: float = 1.0

    def __post_init__(self) -> None:
        checked(self.name, rules(self, "eta", "alpha", "local_steps", "decay"))

    def fixed_order(self) -> bool:
        return True

    def step(self, state: State, context: Context) -> State:
        """One round of local steps."""
        eta = step_size(self, state.t)
        x = local_steps(state, context, eta=eta, steps=self.local_steps, alpha=self.alpha)
        return replace(state, t=state.t + 1, x=x, z=x)
