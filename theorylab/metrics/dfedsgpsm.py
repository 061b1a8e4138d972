"""Left-hand sides of the lemmas of dfedsgpsm, at every round t, client i or local step k."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from theorylab.algorithms import LocalStep, State, is_schedule
from theorylab.known import Known
from theorylab.metrics import _dfedsgpsm_terms as terms
from theorylab.metrics._base import Metric
from theorylab.metrics._dfedsgpsm_terms import Played, Weighted
from theorylab.runs import Row, Setting
from theorylab.runs.rounding import RELATIVE

PAIRS = ("row", "least", "sgp")  # q_row, ...: the rates that the sums of (6) are made with


class LocalRounds(Metric):
    """Rounds of Algorithm 1 with one K and steps that do not decay, local iterates included."""

    local = True

    def __init__(self, setting: Setting, known: Mapping[str, Known]) -> None:
        super().__init__(setting, known)
        options: dict[str, Any] = {"alpha": 0.0, "rho": 0.0, "decay": 1.0, "local_steps": 1}
        options |= setting.algorithm.options()
        if not isinstance(options["local_steps"], int) or options["decay"] != 1:
            raise ValueError(
                f"metric {self.name}: local_steps is {options['local_steps']!r}, decay "
                f"{options['decay']!r}; need one K, and decay 1"
            )
        if is_schedule(options["eta"]):
            raise ValueError(f"metric {self.name}: eta is {options['eta']!r}; need one number")
        self.problem, self.eta, self.alpha = setting.problem, options["eta"], options["alpha"]
        self.weighted = Weighted(self.alpha, options["local_steps"])
        self._steps: list[LocalStep] = []

    def see(self, step: LocalStep) -> None:
        self._steps.append(step)

    def rows(self, before: State, after: State) -> Iterable[Row]:
        steps, self._steps = self._steps, []
        if not steps or any(step.after is None for step in steps):
            raise ValueError(
                f"metric {self.name}: {self.setting.algorithm.name} records no local steps; need "
                "a method whose steps are those of Algorithm 1"
            )
        return self.of_round(Played.of(before, steps, after))

    def of_round(self, p: Played) -> Iterable[Row]:
        raise NotImplementedError


class Step(LocalRounds, name="dfedsgpsm.step"):
    """||x_{i,k+1} - x_{i,k}||^2 (local_step)."""

    plain = "((Xs[{k} + 1] - Xs[{k}])[..., {i}, :] ** 2).sum(-1)"

    def of_round(self, p: Played) -> Iterable[Row]:
        return terms.step_rows(p)


class Drift(LocalRounds, name="dfedsgpsm.drift"):
    """mean_i ||x_{i,k} - x_i||^2 (local_step, z_gradient: mean_i ||grad f(z_i)||^2)."""

    plain = "apart(Xs[{k}], X0)"

    def of_round(self, p: Played) -> Iterable[Row]:
        return terms.drift_rows(p, self.problem, self.eta / (1 - self.alpha))


class Update(LocalRounds, name="dfedsgpsm.update"):
    """||eta sum_k sum_s alpha^{k-s} g_{i,s}||^2."""

    plain = "((eta * sum(p * g for p, g in zip(b, used)))[..., {i}, :] ** 2).sum(-1)"

    def of_round(self, p: Played) -> Iterable[Row]:
        return terms.update_rows(p, self.eta, self.weighted)


class R1(LocalRounds, name="dfedsgpsm.r1"):
    """R1 of Proof 5 without a~ eta / 2 (t)."""

    plain = """
    x = bar(X0)
    G = sum(p * grad(z) for p, z in zip(b, lifted)) / sum(b)
    ((G.mean(-2) - mgrad(x)) ** 2).sum(-1)"""

    axis = "t"

    def of_round(self, p: Played) -> Iterable[Row]:
        return terms.r1_rows(p, self.problem, self.weighted)


class Smooth(LocalRounds, name="dfedsgpsm.smooth_f"):
    """R1's second inequality, against f (t, point_gap)."""

    plain = """
    here = mgrad(bar(X0))[..., None, :]
    sum(p * ((grad(z) - here) ** 2).sum(-1).mean(-1) for p, z in zip(b, lifted)) / sum(b)"""

    own: ClassVar[bool] = False

    def of_round(self, p: Played) -> Iterable[Row]:
        return terms.jensen_rows(p, self.problem, self.weighted, self.own)


class SmoothOwn(Smooth, name="dfedsgpsm.smooth_fi"):
    """The same, against f_i."""

    plain = Smooth.plain.replace("mgrad(bar(X0))[..., None, :]", "grad(bar(X0))")

    own = True


class Descent(LocalRounds, name="dfedsgpsm.descent"):
    """||grad f(xbar)||^2 (t, f_now, f_next)."""

    plain = "(mgrad(bar(X0)) ** 2).sum(-1)"

    axis = "t"

    def of_round(self, p: Played) -> Iterable[Row]:
        return terms.descent_rows(p, self.problem, self.eta * self.weighted.total)


class Recursion(LocalRounds, name="dfedsgpsm.recursion"):
    """Residual of Eq. (5) (magnitude). It has no ``plain``: a script's local steps are Eq. (5)."""

    def of_round(self, p: Played) -> Iterable[Row]:
        yield terms.identity_row(p, *terms.residual(p, self.eta, self.alpha))


class Ascent(LocalRounds, name="dfedsgpsm.ascent"):
    """||z-breve - z|| of line 8, at every local step and client (ascent_rounding)."""

    plain = "np.linalg.norm((lifted[{k}] - Xs[{k}] / w0)[..., {i}, :], axis=-1)"

    def of_round(self, p: Played) -> Iterable[Row]:
        for k, (z, lifted) in enumerate(zip(p.z, p.lifted, strict=True)):
            length, off = np.sqrt(terms.squares(lifted - z)), terms.reach(z, lifted)
            for i in range(length.shape[1]):
                at = {"ascent_rounding": 2 * off}
                yield Row(length[:, i], at, f"t={p.t}, i={i}, k={k}", rounding=off)


class NoDirection(LocalRounds, name="dfedsgpsm.no_direction"):
    """How many clients have g = 0 in line 7, so that line 8 divides by 0, at every local step."""

    plain = "(plain[{k}] == 0).all(-1).sum(-1)"

    def of_round(self, p: Played) -> Iterable[Row]:
        for k, g in enumerate(p.plain):
            count = (g == 0).all(axis=-1).sum(axis=1).astype(float)
            yield Row(count, {}, f"t={p.t}, k={k}", rounding=0.0)


class Pull(LocalRounds, name="dfedsgpsm.pull"):
    """Residual of Eq. (3) (magnitude). It has no ``plain``: a script's messages are Eq. (3)."""

    def of_round(self, p: Played) -> Iterable[Row]:
        yield terms.identity_row(p, *terms.pulled(p, self.setting.topology.matrix(p.t, 0)))


class Consensus(LocalRounds, name="dfedsgpsm.consensus"):
    """||z_i - xbar||^2 (t, own_start: ||x_i^0||, largest_gap: max_j ||x_j^0 - xbar^0||)."""

    plain = "((X0 / w0 - bar(X0))[..., {i}, :] ** 2).sum(-1)"

    axis = "t"

    def start(self, state: State) -> None:
        first = self.setting.start
        away = first - first[0]  # 0 where all are alike
        self.lengths = np.sqrt(terms.squares(first))
        self.gap = float(np.sqrt(terms.squares(away - away.mean(axis=0)).max()))

    def of_round(self, p: Played) -> Iterable[Row]:
        away, error = self.apart(p)
        for i in range(away.shape[1]):
            yield Row(away[:, i], self._starts(p, i), f"t={p.t}, i={i}", off=error)

    def apart(self, p: Played) -> tuple[terms.Floats, float]:
        """||z_i - xbar||^2 (R, n), and how far rounding puts the vector off."""
        # the first models are no results of arithmetic: counted from one of them, alike ones are 0
        exact = p.t == 0 and (p.w == 1).all()
        x = p.x - p.x[:, :1] if exact else p.x
        z = x / p.w[:, :, None]
        # every round before has rounded x and w once more, by n products each, and K steps
        rounded = self.problem.clients + len(p.used) + 4
        error = (p.t + 1) * rounded * terms.reach(z, x)
        return terms.squares(z - x.mean(axis=1)[:, None]), error

    def _starts(self, p: Played, i: int) -> dict[str, float]:
        return {"t": float(p.t), "own_start": float(self.lengths[i]), "largest_gap": self.gap}


class ConsensusMean(Consensus, name="dfedsgpsm.consensus_mean"):
    """mean_i ||z_i - xbar||^2 (t)."""

    plain = "apart(X0 / w0, bar(X0))"

    def of_round(self, p: Played) -> Iterable[Row]:
        away, error = self.apart(p)
        yield Row(away.mean(axis=1), {"t": float(p.t)}, f"t={p.t}", off=error)


class Distance(Consensus, name="dfedsgpsm.distance"):
    """||z_i - xbar|| (t, own_start, largest_gap, own_sum_*, largest_sum_*).

    The sums of (6), sum_j q^{t-j} ||U^j||, U^j the update of round j, with the q of each of
    ``PAIRS``: the client's own with j = t included, and that of the largest with j < t.
    """

    plain = "np.linalg.norm((X0 / w0 - bar(X0))[..., {i}, :], axis=-1)"

    numbers = tuple(f"q_{pair}" for pair in PAIRS)
    single = True

    def start(self, state: State) -> None:
        super().start(state)
        # inf where the formula defines none; not used then
        self.rates = {pair: min(self.known[f"q_{pair}"].value, 1.0) for pair in PAIRS}
        self.own = {pair: np.zeros(self.problem.clients) for pair in PAIRS}
        self.top = dict.fromkeys(PAIRS, 0.0)

    def of_round(self, p: Played) -> Iterator[Row]:
        away, error = self.apart(p)
        moved = terms.update(p, float(self.eta), self.weighted)[0]
        for pair, rate in self.rates.items():  # (6) counts the round at hand in a client's own sum
            self.top[pair] *= rate
            self.own[pair] = rate * self.own[pair] + moved
        for i in range(away.shape[1]):
            at = self._starts(p, i)
            for pair in PAIRS:
                at[f"own_sum_{pair}"] = float(self.own[pair][i])
                at[f"largest_sum_{pair}"] = self.top[pair]
            lengths = np.sqrt(away[:, i])
            room = RELATIVE * float(lengths.max()) + error
            yield Row(lengths, at, f"t={p.t}, i={i}", rounding=room)
        for pair in PAIRS:
            self.top[pair] += float(moved.max())
