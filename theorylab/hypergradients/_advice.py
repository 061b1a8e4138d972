"""What helps where rho(A_zz) >= 1: said only where it was tried, or where it cannot fail."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from theorylab.hypergradients._bilevel import Floats
from theorylab.hypergradients._spectrum import dense
from theorylab.hypergradients.linear import Linear

TRIED = 300  # n dx up to which smaller steps are tried: each costs an eigenvalue problem
HALVINGS = 16


def remedy(at: Linear, mean: Floats, knob: str) -> str:
    """What makes rho(A_zz) < 1 at run 0's point, for E P = ``mean`` (n, n), in words.

    A smaller step is named where one of ``HALVINGS`` halvings does it. Otherwise the cause is
    looked for: for small steps the eigenvalues near 1 are 1 - those of sum_i alpha_i H_i, so none
    does where that sum is not positive definite; and where E P has another eigenvalue of modulus 1,
    Eq. (4b) moves it outwards.

    Args:
        knob: the option that holds the step.
    """
    n, d = at.problem.clients, at.problem.dim
    if n * d > TRIED:
        return (
            f"a smaller {knob} helps only where the inner losses are convex and the graph of E P "
            f"is aperiodic (not looked at: n dx is {n * d}, at most {TRIED} is)"
        )
    found = _smaller(at, mean)
    if found is not None:
        value, radius = found
        return f"with {knob} {value} it is {radius:.4g} at this point"
    least = float(np.linalg.eigvalsh(np.tensordot(at.sgp.steps(n), at.curvature()[0], 1)).min())
    if not least > 0:
        return (
            f"sum_i alpha_i H_i has the eigenvalue {least:.3g} there, a saddle or a flat "
            "direction, and no step helps: need another start, or a larger l2 weight"
        )
    moduli = np.abs(np.linalg.eigvals(mean))
    if (moduli > 1 - 1e-9).sum() > 1:
        other = "4a" if at.sgp.variant == "4b" else "4b"
        turned = replace(at, sgp=replace(at.sgp, variant=other))
        also = f"variant {other}, or " if _smaller(turned, mean) is not None else ""
        return (
            "the network is periodic (E P has several eigenvalues of modulus 1) and no step helps "
            f"Eq. ({at.sgp.variant}): need {also}self-loops or lazy weights"
        )
    return f"no {knob} down to 2^-{HALVINGS} of this one helps"


def _smaller(at: Linear, mean: Floats) -> tuple[str, float] | None:
    """(the step, its rho) of the first halving with rho(A_zz) < 1; the step as it came: None."""
    steps = at.sgp.steps(at.problem.clients)
    for k in range(HALVINGS + 1):
        each = steps * 0.5**k
        tried = replace(at, sgp=replace(at.sgp, step=each.tolist()))
        radius = float(np.abs(np.linalg.eigvals(dense(tried, mean.T)[0])).max())
        if radius < 1:
            alike = bool((each == each[0]).all())
            return (f"{each[0]:.3g}" if alike else f"times {0.5**k:.3g}"), radius
    return None
