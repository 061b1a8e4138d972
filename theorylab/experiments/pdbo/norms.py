"""Lemma 6 of pdbo: the norms of the coefficient matrices R_3, L-hat_4, L-hat_5 and R_1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from theorylab.constants import kappa
from theorylab.experiments._base import Observation, Row, check_column
from theorylab.experiments.pdbo._base import Floats, Ints, exacts, norms, uppers
from theorylab.experiments.pdbo._maps import INSIDE
from theorylab.experiments.pdbo._terms import L4, L5, R1, R3, Matrices, Sequenced
from theorylab.experiments.pdbo.blocks import HgpBlocks
from theorylab.known import Known

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
