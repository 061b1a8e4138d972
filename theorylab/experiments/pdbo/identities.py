"""Lemmas 2 to 5 and Section C.2 of pdbo: both sides of each identity, and their distance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from theorylab.constants import kappa
from theorylab.experiments._base import Observation, Row, check_column, relative_error
from theorylab.experiments._plain import Plain, Spot, UnwrittenError
from theorylab.experiments.pdbo._base import Floats, Ints, exacts, norms, uppers
from theorylab.experiments.pdbo._rounds import INSIDE
from theorylab.experiments.pdbo._terms import (
    L4,
    L5,
    R1,
    R3,
    Matrices,
    Sequenced,
    decomposed_v,
    decomposed_w,
    explicit_v,
    explicit_w,
    neumann,
    recursion,
)
from theorylab.experiments.pdbo.blocks import HgpBlocks
from theorylab.known import UNIT, Known


@dataclass(kw_only=True, eq=False)
class HgpIdentities(Sequenced, name="hgp-identities"):
    """The largest entry of |left - right| of an identity, one value a run, one row an M.

    lemma2, lemma3: of w^(M), units f/x. lemma4, lemma5: of v^(M+1), units f. lemma5_shifted:
    Lemma 5 with v^(M) on the left. The left side is the recursion, the right the printed formula.
    lemma4_base, lemma4_step: of lines of Lemma 4's proof, v^(1) with alpha (1 - alpha) on w^(0),
    and v^(M) with w^(M) where the recursion has w^(M-1); the second needs M >= 1.

    Every row comes with ``magnitude_w`` or ``magnitude_v``: the largest entry, over the runs, of
    both sides with every number replaced by its size, which is what rounding is relative to.

    Args:
        matrices: "network" (A-hat, B-hat of HGP, Eq. 8 with the coefficients of A.4, at the
            stationary point of ``place``), or "normal" (entries of their own, of variance
            scale^2 / size; then A_bar and B_bar are just other matrices). scale: of normal ones.
    """

    columns = (
        *("lemma2", "lemma3", "lemma4", "lemma5", "lemma5_shifted"),
        *("lemma4_base", "lemma4_step"),
    )

    size: int = 4
    outputs: int = 3
    matrices: str = "normal"
    scale: float = 0.7

    def __post_init__(self) -> None:
        self.need(self.matrices in ("normal", "network"), "matrices", "'normal' or 'network'")
        both = (self.matrices == "network") == (self.place is not None)
        self.need(both, "matrices place", "both or none")
        super().__post_init__()

    def constants(self) -> dict[str, Known]:
        return super().constants() | exacts("float64", roundoff=UNIT)

    def drawn(self, runs: Ints, seed: int) -> Matrices:
        s, factor = self.normal(runs, seed), self.scale / np.sqrt(self.size)
        return replace(s, A=factor * s.A, A_bar=factor * s.A_bar)

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        if column == "lemma4_step":
            self.need_terms(self.terms, 1)
        drawn = self.rounds(np.arange(runs.start, runs.stop), seed)
        name = "magnitude_w" if column in ("lemma2", "lemma3") else "magnitude_v"
        rows = []
        for M in self.terms:
            left, right = _sides(column, drawn.first(M))
            size = sum(np.abs(side).max() for side in _sides(column, drawn.first(M).sizes()))
            text = "both sides, every number replaced by its size"
            at = {"terms": float(M), **uppers(text, **{name: size})}
            gap = np.abs(left - right).max(axis=1)
            share = relative_error(gap, left, right)
            rows.append(Row(gap, at, f"M={M}", rounding=0.0, relative_error=share))
        return Observation(tuple(rows), exact=False, axis="terms")

    def plain(self, spot: Spot) -> Plain:
        """Both sides of a line of the proof at M = 1, of the worst run's matrices."""
        M = spot.at("M")
        if M != 1 or spot.column not in _SIDES:
            raise UnwrittenError(f"no script is written for {spot.column} at M = {M}")
        run = spot.worst_run()
        drawn = self.rounds(np.arange(run, run + 1), spot.seed)
        numbers = {"alpha": self.alpha, "beta": self.beta, "c": drawn.c, "A0": drawn.A[0, 0]}
        numbers |= {f"B{k}": B for k, B in enumerate(drawn.B[0])}
        numbers |= {"A_bar": drawn.A_bar, "B_bar": drawn.B_bar}
        return Plain().of(_SIDES[spot.column], **numbers)


_SIDES = {  # of a line of the proof at M = 1
    "lemma4_base": """
left = alpha * B0 @ c + (1 - alpha) * B0 @ c  # v^(1): u^(0) = w^(0) = c
right = alpha * B0 @ c + (1 - alpha) * alpha * B0 @ c  # line 597
measured = np.abs(left - right).max()
""",
    "lemma4_step": """
u1 = A0 @ c
w1 = beta * (A0 @ c + c) + (1 - beta) * (c + u1)
left = alpha * B0 @ c + (1 - alpha) * B0 @ c  # v^(1): u^(0) = w^(0) = c
right = alpha * B0 @ c + (1 - alpha) * B0 @ w1  # line 603 has w^(1) for w^(0)
measured = np.abs(left - right).max()
""",
    "lemma5_shifted": """
v1 = alpha * B0 @ c + (1 - alpha) * B0 @ c  # v^(M), M = 1
left = v1 - B_bar @ (c + A_bar @ c)
L4, L5 = (alpha + (1 - alpha) * (1 - beta)) * B1, (1 - alpha) * beta * B1
right = (B0 - B_bar) @ (alpha * c)  # R_3 at i = 0, 1; R_1 = I at i = 0
right = right + (B1 - B_bar) @ (alpha * A_bar @ c + (1 - alpha) * (c + A_bar @ c))
right = right + (L4 + L5) @ (A0 - A_bar) @ c
measured = np.abs(left - right).max()
""",
}


def _sides(column: str, s: Matrices) -> tuple[Floats, Floats]:
    u, w, v = recursion(s)
    M = s.terms
    if column == "lemma2":
        return w[M], explicit_w(s)
    limit = neumann(s.A_bar, M) @ s.c
    if column == "lemma3":
        return s.minus(w[M], limit), decomposed_w(s)
    if column == "lemma4":
        return v[M + 1], explicit_v(s, u, w)
    if column.startswith("lemma4_"):
        k, factor, part = (0, s.alpha, w[0]) if column == "lemma4_base" else (M - 1, 1.0, w[M])
        sent_u, sent_w = (np.einsum("rhn,rn->rh", s.B[:, k], x) for x in (u[k], part))
        return v[k + 1], s.alpha * (v[k] + sent_u) + (1 - s.alpha) * factor * sent_w
    left = v[M] if column == "lemma5_shifted" else v[M + 1]
    return s.minus(left, s.B_bar @ limit), decomposed_v(s)


FAMILIES = ("scalar", "negative", "alternating", "random", "nilpotent", "maps", "network")
_FORMULAS = {"R3": R3, "L4": L4, "L5": L5, "R1": R1}


@dataclass(kw_only=True, eq=False)
class HgpNorms(Sequenced, name="hgp-norms"):
    """Spectral norms of the four matrices of Lemma 6, one value a run, one row an (i, M).

    R3, R1: no units, i = 0 .. M. L4, L5: units of x, i = 0 .. M - 1. Each row's ``size_R`` or
    ``magnitude`` is the Frobenius norm of the same matrix with every number replaced by its size.

    The lemma uses only ||A-bar||, ||A-hat|| <= eta_A and ||B-hat|| <= eta_B. So the matrices are
    any with these norms:

        scalar       A = eta_A I, B = eta_B (1 ... 1) / sqrt(N): every step of the proof is tight
        negative     A = -eta_A I;  alternating  A-hat^(2m+1) = (-1)^m eta_A I
        random       normal entries, scaled to the norm; nilpotent  eta_A on the first superdiagonal
        maps         those of HGP for local maps that meet Assumption 9 with equality, see
                     ``HgpBlocks``, whose options ``maps`` has
        network      HGP's own at the stationary point of ``place``; their norms are what they are

    Args:
        eta_A, eta_B: > 0.
    """

    columns = tuple(_FORMULAS)

    family: str = "random"
    eta_A: float = 0.5
    eta_B: float = 2.0
    maps: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        self.need(self.family in FAMILIES, "family", f"one of {', '.join(FAMILIES)}")
        for family, option in (("network", "place"), ("maps", "maps")):
            both = (self.family == family) == (getattr(self, option) is not None)
            self.need(both, f"family {option}", "both or none")
        self.need(self.eta_A > 0 and self.eta_B > 0, "eta_A eta_B", "> 0")
        super().__post_init__()
        if self.maps is not None:
            own = ("terms", "alpha", "beta", "eta_A", "eta_B")
            self.blocks = HgpBlocks(**self.maps, **{name: getattr(self, name) for name in own})
            self.size = self.blocks.clients * self.blocks.dim
            self.outputs = self.blocks.clients * self.blocks.hyper

    def constants(self) -> dict[str, Known]:
        """``op_A``, ``op_B`` but of a network; ``kappa``, and of its maps how steep they are."""
        known = super().constants() | exacts("chosen", eta_A=self.eta_A, eta_B=self.eta_B)
        if self.at is not None:
            law = self.at.law
            known |= exacts("clients of the problem", n=self.at.problem.clients)
            known |= exacts("Eq. (4a), (4b) send omega as it is", omega_entry=1.0)
            # at least its entry d omega / d omega: a computed norm just below is raised to it
            slope = max(1.0, norms(self.at.full()[0]).max())
            known |= exacts("largest ||d_y phi_i||_2 at y*, on the full y", phi_slope=slope)
            return known | {"kappa": kappa(law.mean, law.frequency)}
        built = "every matrix is built with this norm"
        if self.maps is not None:
            built = "the sum of the blocks' norms, as the maps meet Assumption 9"
            blocks = self.blocks.constants()
            known |= {name: blocks[name] for name in ("kappa", "phi_A", "phi_B", "n")}
        return known | uppers(built, op_A=self.eta_A, op_B=self.eta_B)

    def drawn(self, runs: Ints, seed: int) -> Matrices:
        M, N, H, R = max(self.terms), self.size, self.outputs, len(runs)
        if self.maps is not None:
            return self.blocks.rounds(runs, seed)[1]
        if self.family == "random":
            s = self.normal(runs, seed)
            A, A_bar = (_scaled(part, self.eta_A) for part in (s.A, s.A_bar))
            B, B_bar = (_scaled(part, self.eta_B) for part in (s.B, s.B_bar))
            return replace(s, A=A, B=B, A_bar=A_bar, B_bar=B_bar)
        shape = self.eta_A * np.eye(N, k=self.family == "nilpotent")
        first = -1.0 if self.family == "negative" else 1.0
        signs = first * (-1.0) ** (np.arange(M) * (self.family == "alternating"))
        A = np.broadcast_to(signs[:, None, None] * shape, (R, M, N, N))
        B_bar = np.zeros((H, N))
        B_bar[0] = self.eta_B * (INSIDE / np.sqrt(N))
        B = np.broadcast_to(B_bar, (R, M + 1, H, N))
        return Matrices(A, B, first * shape, B_bar, np.ones(N), self.alpha, self.beta)

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        everything = self.rounds(np.arange(runs.start, runs.stop), seed)
        formula, of_A = _FORMULAS[column], column.startswith("R")
        rows = []
        for M in self.terms:
            drawn = everything.first(M)
            for i in range(M + 1 if of_A else M):
                matrices, sizes = formula(drawn, i), formula(drawn.sizes(), i)
                size = float(np.sqrt((sizes**2).sum(axis=(-2, -1)).max()))
                name, text = "size_R" if of_A else "magnitude", "every number replaced by its size"
                place = {"terms": float(M), "term_index": float(i), "rounds_left": float(M - i)}
                at = {**place, **uppers(text, **{name: size})}
                values = np.atleast_1d(norms(matrices))
                rows.append(Row(values, at, f"i={i}, M={M}", rounding=0.0))
        if not rows:
            raise ValueError(f"{self.name}: {column} has no i < M for {self.terms}; need M >= 1")
        return Observation(tuple(rows), exact=False, axis="terms")


def _scaled(matrices: Floats, norm: float) -> Floats:
    """Each of (..., a, b) with spectral norm ``norm``, or 1e-12 of it less."""
    if not matrices.size:
        return matrices
    return np.asarray(matrices * (INSIDE * norm / norms(matrices))[..., None, None])
