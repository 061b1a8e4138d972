"""FedProx: FedAvg whose clients are held near the server's model (Li et al., MLSys 2020)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from theorylab.algorithms._base import Context, State, checked
from theorylab.algorithms._local import local_steps
from theorylab.algorithms._server import Centralised, whole_steps


@dataclass(frozen=True)
class FedProx(Centralised, name="fedprox"):
    """Algorithm 2 of Li et al., "Federated optimization in heterogeneous networks":

    * The server draws the clients S_t and sends them x^t.
    * Each of them approximately minimises h_i(x) = f_i(x) + mu/2 |x - x^t|^2; here, as in its
      experiments, by K steps of SGD: x <- x - eta m, m = alpha m + g_i(x) + mu (x - x^t).
    * x^{t+1} = the average of what comes back (``weights``, ``server_eta`` as in FedAvg).

    A straggler's unfinished work is averaged like anybody's: that is FedProx's own rule. The
    momentum takes in the proximal term, as in SGD on h_i. One of the global models in the tables
    of pdbo_hgp (Section 6), which names no mu.

    Args:
        mu: >= 0, 0 is FedAvg. Default .1, of the EMNIST experiments of Marfoq et al. (2021) whose
            setting pdbo_hgp adopts (Appendix D); Li et al. search .001 to 1.
        Otherwise as ``Centralised``.
    """

    mu: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        checked(self.name, [("mu", self.mu, lambda v: v >= 0, "mu >= 0")])

    def step(self, state: State, context: Context) -> State:
        """One communication round."""
        chosen, share = self.taking_part(state, context)
        eta = self.rate(state.t)
        if self.mu:
            half = whole_steps(
                state.x,
                chosen,
                state.t,
                eta=eta,
                steps=self.local_steps,
                alpha=self.alpha,
                pull=self.mu,
                towards=state.x,
            )
        else:
            half = local_steps(state, chosen, eta=eta, steps=self.local_steps, alpha=self.alpha)
        x = self.serve(state.x, half, share)
        return replace(state, t=state.t + 1, x=x, z=x)
