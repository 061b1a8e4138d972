"""Proof 5 of dfedsgpsm, where the noise of a round is split off: both sides are expectations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from theorylab.experiments import _local_terms as terms
from theorylab.experiments._base import Observation, Row, check_column, relative_error
from theorylab.experiments._played import Played
from theorylab.experiments._ridge import Ridge, carried, response
from theorylab.experiments.local_rounds import LocalRounds
from theorylab.problems import Noisy


class NoiseSplit(LocalRounds):
    """Rounds as of ``LocalRounds``; G = 1/n sum_i sum_k sum_{s<=k} alpha^{k-s} g-breve_{i,s}.

    Columns (``at`` in brackets), both exact:
        square   E||G||^2 (t, kept_slopes)
        excess   E||G||^2 - E||A||^2 (t)
        inner    |E<grad f(xbar), G - A>| / a~ (t, slope_mean, product_rounding)

    with A = G's sum of grad f_i(z-breve) for g-breve; slope_mean = E||grad f(xbar)||;
    kept_slopes = sqrt(E||G - N||^2), N = G's sum of line 7's noise.

    Args:
        problem: also "ridge" (``_ridge``) with ``scale``, ``radius`` and ``sigma``.
        law: "exact", all sequences of samples; without noise any; "linear", for one round of one
            client on a ridge from x0 = 0 without SAM: the moments of the linear steps.
    """

    name = "noise-split"
    columns = ("square", "excess", "inner")

    def __init__(self, *, problem: Any, law: str = "exact", **options: Any) -> None:
        given = dict(problem)
        ridge, linear = given.get("name") == Ridge.name, law == "linear"
        stand_in = {"name": "log-cosh"} if ridge else given
        super().__init__(problem=stand_in, law="exact" if linear else law, **options)
        self.options |= {"problem": given, "law": law}
        if ridge:
            rest = {k: v for k, v in given.items() if k not in ("name", "sigma")}
            try:
                base = Ridge(self.problem.clients, **rest)
            except TypeError as error:
                raise ValueError(f"ridge: {str(error).split('__init__() ')[-1]}") from None
            sigma = given.get("sigma", 1e-12)
            self.problem = Noisy(base.clients, base=base, field="rademacher", sigma=sigma)
            self.ridge = base
        if linear and (
            not ridge
            or base.clients != 1
            or self.options["rounds"] != 1
            or self.run["rho"] != 0
            or np.any(self.start)
        ):
            raise ValueError(
                f"{self.name}: law 'linear' needs one round of one client on a ridge, x0 0, rho 0"
            )

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        if self.options["law"] == "linear":
            if column == "inner":
                raise ValueError(f"{self.name}: law 'linear' came with inner; need a square")
            return Observation((self._linear(column),), True, "t")
        if self.problem.stochastic and self.options["law"] != "exact":
            raise ValueError(
                f"{self.name}: both sides of {column} are expectations; need law 'exact', or no "
                "noise"
            )
        played, total = self.rounds(runs, seed)
        weights = None if total is None else np.full(total, 1 / total)
        wanted = [p for p in played if self._wanted(p.t)]
        if column == "inner":
            return Observation(tuple(map(self._inner, wanted)), True, "t")
        side = {"square": self._square, "excess": self._excess}[column]
        cells = [cell for p in wanted for cell in side(p)]
        return Observation(
            tuple(
                Row(values, at, label, weights, rounding) for values, at, label, rounding in cells
            ),
            True,
            "t",
        )

    def _sums(self, p: Played) -> tuple[terms.Floats, terms.Floats, terms.Floats]:
        """G, A and N, (R, d) each."""
        there = [self.problem.gradient(z) for z in p.lifted]
        noise = [g - self.problem.gradient(z) for g, z in zip(p.plain, p.z, strict=True)]
        G, A, N = (self.weighted.of(parts).mean(axis=1) for parts in (p.used, there, noise))
        return G, A, N

    def _square(self, p: Played) -> Iterator[terms.Cell]:
        G, _, N = self._sums(p)
        size = terms.squares(G)
        kept = float(np.sqrt(terms.squares(G - N).mean()))
        error = self.weighted.total * terms.slope_error(self.problem, p)
        yield size, {"t": float(p.t), "kept_slopes": kept}, f"t={p.t}", terms.room(size, error)

    def _excess(self, p: Played) -> Iterator[terms.Cell]:
        G, A, _ = self._sums(p)
        square, kept = terms.squares(G), terms.squares(A)
        error = self.weighted.total * terms.slope_error(self.problem, p)
        slack = terms.room(square, error) + terms.room(kept, error)
        yield square - kept, {"t": float(p.t)}, f"t={p.t}", slack

    def _inner(self, p: Played) -> Row:
        G, A, _ = self._sums(p)
        slope = self.problem.mean_gradient(p.x.mean(axis=1))
        length = np.sqrt(terms.squares(slope))
        parts = (slope * (G - A)).sum(axis=-1) / self.weighted.total
        # the gradients' own rounding, and that of a mean of numbers that cancel
        lost = terms.slope_error(self.problem, p) * float(length.max())
        lost += 64 * terms.EPS * float(np.abs(parts).mean())
        at = {
            "t": float(p.t),
            "slope_mean": float(length.mean()),
            "product_rounding": lost,
        }
        value = abs(float(parts.mean()))
        # the two sides that are said to be equal: <grad f, G> and <grad f, A>, over a~
        sides = [(slope * one).sum(axis=-1).mean() / self.weighted.total for one in (G, A)]
        share = relative_error(value, *sides)
        return Row(np.array([value]), at, f"t={p.t}", rounding=0.0, relative_error=share)

    def _linear(self, column: str) -> Row:
        """E||G||^2 = sigma^2 sum_u (A_u + b_u)^2 and E||A||^2 = sigma^2 sum_u A_u^2, where all A_u
        and b_u have one sign, so that nothing cancels in 2 A_u b_u + b_u^2 either.
        """
        b, eta = self.weighted.weights, float(self.run["eta"])
        sigma, ridge = float(self.options["problem"].get("sigma", 1e-12)), self.ridge
        moved = response(ridge.scale, eta, self.weighted.alpha, len(b))
        reach = sigma * float(np.abs(moved).sum())
        if not reach <= ridge.radius:
            raise ValueError(
                f"{self.name}: the noise moves a model by up to {reach:.3g}; need at most the "
                f"ridge's radius {ridge.radius:g}"
            )
        A = carried(ridge.scale, b, moved)
        at = {"t": 0.0}
        if column == "square":
            value = sigma**2 * float((A + b) @ (A + b))
            at["kept_slopes"] = sigma * float(np.sqrt(A @ A))
        else:
            value = sigma**2 * float((2 * A + b) @ b)
        # sums and products of numbers of one sign, at most 8 operations a local step
        return Row(np.array([value]), at, "t=0", rounding=64 * len(b) * terms.EPS * value)
