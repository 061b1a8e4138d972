"""FedAvg: a server averages the clients that take part (McMahan et al. 2017)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from theorylab.algorithms._base import Context, State, checked, rules
from theorylab.algorithms._local import local_steps
from theorylab.algorithms._server import Centralised


@dataclass(frozen=True)
class FedAvg(Centralised, name="fedavg"):
    """Every round a share of the clients trains from the server's model; the server averages them.

    x_i^{t+1} = x^t + server_eta (sum_{i in S_t} a_i x_i^{t+1/2} - x^t) for every client i: all
    clients hold the server's model. The topology plays no part. Experiments of dfedsgpsm: 10 % of
    100 clients, server step 1, five local epochs.

    Args:
        rho: SAM radius >= 0 of the local steps; alpha = rho = 0 is FedAvg proper.
        Otherwise as ``Centralised``. Uniform weights are the default because the objective
        (1/n) sum f_i counts clients alike; McMahan's are these for equal sizes.
    """

    rho: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        checked(self.name, rules(self, "rho"))

    def step(self, state: State, context: Context) -> State:
        """One communication round."""
        part, share = self.taking_part(state, context)
        half = local_steps(
            state,
            part,
            eta=self.rate(state.t),
            steps=self.local_steps,
            alpha=self.alpha,
            rho=self.rho,
        )
        x = self.serve(state.x, half, share)
        return replace(state, t=state.t + 1, x=x, z=x)
