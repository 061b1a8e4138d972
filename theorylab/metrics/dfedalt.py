"""Left-hand sides of the lemmas and of the proof of DFedAlt and DFedSalt, round by round.

The terms of the proof (``Term``) have one row a round, with these symbols of their right sides:

    t, dfedalt_G         (1/m) sum_i ||grad_u F(u_i^t, V^{t+1})||^2
    dfedalt_Delta_u      ||grad_u F(ubar^t, V^{t+1})||^2
    dfedalt_Delta_v      (1/m) sum_i ||grad_v F_i(u_i^t, v_i^t)||^2
    dfedalt_spread, dfedalt_wander, dfedalt_leap, dfedalt_head_leap   the metrics of these names
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from theorylab.algorithms import LocalStep, State
from theorylab.known import Known
from theorylab.metrics import _dfedalt_terms as terms
from theorylab.metrics._base import Metric
from theorylab.metrics._dfedalt_terms import Floats, Played, Rounding
from theorylab.runs import Expected, Row, Setting
from theorylab.runs.rounding import RELATIVE, farthest, in_float64, squared_room

Measured = tuple[Floats, dict[str, Any]]  # values, and the "rounding" or "off" of their row


class AlternatingRounds(Metric):
    """Rounds of Algorithm 1 as printed, local iterates included."""

    local = True
    numbers = ("dfedalt_L_u", "dfedalt_L_v")

    def __init__(self, setting: Setting, known: Mapping[str, Known]) -> None:
        super().__init__(setting, known)
        options = terms.as_printed(f"metric {self.name}", setting.algorithm)
        smooth = {part: known[f"dfedalt_L_{part}"].value for part in "uv"}
        self.problem, self.steps_u = setting.problem, options["steps_u"]
        self.rounding = Rounding(f"metric {self.name}", setting.problem, options, smooth)
        self._steps: list[LocalStep] = []

    def see(self, step: LocalStep) -> None:
        self._steps.append(step)

    def rows(self, before: State, after: State) -> Iterable[Row]:
        steps, self._steps = self._steps, []
        if not {"u", "v"} <= {step.part for step in steps}:
            raise ValueError(
                f"metric {self.name}: {self.setting.algorithm.name} records no local steps of u "
                "and v; need a method whose steps are those of Algorithm 1"
            )
        p = Played.of(before, steps, after)
        if not (np.isfinite(p.after).all() and np.isfinite(p.vs[-1]).all()):
            raise ValueError(
                f"metric {self.name}: numbers leave float64 in round {p.t}; need smaller steps"
            )
        with in_float64(f"metric {self.name}"):
            return list(self.of_round(p))

    def of_round(self, p: Played) -> Iterable[Row]:
        raise NotImplementedError


class HeadDrift(AlternatingRounds, name="dfedalt.head_drift"):
    """||v_i^{t,K_v-1} - v_i^t||^2, row (t, i) (dfedalt_head: ||grad_v F_i||^2 at t)."""

    plain = "((Vs[-2] - Vs[0]) ** 2).sum(-1)[..., {i}]"

    last_step: ClassVar[int] = -2  # of v^{t,0}, ..., v^{t,K_v}

    def of_round(self, p: Played) -> Iterator[Row]:
        squared = terms.heads(self.problem, p.us[0], p.vs[0])
        moved = ((p.vs[self.last_step] - p.vs[0]) ** 2).sum(axis=2)
        off = self.rounding.local(p)[1]
        for i in range(moved.shape[1]):
            room = off if moved[:, i].any() else 0.0
            at = {"dfedalt_head": squared[:, i]}
            yield Row(moved[:, i], at, f"t={p.t}, i={i}", off=room)


class HeadDriftLast(HeadDrift, name="dfedalt.head_drift_last"):
    """The same for v_i^{t,K_v}, that is v_i^{t+1}."""

    plain = "((V - V0) ** 2).sum(-1)[..., {i}]"

    last_step = -1


class Drift(AlternatingRounds, name="dfedalt.drift"):
    """(1/m) sum_i ||u_i^{t,k} - u_i^t||^2, k < K_u (local_step, dfedalt_G)."""

    plain = "apart(Us[{k}], U0)"

    def of_round(self, p: Played) -> Iterator[Row]:
        size, gradient = farthest(p.us), self.rounding.gradient(p)
        G = terms.shared_gradients(self.problem, p.us[0], p.vs[-1])
        for k, u in enumerate(p.us[:-1]):
            off = self.rounding.walk("u", k, size, gradient=gradient) if k else 0.0
            at = {"local_step": float(k), "dfedalt_G": G}
            yield Row(terms.apart(u, p.us[0]), at, f"t={p.t}, k={k}", off=off)


class Term(AlternatingRounds):
    """A row a round, with the symbols at the head of this file."""

    def of_round(self, p: Played) -> Iterator[Row]:
        values, room = self.term(p)
        yield Row(values, self.symbols(p), f"t={p.t}", **room)

    def term(self, p: Played) -> Measured:
        raise NotImplementedError

    def symbols(self, p: Played) -> dict[str, Any]:
        u, v, new = p.us[0], p.vs[0], p.vs[-1]
        return {
            "t": float(p.t),
            "dfedalt_G": terms.shared_gradients(self.problem, u, new),
            "dfedalt_Delta_u": terms.at_average(self.problem, u, new),
            "dfedalt_Delta_v": terms.heads(self.problem, u, v).mean(axis=1),
            "dfedalt_spread": terms.spread(u),
            "dfedalt_wander": wandered(p),
            "dfedalt_leap": leapt(p),
            "dfedalt_head_leap": terms.apart(new, v),
        }


def wandered(p: Played) -> Floats:
    """(1/m) sum_i sum_{k<K_u} ||u_i^{t,k} - ubar^t||^2, (R,)."""
    bar = terms.average(p.us[0])
    return np.asarray(sum(terms.apart(np.stack(p.us[:-1]), bar)))


def leapt(p: Played) -> Floats:
    """||ubar^{t+1} - ubar^t||^2, (R,)."""
    return terms.apart(terms.average(p.after), terms.average(p.us[0]))


class Descent(Term, name="dfedalt.descent"):
    """F(ubar^{t+1}, V^{t+1}) - F(ubar^t, V^t)."""

    plain = """
    after = F(bar(U), V)
    before = F(bar(U0), V0)
    after - before"""

    def term(self, p: Played) -> Measured:
        before, after = (p.us[0], p.vs[0]), (p.after, p.vs[-1])
        values, room = self.rounding.change(before, after, *self.rounding.local(p))
        return values, {"rounding": room}


class UStep(Term, name="dfedalt.u_step"):
    """F(ubar^{t+1}, V^{t+1}) - F(ubar^t, V^{t+1})."""

    plain = """
    after = F(bar(U), V)
    before = F(bar(U0), V)
    after - before"""

    def term(self, p: Played) -> Measured:
        before, after, off = (p.us[0], p.vs[-1]), (p.after, p.vs[-1]), self.rounding.local(p)[0]
        values, room = self.rounding.change(before, after, off, 0.0)
        return values, {"rounding": room}


class VStep(Term, name="dfedalt.v_step"):
    """F(ubar^t, V^{t+1}) - F(ubar^t, V^t)."""

    plain = """
    after = F(bar(U0), V)
    before = F(bar(U0), V0)
    after - before"""

    def term(self, p: Played) -> Measured:
        before, after, off = (p.us[0], p.vs[0]), (p.us[0], p.vs[-1]), self.rounding.local(p)[1]
        values, room = self.rounding.change(before, after, 0.0, off)
        return values, {"rounding": room}


class Leap(Term, name="dfedalt.leap"):
    """||ubar^{t+1} - ubar^t||^2: T_2,u over L_u/2."""

    plain = "apart(bar(U), bar(U0))"

    def term(self, p: Played) -> Measured:
        return leapt(p), {"off": self.rounding.local(p)[0]}


class Slope(Term, name="dfedalt.slope"):
    """(1/m) sum_i ||grad_u F(u_i^t, V^{t+1})||^2: T_3,u."""

    plain = """
    slopes = [body(U0[..., i : i + 1, :], V).mean(-2) for i in range({n})]
    sum((slope**2).sum(-1) for slope in slopes) / {n}"""

    def term(self, p: Played) -> Measured:
        values = terms.shared_gradients(self.problem, p.us[0], p.vs[-1])
        return values, {"off": self.rounding.gradient(p)}


class HeadPush(Term, name="dfedalt.head_push"):
    """(1/m) sum_i <grad_v F_i(ubar^t, v_i^t), v_i^{t+1} - v_i^t>: T_1,v."""

    plain = "(heads(bar(U0), V0) * (V - V0)).sum(-1).mean(-1)"

    def term(self, p: Played) -> Measured:
        v, moved = p.vs[0], p.vs[-1] - p.vs[0]
        g = terms.slopes_of_heads(self.problem, terms.average(p.us[0]), v)
        values = (g * moved).sum(axis=2).mean(axis=1)
        room = RELATIVE * float(np.abs(values).max())
        room += self.rounding.local(p)[1] * float(np.linalg.norm(g, axis=2).max())
        room += self.rounding.gradient(p) * float(np.linalg.norm(moved, axis=2).max())
        return values, {"rounding": room}


class HeadLeap(Term, name="dfedalt.head_leap"):
    """(1/m) sum_i ||v_i^{t+1} - v_i^t||^2: T_2,v over L_v/2."""

    plain = "apart(V, V0)"

    def term(self, p: Played) -> Measured:
        return terms.apart(p.vs[-1], p.vs[0]), {"off": self.rounding.local(p)[1]}


class FromStart(Term):
    """What is off by the rounding of all rounds before, too: ``far``, of u^t."""

    def start(self, state: State) -> None:
        self._size, self._gradient, self.far = np.zeros(1), 0.0, 0.0

    def of_round(self, p: Played) -> Iterator[Row]:
        size = np.maximum(self._size, np.abs(p.us[0]))
        steps = p.t * self.steps_u
        self.far = self.rounding.walk("u", steps, size, gradient=self._gradient)
        yield from super().of_round(p)
        self._size = np.maximum(size, farthest(p.us))
        self._gradient = max(self._gradient, self.rounding.gradient(p))


class Wander(FromStart, name="dfedalt.wander"):
    """(1/m) sum_i sum_{k<K_u} ||u_i^{t,k} - ubar^t||^2: T_1,u over eta_u L_u^2/2."""

    plain = "sum(apart(each, bar(U0)) for each in Us[:-1])"

    def term(self, p: Played) -> Measured:
        off = (self.rounding.local(p)[0] + self.far) * self.steps_u**0.5
        return wandered(p), {"off": off}


class Spread(FromStart, name="dfedalt.spread"):
    """(1/m) sum_i ||u_i^t - ubar^t||^2: T_3,v over L_vu^2/2.

    Beside the symbols of a term dfedalt_G_past, the largest of the E dfedalt_G before t, and
    dfedalt_spread_room, what rounding can do to the other side.
    """

    plain = "apart(U0, bar(U0))"

    def start(self, state: State) -> None:
        super().start(state)
        self._past = np.zeros((len(state.x), self.setting.rounds))  # G_j of every run

    def term(self, p: Played) -> Measured:
        return terms.spread(p.us[0]), {"off": self.far}

    def symbols(self, p: Played) -> dict[str, Any]:
        found = super().symbols(p)
        self._past[:, p.t] = found["dfedalt_G"]
        values, room = self.term(p)
        return {
            **found,
            # the largest of expectations, not the expectation of the largest
            "dfedalt_G_past": Expected(
                self._past[:, : p.t], lambda G: float(np.max(G, initial=0.0))
            ),
            "dfedalt_spread_room": Expected(
                values, lambda mean: 2 * squared_room(mean, room["off"])
            ),
        }


class SpreadSum(Spread, name="dfedalt.spread_sum"):
    """m times that: the sum over i."""

    plain = "{n} * apart(U0, bar(U0))"

    def term(self, p: Played) -> Measured:
        values, room = super().term(p)
        clients = self.problem.clients
        return clients * values, {"off": room["off"] * clients**0.5}
