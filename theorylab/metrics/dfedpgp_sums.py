"""Left-hand sides of dfedpgp that remember all rounds: the path of push-sum and sums of updates."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import numpy as np

from theorylab.algorithms import State
from theorylab.known import UNIT
from theorylab.metrics._dfedpgp_terms import BENDS, Played, squares
from theorylab.metrics.dfedpgp import PushRounds
from theorylab.runs import Row


class Path(PushRounds, name="dfedpgp.path"):
    """||ubar^t - z_i^t|| (t, own_start, own_sum, largest_sum).

    The sums of (15), sum_j q^{t-j} ||eta_u sum_k g^{j,k}||: the client's own with j = t included,
    and that of the largest with j < t.
    """

    plain = "np.linalg.norm((U0 / w0 - bar(U0))[..., {i}, :], axis=-1)"

    axis = "t"
    single = True
    rate: ClassVar[str] = "q_row"
    numbers = (*BENDS, rate)

    def start(self, state: State) -> None:
        self.lengths = np.sqrt(squares(self.setting.start[:, : self.shared]))
        self.own, self.top = np.zeros(self.problem.clients), 0.0
        # inf where the network has none; not used then
        self.q = min(self.known[self.rate].value, 1.0)

    def of_round(self, p: Played) -> Iterable[Row]:
        moved = self.eta_u * np.sqrt(squares(np.sum(p.gu, axis=0)))[0]
        self.own, self.top = self.q * self.own + moved, self.q * self.top
        away = np.sqrt(squares(p.z - p.mean))
        # every round before has rounded u and mu once more, by n products each
        # and every local step once
        size = sum(float(np.linalg.norm(x, axis=2).max()) for x in (p.z, p.u))
        error = 64 * (p.t + 1) * (self.problem.clients + self.K_u + 4) * UNIT * size
        for i, value in enumerate(away[0]):
            at = {
                "t": float(p.t),
                "dfedpgp_own_start": float(self.lengths[i]),
                "dfedpgp_own_sum": float(self.own[i]),
                "dfedpgp_largest_sum": self.top,
            }
            yield Row(away[:, i], at, f"t={p.t}, i={i}", rounding=error + 1e-12 * float(value))
        self.top += float(moved.max())


class PathEq14(Path, name="dfedpgp.path_eq14"):
    """The same with the q of (14)."""

    rate = "q_dfedpgp"
    numbers = (*BENDS, rate)


class Memory(PushRounds, name="dfedpgp.memory"):
    """sum_{j=1}^t q^{t-j} ||eta_u sum_k g_i^{j,k}||, i by i, for t >= 1: (18) leaves round 0 out.

    last_gradient: of round t alone, the largest of its steps; largest_gradient: of rounds 1 to t.
    """

    plain = """
    memory = 0.0
    for t in rounds:
        moved = np.linalg.norm((U0 - half)[..., {i}, :], axis=-1)
        memory = min(q_row, 1.0) * memory + (t > 0) * moved
    memory"""

    single = True
    rate: ClassVar[str] = "q_row"
    numbers = (*BENDS, rate)

    def start(self, state: State) -> None:
        self.own = self.largest = np.zeros(self.problem.clients)
        # inf where the network has none; not used then
        self.q = min(self.known[self.rate].value, 1.0)

    def of_round(self, p: Played) -> Iterable[Row]:
        if not p.t:
            return
        self.own = self.q * self.own + self.eta_u * np.sqrt(squares(np.sum(p.gu, axis=0)))[0]
        last = np.sqrt(squares(np.stack(p.gu)))[:, 0].max(axis=0)
        self.largest = np.maximum(self.largest, last)
        error = 64 * (p.t + 1) * UNIT * self.eta_u * self.K_u * self.rooms.size(p)
        for i, value in enumerate(self.own):
            at = {
                "dfedpgp_last_gradient": float(last[i]),
                "dfedpgp_largest_gradient": float(self.largest[i]),
            }
            room = error + 1e-12 * float(value)
            yield Row(self.own[i : i + 1], at, f"t={p.t}, i={i}", rounding=room)


class MemoryEq14(Memory, name="dfedpgp.memory_eq14"):
    """The same with the q of (14)."""

    plain = Memory.plain.replace("q_row", "q_dfedpgp")

    rate = "q_dfedpgp"
    numbers = (*BENDS, rate)
