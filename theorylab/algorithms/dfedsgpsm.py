"""DFedSGPSM: push-sum with local SAM steps and local momentum (dfedsgpsm, Algorithm 1)."""

from __future__ import annotations

from dataclasses import dataclass

from theorylab.algorithms._base import Context, State
from theorylab.algorithms._exchange import mix
from theorylab.algorithms._local_method import LocalMethod, Phases


@dataclass(frozen=True)
class DFedSGPSM(LocalMethod, name="dfedsgpsm"):
    """Algorithm 1 of dfedsgpsm, line by line.

    Lines 3-13 are ``local_steps``: v = alpha v + grad F_i(z + rho g/||g||; xi), x = x - eta_t v,
    with z = x / w_i recomputed at every local step and one minibatch for both gradients. Lines
    14-16 are ``mix``. Momentum starts from 0 in every round (line 3). ``decay`` is line 11's
    superscript of eta_l^t; Section 5.1 uses .998. Options as of ``LocalMethod``.
    """

    def round_phases(self) -> Phases | None:
        """As ``LocalMethod.round_phases``."""
        return self.local_phases(push_sum=True)

    def fixed_order(self) -> bool:
        return True

    def step(self, state: State, context: Context) -> State:
        """One communication round."""
        return mix(state, self.half(state, context), context)
