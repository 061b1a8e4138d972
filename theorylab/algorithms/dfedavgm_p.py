"""DFedAvgM-P: DFedAvgM that keeps part of the model at home (dfedpgp, Table 4)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from theorylab.algorithms._base import (
    Array,
    Context,
    State,
    checked,
    chosen,
    namespace,
    steps_of,
)
from theorylab.algorithms._exchange import gossip
from theorylab.algorithms._local import working
from theorylab.algorithms._partial import (
    BATCHES,
    PartialMethod,
    Phase,
    Steps,
    shared_rules,
    two_phases,
)

UPDATES = ("alternating", "simultaneous")


@dataclass(frozen=True)
class DFedAvgMP(PartialMethod, name="dfedavgm-p"):
    """Local steps with momentum on (u, v), then u = P u; v stays.

    dfedpgp prints no steps for it. Table 4 has it as DFedAvgM with "partial personalization" and as
    the undirected version of DFedPGP. ``update``:

    * "alternating" (default): DFedPGP without direction, K_v momentum steps on v at u^t, then K_u
      on u at v^{t+1}, then gossip. It is the ablation that Table 4 reads as: DFedPGP differs from
      DFedAvgM-P in "directed communication" alone.
    * "simultaneous": DFedAvgM's own local steps, with u and v moved by one gradient at each, as
      FedPer does: K_u steps.

    Momentum is DFedAvgM's, m = alpha m + g, from 0 in every round (in each phase, if alternating);
    with alpha = 0, alternating, this is DFedAlt. Minibatches are "per-step" by default, as in
    DFedAvgM; "per-round" is line 4 of DFedPGP.

    Args:
        eta_u, eta_v: > 0.
        alpha: 0 <= alpha < 1; experiments .9.
        steps_u: K_u >= 1, or one a client; experiments 5 epochs.
        steps_v: K_v likewise, None for 1. "simultaneous" has no steps of its own for v: there it
            must be None.
        update: "alternating" or "simultaneous", see above.
        batch: "per-step" or "per-round", see above.
        weight_decay: adds weight_decay x to the gradient at x; experiments .005 or 5e-4.
        decay: both step sizes times decay^t; experiments .99 or .9 (see DFedPGP).

    Raises:
        ValueError: one line naming the option that is out of range.
    """

    eta_u: float
    eta_v: float
    alpha: float = 0.9
    steps_u: Steps = 5
    steps_v: Steps | None = None
    update: str = "alternating"
    weight_decay: float = 0.0
    decay: float = 1.0
    batch: str = "per-step"

    def __post_init__(self) -> None:
        known = [
            rule for rule in shared_rules(self) if rule[0] != "steps_v" or self.steps_v is not None
        ]
        checked(self.name, [("alpha", self.alpha, lambda v: 0 <= v < 1, "0 <= alpha < 1"), *known])
        chosen(self.name, "update", self.update, UPDATES)
        chosen(self.name, "batch", self.batch, BATCHES)
        if self.update == "simultaneous" and self.steps_v is not None:
            raise ValueError(
                f"{self.name}: steps_v is {self.steps_v!r} with simultaneous updates; need None: "
                "v moves with u's steps"
            )

    def phases(self, t: int) -> tuple[Phase, Phase]:
        steps = (1 if self.steps_v is None else self.steps_v, self.steps_u)
        common = (self.batch == "per-round", self.alpha, self.weight_decay)
        return two_phases(t, (self.eta_v, self.eta_u), steps, self.decay, *common)

    def step(self, state: State, context: Context) -> State:
        """One communication round."""
        if self.update == "simultaneous":
            half, after = self._together(state, context)
            return gossip(after, half, context)
        return super().step(state, context)

    def _together(self, state: State, context: Context) -> tuple[Array, State]:
        """(u^{t+1/2}, the state with v^{t+1}) by steps on both parts at once."""
        problem, xp = context.problem, namespace(state.x)
        point = xp.concat([state.x, state.v], axis=-1)
        eta = xp.ones_like(point[0, 0])
        eta[: problem.shared] = self.eta_u * self.decay**state.t
        eta[problem.shared :] = self.eta_v * self.decay**state.t
        most, counts = steps_of(context, self.steps_u)
        momentum: Array | None = None
        for k in range(most):
            number = k if self.batch == "per-step" else 0
            sample = context.sample(state.t, number)
            g = problem.stochastic_gradient(point, sample)
            if self.weight_decay:
                g = g + self.weight_decay * point
            momentum = g if momentum is None or not self.alpha else self.alpha * momentum + g
            point = point - working(eta * momentum, counts, k)
        u = xp.asarray(point[..., : problem.shared], copy=True)
        v = xp.asarray(point[..., problem.shared :], copy=True)
        return u, replace(state, v=v)
