"""What every method with plain local steps has: their options, their checks, and the steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from theorylab.algorithms._algorithm import Algorithm
from theorylab.algorithms._base import Array, Context, State, checked, rules, step_size
from theorylab.algorithms._local import local_steps
from theorylab.algorithms._options import StepSize


@dataclass(frozen=True)
class Phases:
    """A round of local steps and one exchange by P(t).

    eta: the step size of a round. steps: K, or one K a client. alpha, rho: momentum, SAM's radius.
    push_sum: the weights travel, too, and z = x / w; without it z is x.
    """

    eta: Callable[[int], float]
    steps: int | Sequence[int]
    alpha: float
    rho: float
    push_sum: bool


def declared_phases(method: Any) -> Phases | None:
    """The phases of an algorithm, unless its class is not the one that declared them.

    Whoever overrides ``init``, ``half`` or ``step`` has another round than was declared.
    """
    kind = type(method)
    owner = next((each for each in kind.__mro__ if "round_phases" in vars(each)), None)
    parts = ("init", "half", "local_phases", "step")
    if owner is None or any(
        getattr(kind, part, None) is not getattr(owner, part, None) for part in parts
    ):
        return None
    phases: Phases | None = method.round_phases()
    return phases


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

    def step_size(self, t: int) -> float:
        """eta_t of round t."""
        return step_size(self, t)

    def round_phases(self) -> Phases | None:
        """The round as phases that a kernel can play, or None. A subclass that writes ``init``,
        ``half`` or ``step`` anew has none until it says so: see ``declared_phases``."""
        return None

    def local_phases(self, *, push_sum: bool) -> Phases:
        """Local steps and one exchange, as phases."""

        def eta(t: int) -> float:
            return step_size(self, t)

        return Phases(eta, self.local_steps, self.alpha, self.rho, push_sum)

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
