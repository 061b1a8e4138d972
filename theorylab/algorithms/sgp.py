"""SGP: stochastic gradient push (Assran et al. 2019; a baseline of dfedsgpsm, Appendix A)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from theorylab.algorithms.osgp import OSGP


@dataclass(frozen=True)
class SGP(OSGP, name="sgp"):
    """One stochastic gradient step at z_i = x_i / w_i, then push-sum mixing, every round.

    Raises:
        ValueError: also when local_steps is not 1.
    """

    local_steps: int | Sequence[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.local_steps != 1:
            raise ValueError(f"sgp: local_steps is {self.local_steps!r}; need 1 (use osgp)")
