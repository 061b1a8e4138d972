"""Quadratic bilevel problems: every quantity is a closed form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.hypergradients._bilevel import Array, Bilevel, Floats, Sample
from theorylab.kernels import Stream
from theorylab.known import How, Known


class QuadraticBilevel(Bilevel):
    """f_i(x, l) = (1 + noise z) (x^T H_i x / 2 - x^T (b_i + G_i l)),  z = +1 or -1 evenly,
    F_i(x, l) = |x - t_i|^2 / 2 + x^T S_i l + reg |l|^2 / 2.

    The noise scales a client's whole loss, so it sits in the Hessian and the cross derivative too,
    as a minibatch's does; all 2^n cases can be listed.

    Args:
        H: (n, dx, dx), symmetric positive definite. b, t: (n, dx). G, S: (n, dx, dlam).
        reg: >= 0. noise: in [0, 1), so that every sampled loss stays strongly convex.
    """

    name = "quadratic"

    def __init__(
        self,
        H: Any,
        b: Any,
        G: Any,
        t: Any,
        S: Any = None,
        reg: float = 0.0,
        noise: float = 0.0,
    ) -> None:
        self.H, self.b, self.G, self.t = (np.array(part, np.float64) for part in (H, b, G, t))
        self.S = np.zeros_like(self.G) if S is None else np.array(S, np.float64)
        n, d = self.H.shape[:2] if self.H.ndim == 3 else (0, 0)
        fits = (
            n > 0
            and self.H.shape == (n, d, d)
            and self.b.shape == self.t.shape == (n, d)
            and self.G.ndim == 3
            and self.G.shape[:2] == (n, d)
            and self.S.shape == self.G.shape
        )
        if not fits:
            shapes = [part.shape for part in (self.H, self.b, self.G, self.t, self.S)]
            raise ValueError(
                f"quadratic: H, b, G, t, S have shapes {shapes}; need (n,dx,dx), (n,dx), "
                "(n,dx,dlam), (n,dx), (n,dx,dlam)"
            )
        if not all(np.isfinite(part).all() for part in (self.H, self.b, self.G, self.t, self.S)):
            raise ValueError("quadratic: H, b, G, t or S holds nan or inf; need finite numbers")
        if np.any(np.swapaxes(self.H, 1, 2) != self.H):
            raise ValueError("quadratic: H is asymmetric; need (H + H^T)/2")
        spectrum = np.linalg.eigvalsh(self.H)
        if not spectrum.min() > 0:
            worst = int(spectrum.min(axis=1).argmin())
            raise ValueError(
                f"quadratic: H[{worst}] has eigenvalue {spectrum.min():.6g}; Assumption 1 (strong "
                "convexity) needs > 0"
            )
        if not 0 <= noise < 1 or not reg >= 0:
            raise ValueError(f"quadratic: noise is {noise!r}, reg {reg!r}; need 0..1 and >= 0")
        self.reg, self.noise, self.stochastic = float(reg), float(noise), noise > 0
        self.clients, self.dim, self.hyper = n, d, self.G.shape[2]
        self._spectrum = spectrum

    @classmethod
    def random(
        cls,
        clients: int,
        dim: int = 2,
        hyper: int = 2,
        *,
        mu: float = 0.5,
        L: float = 2.0,
        reg: float = 0.1,
        noise: float = 0.0,
        seed: int = 0,
    ) -> QuadraticBilevel:
        """One with Hessian eigenvalues in [mu, L] and normal b, G, t, S, drawn from ``seed``."""
        if not 0 < mu <= L:
            raise ValueError(f"quadratic: mu is {mu!r}, L {L!r}; need 0 < mu <= L")
        draws, n, d = Stream(seed, "problem"), clients, dim
        basis = np.linalg.qr(draws.normal(1, n, 0, 0, d * d)[0].reshape(n, d, d))[0]
        values = mu + (L - mu) * draws.uniform(1, n, 0, 1, d)[0]
        H = np.matmul(basis * values[:, None, :], np.swapaxes(basis, 1, 2))
        b, t = draws.normal(1, n, 0, 2, d)[0], draws.normal(1, n, 0, 3, d)[0]
        G, S = (draws.normal(1, n, 0, k, d * hyper)[0].reshape(n, d, hyper) for k in (4, 5))
        return cls((H + np.swapaxes(H, 1, 2)) / 2, b, G, t, 0.2 * S, reg, noise)

    def _scale(self, sample: Sample) -> Any:
        return 1.0 if sample is None else 1 + self.noise * sample

    def inner_gradient(self, x: Array, lam: Array, sample: Sample = None) -> Array:
        pull = np.matmul(self.H, x[..., None]) - np.matmul(self.G, lam[..., None])
        scale = self._scale(sample)
        return (pull[..., 0] - self.b) * (scale if sample is None else scale[..., None])

    def inner_hvp(self, x: Array, lam: Array, u: Array, sample: Sample = None) -> Array:
        scale = self._scale(sample)
        return np.matmul(u, self.H) * (scale if sample is None else scale[..., None, None])

    def cross(self, x: Array, lam: Array, u: Array, sample: Sample = None) -> Array:
        scale = self._scale(sample)
        return -np.matmul(u, self.G) * (scale if sample is None else scale[..., None, None])

    def outer(self, x: Array, lam: Array) -> Array:
        mixed = np.matmul(self.S, lam[..., None])[..., 0]
        gap = x - self.t
        return (
            (gap * gap).sum(axis=-1) / 2
            + (x * mixed).sum(axis=-1)
            + self.reg * (lam * lam).sum(axis=-1) / 2
        )

    def outer_gradients(self, x: Array, lam: Array) -> tuple[Array, Array]:
        mixed = np.matmul(self.S, lam[..., None])[..., 0]
        pulled = np.matmul(np.swapaxes(self.S, 1, 2), x[..., None])[..., 0]
        return x - self.t + mixed, pulled + self.reg * lam

    def sample(self, seed: int, runs: NDArray[np.int64], round: int, step: int = 0) -> Sample:
        """(R, n) of -1.0 or 1.0; None without noise."""
        if not self.stochastic:
            return None
        coin = Stream(seed, "sample").integers(2, runs, self.clients, round, step)[..., 0]
        return 2.0 * coin - 1

    def outcomes(self) -> Iterable[tuple[Floats, Sample]]:
        """Both signs, each with weight 1/2."""
        half, one = np.full(self.clients, 0.5), np.ones((1, self.clients))
        return ((half, -one), (half, one)) if self.stochastic else ()

    def constants(self, lam: Array) -> dict[str, Known]:
        """The extreme eigenvalues of the H_i, times 1 -+ noise."""
        low, high = float(self._spectrum.min()), float(self._spectrum.max())
        source = "extreme eigenvalues of H_i, LAPACK"
        return {
            "mu": Known((1 - self.noise) * low, How.EXACT, source),
            "L": Known((1 + self.noise) * high, How.EXACT, source),
        }

    def describe(self) -> dict[str, Any]:
        parts = {key: getattr(self, key).tolist() for key in ("H", "b", "G", "t", "S")}
        return {"name": self.name, **parts, "reg": self.reg, "noise": self.noise}
