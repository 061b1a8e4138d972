r"""Exact sums of expectations over any number of rounds, where a round is affine.

With y = (all models, 1) and additive noise a round is y -> A y + noise, and what is measured, M(k),
is a quadratic form in y plus a constant. So

    sum_{k<K} E M(k) = tr(Q_K S_0) + c_K,    Q_K = sum_{k<K} (A^k)^T Q A^k,

and K rounds are put together from K's binary digits: a block of a rounds, then one of b, is

    A = A_b A_a,  N = A_b N_a A_b^T + N_b,  Q = Q_a + A_a^T Q_b A_a,  c = c_a + c_b + tr(Q_b N_a).

Where what is measured is a difference that vanishes, so do Q and all of its entries, and the size
of Q says nothing of its rounding. So a second form, of the sizes that the differences are taken of,
goes with it through the same rounds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.known import UNIT

Floats = NDArray[Any]


@dataclass(frozen=True)
class Block:
    """A stretch of rounds: map A, covariance N of its noise, and its share (Q, c) of the sum.

    (R, r) is the same for the sizes: |y|^T |Q_k| |y| of a round is at most y^T R_k y + r_k.
    """

    A: Floats
    N: Floats
    Q: Floats
    c: float
    R: Floats
    r: float

    @classmethod
    def of(cls, A: Floats, N: Floats, Q: Floats, c: float, least: Floats | None = None) -> Block:
        """One round. Q, or ``least`` >= +-Q in its place, is positive semidefinite, so that
        |y|^T |Q| |y| <= (sum_i sqrt(Q_ii) |y_i|)^2 <= size sum_i Q_ii y_i^2.
        """
        squares = np.diag(Q if least is None else least)
        return cls(A, N, Q, c, len(Q) * np.diag(squares), abs(c))

    def then(self, later: Block) -> Block:
        return Block(
            later.A @ self.A,
            later.A @ self.N @ later.A.T + later.N,
            self.Q + self.A.T @ later.Q @ self.A,
            self.c + later.c + float(np.einsum("ij,ji->", later.Q, self.N)),
            self.R + self.A.T @ later.R @ self.A,
            self.r + later.r + float(np.einsum("ij,ji->", later.R, self.N)),
        )

    def echo(self, one: Block) -> float:
        """||sum_k (B^k)^T Q B^k|| / ||Q||, B what A does with y but for its 1, Q of ``one`` of the
        rounds that this stretch is of: how long its form sees what is added to y once.
        """
        if not np.isfinite(self.Q).all():  # the value says so, too
            return math.inf
        first = float(np.linalg.norm(one.Q[:-1, :-1], 2))
        return float(np.linalg.norm(self.Q[:-1, :-1], 2)) / first if first > 0 else 1.0

    def value(self, y: Floats, S: Floats | None = None) -> Value:
        """y^T Q y + tr(Q S) + c; S: covariance of y, None for 0."""
        value = float(y @ self.Q @ y) + self.c
        size = float(np.abs(y) @ np.abs(self.Q) @ np.abs(y)) + abs(self.c)
        parts = float(y @ self.R @ y) + self.r
        if S is not None:
            value += float(np.einsum("ij,ji->", self.Q, S))
            size += float((np.abs(self.Q) * np.abs(S)).sum())
            parts += float(np.einsum("ij,ji->", self.R, S))
        return Value(value, size, parts, len(y))

    def times(self, rounds: int) -> Block:
        """``rounds`` copies, one after the other."""
        made: Block | None = None
        power = self
        while rounds:
            if rounds & 1:
                made = power if made is None else made.then(power)
            rounds >>= 1
            power = power.then(power) if rounds else power
        assert made is not None
        return made


@dataclass(frozen=True)
class Value:
    """A form's value; the sum of the sizes of what is added, and (``parts``) of what the squares
    in it are differences of; the length of y.
    """

    value: float
    size: float
    parts: float
    length: int

    def room(self, rounds: int, steps: int, echo: float) -> float:
        """Its rounding error.

        With e = 8 N eps, N = ``length``, T rounds and (D y)^2 for the form: D y itself carries e
        |D| |y|, the rounding of its entries, of ``steps`` steps and of the log2 T additions that
        the sums are made in, so the squares e (steps + 8 + log2 T) ``parts``. What y is off by in
        an earlier round comes through as B^k: e |y| sum_k ||D B^k|| =: x, and x^2 <= e^2 |y|^2 T
        ||D||^2 ``echo`` by Cauchy and Schwarz (``echo`` at most T: where the powers grow, |y| grows
        with them). That is 2 sqrt(value) x + x^2 <= e T value + x^2/(e T) + x^2. And a product of T
        matrices whose powers stay bounded is off by about T N eps of its size.
        """
        e = 8 * self.length * UNIT
        once = steps + 8 + math.log2(rounds) + min(echo, rounds) * (1 + e * rounds)
        return e * ((rounds + steps + 8) * self.size + once * self.parts)
