"""Left-hand sides of DFedAlt's and DFedSalt's lemmas: rounds of Algorithm 1, expectations exact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from theorylab.experiments._alternating_instance import AlternatingInstance, AltRound, in_float64
from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.known import Known
from theorylab.runs.rounding import descent_off, farthest, gradient_off, squared_room

Floats = Any


class AlternatingRounds(Experiment):
    """Without noise, or over every outcome of fair signs (noise "rademacher" or "state").

    Columns (``at`` in brackets; expectations throughout):
        head_drift   ||v_i^{t,K_v-1} - v_i^t||^2, row (t, i) (dfedalt_head: ||grad_v F_i||^2 at t)
        head_drift_last   the same for v_i^{t,K_v}, that is v_i^{t+1}
        drift        (1/m) sum_i ||u_i^{t,k} - u_i^t||^2, k < K_u (local_step, dfedalt_G: (1/m)
                     sum_i ||grad_u F(u_i^t, V^{t+1})||^2)
        spread       (1/m) sum_i ||u_i^t - ubar^t||^2 (t, dfedalt_G, dfedalt_G_past: the largest of
                     the G before t, dfedalt_spread_room: rounding)
        spread_sum   m times that
        descent      F(ubar^{t+1}, V^{t+1}) - F(ubar^t, V^t) (t, dfedalt_Delta_u, dfedalt_Delta_v,
                     dfedalt_spread)

    Args:
        problem, topology, clients, x0, algorithm: see ``AlternatingInstance``. rounds: t = 0 ..
            rounds - 1. at: those t alone, all if empty.
    """

    name = "alternating-rounds"
    columns: ClassVar[tuple[str, ...]] = (
        *("head_drift", "head_drift_last", "drift", "spread", "spread_sum", "descent"),
    )

    def __init__(
        self,
        *,
        problem: Mapping[str, Any],
        topology: Mapping[str, Any],
        clients: int,
        algorithm: Mapping[str, Any],
        rounds: int = 1,
        x0: Any = 0.0,
        at: Sequence[int] = (),
    ) -> None:
        if type(rounds) is not int or rounds < 1:
            raise ValueError(f"{self.name}: rounds is {rounds!r}; need an integer >= 1")
        wanted = [*at]
        if any(type(t) is not int or not 0 <= t < rounds for t in wanted):
            raise ValueError(f"{self.name}: at is {at!r}; need rounds from 0 to {rounds - 1}")
        self.options: dict[str, Any] = {
            **{"problem": dict(problem), "topology": dict(topology), "clients": clients},
            **{"algorithm": dict(algorithm), "rounds": rounds, "x0": x0, "at": wanted},
        }
        self.made = AlternatingInstance(self.name, problem, topology, clients, algorithm, x0)

    def describe(self) -> dict[str, Any]:
        return self.options

    def constants(self) -> dict[str, Known]:
        return dict(self.made.known)

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        with in_float64(self.name):
            return Observation(tuple(self._observed(column)), True)

    def _observed(self, column: str) -> list[Row]:
        rows: list[Row] = []
        past = 0.0
        for p, far in rounds_and_rounding(self.made, self.options["rounds"]):
            u, v = p.us[0], p.vs[0]
            G = float(self.made.shared_gradients(u, p.vs[-1]).mean())
            if not self.options["at"] or p.t in self.options["at"]:
                at = {"dfedalt_G": G, "dfedalt_G_past": past}
                rows += self._rows(column, p, u, v, at, far)
            past = max(past, G)
        return rows

    def _rows(
        self, column: str, p: AltRound, u: Floats, v: Floats, at: dict[str, float], far: float
    ) -> Iterator[Row]:
        made = self.made
        if column.startswith("head"):
            yield from self._heads(p, u, v, p.vs[-1] if column.endswith("last") else p.vs[-2])
        elif column == "drift":
            size, gradient = farthest(p.us), round_gradient_off(made, p)
            for k, now in enumerate(p.us[:-1]):
                moved = ((now - u) ** 2).sum(axis=2).mean()
                off = made.rounding("u", k, size, gradient=gradient) if k else 0.0
                place = {**at, "local_step": float(k)}
                yield squared_row(moved, off, place, f"t={p.t}, k={k}")
        elif column == "descent":
            yield self._descent(p, u, v)
        else:
            factor = u.shape[1] if column == "spread_sum" else 1
            value = float(made.spread(u).mean())
            room = factor * squared_room(value, far)
            place = {**at, "t": float(p.t), "dfedalt_spread_room": 2 * room}
            yield Row(np.array([factor * value]), place, f"t={p.t}", rounding=room)

    def _heads(self, p: AltRound, u: Floats, v: Floats, last: Floats) -> Iterator[Row]:
        squared = self.made.heads(u, v).mean(axis=0)
        moved = ((last - v) ** 2).sum(axis=2).mean(axis=0)
        off = local_rounding(self.made, p)[1]
        for i, value in enumerate(moved):
            place = {"dfedalt_head": float(squared[i])}
            yield squared_row(value, off if value else 0.0, place, f"t={p.t}, i={i}")

    def _descent(self, p: AltRound, u: Floats, v: Floats) -> Row:
        made, new = self.made, p.vs[-1]
        value, room = change(made, (u, v), (p.after, new), local_rounding(made, p))
        at = {
            "t": float(p.t),
            "dfedalt_Delta_u": float(made.at_average(u, new).mean()),
            "dfedalt_Delta_v": float(made.heads(u, v).mean()),
            "dfedalt_spread": float(made.spread(u).mean()),
        }
        return Row(np.array([value]), at, f"t={p.t}", rounding=room)


def local_rounding(made: AlternatingInstance, p: AltRound) -> tuple[float, float]:
    """``rounding`` of u and of v over the round."""
    gradient = round_gradient_off(made, p)
    return (
        made.rounding("u", made.steps["steps_u"], *p.us, p.after, gradient=gradient),
        made.rounding("v", made.steps["steps_v"], *p.vs, gradient=gradient),
    )


def round_gradient_off(made: AlternatingInstance, p: AltRound) -> float:
    """Rounding of a gradient anywhere in the round, SAM's points and a client's u at another's loss
    included; the other side of a lemma has as much, times the root of its factor: thrice.
    """
    everyone = farthest(p.us).max(axis=1, keepdims=True) + made.steps["rho"]
    return 4 * float(gradient_off(made.problem, made.joined(everyone, farthest(p.vs))).max())


def rounds_and_rounding(made: AlternatingInstance, rounds: int) -> Iterator[tuple[AltRound, float]]:
    """The rounds, each with ``rounding`` of the u it starts from, after all rounds before it."""
    size, gradient = np.zeros(1), 0.0
    for p in made.play(rounds):
        size = np.maximum(size, np.abs(p.us[0]))
        steps = p.t * made.steps["steps_u"]
        yield p, made.rounding("u", steps, size, gradient=gradient)
        size = np.maximum(size, farthest(p.us))
        gradient = max(gradient, round_gradient_off(made, p))


def change(
    made: AlternatingInstance,
    before: tuple[Floats, Floats],
    after: tuple[Floats, Floats],
    off: tuple[float, float],
) -> tuple[float, float]:
    """(E F(ubar', V') - F(ubar, V), its rounding error) of (u, V) ``before`` and ``after``.

    off: what rounding can do to u and v.
    """
    points = [made.joined(u.mean(axis=1, keepdims=True), v) for u, v in (after, before)]
    new, old = (made.F(point) for point in points)
    room = float(descent_off(made.problem, points, ()).mean())
    for part, how_far in zip((slice(0, made.shared), slice(made.shared, None)), off, strict=True):
        slope = max(float(np.abs(made.problem.gradient(p)[..., part]).max()) for p in points)
        L = made.known["dfedalt_L_u" if part.start == 0 else "dfedalt_L_v"].value
        room += made.problem.dim * how_far * (slope + L * how_far)
    return float((new - old).mean()), room


def squared_row(value: float, off: float, at: Mapping[str, float], label: str) -> Row:
    """A mean square of models that are off by ``off``."""
    value = float(value)
    return Row(np.array([value]), dict(at), label, rounding=squared_room(value, off))
