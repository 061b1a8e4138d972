"""OSGP: push-sum with several plain local steps (dfedsgpsm, Appendix A)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from theorylab.algorithms.dfedsgpsm import DFedSGPSM


@dataclass(frozen=True)
class OSGP(DFedSGPSM, name="osgp"):
    """SGP with K local SGD steps before each exchange.

    Appendix A of dfedsgpsm: "OSGP builds upon SGP by supporting local multiple-round iterations
    before communication", which is Algorithm 1 with alpha = 0 and rho = 0 (Section 4 says the
    same of AsyNG). Not the overlapped, delayed exchange of Assran et al. (2019).

    Raises:
        ValueError: also when alpha or rho is given.
    """

    local_steps: int | Sequence[int] = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        for option in ("alpha", "rho"):
            if getattr(self, option):
                raise ValueError(
                    f"{self.name}: {option} is {getattr(self, option)!r}; need 0 (use dfedsgpsm)"
                )
