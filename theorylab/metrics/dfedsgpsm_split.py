"""Proof 5 of dfedsgpsm, where the noise of a round is split off, at every round t.

G = 1/n sum_i sum_k sum_{s<=k} alpha^{k-s} g-breve_{i,s}; A has grad f_i(z-breve) for g-breve, and
N the noise of line 7.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from theorylab.known import UNIT
from theorylab.metrics import _dfedsgpsm_terms as terms
from theorylab.metrics._dfedsgpsm_terms import Floats, Played
from theorylab.metrics.dfedsgpsm import LocalRounds
from theorylab.runs import Expected, Row
from theorylab.runs.rounding import squared_room


class Split(LocalRounds):
    """Shared by the three: the sums of a round, (R, d) each."""

    axis = "t"

    def sums(self, p: Played) -> tuple[Floats, Floats, Floats]:
        """G, A and N."""
        there = [self.problem.gradient(z) for z in p.lifted]
        noise = [g - self.problem.gradient(z) for g, z in zip(p.plain, p.z, strict=True)]
        G, A, N = (self.weighted.of(parts).mean(axis=1) for parts in (p.used, there, noise))
        return G, A, N

    def off(self, p: Played) -> float:
        return self.weighted.total * terms.slope_error(self.problem, p)


class Square(Split, name="dfedsgpsm.split_square"):
    """E||G||^2 (t, kept_slopes: sqrt(E||G - N||^2))."""

    plain = "(sum(p * g for p, g in zip(b, used)).mean(-2) ** 2).sum(-1)"

    def of_round(self, p: Played) -> Iterator[Row]:
        G, _, N = self.sums(p)
        at = {"t": float(p.t), "kept_slopes": Expected(terms.squares(G - N), math.sqrt)}
        yield Row(terms.squares(G), at, f"t={p.t}", off=self.off(p))


class Excess(Split, name="dfedsgpsm.split_excess"):
    """E||G||^2 - E||A||^2 (t)."""

    plain = """
    exact = [grad(z) for z in lifted]
    G, A = (sum(p * g for p, g in zip(b, gs)).mean(-2) for gs in (used, exact))
    (G**2).sum(-1) - (A**2).sum(-1)"""

    def of_round(self, p: Played) -> Iterator[Row]:
        G, A, _ = self.sums(p)
        square, kept = terms.squares(G), terms.squares(A)
        off = self.off(p)
        room = squared_room(float(square.max()), off) + squared_room(float(kept.max()), off)
        yield Row(square - kept, {"t": float(p.t)}, f"t={p.t}", rounding=room)


class Inner(Split, name="dfedsgpsm.split_inner"):
    """|E<grad f(xbar), G - A>| / a~ (t, slope_mean: E||grad f(xbar)||, product_rounding)."""

    plain = """
    slope = mgrad(bar(X0))
    G = sum(p * g for p, g in zip(b, used)).mean(-2) / sum(b)
    A = sum(p * grad(z) for p, z in zip(b, lifted)).mean(-2) / sum(b)
    left, right = np.mean((slope * G).sum(-1)), np.mean((slope * A).sum(-1))
    abs(left - right)"""

    def of_round(self, p: Played) -> Iterator[Row]:
        G, A, _ = self.sums(p)
        slope = self.problem.mean_gradient(p.x.mean(axis=1))
        length = np.sqrt(terms.squares(slope))
        parts = (slope * (G - A)).sum(axis=-1) / self.weighted.total
        # the gradients' own rounding, and that of a mean of numbers that cancel
        lost = terms.slope_error(self.problem, p) * float(length.max())
        at = {
            "t": float(p.t),
            "slope_mean": length,
            "product_rounding": lost + 64 * UNIT * np.abs(parts),
        }
        # the two sides that are said to be equal: <grad f, G> and <grad f, A>, over a~
        sides = [(slope * one).sum(axis=-1) / self.weighted.total for one in (G, A)]
        yield Row(
            parts[:, None],
            at,
            f"t={p.t}",
            rounding=0.0,
            reduction="norm of the mean",
            sides=np.stack(sides, axis=1),
        )
