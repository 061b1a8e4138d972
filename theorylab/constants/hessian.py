"""Curvature at a point from Hessian-vector products: Lanczos, norms of blocks, exact products.

What a point tells is one-sided. The norm of the Hessian at one point is at most the smoothness
constant L, so everything here is a LOWER bound on a supremum; only a formula gives L itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from theorylab.kernels import Stream
from theorylab.known import EPS, How, Known
from theorylab.problems import Problem

Floats = NDArray[np.float64]
Product = Callable[[Floats], Floats]

STEPS = 64
ENDS = ("magnitude", "largest", "smallest")


@dataclass(frozen=True)
class RitzValue:
    """What Lanczos found of a symmetric H.

    Attributes:
        known: for "magnitude" a LOWER bound on ||H||_2; for "largest" one on the largest
            eigenvalue; for "smallest" an UPPER bound on the smallest.
        eigenvalue: the Rayleigh quotient v^T H v.
        vector: v, shape (dim,), of length 1.
        residual: ||H v - eigenvalue v||, with the error of the product added.
        products: how many products it took.
    """

    known: Known
    eigenvalue: float
    vector: Floats
    residual: float
    products: int

    @property
    def interval(self) -> tuple[float, float]:
        """Holds an eigenvalue of H, not necessarily the one at the end (Parlett 1980, 4.5.1)."""
        return self.eigenvalue - self.residual, self.eigenvalue + self.residual


def hessian_product(problem: Problem, x: Floats, direction: Floats) -> Floats:
    """The Hessian of f_i at x[r, i] times direction[r, i], by formula: shape (R, n, d).

    Where clipped-linear has no second derivative (|x_j - c_ij| = clip) the slope from inside is
    taken, which is a limit of Hessians and so at most L as well.

    Args:
        x, direction: float64 (R, n, d).

    Raises:
        TypeError: if no formula is known for the problem. ValueError: on another shape.
    """
    shape = (len(x), problem.clients, problem.dim)
    if x.shape != shape or direction.shape != shape:
        raise ValueError(
            f"hessian_product: x has shape {x.shape}, direction {direction.shape}; "
            f"need (R,{problem.clients},{problem.dim}) both"
        )
    return problem.hessian_product(x, direction)


class Blocks(NamedTuple):
    """Norms of the blocks of one Hessian, LOWER bounds: H_uu, H_vv, and H_uv = H_vu^T."""

    L_u: Known
    L_v: Known
    L_uv: Known
    L_vu: Known


def largest_hessian_eigenvalue(
    hvp: Product,
    dim: int,
    *,
    steps: int = STEPS,
    end: str = "magnitude",
    error: float | None = None,
    seed: int = 0,
) -> RitzValue:
    """The eigenvalue at one end of the spectrum of a symmetric H, by Lanczos.

    Every basis vector is made orthogonal to all before, twice; the answer does not rest on that:
    its bound comes from one more product with the vector found.

    Args:
        hvp: v (dim,) -> H v (dim,), float64.
        dim: the size of H.
        steps: products at most, dim + 1 where that is less.
        end: "magnitude" (of largest modulus), "largest" or "smallest".
        error: ||hvp(v) - H v|| is at most this for every unit v. Default: dim^1.5 eps ||hvp(v)||,
            that of a plain matrix-vector product (gamma_dim |H| |v|, || |H| || <= sqrt(dim) ||H||).
        seed: of the start vector, standard normal.

    Raises:
        ValueError: on an unknown end, a product that is not finite or of another shape, or an H
            that is seen not to be symmetric.
    """
    if end not in ENDS:
        raise ValueError(
            f"largest_hessian_eigenvalue: end is {end!r}; need one of {', '.join(ENDS)}"
        )
    apply = _checked(hvp, dim, dim)
    start = Stream(seed, "init").normal(1, 1, 0, 0, dim)[0, 0]
    basis, T = _lanczos(apply, start, min(steps, dim), error)
    values, vectors = np.linalg.eigh(T)
    k = {
        "magnitude": int(np.argmax(np.abs(values))),
        "largest": len(values) - 1,
        "smallest": 0,
    }[end]
    v = basis.T @ vectors[:, k]
    v /= np.linalg.norm(v)
    image = apply(v)
    size = float(np.linalg.norm(image))
    off = dim**1.5 * EPS * size if error is None else error
    off += 4 * (dim + 8) * EPS * size  # the rounding of v^T (H v), of |v| = 1 and of the norm
    rayleigh = float(v @ image)
    residual = float(np.linalg.norm(image - rayleigh * v)) + off
    count = len(basis) + 1
    if end == "magnitude":
        known = Known(
            max(0.0, size - off), How.LOWER, f"||H v|| at a unit v, Lanczos with {count} products"
        )
    else:
        sign, how = (-1, How.LOWER) if end == "largest" else (1, How.UPPER)
        known = Known(
            rayleigh + sign * off, how, f"v^T H v at a unit v, Lanczos with {count} products"
        )
    return RitzValue(known, rayleigh, v, residual, count)


def operator_norm(
    product: Product,
    adjoint: Product,
    shape: tuple[int, int],
    *,
    steps: int = STEPS,
    error: float | None = None,
    seed: int = 0,
) -> Known:
    """A LOWER bound on ||A||_2 of a rectangular A: ||A v|| at a unit v from Lanczos on A^T A.

    Args:
        product: v (columns,) -> A v (rows,).
        adjoint: u (rows,) -> A^T u (columns,); a wrong one costs tightness, never validity.
        shape: (rows, columns); 0 where a block is empty, and then the norm is 0.
        error: ||product(v) - A v|| is at most this for every unit v; default as above.
    """
    rows, columns = shape
    if not rows or not columns:
        return Known(0.0, How.EXACT, "an empty block")
    forth, back = _checked(product, columns, rows), _checked(adjoint, rows, columns)
    start = Stream(seed, "init").normal(1, 1, 0, 1, columns)[0, 0]
    # A^T A has at most rows + 1 different eigenvalues, 0 included: so many steps find them all.
    most = min(steps, columns, rows + 1)
    basis, T = _lanczos(lambda v: back(forth(v)), start, most, math.inf)
    v = basis.T @ np.linalg.eigh(T)[1][:, -1]
    v /= np.linalg.norm(v)
    size = float(np.linalg.norm(forth(v)))
    off = max(shape) ** 1.5 * EPS * size if error is None else error
    off += 4 * (max(shape) + 8) * EPS * size
    source = f"||A v|| at a unit v, Lanczos on A^T A, {2 * len(basis) + 1} products"
    return Known(max(0.0, size - off), How.LOWER, source)


def block_norms(
    hvp: Product,
    dim: int,
    shared: NDArray[np.bool_],
    *,
    steps: int = STEPS,
    error: float | None = None,
    seed: int = 0,
) -> Blocks:
    """||H_uu||, ||H_vv|| and ||H_uv|| of one Hessian: LOWER bounds on L_u, L_v, L_uv, L_vu.

    Args:
        hvp, dim, steps, error, seed: as for ``largest_hessian_eigenvalue``.
        shared: bool (dim,), True on the coordinates of u; the rest is v.
    """
    u, v = np.flatnonzero(shared), np.flatnonzero(~shared)

    def block(to: NDArray[np.intp], of: NDArray[np.intp]) -> Product:
        def product(x: Floats) -> Floats:
            whole = np.zeros(dim)
            whole[of] = x
            return np.asarray(hvp(whole))[to]

        return product

    def own(part: NDArray[np.intp]) -> Known:
        if not len(part):
            return Known(0.0, How.EXACT, "an empty block")
        return largest_hessian_eigenvalue(
            block(part, part), len(part), steps=steps, error=error, seed=seed
        ).known

    cross = operator_norm(
        block(u, v), block(v, u), (len(u), len(v)), steps=steps, error=error, seed=seed
    )
    return Blocks(own(u), own(v), cross, cross)


def _checked(product: Product, of: int, to: int) -> Product:
    def apply(v: Floats) -> Floats:
        made = np.asarray(product(v), np.float64)
        if made.shape != (to,) or not np.isfinite(made).all():
            came = f"shape {made.shape}" if made.shape != (to,) else "nan or inf"
            raise ValueError(f"hessian: the product of a vector ({of},) is {came}; need ({to},)")
        return made

    return apply


def _lanczos(
    apply: Product, start: Floats, steps: int, error: float | None
) -> tuple[Floats, Floats]:
    """An orthonormal basis (k, dim) and T = basis H basis^T (k, k), as the recurrence has it."""
    if steps < 1:
        raise ValueError(f"hessian: steps is {steps}; need at least 1")
    basis = np.empty((steps, len(start)))
    T = np.zeros((steps, steps))
    v, before = start / np.linalg.norm(start), 0.0
    for k in range(steps):  # the last round returns
        basis[k] = v
        image = apply(v)
        T[k, k] = v @ image
        if k > 0:
            _symmetric(float(basis[k - 1] @ image), before, float(np.linalg.norm(image)), error)
        scale = float(np.linalg.norm(image))
        for _ in range(2):
            image = image - basis[: k + 1].T @ (basis[: k + 1] @ image)
        before = float(np.linalg.norm(image))
        if k + 1 == steps or before <= len(start) * EPS * max(scale, float(np.abs(T).max())):
            return basis[: k + 1], T[: k + 1, : k + 1]
        T[k, k + 1] = T[k + 1, k] = before
        v = image / before
    raise AssertionError


def _symmetric(above: float, below: float, scale: float, error: float | None) -> None:
    """v_{k-1}^T H v_k against v_k^T H v_{k-1}; half the digits must agree."""
    allowed = math.sqrt(EPS) * (scale + below) + 2 * (error or 0.0)
    if abs(above - below) > allowed:
        raise ValueError(
            f"largest_hessian_eigenvalue: v^T H u = {above:.6g} but u^T H v = {below:.6g}; "
            "need a symmetric H"
        )
