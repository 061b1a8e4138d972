"""D-FedEM: FedEM without a server (Marfoq et al. 2021, their fully decentralised version)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from theorylab.algorithms._base import Array, Context, State, step_size
from theorylab.algorithms._exchange import gossip
from theorylab.algorithms._local_method import LocalMethod
from theorylab.algorithms.fedem import expect_and_maximise, mixture_start
from theorylab.problems import Problem


@dataclass(frozen=True)
class DFedEM(LocalMethod, name="dfedem"):
    """FedEM's E step and M step at every client, then u_i = sum_j P_ij u_j^{t+1/2} of each model.

    Table 1 of pdbo_hgp has it on "FixU"; "it requires the doubly stochastic mixing matrix to be
    known" (Section 6.2 there). Any P is accepted: what goes wrong is one of the things to look at.
    On a complete graph with equal weights it is FedEM with all clients, from one model.

    Args:
        As ``LocalMethod``, without SAM (rho = 0). The problem has to be a mixture.
    """

    local_steps: int | Sequence[int] = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rho:
            raise ValueError(f"{self.name}: rho is {self.rho!r}; need 0")

    def init(self, x0: Array, problem: Problem | None = None) -> State:
        """The first state from x0 (R, n, d)."""
        return mixture_start(self.name, x0, problem)

    def step(self, state: State, context: Context) -> State:
        """One communication round."""
        eta = step_size(self, state.t)
        half, v = expect_and_maximise(state, context, eta, self.local_steps, self.alpha)
        return replace(gossip(state, half, context), v=v)
