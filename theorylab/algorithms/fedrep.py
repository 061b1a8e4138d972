"""FedRep: heads first, then the body, and only bodies are averaged (Collins et al., ICML 2021)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from theorylab.algorithms._base import Array, Context, State, checked, is_steps
from theorylab.algorithms._options import step_size
from theorylab.algorithms._partial import Phase, alternate, most_steps
from theorylab.algorithms._server import Centralised, optional, split_server_start
from theorylab.problems import Problem


@dataclass(frozen=True)
class FedRep(Centralised, name="fedrep"):
    """Algorithm 1 of Collins et al., "Exploiting shared representations":

    * The server sends the body u^t to the clients S_t that take part.
    * Head: v_i <- v_i - eta_v grad_v F_i(u^t, v_i), K_v times, the body fixed.
    * Body: u <- u - eta grad_u F_i(u, v_i^{t+1}), K times from u^t, the head fixed. (Algorithm 1
      prints one such step, "GRD"; its experiments and the tables here take several.)
    * u^{t+1} is the average of the bodies; v_i stays.

    "we follow the official implementation to train the head for 10 epochs with the body fixed, and
    then train the body for 5 epochs with the head fixed" (dfedpgp, Appendix C.1; dfedalt_dfedsalt,
    Appendix B.2; FedAlt in Section 4.2 there). Momentum starts from 0 in each of the two phases.

    Which draws: head step k has step number k, body step k has K_v + k.

    Args:
        head_steps: K_v >= 1, or one a client; 10 in the papers. local_steps: K; 5 in the papers.
        eta_v: step size of the head > 0; None: eta, as in the official implementation.
        Otherwise as ``Centralised``.
    """

    head_steps: int | Sequence[int] = 10
    eta_v: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        own = optional(self.eta_v, 1.0)
        checked(
            self.name,
            [
                ("head_steps", self.head_steps, is_steps, "K >= 1, or one a client"),
                ("eta_v", own, lambda v: v > 0, "a step size > 0"),
            ],
        )

    def init(self, x0: Array, problem: Problem | None = None) -> State:
        """The first state from x0 (R, n, d): the mean of the bodies, each client's own head."""
        return split_server_start(self.name, x0, problem)

    def step(self, state: State, context: Context) -> State:
        """One communication round."""
        chosen, share = self.taking_part(state, context)
        own = step_size(self, state.t, self.eta_v)
        first = most_steps(self.head_steps)
        head = Phase("v", own, self.head_steps, 0, False, self.alpha)
        body = Phase("u", self.rate(state.t), self.local_steps, first, False, self.alpha)
        half, after = alternate(head, body, state, chosen)
        x = self.serve(state.x, half, share)
        return replace(after, t=state.t + 1, x=x, z=x)
