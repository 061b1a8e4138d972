"""What the lemmas of dfedpgp say of its rounds and local steps, without sampling."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from theorylab.experiments._alternating_instance import in_float64
from theorylab.experiments._base import Experiment, Observation, Row, check_column, relative_error
from theorylab.experiments._dfedpgp_instance import EPS, DfedpgpInstance, point
from theorylab.experiments._dfedpgp_played import Played, law, outcome, play
from theorylab.known import Known
from theorylab.runs.rounding import (
    RELATIVE,
    descent_off,
    farthest,
    gradient_off,
    squared_room,
    walk_off,
)

Floats = Any
ONE_OUTCOME = ("path", "path_eq14", "memory", "memory_eq14")


class DfedpgpRounds(Experiment):
    """At every round t; noise, if any, is a finite law of signs, whose outcomes are all played.

    Columns (``at`` in brackets, each with the prefix dfedpgp_):
        head_drift    E||v_i^{t,K_v-1} - v_i^t||^2 (head_gradient), head_drift_all: v_i^{t+1}
        body_drift    (1/m) sum_i E||u_i^{t,k} - u_i^t||^2, k = 1..K_u - 1 (local_step,
                      own_gradient)
        path          ||ubar^t - z_i^t|| (t, own_start, own_sum, start_size, largest_sum)
        descent       F(ubar^{t+1}, V^{t+1}) - F(ubar^t, V^t), worst outcome by itself (linear_part,
                      moved_u, moved_v)
        square        ||ubar^{t+1} - ubar^t||^2 (gradient_sum), in expectation
        bias          ||E g - E grad|| of every local step of u and v, i by i (bias_room)
        memory        sum_{j<=t} q^{t-j} ||eta_u sum_k g_i^{j,k}||, i by i (last_gradient, of round
                      t alone, the largest of its steps; largest_gradient, of all rounds so far)
        path_eq14, memory_eq14   the same with q_dfedpgp, the q of (14), for q_row
        gradient_at_z E||grad_u F(z_i^t, V^{t+1})||^2, i by i (own_apart, gradient)
        local_square  E||grad_u F_i(z_i^{t,k}, v_i^{t+1}; xi_i)||^2, i by i and k by k
                      (own_gradient, of i alone)
        head_product  (1/m) sum_i E<grad_v F_i(ubar^t, v_i^t), v_i^{t+1} - v_i^t> (heads_at_u,
                      heads_at_mean, apart, moved_v, head_walk)

    Args:
        problem, topology, clients, x0: of the instance. algorithm: Algorithm 1's options.
        rounds: how many.
    """

    name = "dfedpgp-rounds"
    columns = (
        *("head_drift", "head_drift_all", "body_drift", "path", "descent", "square", "bias"),
        *("memory", "gradient_at_z", "local_square", "head_product", "path_eq14", "memory_eq14"),
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
    ) -> None:
        if type(rounds) is not int or rounds < 1:
            raise ValueError(f"{self.name}: rounds is {rounds!r}; need an integer >= 1")
        self.options: dict[str, Any] = {
            **{"problem": dict(problem), "topology": dict(topology), "clients": clients},
            **{"algorithm": dict(algorithm), "rounds": rounds, "x0": x0},
        }
        self.at = DfedpgpInstance(self.name, problem, topology, clients, algorithm, rounds, x0)
        self.total = law(self.at, rounds)

    def describe(self) -> dict[str, Any]:
        return self.options

    def constants(self) -> dict[str, Known]:
        return dict(self.at.known)

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        if column in ONE_OUTCOME and self.total > 1:
            raise ValueError(f"{self.name}: the right side of {column} is random; need no noise")
        rounds = self.options["rounds"]
        played = play(self.at, self.total, rounds, lambda k: outcome(self.at, self.total, k))
        # an inf on the measured side would be above any bound; a 0 is what small numbers come to
        with in_float64(self.name, below=False):
            rows: list[Row] = []
            if column in ONE_OUTCOME:
                q = self.at.known["q_dfedpgp" if column.endswith("_eq14") else "q_row"].value
                rows += getattr(self, f"_{column.removesuffix('_eq14')}")(played, q)
            for p in played:  # none are left for those
                rows += getattr(self, f"_{column.removesuffix('_all')}")(p, column)
        return Observation(tuple(rows), True, "t" if column.startswith("path") else "")

    def _head_drift(self, p: Played, column: str) -> Iterator[Row]:
        k = len(p.vs) - 1 - (column == "head_drift")
        way, slope = squares(p.vs[k] - p.vs[0]).mean(axis=0), squares(p.hv[0]).mean(axis=0)
        off = self._walk(p, "v")(k)
        for i, value in enumerate(way):
            at = {"dfedpgp_head_gradient": float(slope[i])}
            room = squared_room(value, off)
            yield Row(np.array([value]), at, f"t={p.t}, i={i}", rounding=room)

    def _body_drift(self, p: Played, column: str) -> Iterator[Row]:
        here = []
        for i in range(self.at.problem.clients):  # grad_u F at client i's z
            here.append(squares(self._common(p.z[:, i : i + 1], p.vs[-1])).mean())
        off = self._walk(p, "u")
        for k, u in enumerate(p.us[:-1]):
            if k == 0 and self.at.K_u > 1:  # 0 <= 0
                continue
            value = float(squares(u - p.u).mean())
            at = {"local_step": float(k), "dfedpgp_own_gradient": float(np.mean(here))}
            room = squared_room(value, off(k))
            yield Row(np.array([value]), at, f"t={p.t}, k={k}", rounding=room)

    def _walk(self, p: Played, part: str, grows: bool = True) -> Callable[[int], float]:
        """How far rounding puts so many local steps off, and the gradients they are bound by.

        grows: not where a claim is about the gradients at the computed models.
        """
        models = p.vs if part == "v" else p.us
        size = max(float(np.linalg.norm(x, axis=2).max()) for x in models)
        L, eta = self.at.known[f"dfedpgp_L_{part}"].value, getattr(self.at.algorithm, f"eta_{part}")
        L = grows * (L / float(p.w.min()) if part == "u" else L)
        gradient = self._gradient_off(p)
        return functools.partial(walk_off, eta=eta, L=L, size=size, gradient=gradient)

    def _gradient_off(self, p: Played) -> float:
        """Of a gradient at any point of the round; the other side of a lemma has as much, times
        the root of its factor, and is at most three times as far off.
        """
        u, v = (farthest(parts) for parts in ((p.z, *(x / p.w[..., None] for x in p.us)), p.vs))
        everyone = u.max(axis=1, keepdims=True)  # a client's u is tried at all clients' losses
        return 4 * float(gradient_off(self.at.problem, point(everyone, v)).max())

    def _common(self, u: Floats, v: Floats) -> Floats:
        """grad_u F(u, V) at one u (R, 1, d_u) for all clients, (R, d_u)."""
        made, shared = self.at.problem, self.at.shared
        return made.gradient(point(u, v))[..., :shared].mean(axis=1)

    def _gradient_at_z(self, p: Played, column: str) -> Iterator[Row]:
        mean = p.u.mean(axis=1, keepdims=True)
        common = float(squares(self._common(mean, p.vs[-1])).mean())
        off = self._mean_off(p)
        for i in range(self.at.problem.clients):
            z = p.z[:, i : i + 1]
            value = float(squares(self._common(z, p.vs[-1])).mean())
            at = {
                "dfedpgp_own_apart": float(squares(z - mean).mean()),
                "dfedpgp_gradient": common,
            }
            rounding = squared_room(value, off)
            yield Row(np.array([value]), at, f"t={p.t}, i={i}", rounding=rounding)

    def _local_square(self, p: Played, column: str) -> Iterator[Row]:
        off = self._mean_off(p)
        for i in range(self.at.problem.clients):
            here = float(squares(self._common(p.z[:, i : i + 1], p.vs[-1])).mean())
            for k, g in enumerate(p.gu):
                value = float(squares(g[:, i]).mean())
                at = {"dfedpgp_own_gradient": here}
                label = f"t={p.t}, i={i}, k={k}"
                yield Row(np.array([value]), at, label, rounding=squared_room(value, off))

    def _mean_off(self, p: Played) -> float:
        """``_gradient_off``, also of a mean over clients."""
        return self._gradient_off(p) + self.at.problem.clients * EPS * float(self._sizes(p).max())

    def _head_product(self, p: Played, column: str) -> Iterator[Row]:
        problem, shared, v = self.at.problem, self.at.shared, p.vs[0]
        mean = p.u.mean(axis=1, keepdims=True)
        heads = problem.gradient(point(mean, v))[..., shared:]
        turned = p.vs[-1] - v
        value = float((heads * turned).sum(axis=2).mean())
        at = {
            "dfedpgp_heads_at_u": problem.gradient(point(p.u, v))[..., shared:],
            "dfedpgp_heads_at_mean": heads,
            "dfedpgp_apart": p.z - mean,
            "dfedpgp_moved_v": turned,
        }
        place = {name: float(squares(x).mean()) for name, x in at.items()}
        place["dfedpgp_head_walk"] = float(sum(squares(x - v).mean() for x in p.vs[:-1]))
        # what turned v is a sum of gradients at the computed v_i, each step of it rounded
        off, step = self._mean_off(p), self._walk(p, "v", grows=False)(self.at.K_v)
        error = off * place["dfedpgp_moved_v"] ** 0.5
        error += step * (place["dfedpgp_heads_at_mean"] ** 0.5 + off)
        yield Row(np.array([value]), place, f"t={p.t}", rounding=error + RELATIVE * abs(value))

    def _sizes(self, p: Played) -> Floats:
        """What gradients of the round are sums of: numbers of at most this size."""
        known = self.at.known
        L = sum(known[f"dfedpgp_{name}"].value for name in ("L_u", "L_v", "L_uv", "L_vu"))
        parts = (*p.hu, *p.hv, L * p.z, L * p.vs[0], L * p.vs[-1])
        return np.array([float(np.abs(x).max()) for x in parts])

    def _memory(self, played: Iterator[Played], q: float) -> Iterator[Row]:
        eta = self.at.algorithm.eta_u
        own = largest = np.zeros(self.at.problem.clients)
        for p in played:
            own = q * own + eta * np.sqrt(squares(np.sum(p.gu, axis=0)))[0]
            last = np.sqrt(squares(np.stack(p.gu)))[:, 0].max(axis=0)
            largest = np.maximum(largest, last)
            error = 64 * (p.t + 1) * EPS * eta * len(p.gu) * float(self._sizes(p).max())
            for i, value in enumerate(own):
                at = {
                    "dfedpgp_last_gradient": float(last[i]),
                    "dfedpgp_largest_gradient": float(largest[i]),
                }
                rounding = error + 1e-12 * value
                yield Row(np.array([value]), at, f"t={p.t}, i={i}", rounding=rounding)

    def _path(self, played: Iterator[Played], q: float) -> Iterator[Row]:
        eta = self.at.algorithm.eta_u
        start = np.sqrt(squares(self.at.start[:, : self.at.shared]))
        own, top = np.zeros(self.at.problem.clients), 0.0
        for p in played:
            moved = eta * np.sqrt(squares(np.sum(p.gu, axis=0)))[0]
            own, top = q * own + moved, q * top  # (15) counts the round at hand
            away = np.sqrt(squares(p.z - p.u.mean(axis=1, keepdims=True)))[0]
            for i, value in enumerate(away):
                at = {
                    "t": float(p.t), "dfedpgp_own_start": float(start[i]),
                    "dfedpgp_own_sum": float(own[i]), "dfedpgp_largest_sum": float(top),
                }  # fmt: skip
                # every round before has rounded u and mu once more, by n products each
                # and every local step once
                size = sum(float(np.linalg.norm(x, axis=2).max()) for x in (p.z, p.u))
                error = 64 * (p.t + 1) * (len(away) + len(p.gu) + 4) * EPS * size
                yield Row(np.array([value]), at, f"t={p.t}, i={i}", rounding=error + 1e-12 * value)
            top += float(moved.max())

    def _descent(self, p: Played, column: str) -> Iterator[Row]:
        problem, shared = self.at.problem, self.at.shared
        mean, later = (x.mean(axis=1, keepdims=True) for x in (p.u, p.after))
        old, new = point(mean, p.vs[0]), point(mean, p.vs[-1])
        ends = problem.loss(point(later, p.vs[-1])), problem.loss(old)
        moved, turned = later - mean, p.vs[-1] - p.vs[0]
        first = (problem.gradient(new)[..., :shared] * moved).sum(axis=2)
        third = (problem.gradient(old)[..., shared:] * turned).sum(axis=2)
        error = descent_off(problem, (old, new, point(later, p.vs[-1])), (moved, turned))
        for r in range(min(8, self.total)):
            at = {
                "dfedpgp_linear_part": float((first + third)[r].mean()),
                "dfedpgp_moved_u": float((moved[r] ** 2).sum()),
                "dfedpgp_moved_v": float(squares(turned)[r].mean()),
            }
            value = float(ends[0][r].mean() - ends[1][r].mean())
            yield Row(np.array([value]), at, f"t={p.t}, outcome {r}", rounding=float(error[r]))

    def _square(self, p: Played, column: str) -> Iterator[Row]:
        value = float(squares(p.after.mean(axis=1) - p.u.mean(axis=1)).mean())
        total = float(squares(np.stack(p.gu)).sum(axis=0).mean())
        at = {"dfedpgp_gradient_sum": total}
        # mixing is n products, of columns that sum to 1 but for n EPS, and an average over n more
        size = float(np.linalg.norm(np.stack(p.us), axis=3).max())
        off = self._walk(p, "u", grows=False)(len(p.gu))
        off += 4 * self.at.problem.clients * EPS * size
        yield Row(np.array([value]), at, f"t={p.t}", rounding=squared_room(value, off))

    def _bias(self, p: Played, column: str) -> Iterator[Row]:
        for part, drawn, exact in (("v", p.gv, p.hv), ("u", p.gu, p.hu)):
            for k, (g, h) in enumerate(zip(drawn, exact, strict=True)):
                off = np.sqrt(squares((g - h).mean(axis=0)))
                # a mean of ``total`` numbers of that size, d of them in a norm
                size = float(np.abs(g).max())
                at = {"dfedpgp_bias_room": 4 * (self.total + self.at.problem.dim) * EPS * size}
                sides = [np.sqrt(squares(one.mean(axis=0))) for one in (g, h)]
                for i, value in enumerate(off):
                    share = relative_error(value, *(side[i] for side in sides))
                    label = f"t={p.t}, {part}, k={k}, i={i}"
                    yield Row(np.array([value]), at, label, rounding=0.0, relative_error=share)


def squares(a: Floats) -> Floats:
    return (a * a).sum(axis=-1)
