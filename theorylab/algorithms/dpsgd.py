"""D-PSGD: one SGD step a round and gossip (Lian et al. 2017; dfedsgpsm, Appendix A)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from theorylab.algorithms._base import Context, State, chosen
from theorylab.algorithms._exchange import gossip
from theorylab.algorithms._gossip_family import LocalGossip
from theorylab.algorithms._local_method import Phases

ORDERS = ("step-then-mix", "mix-then-step")


@dataclass(frozen=True)
class DPSGD(LocalGossip, name="dpsgd"):
    """One stochastic gradient step of every client and one exchange, every round.

    Two readings of the order. "step-then-mix", x = W (x - eta g(x)): dfedsgpsm's "employs one-step
    SGD to train local models in each communication round", the DFedAvg of one step, hence the
    default. "mix-then-step", x = W x - eta g(x): Algorithm 1 of Lian et al. (2017), where the
    gradient is taken at the model before the exchange. They have the same mean model for doubly
    stochastic W as long as the models agree.

    Args:
        order: "step-then-mix" or "mix-then-step", see above.
        Otherwise as ``LocalGossip``.
    """

    local_steps: int = 1
    order: str = "step-then-mix"
    fixed: ClassVar[dict[str, float]] = {"alpha": 0, "rho": 0, "gossip_steps": 1, "local_steps": 1}

    def __post_init__(self) -> None:
        super().__post_init__()
        chosen(self.name, "order", self.order, ORDERS)

    def round_phases(self) -> Phases | None:
        """As ``LocalMethod.round_phases``."""
        return self.local_phases(push_sum=False) if self.order == "step-then-mix" else None

    def step(self, state: State, context: Context) -> State:
        """One communication round."""
        if self.order == "step-then-mix":
            return super().step(state, context)
        half = self.half(state, context)
        mixed = gossip(state, state.x, context)
        x = mixed.x + (half - state.x)
        return replace(mixed, x=x, z=x)
