"""Lemmas 2 to 5 and Section C.2 of pdbo: both sides of each identity, and their distance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.experiments._base import (
    Experiment,
    Observation,
    Row,
    check_column,
    relative_error,
)
from theorylab.experiments._hgp_place import Place
from theorylab.experiments._hgp_terms import (
    Sequence as Rounds,
)
from theorylab.experiments._hgp_terms import (
    decomposed_v,
    decomposed_w,
    explicit_v,
    explicit_w,
    neumann,
    recursion,
)
from theorylab.kernels import Stream
from theorylab.known import How, Known

Floats = NDArray[np.float64]


class HgpIdentities(Experiment):
    """The largest entry of |left - right| of an identity, one value a run, one row an M.

    lemma2, lemma3: of w^(M), units f/x. lemma4, lemma5: of v^(M+1), units f. lemma5_shifted:
    Lemma 5 with v^(M) on the left. The left side is the recursion, the right the printed formula.

    Every row comes with ``magnitude_w`` or ``magnitude_v``: the largest entry, over the runs, of
    both sides with every number replaced by its size, which is what rounding is relative to.

    Args:
        terms: the M's. alpha, beta: in [0, 1].
        matrices: "network" (A-hat, B-hat of HGP, Eq. 8 with the coefficients of A.4, at the
            stationary point of ``place``), or "normal" (entries of their own, of variance
            scale^2 / size; then A_bar and B_bar are just other matrices).
        size, outputs, scale: N, H and the scale of the normal ones.
        place: problem, network, step, variant, lam, see ``_hgp_place.Place``.
    """

    name = "hgp-identities"
    columns = ("lemma2", "lemma3", "lemma4", "lemma5", "lemma5_shifted")

    def __init__(
        self,
        *,
        terms: Sequence[int] = (1, 2, 5),
        alpha: float = 0.9,
        beta: float = 0.1,
        matrices: str = "normal",
        size: int = 4,
        outputs: int = 3,
        scale: float = 0.7,
        place: Mapping[str, Any] | None = None,
    ) -> None:
        where = f"experiment {self.name}"
        if not terms or any(type(M) is not int or M < 0 for M in terms):
            raise ValueError(f"{where}: terms is {terms!r}; need integers >= 0")
        for name, value in (("alpha", alpha), ("beta", beta)):
            if not 0 <= value <= 1:
                raise ValueError(f"{where}: {name} is {value!r}; need 0..1")
        if size < 1 or outputs < 1:
            raise ValueError(f"{where}: size is {size!r}, outputs {outputs!r}; need at least 1")
        if matrices not in ("normal", "network"):
            raise ValueError(f"{where}: matrices is {matrices!r}; need 'normal' or 'network'")
        if (matrices == "network") != (place is not None):
            raise ValueError(
                f"{where}: matrices is {matrices!r}, place {place!r}; need both or none"
            )
        self.terms, self.alpha, self.beta = tuple(terms), float(alpha), float(beta)
        self.matrices, self.size, self.outputs = matrices, int(size), int(outputs)
        self.scale = float(scale)
        self.place = None if place is None else Place(**place)
        if self.place is not None:
            self.size = len(self.place.c_y)
            self.outputs = len(self.place.B_bar)

    def describe(self) -> dict[str, Any]:
        made = {
            "terms": list(self.terms),
            "alpha": self.alpha,
            "beta": self.beta,
            "matrices": self.matrices,
            "scale": self.scale,
            "place": None if self.place is None else self.place.options,
        }
        return made | {"size": self.size, "outputs": self.outputs}

    def constants(self) -> dict[str, Known]:
        numbers = {
            "roundoff": (2.0**-53, "float64"),
            "vr_alpha": (self.alpha, "option alpha"),
            "vr_beta": (self.beta, "option beta"),
            "hgp_size": (float(self.size), "numbers in y"),
        }
        return {k: Known(value, How.EXACT, text) for k, (value, text) in numbers.items()}

    def rounds(self, runs: NDArray[np.int64], seed: int) -> Rounds:
        """max(terms) rounds of every run; a run's do not depend on which others are asked for."""
        M = max(self.terms)
        if self.place is not None:
            p = self.place
            A = [p.round(2 * m + 1, runs, seed)[0] for m in range(M)]
            B = [p.round(2 * m, runs, seed)[1] for m in range(M + 1)]
            shape = (len(runs), 0, self.size, self.size)
            stacked = np.stack(A, 1) if A else np.zeros(shape)
            return Rounds(stacked, np.stack(B, 1), p.A_bar, p.B_bar, p.c_y, self.alpha, self.beta)
        N, H, draws = self.size, self.outputs, Stream(seed, "sample")
        factor = self.scale / np.sqrt(N)
        A = [draws.normal(runs, N, 2 * m + 1, 0, N) for m in range(M)]
        B = [draws.normal(runs, H, 2 * m, 1, N) for m in range(M + 1)]
        fixed = Stream(seed, "problem")
        return Rounds(
            factor * (np.stack(A, 1) if A else np.zeros((len(runs), 0, N, N))),
            np.stack(B, 1),
            factor * fixed.normal(1, N, 0, 0, N)[0],
            fixed.normal(1, H, 0, 1, N)[0],
            fixed.normal(1, 1, 0, 2, N)[0, 0],
            self.alpha,
            self.beta,
        )

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        drawn = self.rounds(np.arange(runs.start, runs.stop), seed)
        of_w = column in ("lemma2", "lemma3")
        rows = []
        for M in self.terms:
            left, right = _sides(column, drawn.first(M))
            sizes = [np.abs(part).max() for part in _sides(column, drawn.first(M).sizes())]
            magnitude = Known(
                float(sum(sizes)), How.UPPER, "both sides, every number replaced by its size"
            )
            gap = np.abs(left - right).max(axis=1)
            at: dict[str, Known | float]
            at = {"terms": float(M), "magnitude_w" if of_w else "magnitude_v": magnitude}
            share = relative_error(gap, left, right)
            rows.append(Row(gap, at, f"M={M}", rounding=0.0, relative_error=share))
        return Observation(tuple(rows), exact=False, axis="terms")


def _sides(column: str, s: Rounds) -> tuple[Floats, Floats]:
    u, w, v = recursion(s)
    M = s.terms
    if column == "lemma2":
        return w[M], explicit_w(s)
    limit = neumann(s.A_bar, M) @ s.c
    if column == "lemma3":
        return s.minus(w[M], limit), decomposed_w(s)
    if column == "lemma4":
        return v[M + 1], explicit_v(s, u, w)
    left = v[M] if column == "lemma5_shifted" else v[M + 1]
    return s.minus(left, s.B_bar @ limit), decomposed_v(s)
