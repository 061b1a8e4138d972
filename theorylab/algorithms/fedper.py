"""FedPer: FedAvg on the body, a head of its own for each client (Arivazhagan et al. 2019)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from theorylab.algorithms._base import Array, Context, State, checked, namespace
from theorylab.algorithms._local import local_steps
from theorylab.algorithms._server import (
    Centralised,
    contiguous,
    optional,
    split_server_start,
    whole_steps,
)
from theorylab.problems import Problem


@dataclass(frozen=True)
class FedPer(Centralised, name="fedper"):
    """Arivazhagan et al., "Federated learning with personalization layers", Algorithms 1 and 2:

    * The server sends the body u^t to the clients S_t that take part.
    * Each of them trains body and head together: (u, v_i) <- (u, v_i) - eta m, m = alpha m +
      grad F_i(u, v_i), K times from (u^t, v_i).
    * It keeps v_i and returns the body; u^{t+1} is the average of the bodies.

    "It follows FedAvg's training paradigm but only passes the base layer to the server and keeps
    the personalized layer locally" (dfedpgp, Appendix C.1; dfedalt_dfedsalt, Appendix B.2). The
    same method is FedSim (Section 4.2 there). A client that does not take part keeps its v_i and
    deploys it on the new body.

    Args:
        eta_v: step size of the head > 0; None: eta, as in FedPer. (dfedalt_dfedsalt, Section 5.1,
            has .001 for v and .1 for u "for all baselines", which may be read to include FedPer.)
        Otherwise as ``Centralised``.
    """

    eta_v: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        own = optional(self.eta_v, 1.0)
        checked(self.name, [("eta_v", own, lambda v: v > 0, "a step size > 0")])

    def init(self, x0: Array, problem: Problem | None = None) -> State:
        """The first state from x0 (R, n, d): the mean of the bodies, each client's own head."""
        return split_server_start(self.name, x0, problem)

    def step(self, state: State, context: Context) -> State:
        """One communication round."""
        chosen, share = self.taking_part(state, context)
        xp, d_u, shrink = namespace(state.x), context.problem.shared, self.decay**state.t
        whole = xp.concat([state.x, state.v], axis=-1)
        if self.eta_v is None or self.eta_v == self.eta:
            at = replace(state, x=whole, z=whole)
            half = local_steps(
                at, chosen, eta=self.rate(state.t), steps=self.local_steps, alpha=self.alpha
            )
        else:
            eta = xp.ones_like(whole[0, 0]) * self.rate(state.t)
            eta[d_u:] = self.eta_v * shrink
            half = whole_steps(
                whole, chosen, state.t, eta=eta, steps=self.local_steps, alpha=self.alpha
            )
        x = self.serve(state.x, half[..., :d_u], share)
        return replace(state, t=state.t + 1, x=x, z=x, v=contiguous(half[..., d_u:]))
