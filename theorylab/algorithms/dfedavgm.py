"""DFedAvgM: DFedAvg with heavy-ball momentum in the local steps (Sun et al. 2022)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from theorylab.algorithms._gossip_family import LocalGossip


@dataclass(frozen=True)
class DFedAvgM(LocalGossip, name="dfedavgm"):
    """y^{k+1} = y^k - eta g(y^k) + alpha (y^k - y^{k-1}) from y^{-1} = y^0 = x^t, then gossip.

    The same iterates as v = alpha v + g, x = x - eta v with v = 0 at the start of every round:
    y^{k+1} - y^k = -eta v_{k+1}. The experiments of dfedsgpsm use alpha = .9 (MNIST, CIFAR-10) and
    .1 (CIFAR-100). With alpha = 0 it is DFedAvg.
    """

    alpha: float = 0.9
    fixed: ClassVar[dict[str, float]] = {"rho": 0, "gossip_steps": 1}
