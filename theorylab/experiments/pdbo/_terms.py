"""The matrices that Appendix C of pdbo expands VR-HGP in, written from its Eq. (17) to (27).

A product runs as the paper's Notation says: prod_{m=a}^{b} A_m = A_b ... A_a, I where b < a.
With A_m for A-hat^(2m+1), B_m for B-hat^(2m) and D_m = (1 - beta) I + beta A_m.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from theorylab.experiments.pdbo._base import Estimated, Floats, Ints, exacts
from theorylab.experiments.pdbo._place import Place
from theorylab.kernels import Stream
from theorylab.known import Known


@dataclass(frozen=True)
class Matrices:
    """The rounds of R runs. M is the number of A's.

    A (R, M, N, N), B (R, M + 1, H, N), A_bar (N, N), B_bar (H, N), c (N,); units: A none,
    B those of x, c those of f/x. ``signs`` False: sizes only, every difference is a sum.
    """

    A: Floats
    B: Floats
    A_bar: Floats
    B_bar: Floats
    c: Floats
    alpha: float
    beta: float
    signs: bool = True

    @property
    def terms(self) -> int:
        return int(self.A.shape[1])

    def sizes(self) -> Matrices:
        """Absolute values throughout: each formula then adds the sizes of its summands."""
        names = ("A", "B", "A_bar", "B_bar", "c")
        return replace(self, signs=False, **{k: np.abs(getattr(self, k)) for k in names})

    def first(self, terms: int) -> Matrices:
        """The same runs with M = ``terms``."""
        return replace(self, A=self.A[:, :terms], B=self.B[:, : terms + 1])

    def minus(self, left: Floats, right: Floats) -> Floats:
        return left - right if self.signs else left + right

    def blank(self, rows: int) -> Floats:
        return np.zeros((len(self.B), rows, len(self.c)))

    def damped(self, A: Floats) -> Floats:
        """(1 - beta) I + beta A."""
        return np.asarray((1 - self.beta) * np.eye(A.shape[-1]) + self.beta * A)

    @property
    def D(self) -> Floats:
        return self.damped(self.A)


def product(matrices: Floats, first: int, last: int) -> Floats:
    """prod_{m=first}^{last} of (R, M, N, N): the later the more to the left."""
    chain = np.broadcast_to(np.eye(matrices.shape[-1]), (len(matrices), *matrices.shape[2:]))
    for m in range(first, last + 1):
        chain = matrices[:, m] @ chain
    return chain


def power(matrix: Floats, exponent: int, start: Floats | None = None) -> Floats:
    """matrix^exponent start by repeated products; ``start``: (N,) or (N, k), I if None."""
    product = np.eye(len(matrix)) if start is None else start
    for _ in range(exponent):
        product = matrix @ product
    return product


def neumann(matrix: Floats, last: int, start: Floats | None = None) -> Floats:
    """sum_{i=0}^{last} matrix^i start, as of ``power``; 0 where ``last`` < 0."""
    term = np.eye(len(matrix)) if start is None else start
    total = np.zeros_like(term)
    for _ in range(last + 1):
        total, term = total + term, matrix @ term
    return total


def alternating(round: Callable[[int], tuple[Floats, Floats]], terms: int) -> tuple[Floats, Floats]:
    """A-hat (R, M, N, N) of the odd rounds and B-hat (R, M + 1, H, N) of the even ones.

    round: t -> A-hat (R, N, N), B-hat (R, H, N).
    """
    B = np.stack([round(2 * m)[1] for m in range(terms + 1)], axis=1)
    A = [round(2 * m + 1)[0] for m in range(terms)]
    return np.stack(A, axis=1) if A else np.zeros((len(B), 0, *B.shape[-1:] * 2)), B


def recursion(s: Matrices) -> tuple[list[Floats], list[Floats], list[Floats]]:
    """u, w (M + 1 of (R, N)) and v (M + 2 of (R, H)) by Eq. (17) to (19)."""
    u = [np.broadcast_to(s.c, (len(s.A), len(s.c)))]
    w, v = list(u), [np.zeros((len(s.B), s.B.shape[2]))]
    for m in range(s.terms + 1):
        sent_u, sent_w = (np.einsum("rhn,rn->rh", s.B[:, m], part[m]) for part in (u, w))
        v.append(s.alpha * (v[m] + sent_u) + (1 - s.alpha) * sent_w)
        if m < s.terms:
            u.append(np.einsum("rij,rj->ri", s.A[:, m], u[m]))
            moved = np.einsum("rij,rj->ri", s.A[:, m], w[m])
            w.append(s.beta * (moved + s.c) + (1 - s.beta) * (w[m] + u[m + 1]))
    return u, w, v


def explicit_w(s: Matrices) -> Floats:
    """Lemma 2, Eq. (20): w^(M), (R, N)."""
    M, eye, total = s.terms, np.eye(len(s.c)), product(s.D, 0, s.terms - 1)
    for i in range(1, M + 1):
        inner = s.beta * eye + (1 - s.beta) * product(s.A, 0, i - 1)
        total = total + product(s.D, i, M - 1) @ inner
    return np.asarray(total @ s.c)


def explicit_v(s: Matrices, u: list[Floats], w: list[Floats]) -> Floats:
    """Lemma 4, Eq. (23): v^(M+1), (R, H)."""
    M, a, total = s.terms, s.alpha, np.zeros((len(s.B), s.B.shape[2]))
    for i in range(M + 1):
        sent_u, sent_w = (np.einsum("rhn,rn->rh", s.B[:, i], part[i]) for part in (u, w))
        total = total + a ** (M - i + 1) * sent_u + (1 - a) * a ** (M - i) * sent_w
    return total


def L1(s: Matrices, i: int, M: int) -> Floats:
    return np.asarray(s.beta * product(s.D, i + 1, M - 1))


def L2(s: Matrices, i: int, M: int) -> Floats:
    total = s.blank(len(s.c))
    for j in range(i + 1, M + 1):
        total = total + product(s.D, j, M - 1) @ product(s.A, i + 1, j - 1)
    return (1 - s.beta) * total


def R1(s: Matrices, i: int) -> Floats:
    D, eye = s.damped(s.A_bar), np.eye(len(s.c))
    total = power(D, i)
    for j in range(1, i + 1):
        total = total + power(D, i - j) @ (s.beta * eye + (1 - s.beta) * power(s.A_bar, j))
    return total


def R3(s: Matrices, i: int) -> Floats:
    M, a = s.terms, s.alpha
    last, before = power(s.A_bar, i), neumann(s.A_bar, i)
    return np.asarray(a ** (M - i + 1) * last + (1 - a) * a ** (M - i) * before)


def L4(s: Matrices, i: int) -> Floats:
    M, a, total = s.terms, s.alpha, s.blank(s.B.shape[2])
    for j in range(i + 1, M + 1):
        total = total + a ** (M - j + 1) * s.B[:, j] @ product(s.A, i + 1, j - 1)
        total = total + (1 - a) * a ** (M - j) * s.B[:, j] @ L2(s, i, j)
    return total


def L5(s: Matrices, i: int) -> Floats:
    M, a, total = s.terms, s.alpha, s.blank(s.B.shape[2])
    for j in range(i + 1, M + 1):
        total = total + a ** (M - j) * s.B[:, j] @ product(s.D, i + 1, j - 1)
    return (1 - a) * s.beta * total


def decomposed_w(s: Matrices) -> Floats:
    """Lemma 3, the right-hand side of Eq. (22), (R, N)."""
    M, total = s.terms, s.blank(len(s.c))
    for i in range(M):
        off = s.minus(s.A[:, i], s.A_bar)
        total = total + L1(s, i, M) @ off @ R1(s, i) + L2(s, i, M) @ off @ power(s.A_bar, i)
    return np.asarray(total @ s.c)


def decomposed_v(s: Matrices) -> Floats:
    """Lemma 5, the right-hand side of Eq. (24), (R, H)."""
    M, total = s.terms, s.blank(s.B.shape[2])
    for i in range(M + 1):
        total = total + s.minus(s.B[:, i], s.B_bar) @ R3(s, i)
    for i in range(M):
        off = s.minus(s.A[:, i], s.A_bar)
        total = total + L4(s, i) @ off @ power(s.A_bar, i) + L5(s, i) @ off @ R1(s, i)
    return np.asarray(total @ s.c)


@dataclass(kw_only=True, eq=False)
class Sequenced(Estimated):
    """About the matrices of M rounds.

    Args:
        size, outputs: N and H, of matrices that are no network's. place: of HGP's own at a
            stationary point, see ``Place``.
    """

    least_terms: ClassVar[int] = 0
    terms: Sequence[int] = (1, 2, 5)
    size: int = 3
    outputs: int = 2
    place: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.need(self.size >= 1 and self.outputs >= 1, "size outputs", ">= 1")
        self.at = None if self.place is None else Place(**self.place)
        if self.at is not None:
            self.place = self.at.options
            self.size, self.outputs = len(self.at.c_y), len(self.at.c_lam)

    def constants(self) -> dict[str, Known]:
        return super().constants() | exacts("numbers in y", hgp_size=self.size)

    @abstractmethod
    def drawn(self, runs: Ints, seed: int) -> Matrices:
        """Matrices of their own, where there is no ``place``."""

    def rounds(self, runs: Ints, seed: int) -> Matrices:
        """max(terms) rounds of every run."""
        if (at := self.at) is None:
            return self.drawn(runs, seed)
        A, B = alternating(lambda t: at.round(t, runs, seed), max(self.terms))
        return Matrices(A, B, at.A_bar, at.B_bar, at.c_y, self.alpha, self.beta)

    def normal(self, runs: Ints, seed: int) -> Matrices:
        """All entries normal; a run's do not depend on which others are asked for."""
        N, H, draws = self.size, self.outputs, Stream(seed, "sample")
        A, B = alternating(
            lambda t: (draws.normal(runs, N, t, 0, N), draws.normal(runs, H, t, 1, N)),
            max(self.terms),
        )
        fixed = Stream(seed, "problem")
        A_bar, B_bar, c = (fixed.normal(1, rows, 0, k, N)[0] for k, rows in enumerate((N, H, 1)))
        return Matrices(A, B, A_bar, B_bar, c[0], self.alpha, self.beta)
