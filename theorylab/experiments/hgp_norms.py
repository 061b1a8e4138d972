"""Lemma 6 of pdbo: the norms of the coefficient matrices R_3, L-hat_4, L-hat_5 and R_1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.experiments._hgp_place import Place, kappa_of, phi_slope
from theorylab.experiments._hgp_terms import L4, L5, R1, R3
from theorylab.experiments._hgp_terms import Sequence as Rounds
from theorylab.experiments.hgp_blocks import HgpBlocks
from theorylab.kernels import Stream
from theorylab.known import How, Known

Floats = NDArray[np.float64]
FAMILIES = ("scalar", "negative", "alternating", "random", "nilpotent", "maps", "network")
# Random matrices are scaled by a computed norm, right to a small multiple of the unit roundoff.
_INSIDE = 1 - 1e-12
_FORMULAS = {"R3": R3, "L4": L4, "L5": L5, "R1": R1}


class HgpNorms(Experiment):
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
        terms: the M's. alpha, beta in [0, 1]; eta_A > 0, eta_B > 0. size: N; outputs: H.
    """

    name = "hgp-norms"
    columns = tuple(_FORMULAS)

    def __init__(
        self,
        *,
        family: str = "random",
        terms: Sequence[int] = (1, 2, 5),
        alpha: float = 0.9,
        beta: float = 0.1,
        eta_A: float = 0.5,
        eta_B: float = 2.0,
        size: int = 3,
        outputs: int = 2,
        place: Mapping[str, Any] | None = None,
        maps: Mapping[str, Any] | None = None,
    ) -> None:
        where = f"experiment {self.name}"
        if family not in FAMILIES:
            raise ValueError(f"{where}: family is {family!r}; need one of {', '.join(FAMILIES)}")
        if (family == "network") != (place is not None):
            raise ValueError(f"{where}: family {family!r} came with place {place!r}; both or none")
        if (family == "maps") != (maps is not None):
            raise ValueError(f"{where}: family {family!r} came with maps {maps!r}; both or none")
        if not terms or any(type(M) is not int or M < 0 for M in terms):
            raise ValueError(f"{where}: terms is {terms!r}; need integers >= 0")
        for name, value in (("alpha", alpha), ("beta", beta)):
            if not 0 <= value <= 1:
                raise ValueError(f"{where}: {name} is {value!r}; need 0..1")
        if not (eta_A > 0 and eta_B > 0 and size >= 1 and outputs >= 1):
            raise ValueError(
                f"{where}: eta_A, eta_B, size, outputs are {eta_A!r}, {eta_B!r}, {size!r}, "
                f"{outputs!r}; need > 0"
            )
        self.family, self.terms = family, tuple(terms)
        self.alpha, self.beta = float(alpha), float(beta)
        self.eta_A, self.eta_B = float(eta_A), float(eta_B)
        self.place = None if place is None else Place(**place)
        self.maps = None if maps is None else dict(maps)
        self.size, self.outputs = size, outputs
        if self.place is not None:
            self.size, self.outputs = len(self.place.c_y), len(self.place.B_bar)
        if self.maps is not None:
            own = {"terms": self.terms, "alpha": alpha, "beta": beta}
            self.blocks = HgpBlocks(**{**self.maps, **own, "eta_A": eta_A, "eta_B": eta_B})
            o = self.blocks.options
            self.size, self.outputs = o["clients"] * o["dim"], o["clients"] * o["hyper"]

    def describe(self) -> dict[str, Any]:
        names = ("family", "alpha", "beta", "eta_A", "eta_B", "size", "outputs")
        made = {name: getattr(self, name) for name in names}
        place = None if self.place is None else self.place.options
        return made | {"terms": list(self.terms), "place": place, "maps": self.maps}

    def constants(self) -> dict[str, Known]:
        """``op_A``, ``op_B`` but of a network; ``kappa``, and of its maps how steep they are."""
        numbers = {
            "vr_alpha": (self.alpha, "option alpha"),
            "vr_beta": (self.beta, "option beta"),
            "eta_A": (self.eta_A, "option eta_A"),
            "eta_B": (self.eta_B, "option eta_B"),
            "hgp_size": (float(self.size), "numbers in y"),
        }
        made = {k: Known(value, How.EXACT, text) for k, (value, text) in numbers.items()}
        if self.place is None:
            built = "every matrix is built with this norm"
            if self.maps is not None:
                built = "the sum of the blocks' norms, as the maps meet Assumption 9"
                known = self.blocks.constants()
                made |= {name: known[name] for name in ("kappa", "phi_A", "phi_B", "n")}
            return made | {
                "op_A": Known(self.eta_A, How.UPPER, built),
                "op_B": Known(self.eta_B, How.UPPER, built),
            }
        return made | {
            "kappa": Known(kappa_of(self.place.law), How.EXACT, "sum of pbar / dbar"),
            "n": Known(float(self.place.problem.clients), How.EXACT, "clients of the problem"),
            "phi_slope": phi_slope(self.place),
            "omega_entry": Known(1.0, How.EXACT, "Eq. (4a), (4b) send omega as it is"),
        }

    def rounds(self, runs: NDArray[np.int64], seed: int) -> Rounds:
        M, N, H, R = max(self.terms), self.size, self.outputs, len(runs)
        if self.maps is not None:
            return self.blocks.rounds(runs, seed)[1]
        if self.place is not None:
            drawn = [self.place.round(t, runs, seed) for t in range(2 * M + 1)]
            A = [drawn[t][0] for t in range(1, 2 * M, 2)]
            B = [drawn[t][1] for t in range(0, 2 * M + 1, 2)]
            return self._made(
                np.stack(A, 1) if A else np.zeros((R, 0, N, N)),
                np.stack(B, 1),
                self.place.A_bar,
                self.place.B_bar,
            )
        if self.family == "random":
            draws, fixed = Stream(seed, "sample"), Stream(seed, "problem")
            A = [draws.normal(runs, N, 2 * m + 1, 0, N) for m in range(M)]
            B = [draws.normal(runs, H, 2 * m, 1, N) for m in range(M + 1)]
            return self._made(
                _scaled(np.stack(A, 1) if A else np.zeros((R, 0, N, N)), self.eta_A),
                _scaled(np.stack(B, 1), self.eta_B),
                _scaled(fixed.normal(1, N, 0, 0, N), self.eta_A)[0],
                _scaled(fixed.normal(1, H, 0, 1, N), self.eta_B)[0],
            )
        shape = np.eye(N, k=1) if self.family == "nilpotent" else np.eye(N)
        signs = np.full(M, -1.0 if self.family == "negative" else 1.0)
        if self.family == "alternating":
            signs = (-1.0) ** np.arange(M)
        first = -1.0 if self.family == "negative" else 1.0
        A_hat = np.broadcast_to(signs[:, None, None] * shape, (R, M, N, N)) * self.eta_A
        row = np.zeros((H, N))
        row[0] = _INSIDE / np.sqrt(N)
        B_hat = np.broadcast_to(self.eta_B * row, (R, M + 1, H, N))
        return self._made(A_hat, B_hat, first * self.eta_A * shape, self.eta_B * row)

    def _made(self, A: Floats, B: Floats, A_bar: Floats, B_bar: Floats) -> Rounds:
        return Rounds(A, B, A_bar, B_bar, np.ones(self.size), self.alpha, self.beta)

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        everything = self.rounds(np.arange(runs.start, runs.stop), seed)
        formula, of_A = _FORMULAS[column], column.startswith("R")
        rows = []
        for M in self.terms:
            drawn = everything.first(M)
            for i in range(M + 1 if of_A else M):
                made, sizes = formula(drawn, i), formula(drawn.sizes(), i)
                norms = np.linalg.norm(made.reshape(-1, *made.shape[-2:]), 2, axis=(1, 2))
                size = float(np.sqrt((sizes**2).sum(axis=(-2, -1)).max()))
                room = Known(size, How.UPPER, "the matrix with every number replaced by its size")
                at = {"terms": float(M), "term_index": float(i), "rounds_left": float(M - i)}
                rows.append(
                    Row(
                        norms,
                        at | {"size_R" if of_A else "magnitude": room},
                        f"i={i}, M={M}",
                        rounding=0.0,
                    )
                )
        if not rows:
            raise ValueError(f"experiment {self.name}: {column} has no i < M for {self.terms}")
        return Observation(tuple(rows), exact=False, axis="terms")


def _scaled(matrices: Floats, norm: float) -> Floats:
    """Each of (..., N, N) with spectral norm ``norm``, or 1e-12 of it less."""
    if not matrices.size:
        return matrices
    own = np.linalg.norm(matrices, 2, axis=(-2, -1))
    return np.asarray(matrices * (_INSIDE * norm / own)[..., None, None])
