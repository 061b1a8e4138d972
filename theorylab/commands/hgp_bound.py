"""pdbo's bound on the error of one estimate, from the statement's own expression."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import sympy as sp

from theorylab.experiments.pdbo._place import edge_swing, largest_covariance
from theorylab.hypergradients import EdgeLaw, Linear
from theorylab.hypergradients._spectrum import blocks
from theorylab.statements.pdbo import _symbols as s
from theorylab.statements.pdbo.thm1 import STATEMENT as VR_HGP
from theorylab.statements.pdbo.thm10 import STATEMENT as HGP
from theorylab.symbols import n
from theorylab.topologies import Topology

ROOM = 1 + 1e-10  # LAPACK's singular values


@dataclass(frozen=True)
class Bound:
    """value: of Theorem 1 or 10, ``corrected``; None where ``reason`` says why there is none."""

    value: float | None
    reason: str | None = None


def bound_of(
    at: Linear, graph: Topology, law: EdgeLaw, terms: int, alpha: float, beta: float, eps: float
) -> Bound:
    """The bound that the error of M terms is below with chance 1 - eps, at run 0's point.

    Its constants are norms of the Jacobians at that point: floats, not certified.
    """
    if at.problem.stochastic:
        return Bound(None, "it needs the Jacobian of every sample, and minibatches are drawn")
    naive = (alpha, beta) == (1.0, 0.0)
    if not naive and not (0 < alpha < 1 and 0 < beta < 1):
        return Bound(None, "Theorem 1 needs 0 < alpha, beta < 1")
    if largest_covariance(graph)["independent_edges"].value != 1:
        return Bound(None, "Assumption 7 fails: edges of a round depend on each other")
    phi_A, phi_B, psi_A, psi_B = (
        float(np.linalg.norm(part, 2, axis=(1, 2)).max()) for part in blocks(at)
    )
    mixing = float(np.linalg.norm(law.debiased, 2))
    op_A, op_B = (ROOM * (mixing * phi + psi) for phi, psi in ((phi_A, psi_A), (phi_B, psi_B)))
    if not op_A < 1:
        return Bound(None, f"max ||A||_2 is up to {op_A:.4g}; need < 1")
    gap = alpha - (1 - beta + beta * op_A)
    if not naive and gap == 0:
        return Bound(None, "alpha is 1 - beta + beta ||A||: (26) and (27) are 0/0")
    c = at.problem.numbers(at.seeds()[0])[0]
    values = {
        s.terms: terms, s.vr_alpha: alpha, s.vr_beta: beta, s.eps_chance: eps,
        s.op_A: op_A, s.op_B: op_B, s.phi_A: phi_A * ROOM, s.phi_B: phi_B * ROOM,
        s.dev_A: 0.0, s.dev_B: 0.0, s.batch: 1, s.edge_swing: edge_swing(law),
        s.c_norm: float(np.linalg.norm(c)) * ROOM, n: at.problem.clients,
    }  # fmt: skip
    version = (HGP if naive else VR_HGP).versions["corrected"]
    expression = sp.Add(*version.terms.values())
    letters = sorted(expression.free_symbols, key=str)
    value = float(sp.lambdify(letters, expression, "math")(*(values[x] for x in letters)))
    return Bound(value) if np.isfinite(value) else Bound(None, "it leaves float64")
