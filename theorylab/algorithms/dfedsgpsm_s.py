"""DFedSGPSM-S: DFedSGPSM whose clients send to those with another loss (dfedsgpsm, Eq. (2))."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from theorylab.algorithms._base import Context, State, checked, chosen, numbers
from theorylab.algorithms._draw import gumbel
from theorylab.algorithms._exchange import Delayed, mix
from theorylab.algorithms.dfedsgpsm import DFedSGPSM

LOSSES = ("start", "end")


@dataclass(frozen=True)
class DFedSGPSMS(DFedSGPSM, name="dfedsgpsm-s"):
    """Algorithm 1 with line 14's out-neighbours chosen by loss gap, Appendix A.1:

        p(b_ij) = exp|f_i - f_j| / sum_j exp|f_i - f_j|          (2)

    In every round client i draws ``neighbours`` distinct receivers, one after another, each with
    probability in proportion to exp|f_i - f_j| among those left, and gives itself and each of them
    the share 1 / (neighbours + 1). The paper says neither how many are drawn (its experiments: 10
    neighbours), nor how, nor when f is evaluated. Readings:

    * the sum in (2) includes j = i; the self-loop is required anyway (Section 3.3), so i is left
      out of the draw. That is (2) conditioned on j != i.
    * ``losses``: f_i is client i's full local loss at its debiased model, "start": z_i^t as the
      round begins (default: what was last shared by the consensus protocol A.1 points to), or
      "end": of x_i^{t+1/2} / w_i, when line 14 sends.
    * The topology says who may be chosen: ``complete`` is (2) to the letter; elsewhere the draw is
      among the out-neighbours in P(t), all of them where there are no more than ``neighbours``.

    Args:
        losses: "start" or "end", see above.
        neighbours: receivers besides the client itself, >= 1.
        Otherwise as DFedSGPSM.
    """

    neighbours: int = 10
    losses: str = "start"
    draws: ClassVar[bool] = True
    reads_mixing: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        rule = ("neighbours", self.neighbours, lambda v: v >= 1 and v == int(v), "at least 1")
        checked(self.name, [rule])
        chosen(self.name, "losses", self.losses, LOSSES)

    def fixed_order(self) -> bool:
        return False  # losses, which are sums, decide who sends to whom

    def step(self, state: State, context: Context) -> State:
        """One communication round.

        Raises ValueError where messages are delayed: the faults act on the network's P(t), which
        this method replaces.
        """
        if isinstance(context.link().mixing, Delayed):
            raise ValueError(f"{self.name}: it draws its own P(t), messages cannot be delayed")
        half = self.half(state, context)
        at = state.z if self.losses == "start" else half / state.w[:, :, None]
        P = selected(numbers(context.problem.loss(at)), context, state.t, self.neighbours)
        return mix(state, half, replace(context, mixing=P, conserves=True))


def selected(
    losses: NDArray[np.float64], context: Context, t: int, neighbours: int
) -> list[csr_array]:
    """One P(t) for each run from the losses (R, n); see the class."""
    R, n = losses.shape
    mixing = context.link().mixing
    allowed = mixing if isinstance(mixing, list) else [mixing] * R
    noise = gumbel(context.seed, context.runs, n, t)
    made = []
    for r in range(R):
        # [i, j]: how much i wants j; the draw is for i as a sender, so P's pattern is transposed
        want = np.abs(losses[r][:, None] - losses[r][None, :]) + noise[r]
        open_to = allowed[r].toarray().T > 0
        np.fill_diagonal(open_to, False)
        want[~open_to] = -np.inf
        most = min(neighbours, n - 1)
        best = np.argsort(-want, axis=1, kind="stable")[:, :most]
        kept = np.take_along_axis(open_to, best, axis=1)
        degree = kept.sum(axis=1) + 1
        sender = np.repeat(np.arange(n), most).reshape(n, most)
        source = np.concatenate([sender[kept], np.arange(n)])
        target = np.concatenate([best[kept], np.arange(n)])
        P = csr_array((1.0 / degree[source], (target, source)), shape=(n, n))
        P.sort_indices()
        made.append(P)
    return made
