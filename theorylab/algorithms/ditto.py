"""Ditto: FedAvg, and a personal model held near the global one (Li et al., ICML 2021)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from theorylab.algorithms._base import Array, Context, State, checked, is_steps, namespace, start
from theorylab.algorithms._local import local_steps
from theorylab.algorithms._options import step_size
from theorylab.algorithms._partial import most_steps
from theorylab.algorithms._server import (
    Centralised,
    one_model,
    optional,
    whole_steps,
)
from theorylab.problems import Problem


@dataclass(frozen=True)
class Ditto(Centralised, name="ditto"):
    """Algorithm 1 of Li et al., "Ditto: fair and robust federated learning through
    personalization":

    * The server sends x^t to the clients S_t that take part.
    * Global part, as FedAvg: K local steps from x^t; x^{t+1} is the average of their ends.
    * Personal part: y_i <- y_i - eta_own m, m = alpha m + g_i(y_i) + lam (y_i - x^t), K_own times
      from the y_i of the last round that client i took part in. The center is the x^t received, not
      the client's own x_i^{t+1/2} nor the new x^{t+1}.

    What a client deploys is y_i. It starts from the client's own x0 (Algorithm 1 takes the y_i^0
    as input); the global model from the mean of all x0. Described in dfedpgp (Appendix C.1) and
    dfedalt_dfedsalt (Appendix B.2).

    Which draws: global step k has step number k, personal step k has K + k.

    Args:
        lam: >= 0; .75 in both papers. 0: y_i trains alone.
        own_steps: K_own, or one a client; None: K ("It totally trains two models on the local
            datasets" names no other number).
        own_eta: > 0; None: eta.
        Otherwise as ``Centralised``.
    """

    lam: float = 0.75
    own_steps: int | Sequence[int] | None = None
    own_eta: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        rules = [
            ("lam", self.lam, lambda v: v >= 0, "lam >= 0"),
            ("own_eta", optional(self.own_eta, 1.0), lambda v: v > 0, "a step size > 0"),
        ]
        checked(self.name, rules)
        if self.own_steps is not None:
            checked(self.name, [("own_steps", self.own_steps, is_steps, "K >= 1, or one a client")])

    def init(self, x0: Array, problem: Problem | None = None) -> State:
        """The first state from x0 (R, n, d)."""
        first = start(x0)
        x = one_model(first.x)
        own = namespace(x).asarray(first.x, copy=True)
        return replace(first, x=x, z=x, memory={"own": own})

    def step(self, state: State, context: Context) -> State:
        """One communication round."""
        chosen, share = self.taking_part(state, context)
        half = local_steps(
            state, chosen, eta=self.rate(state.t), steps=self.local_steps, alpha=self.alpha
        )
        own = whole_steps(
            state.memory["own"],
            chosen,
            state.t,
            eta=step_size(self, state.t, self.own_eta),
            steps=self.local_steps if self.own_steps is None else self.own_steps,
            first=most_steps(self.local_steps),
            alpha=self.alpha,
            pull=self.lam,
            towards=state.x if self.lam else None,
        )
        x = self.serve(state.x, half, share)
        return replace(state, t=state.t + 1, x=x, z=x, memory={"own": own})
