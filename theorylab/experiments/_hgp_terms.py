"""The matrices that Appendix C of pdbo expands VR-HGP in, written from its Eq. (17) to (27).

A product runs as the paper's Notation says: prod_{m=a}^{b} A_m = A_b ... A_a, I where b < a.
With A_m for A-hat^(2m+1), B_m for B-hat^(2m) and D_m = (1 - beta) I + beta A_m.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sequence:
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

    def sizes(self) -> Sequence:
        """Absolute values throughout: each formula then adds the sizes of its summands."""
        names = ("A", "B", "A_bar", "B_bar", "c")
        return replace(self, signs=False, **{k: np.abs(getattr(self, k)) for k in names})

    def first(self, terms: int) -> Sequence:
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
    made = np.broadcast_to(np.eye(matrices.shape[-1]), (len(matrices), *matrices.shape[2:]))
    for m in range(first, last + 1):
        made = matrices[:, m] @ made
    return made


def power(matrix: Floats, exponent: int) -> Floats:
    """matrix^exponent by repeated products, I for 0."""
    made: Floats = np.eye(matrix.shape[-1])
    for _ in range(exponent):
        made = matrix @ made
    return made


def recursion(s: Sequence) -> tuple[list[Floats], list[Floats], list[Floats]]:
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


def explicit_w(s: Sequence) -> Floats:
    """Lemma 2, Eq. (20): w^(M), (R, N)."""
    M, eye = s.terms, np.eye(len(s.c))
    made = product(s.D, 0, M - 1)
    for i in range(1, M + 1):
        inner = s.beta * eye + (1 - s.beta) * product(s.A, 0, i - 1)
        made = made + product(s.D, i, M - 1) @ inner
    return np.asarray(made @ s.c)


def explicit_v(s: Sequence, u: list[Floats], w: list[Floats]) -> Floats:
    """Lemma 4, Eq. (23): v^(M+1), (R, H)."""
    M = s.terms
    made = np.zeros((len(s.B), s.B.shape[2]))
    for i in range(M + 1):
        made = made + s.alpha ** (M - i + 1) * np.einsum("rhn,rn->rh", s.B[:, i], u[i])
        made = made + (1 - s.alpha) * s.alpha ** (M - i) * np.einsum("rhn,rn->rh", s.B[:, i], w[i])
    return made


def neumann(A_bar: Floats, last: int) -> Floats:
    """sum_{i=0}^{last} A_bar^i."""
    made = np.zeros_like(A_bar)
    for i in range(last + 1):
        made = made + power(A_bar, i)
    return made


def L1(s: Sequence, i: int, M: int) -> Floats:
    return np.asarray(s.beta * product(s.D, i + 1, M - 1))


def L2(s: Sequence, i: int, M: int) -> Floats:
    made = s.blank(len(s.c))
    for j in range(i + 1, M + 1):
        made = made + product(s.D, j, M - 1) @ product(s.A, i + 1, j - 1)
    return (1 - s.beta) * made


def R1(s: Sequence, i: int) -> Floats:
    D, eye = s.damped(s.A_bar), np.eye(len(s.c))
    made = power(D, i)
    for j in range(1, i + 1):
        made = made + power(D, i - j) @ (s.beta * eye + (1 - s.beta) * power(s.A_bar, j))
    return made


def R3(s: Sequence, i: int) -> Floats:
    M, a = s.terms, s.alpha
    return np.asarray(
        a ** (M - i + 1) * power(s.A_bar, i) + (1 - a) * a ** (M - i) * neumann(s.A_bar, i)
    )


def L4(s: Sequence, i: int) -> Floats:
    M, a = s.terms, s.alpha
    made = s.blank(s.B.shape[2])
    for j in range(i + 1, M + 1):
        made = made + a ** (M - j + 1) * s.B[:, j] @ product(s.A, i + 1, j - 1)
        inner = s.blank(len(s.c))
        for k in range(i + 1, j + 1):
            inner = inner + product(s.D, k, j - 1) @ product(s.A, i + 1, k - 1)
        made = made + (1 - a) * (1 - s.beta) * a ** (M - j) * s.B[:, j] @ inner
    return made


def L5(s: Sequence, i: int) -> Floats:
    M, a = s.terms, s.alpha
    made = s.blank(s.B.shape[2])
    for j in range(i + 1, M + 1):
        made = made + a ** (M - j) * s.B[:, j] @ product(s.D, i + 1, j - 1)
    return (1 - a) * s.beta * made


def decomposed_w(s: Sequence) -> Floats:
    """Lemma 3, the right-hand side of Eq. (22), (R, N)."""
    M = s.terms
    made = s.blank(len(s.c))
    for i in range(M):
        off = s.minus(s.A[:, i], s.A_bar)
        made = made + L1(s, i, M) @ off @ R1(s, i) + L2(s, i, M) @ off @ power(s.A_bar, i)
    return np.asarray(made @ s.c)


def decomposed_v(s: Sequence) -> Floats:
    """Lemma 5, the right-hand side of Eq. (24), (R, H)."""
    M = s.terms
    made = s.blank(s.B.shape[2])
    for i in range(M + 1):
        made = made + s.minus(s.B[:, i], s.B_bar) @ R3(s, i)
    for i in range(M):
        off = s.minus(s.A[:, i], s.A_bar)
        made = made + L4(s, i) @ off @ power(s.A_bar, i) + L5(s, i) @ off @ R1(s, i)
    return np.asarray(made @ s.c)
