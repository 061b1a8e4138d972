"""Iterative differentiation: the derivative of Fbar(x^(T)) along one path (pdbo, Appendix H).

With inputs as rows d_lambda y^(t+1) = d_lambda y^(t) A^(t) + B^(t), A^(t), B^(t) at y^(t) with the
edges and samples of round t. So d_lambda y^(T) = sum_t B^(t) A^(t+1) A^(t+2) ... A^(T-1).

forward           Eq. (42): U <- U A^(t) + B^(t). True.
eq41              Eq. (41) with the paper's own product sign (line 31: later factors to the left):
                  B^(t) A^(T-1) ... A^(t+1). The wrong order, unless the A commute.
backward          u <- c, then for t = T-1 .. 0: v <- B^(t) u + v, u <- A^(t) u. True.
backward-printed  lines 1259 and 1267: the same with t + 1 for t. It reads A^(T), B^(T), which no
                  step of the inner loop used, and leaves out B^(0): the derivative of other rounds.
"""

from __future__ import annotations

import numpy as np

from theorylab.hypergradients._bilevel import Bilevel, Floats, Sample, per_client
from theorylab.hypergradients.linear import Linear, dense
from theorylab.hypergradients.sgp import SGP, Path

MODES = ("forward", "eq41", "backward", "backward-printed")


def round_of(
    problem: Bilevel, sgp: SGP, lam: Floats, path: Path, t: int, run: int
) -> tuple[Linear, Floats, Sample]:
    """What round t of one run of ``path`` differentiates: its point, mixing (n, n), and minibatch,
    as ``dense`` takes them. lam (n, dlam).
    """
    here = slice(run, run + 1)
    x, drawn = path.z[t, here] / path.omega[t, here, :, None], path.samples[t]
    at = Linear(problem, sgp, x, path.omega[t, here], lam[None])
    return at, path.P[t, run].T, None if drawn is None else drawn[here]


@np.errstate(over="ignore", invalid="ignore")  # seen at the end, in one line
def itd(
    problem: Bilevel, sgp: SGP, lam: Floats, path: Path, mode: str = "forward", run: int = 0
) -> Floats:
    """d_lambda Fbar(x^(T)), (n, dlam), on z, of one run of ``algorithm2(..., keep=True)``.

    lam (n, dlam). Writes the Jacobians out, (n dx)^2 numbers each: for small problems.

    It is a finite sum and needs no rho < 1, but where the inner iteration diverges it grows with T.

    Raises:
        ValueError: on another mode, a run that is not there, lam of another shape, or where the
            path or the derivative leaves float64.
    """
    if mode not in MODES:
        raise ValueError(f"itd: mode is {mode!r}; need one of {', '.join(MODES)}")
    if not 0 <= run < path.z.shape[1]:
        raise ValueError(f"itd: run is {run}; the path has runs 0 to {path.z.shape[1] - 1}")
    n, T = problem.clients, len(path.P) - 1
    lam = per_client("itd: lam", lam, n, problem.hyper)

    def jacobians(t: int) -> tuple[Floats, Floats]:
        return dense(*round_of(problem, sgp, lam, path, t, run))

    last, _, _ = round_of(problem, sgp, lam, path, T, run)
    c, c_lam = (problem.numbers(part)[0] for part in last.seeds())
    u = c.ravel()
    total = np.zeros(n * problem.hyper)
    if mode == "forward":
        U = np.zeros((n * problem.hyper, n * problem.dim))
        for t in range(T):
            A, B = jacobians(t)
            U = U @ A + B
        total = U @ u
    elif mode == "eq41":
        drawn = [jacobians(t) for t in range(T)]
        for t in range(T):
            term = u
            for A, _ in drawn[t + 1 :]:
                term = A @ term
            total = total + drawn[t][1] @ term
    else:
        for t in range(T - 1, -1, -1):
            A, B = jacobians(t + 1 if mode == "backward-printed" else t)
            total = total + B @ u
            u = A @ u
    found = np.asarray(total.reshape(n, -1) + c_lam)
    if not np.isfinite(found).all():
        raise ValueError(
            f"itd: the derivative is not finite after T = {T} rounds: the inner iteration "
            f"({sgp.variant}) diverges; need a smaller step"
        )
    return found
