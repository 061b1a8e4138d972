"""DePRL: local heads, a shared representation by consensus (deprl, Algorithm 1)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from theorylab.algorithms._base import checked, chosen, is_steps
from theorylab.algorithms._partial import PartialMethod, Phase, Steps, shared_rules, two_phases

HEADS = ("all-steps", "printed")


@dataclass(frozen=True)
class DePRL(PartialMethod, name="deprl"):
    """Algorithm 1 of deprl, line by line (phi is ``State.x``, theta is ``State.v``).

    * Lines 5-7, Eq. (3)-(4): theta_i(k,s+1) = theta_i(k,s) - alpha g_theta(phi_i(k), theta_i(k,s)),
      s = 0..tau-1, each on its own minibatch C_i(k,s): step numbers 0..tau-1.
    * Line 8, Eq. (5)-(6): phi_i(k+1/2) = phi_i(k) - beta g_phi(phi_i(k), theta_i(k+1)), one step on
      a minibatch C_i(k) of its own: step number tau.
    * Line 9, Eq. (7): phi_i(k+1) = sum_j phi_j(k+1/2) P_ij, P doubly stochastic (Assumption 1).
    * Line 10: theta_i(k+1,0) = theta_i(k, tau-1).

    ``head``: what theta_i(k+1) of lines 8 and 10 is. Line 10 and the text below Eq. (4) print
    theta_i(k+1) := theta_i(k+1,0) = theta_i(k, tau-1): "printed" keeps tau - 1 of the tau steps and
    throws line 6's last away; with tau = 1 the head never moves. "all-steps" (default) is
    theta_i(k, tau): in Figure 1 tau steps lead from theta_i(k) to theta_i(k+1), M(k)'s weight
    alpha tau / beta counts tau of them, and (11)'s noise term 2 alpha^2 tau L sigma^2 / beta is
    there at tau = 1, where a head that never moves would have none. With "printed" a straggler
    does its share of the tau - 1.

    Line 2 has one phi(0) for all workers: give x0 whose shared parts agree (they are taken as they
    come). A problem's own start does.

    Args:
        alpha, beta: > 0, step sizes of head and representation.
        tau: head steps >= 1, or one a worker. Experiments: 2 epochs.
        head: "all-steps" or "printed", see above.
        steps_phi: representation steps >= 1, 1 as printed; Remark 1 allows more, each on a
            minibatch of its own, at phi_i as it moves.
        momentum: 0 as printed; Remark 1 allows it, without saying how. From 0 in each phase of each
            round, so one representation step shows none.
        decay: both step sizes times decay^k.

    Raises:
        ValueError: one line naming the option that is out of range.
    """

    step_sizes: ClassVar[tuple[str, str]] = ("alpha", "beta")
    alpha: float
    beta: float
    tau: Steps = 1
    steps_phi: Steps = 1
    head: str = "all-steps"
    momentum: float = 0.0
    decay: float = 1.0

    def __post_init__(self) -> None:
        checked(
            self.name,
            [
                ("alpha", self.alpha, lambda v: v > 0, "a step size > 0"),
                ("beta", self.beta, lambda v: v > 0, "a step size > 0"),
                ("tau", self.tau, is_steps, "tau >= 1, or one a worker"),
                ("steps_phi", self.steps_phi, is_steps, "at least 1, or one a worker"),
                *shared_rules(self),
            ],
        )
        chosen(self.name, "head", self.head, HEADS)

    def phases(self, t: int) -> tuple[Phase, Phase]:
        etas, steps = (self.alpha, self.beta), (self.tau, self.steps_phi)
        head, body = two_phases(t, etas, steps, self.decay, False, self.momentum)
        if self.head == "printed":
            kept: Any = (np.asarray(self.tau) - 1).tolist()
            head = replace(head, steps=kept)
        return head, body
