"""DFedSAM: local SAM steps, then gossip, several times on request (Shi et al. 2023)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from theorylab.algorithms._gossip_family import LocalGossip


@dataclass(frozen=True)
class DFedSAM(LocalGossip, name="dfedsam"):
    """x_i <- x_i - eta grad F_i(x_i + rho g_i / |g_i|; xi), K times; then Q rounds of gossip.

    Q = ``gossip_steps`` > 1 is the variant with Multiple Gossip Steps that dfedsgpsm (Section 2)
    speaks of. Its experiments take rho = .25 (Section 5.1), those of DFedAlt .01 (Appendix B.2).
    """

    rho: float = 0.25
    fixed: ClassVar[dict[str, float]] = {"alpha": 0}
