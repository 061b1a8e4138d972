"""DFedAvg: several local SGD steps, then gossip (Sun et al. 2022; dfedsgpsm, Appendix A)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from theorylab.algorithms._gossip_family import LocalGossip


@dataclass(frozen=True)
class DFedAvg(LocalGossip, name="dfedavg"):
    """x_i <- x_i - eta g_i, K times; then x_i = sum_j W_ij x_j.

    "a decentralized variant of FedAvg, where clients conduct local training and exchange updated
    models in communication rounds" (dfedsgpsm, Appendix A). No momentum, no SAM.
    """

    fixed: ClassVar[dict[str, float]] = {"alpha": 0, "rho": 0, "gossip_steps": 1}
