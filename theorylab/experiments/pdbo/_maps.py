"""The maps phi_i, psi_i of pdbo, Appendix A.3, at one point: Jacobians, one for each sample.

Either any matrices (the "generalized version of SGP" of Appendix A.1), or those of SGP itself.
Layout of the paper: inputs are rows, so (A u)_i = sum_j c_ij phi_y[i] u_j + psi_y[i] u_i.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theorylab.experiments.pdbo._base import Floats, Ints, norms
from theorylab.hypergradients.linear import assembled
from theorylab.kernels import Stream

Parts = tuple[Floats, Floats, Floats, Floats]  # phi_y, psi_y, phi_lam, psi_lam
INSIDE = 1 - 1e-12  # computed norms are right to a small multiple of the unit roundoff


@dataclass(frozen=True)
class Maps:
    """phi_y, psi_y (n, m, dy, dy), phi_lam, psi_lam (n, m, dlam, dy): samples 0 .. m - 1, evenly.

    c_y (n, dy), c_lam (n, dlam): the derivatives of Fbar. ``batch``: samples a step, with
    replacement. ``variant``: of SGP, or "" for other maps.
    """

    phi_y: Floats
    psi_y: Floats
    phi_lam: Floats
    psi_lam: Floats
    c_y: Floats
    c_lam: Floats
    batch: int = 1
    variant: str = ""

    @property
    def parts(self) -> Parts:
        return self.phi_y, self.psi_y, self.phi_lam, self.psi_lam

    def tops(self) -> list[float]:
        """The largest norm of each part over clients and samples."""
        return [float(norms(part).max()) for part in self.parts]

    def of(self, picks: Ints | None) -> Parts:
        """The parts averaged over the minibatches ``picks`` (..., n, b), (..., n, ., dy); None:
        over all samples, (n, ., dy)."""
        return (*self.of_y(picks), *self.of_lam(picks))

    def of_y(self, picks: Ints | None) -> tuple[Floats, Floats]:
        """phi_y and psi_y alone, see ``of``."""
        return self._average(self.phi_y, picks), self._average(self.psi_y, picks)

    def of_lam(self, picks: Ints | None) -> tuple[Floats, Floats]:
        """phi_lam and psi_lam alone, see ``of``."""
        return self._average(self.phi_lam, picks), self._average(self.psi_lam, picks)

    def _average(self, part: Floats, picks: Ints | None) -> Floats:
        if picks is None:
            return np.asarray(part.mean(axis=1))
        return np.asarray(part[np.arange(len(self.c_y))[:, None], picks].mean(axis=-3))

    def matrices(self, c: Floats, picks: Ints | None = None) -> tuple[Floats, Floats]:
        """A (..., n dy, n dy) and B (..., n dlam, n dy) where i makes c_ij of j's message."""
        phi_y, psi_y, phi_lam, psi_lam = self.of(picks)
        return assembled(phi_y, psi_y, c), assembled(phi_lam, psi_lam, c)


def bounded(
    n: int, dim: int, hyper: int, samples: int, batch: int, etas: tuple[float, float], kappa: float,
    *, outer: float, aligned: bool, seed: int,
) -> Maps:  # fmt: skip
    """Maps whose largest Jacobians have norm eta_A / (2 kappa), and eta_B / (2 kappa) in lambda.

    aligned: all are that number times the same positive matrix of norm 1, the case in which
    no norm of a sum is smaller than the sum of the norms; else normal ones, rescaled.
    """
    stream, parts = Stream(seed, "problem"), []
    sizes = [part for part in zip((dim, hyper), etas, strict=True) for _ in ("phi", "psi")]
    for step, (rows, eta) in enumerate(sizes):
        shape = (n, samples, rows, dim)
        if aligned:
            part = np.zeros(shape)
            part[..., 0, 0] = 1.0
        else:
            part = stream.normal(1, n, 0, step, samples * rows * dim)[0].reshape(shape)
            part = part / norms(part).max()
        parts.append(part * (eta / (2 * kappa)))
    c_y = stream.normal(1, n, 0, 8, dim)[0] / n
    c_lam = outer * stream.normal(1, n, 0, 9, hyper)[0] / n
    phi_y, psi_y, phi_lam, psi_lam = parts
    return Maps(phi_y, psi_y, phi_lam, psi_lam, np.abs(c_y) if aligned else c_y, c_lam, batch)


def tight(
    n: int, dim: int, hyper: int, samples: int, batch: int, etas: tuple[float, float], kappa: float,
    family: str, seed: int,
) -> Maps:  # fmt: skip
    """Maps whose Jacobians all have norm eta_A / (2 kappa) or eta_B / (2 kappa): Assumption 9 with
    equality, or 1e-12 less. c^y is 1, c^lambda 0.

    family: "random" (normal entries, scaled), or "aligned" (the identity's pattern, the last
    sample with the other sign: as far from the mean as Assumption 9 lets it be).
    """
    parts: list[Floats] = []
    for step, (rows, eta) in enumerate(zip((dim, hyper), etas, strict=True)):
        shape, size = (2, n, samples, rows, dim), INSIDE * (eta / (2 * kappa))
        if family == "aligned":
            sign = np.ones(samples)
            sign[-1] = -1.0 if samples > 1 else 1.0
            both = np.broadcast_to(size * sign[:, None, None] * np.eye(rows, dim), shape)
        else:
            drawn = Stream(seed, "problem").normal(2, n, 0, step, samples * rows * dim)
            both = drawn.reshape(shape)
            both = both * (size / norms(both))[..., None, None]
        parts += [both[1], both[0]]
    phi_y, psi_y, phi_lam, psi_lam = parts
    return Maps(phi_y, psi_y, phi_lam, psi_lam, np.ones((n, dim)), np.zeros((n, hyper)), batch)
