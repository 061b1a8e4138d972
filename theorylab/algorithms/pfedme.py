"""pFedMe: the server averages what minimises Moreau envelopes (T Dinh, Tran, Nguyen 2020)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from theorylab.algorithms._base import (
    Array,
    Context,
    State,
    checked,
    chosen,
    is_steps,
    namespace,
    steps_of,
)
from theorylab.algorithms._local import working
from theorylab.algorithms._server import Centralised, optional, where_working
from theorylab.problems import Problem

UPDATES = ("all", "participants")
STARTS = ("center", "warm")


@dataclass(frozen=True)
class PFedMe(Centralised, name="pfedme"):
    """Algorithm 1 of T Dinh, Tran, Nguyen, "Personalized federated learning with Moreau envelopes":

    * The server sends w^t to all clients. Each sets w_{i,0} = w^t and, for r = 0 .. R-1 (here
      ``local_steps``), draws one minibatch xi_r,
    * finds theta, an approximate minimiser of F_i(theta; xi_r) + lam/2 |theta - w_{i,r}|^2: here
      by ``inner_steps`` times theta <- theta - inner_eta (grad F_i(theta; xi_r)
      + lam (theta - w_{i,r})), all on xi_r,
    * and sets w_{i,r+1} = w_{i,r} - eta lam (w_{i,r} - theta).
    * The server hears a set S_t of clients: w^{t+1} = (1 - beta) w^t + beta mean_{S_t} w_{i,R}.
      beta is ``server_eta``.

    The deployed model is the client's last theta; before it has one, the server's w^0. In the
    tables of pdbo_hgp (Section 6), which names none of its parameters. What the printed algorithm
    leaves open:

    * ``inner_start``: where theta starts. "center": at w_{i,r}, so that theta is a function of
      w_{i,r} and the minibatch, as the notation says (default); "warm": at the theta of r - 1 (and
      at w^t for r = 0), which the authors' program does.
    * ``updates``: "all" clients work in every round and S_t only says whom the server hears
      (default, as printed); "participants": only S_t works, which costs what FedAvg costs.

    Which draws: xi_r has step number r. Momentum has no place here: alpha is 0.

    Args:
        lam: > 0; the authors' experiments use 15 and more.
        inner_start: "center" or "warm", see above.
        updates: "all" or "participants", see above.
        inner_steps: >= 1; 5 there.
        inner_eta: > 0; None: 1 / lam, which is stable where lam > L
            (the analysis for nonconvex f_i asks for lam > 2 L).
        Otherwise as ``Centralised``.
    """

    lam: float = 15.0
    inner_steps: int = 5
    inner_eta: float | None = None
    inner_start: str = "center"
    updates: str = "all"

    def __post_init__(self) -> None:
        super().__post_init__()
        checked(
            self.name,
            [
                ("alpha", self.alpha, lambda v: v == 0, "0: it has no momentum"),
                ("lam", self.lam, lambda v: v > 0, "lam > 0"),
                ("inner_steps", self.inner_steps, lambda v: v >= 1 and is_steps(v), "at least 1"),
                ("inner_eta", optional(self.inner_eta, 1.0), lambda v: v > 0, "a step size > 0"),
            ],
        )
        chosen(self.name, "inner_start", self.inner_start, STARTS)
        chosen(self.name, "updates", self.updates, UPDATES)

    def init(self, x0: Array, problem: Problem | None = None) -> State:
        """Everybody starts from the mean of x0 (R, n, d), and deploys it."""
        first = super().init(x0, problem)
        return replace(first, memory={"own": namespace(x0).asarray(first.x, copy=True)})

    def step(self, state: State, context: Context) -> State:
        """One communication round."""
        few, share = self.taking_part(state, context)
        half, own = self._envelopes(state, context if self.updates == "all" else few)
        x = self.serve(state.x, half, share)
        return replace(state, t=state.t + 1, x=x, z=x, memory={"own": own})

    def _envelopes(self, state: State, context: Context) -> tuple[Array, Array]:
        """(w_{i,R}, the last theta), both (R, n, d)."""
        problem, xp = context.problem, namespace(state.x)
        rate, inner = self.rate(state.t) * self.lam, optional(self.inner_eta, 1 / self.lam)
        w, own = xp.asarray(state.x, copy=True), state.memory["own"]
        theta = w
        most, counts = steps_of(context, self.local_steps)
        for r in range(most):
            sample = context.sample(state.t, r)
            if self.inner_start == "center":
                theta = w
            for _ in range(self.inner_steps):
                g = problem.stochastic_gradient(theta, sample)
                theta = theta - inner * (g + self.lam * (theta - w))
            w = w - working(rate * (w - theta), counts, r)
            own = where_working(theta, own, None if counts is None else counts > r)
        return w, own
