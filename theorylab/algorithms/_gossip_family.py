"""Local steps, then plain gossip: the symmetric rivals of dfedsgpsm (its Appendix A)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from theorylab.algorithms._base import Context, State, checked, is_steps
from theorylab.algorithms._exchange import gossip
from theorylab.algorithms._local_method import LocalMethod, Phases


@dataclass(frozen=True)
class LocalGossip(LocalMethod):
    """x^{t+1/2} by K local steps from x^t, then x^{t+1} = P^Q x^{t+1/2}, without weights.

    The theory behind these methods wants P doubly stochastic. Any P is accepted: what goes wrong
    without the weights of push-sum is one of the things to look at.

    Args:
        gossip_steps: Q >= 1, exchanges a round.
        Otherwise as ``LocalMethod``.
    """

    local_steps: int | Sequence[int] = 5
    gossip_steps: int = 1
    fixed: ClassVar[dict[str, float]] = {}  # options that this member of the family has not

    def __post_init__(self) -> None:
        for option, value in self.fixed.items():
            if getattr(self, option) != value:
                raise ValueError(
                    f"{self.name}: {option} is {getattr(self, option)!r}; need {value:g}"
                )
        super().__post_init__()
        checked(self.name, [("gossip_steps", self.gossip_steps, is_steps, "Q >= 1")])

    def round_phases(self) -> Phases | None:
        """As ``LocalMethod.round_phases``."""
        return self.local_phases(push_sum=False) if self.gossip_steps == 1 else None

    def fixed_order(self) -> bool:
        return True

    def step(self, state: State, context: Context) -> State:
        """One communication round."""
        return gossip(state, self.half(state, context), context, self.gossip_steps)
