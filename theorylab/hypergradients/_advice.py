"""What helps where rho(A_zz) >= 1: said only where it was tried, or where it cannot fail."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from theorylab.hypergradients._bilevel import Floats
from theorylab.hypergradients._spectrum import assembled, blocks
from theorylab.hypergradients.linear import Linear
from theorylab.hypergradients.sgp import SGP

TRIED = 300  # n dx up to which smaller steps are tried: each costs an eigenvalue problem
HALVINGS = 16
PERIODIC = (
    "the network is periodic (E P has several eigenvalues of modulus 1) and no step helps Eq. (4b)"
)


def remedy(at: Linear, mean: Floats, knob: str) -> str:
    """What makes rho(A_zz) < 1 at run 0's point, for E P = ``mean`` (n, n), in words.

    A smaller step is named where one of ``HALVINGS`` halvings does it. Otherwise the cause is
    looked for: a periodic network; or, as the eigenvalues near 1 are 1 - those of sum_i alpha_i H_i
    for small steps, a sum that is not positive definite.

    Args:
        knob: the option that holds the step.
    """
    n, d = at.problem.clients, at.problem.dim
    turns = periodic(at.sgp, mean)
    if n * d > TRIED:
        if turns:
            return f"{PERIODIC}: need self-loops, lazy weights, or variant 4a (not tried)"
        return (
            f"a smaller {knob} helps only where the inner losses are convex and the graph of E P "
            f"is aperiodic (not looked at: n dx is {n * d}, at most {TRIED} is)"
        )
    found = _smaller(at, mean)
    if found is not None:
        value, radius = found
        return f"with {knob} {value} it is {radius:.4g} at this point"
    if turns:
        turned = replace(at, sgp=replace(at.sgp, variant="4a"))
        also = "" if _smaller(turned, mean) is None else "variant 4a, "
        return f"{PERIODIC}: need {also}self-loops, or lazy weights"
    least = float(np.linalg.eigvalsh(np.tensordot(at.sgp.steps(n), at.curvature()[0], 1)).min())
    if not least > 0:
        return (
            f"sum_i alpha_i H_i has the eigenvalue {least:.3g} there, a saddle or a flat "
            "direction, and no step helps: need another start, or a larger l2 weight"
        )
    return f"no {knob} down to 2^-{HALVINGS} of this one helps"


def periodic(sgp: SGP, mean: Floats) -> bool:
    """Whether E P (n, n) has another eigenvalue of modulus 1 beside 1, and the step is Eq. (4b)'s.

    A strongly connected E P of period p has the eigenvalues e^(2 pi i k / p), with left and right
    eigenvectors conj(t) and t omega*, |t_i| = 1. To first order in the steps Eq. (4b) subtracts
    from each the eigenvalues of sum_i conj(t_i) (alpha_i / omega_i*) H_i t_i omega_i* / n, which is
    sum_i alpha_i H_i / n whatever t is. Where that moves 1 inwards, it moves an eigenvalue with a
    negative real part outwards, and p > 1 has one.
    """
    return sgp.variant == "4b" and int((np.abs(np.linalg.eigvals(mean)) > 1 - 1e-9).sum()) > 1


def _smaller(at: Linear, mean: Floats) -> tuple[str, float] | None:
    """(the step, its rho) of the first halving with rho(A_zz) < 1; the step as it came: None."""
    steps = at.sgp.steps(at.problem.clients)
    phi, _, psi, _ = blocks(at)
    eye = np.eye(at.problem.dim)
    for k in range(HALVINGS + 1):
        share = 0.5**k  # what the step moves is linear in it
        A = assembled(eye - share * (eye - phi), share * psi, mean.T)
        radius = float(np.abs(np.linalg.eigvals(A)).max())
        if radius < 1:
            each = steps * share
            alike = bool((each == each[0]).all())
            return (f"{each[0]:.3g}" if alike else f"times {share:.3g}"), radius
    return None
