"""The constants of a loss by one call, whatever it is: a problem, a quadratic in blocks, a model.

problem            closed forms and proven bounds; with points, also what the points attain
PartialQuadratic   closed forms
SampledModel       a torch loss: suprema over sampled points, so LOWER bounds
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theorylab.constants._partial_problem import partial_constants
from theorylab.constants._sampled_model import SampledModel as SampledModel
from theorylab.constants.hessian import (
    STEPS,
    block_norms,
    hessian_product,
    largest_hessian_eigenvalue,
)
from theorylab.constants.personalised import PartialQuadratic
from theorylab.known import EPS, How, Known
from theorylab.problems import Problem

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
AGREES = 1e-9  # a point may seem to pass a constant by this much, relative: rounding of both


def loss_constants(
    subject: Problem | PartialQuadratic | SampledModel,
    *,
    shared: ArrayLike | int | None = None,
    points: ArrayLike | None = None,
    steps: int = STEPS,
    seed: int = 0,
) -> dict[str, Known]:
    """Every constant that the losses have, by name, each with how it is known.

    Args:
        subject: a ``Problem``, a ``PartialQuadratic`` or a ``SampledModel``; the last two know
            their own u, and take no ``shared`` and no ``points``.
        shared: for a problem, the coordinates of the shared part u: their number (the first
            ones), their indices, or bool (d,). The rest is v.
        points: for a problem, (k, d) or (k, n, d): every upper bound gets what these points
            attain as its ``lower`` end. The two ends together say how loose the bound can be.
        steps, seed: of Lanczos.

    Returns:
        L, L_sample, mu, B, sigma_l, sigma_g, f_star as ``Problem.constants`` defines them; and,
        where there is a shared part, L_u, L_v, L_uv, L_vu, chi, L_deprl, sigma_u, sigma_v,
        sigma_deprl, partial_sigma_g, partial_delta as ``personalised`` does. sigma_g is of the
        whole gradient, partial_sigma_g of grad_u.

    Raises:
        TypeError: on another subject, or a problem whose blocks have no formula.
        ValueError: on bad coordinates or points, or where a point contradicts a constant.
    """
    if isinstance(subject, PartialQuadratic | SampledModel):
        if shared is not None or points is not None:
            raise ValueError(
                f"loss_constants: shared or points came with a {type(subject).__name__}; "
                "need a problem for these"
            )
        if isinstance(subject, PartialQuadratic):
            return subject.constants()
        return subject.constants(steps=steps, seed=seed)
    if not isinstance(subject, Problem):
        raise TypeError(
            f"loss_constants: subject is a {type(subject).__name__}; need a Problem, a "
            "PartialQuadratic or a SampledModel"
        )
    mask = None if shared is None else _mask(shared, subject.dim)
    found = subject.constants()
    if mask is not None:
        found |= partial_constants(subject, mask)
    if points is not None:
        attained = point_constants(subject, points, shared=mask, steps=steps, seed=seed)
        for name, low in attained.items():
            found[name] = _between(subject, name, found[name], low)
    return found


def point_constants(
    problem: Problem,
    points: ArrayLike,
    *,
    shared: ArrayLike | int | None = None,
    steps: int = STEPS,
    seed: int = 0,
) -> dict[str, Known]:
    """What the given points attain: LOWER bounds on L, B, sigma_l, sigma_g; with u on L_u, ... too.

    Args:
        points: (k, d), or (k, n, d) with a point for each client. sigma_l and sigma_g compare
            the clients at one point: for (k, n, d), at client 0's.
        shared, steps, seed: as for ``loss_constants``.

    Raises:
        ValueError: on points of another shape, nan or inf. TypeError: where no formula is known
            for the Hessian.
    """
    x = _points(problem, points)
    common = np.ascontiguousarray(x[:, 0])
    n, d = problem.clients, problem.dim
    mask = None if shared is None else _mask(shared, d)
    norms = np.linalg.norm(problem.gradient(x), axis=-1)
    found = {
        "B": _lower(norms, "|grad f_i|"),
        "sigma_g": _lower(problem.measured_heterogeneity(common), "|grad f_i - grad f|"),
        "sigma_l": _lower(problem.measured_noise(common), "sqrt E|grad F_i - grad f_i|^2"),
    }
    bound = problem.constants()["L"].value
    # Every product is X^T (..) X v or H v: sums of at most `terms` terms, each of norm <= L.
    terms = d + max(getattr(problem, "sizes", [0])) + 16
    error = 8 * float(terms) * EPS * bound
    for k in range(len(x)):
        for i in range(n):

            def hvp(v: Floats, k: int = k, i: int = i) -> Floats:
                direction = np.zeros((1, n, d))
                direction[0, i] = v
                return np.asarray(hessian_product(problem, x[k : k + 1], direction)[0, i])

            ritz = largest_hessian_eigenvalue(hvp, d, steps=steps, error=error, seed=seed)
            here = {"L": ritz.known}
            if mask is not None:
                here |= block_norms(hvp, d, mask, steps=steps, error=error, seed=seed)._asdict()
            for name, known in here.items():
                if name not in found or known.value > found[name].value:
                    source = f"client {i} at point {k} of {len(x)}: {known.source}"
                    found[name] = Known(known.value, How.LOWER, source)
    return found


def _lower(values: Floats, what: str) -> Known:
    # Norms of sums that were rounded; the sums' own errors are small against AGREES.
    top = float(values.max()) * (1 - AGREES)
    return Known(top, How.LOWER, f"max of {what} over {values.size} values")


def _between(problem: Problem, name: str, proven: Known, attained: Known) -> Known:
    low = attained.value
    if low > proven.value * (1 + AGREES):
        raise ValueError(
            f"loss_constants: {problem.name} claims {name} {proven.how.value} "
            f"{proven.value!r}, but {attained.source} attains {low!r}"
        )
    if proven.how is not How.UPPER:
        return proven
    source = f"{proven.source}; lower: {attained.source}"
    return Known(proven.value, proven.how, source, lower=min(low, proven.value), upper=proven.value)


def _mask(shared: ArrayLike | int, dim: int) -> Mask:
    given: Any = np.asarray(shared)
    mask = np.zeros(dim, np.bool_)
    if given.dtype == np.bool_ and given.shape == (dim,):
        mask = given.copy()
    elif given.dtype.kind in "iu" and given.ndim == 0:
        _inside(int(given), 1, dim - 1)
        mask[: int(given)] = True
    elif given.dtype.kind in "iu" and given.ndim == 1 and given.size:
        _inside(int(given.min()), 0, dim - 1)
        _inside(int(given.max()), 0, dim - 1)
        mask[given] = True
    else:
        raise TypeError(
            f"loss_constants: shared is {given.dtype} of shape {given.shape}; need a number, "
            f"indices, or bool ({dim},)"
        )
    if mask.all() or not mask.any():
        raise ValueError(
            f"loss_constants: shared holds {int(mask.sum())} of {dim} coordinates; need at least "
            "one, and one left over"
        )
    return mask


def _inside(value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise ValueError(f"loss_constants: shared has {value}; need {low}..{high}")


def _points(problem: Problem, points: ArrayLike) -> Floats:
    n, d = problem.clients, problem.dim
    x = np.asarray(points, np.float64)
    if x.ndim == 2:
        x = np.repeat(x[:, None], n, axis=1)
    if x.shape[1:] != (n, d) or not len(x):
        raise ValueError(
            f"loss_constants: points have shape {np.shape(points)}; need (k,{d}) or (k,{n},{d})"
        )
    if not (np.isfinite(x).all() and math.isfinite(np.abs(x).max())):
        raise ValueError("loss_constants: points hold nan or inf; need finite numbers")
    return np.ascontiguousarray(x)
