"""Shared by the problems in (u, v): drawn matrices, and the minimum of F(u, v_1, ..., v_n)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from theorylab.kernels import Stream
from theorylab.known import EPS
from theorylab.problems._noise import NoiseField, Part
from theorylab.problems._options import Array, array, count, number
from theorylab.problems._squares import haar

ROUND_A, ROUND_B, ROUND_C, ROUND_CENTERS, ROUND_PHASES = range(5)  # of the stream, one a quantity


def either(where: str, given: str, value: Any, **instead: Any) -> None:
    """Raise one line if an array and an option to draw it from both came."""
    for name, other in instead.items():
        if value is not None and other is not None:
            raise ValueError(f"{where}: {given} came along with {name}; need one of the two")


def size(where: str, name: str, value: Any, *arrays: tuple[Any, int]) -> int:
    """A dimension: as asked, else as the first given (array, axis) has it, else 2."""
    if value is not None:
        return count(where, name, value)
    for given, axis in arrays:
        try:
            shape = () if given is None else np.shape(given)
        except ValueError:  # ragged: ``array`` will say so
            shape = ()
        if len(shape) > axis and shape[axis]:
            return int(shape[axis])
    return 2


def random_coupling(n: int, d_u: int, d_v: int, top: float, seed: int) -> Array:
    """(n, d_u, d_v) with largest singular value ``top``, the others uniform below, random bases."""
    if top == 0:
        return np.zeros((n, d_u, d_v))
    draws, rank = Stream(seed, "problem"), min(d_u, d_v)
    left = haar(draws.normal(1, n, ROUND_C, 0, d_u * d_u)[0].reshape(n, d_u, d_u))
    right = haar(draws.normal(1, n, ROUND_C, 1, d_v * d_v)[0].reshape(n, d_v, d_v))
    values = top * draws.uniform(1, n, ROUND_C, 2, rank)[0]
    values[:, 0] = top
    made: Array = np.matmul(
        left[:, :, :rank] * values[:, None, :], np.swapaxes(right[:, :, :rank], 1, 2)
    )
    return made


def centers(
    where: str, n: int, d_u: int, d_v: int, a: Any, b: Any, heterogeneity: Any, seed: int
) -> tuple[Array, dict[str, float]]:
    """The (a_i, b_i), (n, d), given or drawn with E|(a_i, b_i)|^2 = heterogeneity^2 around 0.

    Also the options they were drawn from.
    """
    for name, given in (("a", a), ("b", b)):
        either(where, name, given, heterogeneity=heterogeneity)
    if (a is None) != (b is None):
        raise ValueError(f"{where}: one of a and b came; need both or none")
    if a is not None:
        parts = array(where, "a", a, (n, d_u)), array(where, "b", b, (n, d_v))
        return np.hstack(parts), {}
    spread = 1.0 if heterogeneity is None else heterogeneity
    spread = number(where, "heterogeneity", spread, at_least=0)
    d = d_u + d_v
    normal: Array = Stream(seed, "problem").normal(1, n, ROUND_CENTERS, 0, d)[0]
    return normal * (spread / math.sqrt(d)), {"heterogeneity": spread}


def field(where: str, d_u: int, d_v: int, sigmas: tuple[float, float], *law: Any) -> NoiseField:
    """The noise of u and that of v, of the options noise, chance and length."""
    named = zip(("sigma_u", "sigma_v"), sigmas, ((0, d_u), (d_u, d_u + d_v)), strict=True)
    parts = [Part(*ends, number(where, name, sigma, at_least=0)) for name, sigma, ends in named]
    kind, chance, length = law
    return NoiseField.of(where, kind, parts, chance, length)


def described(
    problem: Any, drawn: dict[str, float], seed: int, **given: tuple[str, Array]
) -> dict[str, Any]:
    """The options of a problem. given: of those that may be lists what draws them, and an array."""
    sigma_u, sigma_v = (part.sigma for part in problem.field.parts)
    told = {"name": problem.name, "clients": problem.clients, "dim_u": problem.shared}
    told |= {"dim_v": problem.dim - problem.shared, "sigma_u": sigma_u, "sigma_v": sigma_v}
    told |= {"noise": problem.field.kind, **problem.field.options(), **drawn, "seed": seed}
    d_u, spread = problem.shared, "heterogeneity"
    given |= {"a": (spread, problem.centers[:, :d_u]), "b": (spread, problem.centers[:, d_u:])}
    return told | {name: table.tolist() for name, (by, table) in given.items() if by not in drawn}


def unused(A: Array, C: Array) -> Array:
    """(d_u,) bool: the coordinates of u that no loss depends on."""
    return np.asarray(~(A.any(axis=(0, 2)) | C.any(axis=(0, 2))))


def schur_minimum(
    where: str, A: Array, B: Array, C: Array, a: Array, b: Array
) -> tuple[Array, Array, float]:
    """The minimiser u* (d_u,), v* (n, d_v) of F(u, V) = (1/n) sum_i F_i(u, v_i), and F*.

    Given u, v_i = b_i - B_i^{-1} C_i^T (u - a_i), and what is left of F_i is
    1/2 (u - a_i)^T S_i (u - a_i) with the Schur complement S_i = A_i - C_i B_i^{-1} C_i^T. So F has
    a unique minimum if and only if every B_i and the mean of S_i are positive definite.
    coupling^2 < mu_u mu_v is enough for that: then S_i >= mu_u - coupling^2 / mu_v > 0.

    A coordinate of u that no F_i depends on (its rows and columns of all A_i and C_i are exactly 0)
    is left out of this: F has an infimum all the same, at any value of it, here the average center.

    Raises ValueError where one of them is not.
    """
    least = np.linalg.eigvalsh(B)
    worst = int(least[:, 0].argmin())
    if least[worst, 0] <= B.shape[1] * EPS * np.abs(least[worst]).max():
        raise ValueError(
            f"{where}: B[{worst}] has eigenvalue {least[worst, 0]:.3g}; need a positive definite "
            "B_i, or F has no minimum in v_i"
        )
    answer = np.linalg.solve(B, np.swapaxes(C, 1, 2))  # B_i^{-1} C_i^T
    flat = unused(A, C)
    S = A - np.matmul(C, answer)
    S = 0.5 * (S + np.swapaxes(S, 1, 2))
    mean = S.mean(axis=0) + np.diag(flat.astype(np.float64))
    spectrum = np.linalg.eigvalsh(mean)
    scale = np.abs(A).sum(axis=2).max() + abs(spectrum[-1])
    if spectrum[0] <= len(mean) * EPS * scale:
        raise ValueError(
            f"{where}: the mean of A_i - C_i B_i^-1 C_i^T has eigenvalue {spectrum[0]:.3g}; need "
            "a positive definite mean (coupling^2 < mu_u mu_v is enough) but for coordinates of u "
            "that nothing depends on, or F has no minimum"
        )
    # Solved around the average center: equal centers give the optimum without rounding.
    middle = a[0] + (a - a[0]).mean(axis=0)
    pull = np.matmul(S, (a - middle)[..., None])[..., 0].mean(axis=0)
    u: Array = middle + np.linalg.solve(mean, pull)
    gap = u - a
    v: Array = b - np.matmul(answer, gap[..., None])[..., 0]
    return u, v, float(np.einsum("ni,nij,nj->", gap, S, gap)) / (2 * len(gap))
