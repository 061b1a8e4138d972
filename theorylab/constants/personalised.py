"""Constants of personalised losses f_i(u, v_i), u shared and v_i each client's own, and of PDBO.

Definitions, f_i twice differentiable:

    L_u  = sup ||H_uu||     grad_u f_i is L_u-Lipschitz in u_i       DFedAlt / DFedSalt, Asm. 1
    L_v  = sup ||H_vv||     grad_v f_i is L_v-Lipschitz in v_i       DFedPGP, Asm. 2
    L_uv = sup ||H_uv||     grad_u f_i is L_uv-Lipschitz in v_i
    L_vu = sup ||H_vu||     grad_v f_i is L_vu-Lipschitz in u_i; H_vu = H_uv^T, so L_vu = L_uv
    chi  = max(L_uv, L_vu) / sqrt(L_u L_v)                           of the least such constants
    L_deprl = max(L_u, L_v, L_uv)     ||grad(a) - grad(b)|| <= L (|du| + |dv|)    DePRL, Asm. 2
    sigma_u^2, sigma_v^2 = sup E ||grad_u F_i(u, v_i; xi) - grad_u f_i||^2    DFedAlt, Asm. 2
    partial_delta^2 = sup over u, V of the mean over i of ||grad_u f_i(u, v_i) - grad_u f(u, V)||^2
        DFedAlt / DFedSalt, Asm. 3 (delta); DePRL, Asm. 5 (varsigma)
    partial_sigma_g^2 = the same with the largest i instead of the mean    DFedPGP, Asm. 4 (sigma_g)
    F_star = inf over u and V of F(u, V) = (1/n) sum_i f_i(u, v_i)    DFedPGP, DFedAlt, Thm. 1 (F^*)

with grad_u f(u, V) = (1/n) sum_j grad_u f_j(u, v_j). DFedAlt writes u_i under the sum of Asm. 3;
read as one u for all clients (the paper it cites) or as each client's own u_i at which all others
are evaluated too, the value is the same wherever the difference does not depend on u. Where it does
(sin-sin) one u is read; the other reading lies between partial_delta and partial_sigma_g.

The supremum runs over all V: a coupling H_uv that is not zero and has no bounded range makes it
infinite, so no quadratic with H_uv != 0 and n > 1 satisfies these assumptions.

F_star is given for the problems in (u, v), cut where they cut themselves. It is not f_star, the
infimum over one (u, v) for all clients: F_star <= f_star.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from theorylab.constants._pdbo import kappa as kappa
from theorylab.constants._pdbo import mean_jacobian as mean_jacobian
from theorylab.constants._pdbo import pdbo_constants as pdbo_constants
from theorylab.constants._pdbo import topology_kappa as topology_kappa
from theorylab.known import How, Known
from theorylab.problems import Problem

Floats = NDArray[np.float64]

_DENSE = 1000  # coordinates up to which the Hessian of all clients is one matrix
ROUNDING = "up to the rounding of LAPACK, about d eps L"


@dataclass(frozen=True)
class PartialQuadratic:
    """f_i(u, v_i) = 1/2 y^T H_i y - b_i^T y with y = (u, v_i): every constant in closed form.

    Args:
        H: (n, d, d), symmetric. b: (n, d).
        shared: d_u, 0 < d_u < d: the first coordinates are u.
        sigma_u, sigma_v: the noise, E|xi_u|^2 = sigma_u^2 at every point.

    Raises:
        ValueError: on another shape, nan, an asymmetric H_i, or a d_u out of range.
    """

    H: Floats
    b: Floats
    shared: int
    sigma_u: float = 0.0
    sigma_v: float = 0.0

    def __post_init__(self) -> None:
        where = "PartialQuadratic"
        H, b = np.array(self.H, np.float64), np.array(self.b, np.float64)
        if H.ndim != 3 or not H.size or H.shape[1] != H.shape[2] or b.shape != H.shape[:2]:
            raise ValueError(f"{where}: H has shape {H.shape}, b {b.shape}; need (n,d,d), (n,d)")
        if not (np.isfinite(H).all() and np.isfinite(b).all()):
            raise ValueError(f"{where}: H or b holds nan or inf; need finite numbers")
        skew = np.abs(H - H.transpose(0, 2, 1)).max(axis=(1, 2))
        if skew.any():
            k = int(skew.argmax())
            raise ValueError(f"{where}: H[{k}] is asymmetric by {skew[k]:.3g}; need H = H^T")
        if not 0 < self.shared < H.shape[1]:
            raise ValueError(
                f"{where}: shared is {self.shared}; need 0 < shared < d = {H.shape[1]}"
            )
        for name in ("sigma_u", "sigma_v"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise ValueError(f"{where}: {name} is {value!r}; need a finite number >= 0")
        object.__setattr__(self, "H", H)
        object.__setattr__(self, "b", b)

    @classmethod
    def of(cls, problem: Problem, shared: NDArray[np.bool_]) -> PartialQuadratic:
        """The losses of a problem with a square form, with the coordinates of ``shared`` (bool
        (d,)) moved to the front."""
        if problem.square_form is None:
            raise TypeError(f"PartialQuadratic: {problem.name} has no square form; need one")
        hessians, centers = problem.square_form
        order = np.concatenate([np.flatnonzero(shared), np.flatnonzero(~shared)])
        H = hessians[:, order][:, :, order]
        b = np.matmul(H, centers[:, order, None])[..., 0]
        noises = [problem.part_sigma(mask).value for mask in (shared, ~shared)]
        return cls(H, b, int(np.count_nonzero(shared)), *noises)

    def gradient(self, y: Floats) -> Floats:
        """(grad_u f_i, grad_v f_i) at y[..., i, :] = (u, v_i): the shape of y, (..., n, d)."""
        return np.asarray(np.matmul(self.H, y[..., None])[..., 0] - self.b)

    def constants(self) -> dict[str, Known]:
        """The constants at the head of this file, and L, mu (of F(u, V)), sigma_l and B."""
        k = self.shared
        blocks = {
            "L_u": ("||H_uu||", self.H[:, :k, :k]),
            "L_v": ("||H_vv||", self.H[:, k:, k:]),
            "L_uv": ("||H_uv||", self.H[:, :k, k:]),
            "L": ("||H_i||", self.H),
        }
        made = {
            name: Known(_top(block), How.EXACT, f"max_i {what}, {ROUNDING}")
            for name, (what, block) in blocks.items()
        }
        made["L_vu"] = made["L_uv"]
        made["mu"] = Known(
            self._strong_convexity(),
            How.EXACT,
            f"lambda_min of the Hessian of F(u, v_1, ..., v_n), {ROUNDING}; negative: not convex",
        )
        if np.any(self.H):
            made["B"] = Known(math.inf, How.EXACT, "the gradient H_i y - b_i is unbounded")
        else:
            worst = float(np.linalg.norm(self.b, axis=1).max())
            made["B"] = Known(worst, How.EXACT, "H = 0: max_i |b_i|")
        for name in ("sigma_u", "sigma_v"):
            made[name] = Known(getattr(self, name), How.EXACT, "additive noise, at every point")
        noise = math.hypot(self.sigma_u, self.sigma_v)
        made["sigma_l"] = Known(noise, How.EXACT, "sqrt(sigma_u^2 + sigma_v^2)")
        return made | derived(made) | self._diversity()

    def _strong_convexity(self) -> float:
        # An arrow: mean H_uu in the corner, H_uv_i / n along it, H_vv_i / n on the diagonal.
        n, d, _ = self.H.shape
        k, own = self.shared, d - self.shared
        if k + n * own > _DENSE:  # time and memory of the whole matrix grow with (n d_v)^3, ^2
            corner, sides = self.H[:, :k, :k].mean(axis=0), self.H[:, :k, k:] / n
            return least_eigenvalue_of_arrow(corner, sides, self.H[:, k:, k:] / n)
        arrow = np.zeros((k + n * own, k + n * own))
        arrow[:k, :k] = self.H[:, :k, :k].mean(axis=0)
        for i in range(n):
            at = slice(k + i * own, k + (i + 1) * own)
            arrow[at, :k] = self.H[i, k:, :k] / n  # eigvalsh reads the lower triangle
            arrow[at, at] = self.H[i, k:, k:] / n
        return float(np.linalg.eigvalsh(arrow)[0])

    def _diversity(self) -> dict[str, Known]:
        k, n = self.shared, len(self.H)
        if n == 1:
            zero = Known(0.0, How.EXACT, "one client: its gradient is the average")
            return {"partial_sigma_g": zero, "partial_delta": zero}
        reason = ""
        if np.any(self.H[:, :k, k:]):
            reason = "H_uv != 0: |grad_u f_i - grad_u f| grows without limit in v_i"
        elif np.any(self.H[:, :k, :k] != self.H[0, :k, :k]):
            reason = "H_uu differ: |grad_u f_i - grad_u f| grows without limit in u"
        if reason:
            none = Known(math.inf, How.EXACT, reason)
            return {"partial_sigma_g": none, "partial_delta": none}
        gap = self.b[:, :k] - self.b[0, :k]  # equal b_i give 0 to the bit
        lengths = np.linalg.norm(gap - gap.mean(axis=0), axis=1)
        same = "equal H_uu, no coupling: |b_i - mean b| on u, at every point"
        return {
            "partial_sigma_g": Known(float(lengths.max()), How.EXACT, f"max_i, {same}"),
            "partial_delta": Known(
                math.sqrt(float((lengths**2).mean())), How.EXACT, f"root of the mean over i, {same}"
            ),
        }


def least_eigenvalue_of_arrow(corner: Floats, sides: Floats, blocks: Floats) -> float:
    """The least eigenvalue of [[corner, sides], [sides^T, diag(blocks)]], without the matrix.

    A number s below every eigenvalue of the blocks is below the matrix's least eigenvalue where
    corner - s I - sum_i sides_i (blocks_i - s I)^-1 sides_i^T is positive definite: its least
    eigenvalue falls with s, and a bisection ends within eps times the largest entry.
    No eigenvalue of a block is below the matrix's least (Cauchy's interlacing).

    Args:
        corner: (k, k), symmetric. sides: (n, k, m). blocks: (n, m, m), symmetric.
    """
    values, vectors = np.linalg.eigh(blocks)
    turned = sides @ vectors
    spread = float(np.sqrt((turned**2).sum()))
    high = float(values.min())
    low = min(float(np.linalg.eigvalsh(corner)[0]), high) - spread
    fine = np.finfo(float).eps * max(np.abs(values).max(), np.abs(corner).max(), spread)
    while high - low > fine and low < (middle := low + (high - low) / 2) < high:
        complement = corner - middle * np.eye(len(corner))
        complement -= np.einsum("ikm,im,ilm->kl", turned, 1 / (values - middle), turned)
        if np.linalg.eigvalsh(complement)[0] > 0:
            low = middle
        else:
            high = middle
    return high


def derived(made: dict[str, Known]) -> dict[str, Known]:
    """chi, L_deprl and sigma_deprl, with the side that their parts leave.

    chi is known from above if L_uv is and L_u, L_v are from below, and the other way round; from
    parts on the same side it is an estimate.
    """
    parts = [made[name] for name in ("L_u", "L_v", "L_uv", "L_vu")]
    return {
        "chi": _chi(*parts),
        "L_deprl": _largest(parts, "max(L_u, L_v, L_uv, L_vu): least L of DePRL's Assumption 2"),
        "sigma_deprl": _largest(
            [made["sigma_u"], made["sigma_v"]],
            "max(sigma_u, sigma_v): DePRL's Assumption 4, its g_theta - grad_phi read as g_phi",
        ),
    }


def _chi(L_u: Known, L_v: Known, L_uv: Known, L_vu: Known) -> Known:
    cross = max(L_uv.value, L_vu.value)
    own = L_u.value * L_v.value
    if own == 0 or not math.isfinite(own):
        reason = f"L_u = {L_u.value:g}, L_v = {L_v.value:g}: chi is not defined"
        return Known(math.inf, How.EXACT if own == 0 else How.ESTIMATE, reason)
    source = "max(L_uv, L_vu) / sqrt(L_u L_v)"
    hows = {L_u.how, L_v.how}, {L_uv.how, L_vu.how}
    if hows[0] | hows[1] == {How.EXACT}:
        how = How.EXACT
    elif hows[1] <= {How.EXACT, How.UPPER} and hows[0] <= {How.EXACT, How.LOWER}:
        how = How.UPPER
    elif hows[1] <= {How.EXACT, How.LOWER} and hows[0] <= {How.EXACT, How.UPPER}:
        how = How.LOWER
    else:
        how, source = How.ESTIMATE, f"{source}, of constants that are themselves one-sided"
    return Known(cross / math.sqrt(own), how, source)


def _largest(parts: list[Known], source: str) -> Known:
    hows = {part.how for part in parts}
    how = How.ESTIMATE
    for side in (How.EXACT, How.UPPER, How.LOWER):
        if hows <= {How.EXACT, side}:
            how = side
            break
    return Known(max(part.value for part in parts), how, source)


def _top(blocks: Floats) -> float:
    return float(np.linalg.norm(blocks, ord=2, axis=(1, 2)).max())
