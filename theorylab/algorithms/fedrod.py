"""Fed-RoD: a generic model, and each client's own head on top of it (Chen and Chao, ICLR 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from theorylab.algorithms._base import Array, Context, State, checked, chosen, is_steps, namespace
from theorylab.algorithms._options import step_size
from theorylab.algorithms._partial import Phase, descend, most_steps, split_start
from theorylab.algorithms._server import (
    Centralised,
    Draw,
    contiguous,
    optional,
    where_working,
    whole_steps,
)
from theorylab.problems import Problem

RISKS = ("balanced", "empirical")


@dataclass(frozen=True)
class FedRoD(Centralised, name="fed-rod"):
    """Chen and Chao, "On bridging generic and personalized federated learning":

    * The server sends the generic model (u^t, g^t), body and generic head, to the clients S_t.
    * "Each client first updates the generic model with balanced risk minimization": K steps of
      (u, g) on the balanced risk; the server averages both, as FedAvg.
    * "then updates the personalized model with empirical risk minimization" (dfedalt_dfedsalt,
      Appendix B.2): K_own steps of its own head p_i, which is kept, on the empirical risk of the
      classifier g + p_i with body and generic head fixed where the first phase left them.

    The two heads' outputs are added. For a head that is one linear layer the sum of the outputs is
    the output of the summed parameters, so the deployed model is (u^{t+1}, g^{t+1} + p_i), a point
    like any other; with deeper heads (``head_layers`` > 1) the parameters are summed here, which
    is no longer the paper's method. p_i starts from 0. The other version, where a hyper network
    makes p_i from the client's class frequencies, is not here.

    ``risk``: "balanced" weighs classes alike. Where the problem has a method ``balanced_sample``
    (arguments and result of ``sample``, drawn so that each class a client holds is equally likely),
    its gradients are unbiased for it; the paper's other forms of the balanced risk, which change
    the loss, are not here. Without samples there are no classes, and the balanced risk is the
    empirical one. A problem that has samples but cannot draw them balanced is refused unless
    ``risk`` is "empirical": then (u, g) is FedAvg's, and the method is not what the tables show.

    Which draws: generic step k has step number k, personal step k has K + k.

    Args:
        risk: see above. own_steps: K_own, or one a client; None: K.
        own_eta: step size of p_i > 0; None: eta.
        Otherwise as ``Centralised``.
    """

    risk: str = "balanced"
    own_steps: int | Sequence[int] | None = None
    own_eta: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        own = optional(self.own_eta, 1.0)
        checked(self.name, [("own_eta", own, lambda v: v > 0, "a step size > 0")])
        if self.own_steps is not None:
            checked(self.name, [("own_steps", self.own_steps, is_steps, "K >= 1, or one a client")])
        chosen(self.name, "risk", self.risk, RISKS)

    def init(self, x0: Array, problem: Problem | None = None) -> State:
        """Everybody starts from the mean of x0 (R, n, d), and deploys it: p_i = 0.

        Raises ValueError where the problem has no personal part, or cannot draw what ``risk`` asks.
        """
        split = split_start(self.name, x0, problem)
        if problem is not None:
            self._draw(problem)
        first = super().init(x0, problem)
        xp = namespace(x0)
        memory = {"head": xp.zeros_like(split.v), "own": xp.asarray(first.x, copy=True)}
        return replace(first, memory=memory)

    def step(self, state: State, context: Context) -> State:
        """One communication round."""
        few, share = self.taking_part(state, context)
        xp, d_u, K = namespace(state.x), context.problem.shared, self.local_steps
        half = whole_steps(
            state.x, few, state.t, eta=self.rate(state.t), steps=K, alpha=self.alpha,
            draw=self._draw(context.problem),
        )  # fmt: skip
        body, generic = contiguous(half[..., :d_u]), half[..., d_u:]
        old = state.memory["head"]
        own_eta = step_size(self, state.t, self.own_eta)
        steps = K if self.own_steps is None else self.own_steps
        phase = Phase("v", own_eta, steps, most_steps(K), False, self.alpha)
        both = descend(phase, replace(state, x=body, z=body, v=generic + old), few)
        head = where_working(both - generic, old, None if few.effort is None else few.effort > 0)
        x = self.serve(state.x, half, share)
        own = xp.concat([x[..., :d_u], x[..., d_u:] + head], axis=-1)
        return replace(state, t=state.t + 1, x=x, z=x, memory={"head": head, "own": own})

    def _draw(self, problem: Problem) -> Draw | None:
        """What draws the minibatches of the generic risk; None: ``problem.sample``."""
        balanced: Draw | None = getattr(problem, "balanced_sample", None)
        if self.risk == "empirical":
            return None
        if balanced is None and hasattr(problem, "sizes"):
            raise ValueError(
                f"{self.name}: {problem.name} cannot draw class-balanced minibatches; "
                "need risk='empirical'"
            )
        return balanced
