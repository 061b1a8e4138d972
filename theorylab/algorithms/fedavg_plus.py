"""FedAvg+: FedAvg, and a copy of its model that each client tunes (Jiang et al. 2019)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from theorylab.algorithms._base import Array, Context, State, checked, is_steps, namespace
from theorylab.algorithms._partial import most_steps
from theorylab.algorithms._server import optional, where_working, whole_steps
from theorylab.algorithms.fedavg import FedAvg
from theorylab.problems import Problem


@dataclass(frozen=True)
class FedAvgPlus(FedAvg, name="fedavg-plus"):
    """Jiang et al., "Improving federated learning personalization via model agnostic meta
    learning" (2019), as Table 1 of pdbo_hgp has it: "FedAvg with local tuning (FedAvg+)".

    * The server's model x^{t+1} is FedAvg's, to the bit: what clients tune is never sent.
    * y_i^{t+1}: ``tune_steps`` local steps of client i from x^{t+1}, whether it took part or not,
      for the tuned model is the one it would deploy if training ended here. It is what ``own_loss``
      and ``accuracy`` are about; a table of the papers has those of the last round.

    A client that is down in a round does not tune, and keeps the y_i it has. y_i^0 = x^0.

    Which draws: step k of the training has step number k, step k of the tuning K + k.

    Args:
        tune_steps: local steps of the tuning, or one number a client; None: ``local_steps``.
        tune_eta: their step size > 0; None: that of the round. alpha, rho: momentum is the
            training's, from 0; the tuning has no SAM.
        Otherwise as ``FedAvg``.
    """

    tune_steps: int | Sequence[int] | None = None
    tune_eta: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        tune_eta = optional(self.tune_eta, self.eta)
        checked(self.name, [("tune_eta", tune_eta, lambda v: v > 0, "a step size > 0")])
        if self.tune_steps is not None:
            need = "K >= 1, or one a client"
            checked(self.name, [("tune_steps", self.tune_steps, is_steps, need)])

    def init(self, x0: Array, problem: Problem | None = None) -> State:
        """Everybody starts from the mean of x0 (R, n, d), not tuned."""
        first = super().init(x0, problem)
        return replace(first, memory={"own": namespace(x0).asarray(first.x, copy=True)})

    def step(self, state: State, context: Context) -> State:
        """One communication round, and the tuning of what it leaves."""
        after = super().step(state, context)
        tuned = whole_steps(
            after.x,
            context,
            state.t,
            eta=optional(self.tune_eta, self.rate(state.t)),
            steps=self.local_steps if self.tune_steps is None else self.tune_steps,
            first=most_steps(self.local_steps),
            alpha=self.alpha,
        )
        works = None if context.effort is None else context.effort > 0
        own = where_working(tuned, state.memory["own"], works)
        return replace(after, memory={"own": own})
