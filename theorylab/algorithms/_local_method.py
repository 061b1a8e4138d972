"""What every method with plain local steps has: their options, their checks, and the steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from theorylab.algorithms._algorithm import Algorithm
from theorylab.algorithms._base import Array, Context, State, checked, rules, step_size
from theorylab.algorithms._local import local_steps
from theorylab.algorithms._options import StepSize


@dataclass(frozen=True)
class LocalMethod(Algorithm):
    """Local steps x^{t+1/2} from x^t; how the models then travel is the subclass's ``step``.

    Args:
        eta: local step size eta_l > 0, in units of x^2 / f: a number, a function of the round t, or
            a text in t such as "1/(10 + t)".
        alpha: momentum coefficient, 0 <= alpha < 1, from 0 in every round.
        rho: SAM radius >= 0, in units of x.
        local_steps: K >= 1, or one K a client (heterogeneous local work).
        decay: eta_l^t = eta(t) decay^t, 0 < decay <= 1.

    Raises:
        ValueError: one line naming the option that is out of range.
    """

    eta: StepSize
    alpha: float = 0.0
    rho: float = 0.0
    local_steps: int | Sequence[int] = 1
    decay: float = 1.0

    def __post_init__(self) -> None:
        checked(self.name, rules(self, "eta", "alpha", "rho", "local_steps", "decay"))

    def half(self, state: State, context: Context) -> Array:
        """x^{t+1/2}, (R, n, d)."""
        return local_steps(
            state,
            context,
            eta=step_size(self, state.t),
            steps=self.local_steps,
            alpha=self.alpha,
            rho=self.rho,
        )
