"""The left sides of DePRL's claims about a run, from the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from theorylab.algorithms import Context, State
from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.experiments._deprl_instance import DeprlInstance
from theorylab.known import Known
from theorylab.runs import initial_models
from theorylab.runs.rounding import descent_off, run_off, squared_room

Floats = Any


class DeprlRun(Experiment):
    """Columns, with phibar the average of the phi_i, at every K of ``rounds``:

        measure       (1/K) sum_{k<K} M(k), M(k) of Eq. (10) as printed
        measure_each  2 ||grad_phi f||^2 + alpha m/beta (1/N) sum_i ||grad_theta F_i||^2 + L^2 times
                      the distance, m the head steps that lead to theta(k+1)
        descent       Eq. (12)'s left side along run 0, at every k below the last K

    Args:
        problem, topology, clients, x0: of the instance. algorithm: alpha, beta, tau, head.
        rounds: the K, increasing.

    A problem without noise has one run, which is exact.
    """

    name = "deprl-run"
    columns = ("measure", "measure_each", "descent")

    def __init__(
        self,
        *,
        problem: Mapping[str, Any],
        topology: Mapping[str, Any],
        clients: int,
        algorithm: Mapping[str, Any],
        rounds: Sequence[int] = (100,),
        x0: Any = 0.0,
    ) -> None:
        counts = increasing(self.name, rounds)
        self.options: dict[str, Any] = {
            **{"problem": dict(problem), "topology": dict(topology), "clients": clients},
            **{"algorithm": dict(algorithm), "rounds": counts, "x0": x0},
        }
        self.at = DeprlInstance(self.name, problem, topology, clients, algorithm, x0)

    def describe(self) -> dict[str, Any]:
        return self.options

    def constants(self) -> dict[str, Known]:
        return dict(self.at.known)

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        stochastic = self.at.problem.stochastic
        if column == "descent":
            return self._descent(seed)
        ids = runs if stochastic else range(1)
        factor = self.at.known["deprl_L"].value ** 2 if column == "measure_each" else 1.0
        total, room, rows = np.zeros(len(ids)), 0.0, []
        points = set(self.options["rounds"])
        for k, (state, after) in enumerate(self._rounds(ids, seed), start=1):
            value, off = self._measure(state, after, column, factor, k)
            total, room = total + value, room + off
            if k in points:
                rows.append(Row(total / k, {"T": float(k)}, f"K={k}", rounding=room / k))
        return Observation(tuple(rows), not stochastic, "T")

    def _rounds(self, ids: range, seed: int) -> Any:
        problem, numbers = self.at.problem, np.asarray(ids, np.int64)
        models = initial_models(problem, len(ids), self.at.start)
        state = self.at.algorithm.init(problem.points(models), problem)
        for _ in range(self.options["rounds"][-1]):
            after = self.at.algorithm.step(state, Context(problem, self.at.P, seed, numbers))
            yield state, after
            state = after

    def _measure(
        self, state: State, after: State, column: str, factor: float, rounds: int
    ) -> tuple[Floats, float]:
        """M of a round, and what rounding can do to it."""
        problem, shared = self.at.problem, self.at.shared
        mean = state.x.mean(axis=1, keepdims=True)
        old, new = joined(mean, state.v), joined(mean, after.v)
        G = problem.gradient(new)[..., :shared].mean(axis=1)
        H = problem.gradient(old)[..., shared:]
        distance = ((state.x - mean) ** 2).sum(axis=2).mean(axis=1)
        alpha, beta = self.at.algorithm.alpha, self.at.algorithm.beta
        if column == "measure":
            heads = self.at.tau * (H.mean(axis=1) ** 2).sum(axis=1)
        else:
            G = np.sqrt(2) * G
            heads = self.at.kept * (H**2).sum(axis=2).mean(axis=1)
        parts = (1.0, (G**2).sum(axis=1)), (alpha / beta, heads), (factor, distance)
        slope, model = run_off(problem, (old, new, joined(state.x, state.v)), rounds, self.at.tau)
        # the weights of the squares of gradients, 2 and the number of head steps, are in theirs
        weigh = max(2.0, self.at.tau) ** 0.5 * slope
        room = sum(
            share * squared_room(float(part.max()), off)
            for (share, part), off in zip(parts, (weigh, weigh, 2 * model), strict=True)
        )
        return sum(share * part for share, part in parts), room

    def _descent(self, seed: int) -> Observation:
        problem, shared = self.at.problem, self.at.shared
        L, rows = self.at.known["deprl_L"].value, []
        for k, (state, after) in enumerate(self._rounds(range(1), seed)):
            mean, next_mean = (s.x.mean(axis=1, keepdims=True) for s in (state, after))
            old, new = joined(mean, state.v), joined(mean, after.v)
            later = joined(next_mean, after.v)
            both = problem.loss(later), problem.loss(old)
            moved, turned = next_mean - mean, after.v - state.v
            first = (problem.gradient(new)[..., :shared] * moved).sum(axis=2)
            third = (problem.gradient(old)[..., shared:] * turned).sum(axis=2)
            terms = {
                "deprl_C1": first.mean(),
                "deprl_C2_term": L / 2 * (moved**2).sum(),
                "deprl_C3": third.mean(),
                "deprl_C4": L / 2 * (turned**2).sum(axis=2).mean(),
            }
            rounding = float(descent_off(problem, (old, new, later), (moved, turned))[0])
            value = np.array([both[0].mean() - both[1].mean()])
            place = {name: float(term) for name, term in terms.items()}
            rows.append(Row(value, {**place, "deprl_lag": k + 1.0}, f"k={k}", rounding=rounding))
        return Observation(tuple(rows), True, "deprl_lag")


def increasing(where: str, rounds: Sequence[int]) -> list[int]:
    """``rounds`` as a list; ValueError unless they are increasing integers >= 1."""
    counts = list(rounds)
    if not counts or any(type(k) is not int or k < 1 for k in counts):
        raise ValueError(f"{where}: rounds is {rounds!r}; need integers >= 1")
    if sorted(set(counts)) != counts:
        raise ValueError(f"{where}: rounds is {rounds!r}; need them increasing")
    return counts


def joined(u: Floats, v: Floats) -> Floats:
    """(phi, theta_i) as one point (R, n, d); phi (R, 1, d_u) or (R, n, d_u)."""
    return np.concatenate([np.broadcast_to(u, (*v.shape[:2], u.shape[2])), v], axis=2)
