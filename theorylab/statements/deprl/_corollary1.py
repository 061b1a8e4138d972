"""What Corollary 1's inequality, its O(.), its speedup and its consensus share.

*A walk.* What the left side stays above where no loss depends on phi and the graph has a period.
P is doubly stochastic and its graph strongly connected. A period h > 1 gives P the eigenvalues
e^(2 pi i j/h) by Perron and Frobenius, so one besides 1 has modulus 1. With beta^2 = N/K and noise
of variance sigma_u^2 that is independent over workers and rounds, the deviations from the average
are E(k) = -beta sum_{m=1..k} (P^m - J) n(k - m), so E||E(k)||^2 = beta^2 sigma_u^2
sum_{m=1..k} ||P^m - J||_F^2. By Schur's inequality a squared Frobenius norm is at least the sum of
the squared moduli of the eigenvalues, so every summand is at least 1:

    1/K sum_{k<K} 1/N E||E(k)||^2 >= beta^2 sigma_u^2/N 1/K sum_{k<K} k = sigma_u^2 (K-1)/(2K).

On a ring of four with P_ij = 1/2 between neighbours it is an equality.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx
import sympy as sp

from theorylab.statements import Assumption, Floor
from theorylab.statements.deprl._symbols import (
    L,
    alpha,
    aperiodic,
    beta,
    connected,
    doubly,
    f_best,
    f_start,
    flat,
    independent,
    phi_noise,
    sigma,
    tau,
    unit,
    varsigma,
)
from theorylab.statements.deprl._theorem1 import C_PRINTED, GAP_PRINTED, P_BELOW_1
from theorylab.symbols import T, n

STEPS: dict[sp.Symbol, sp.Expr] = {alpha: unit / (tau * sp.sqrt(T)), beta: unit * sp.sqrt(n / T)}
CHOSEN = (
    Assumption("Corollary 1: alpha = 1/(tau sqrt K)", rule=sp.Eq(alpha * tau * sp.sqrt(T), unit)),
    Assumption("Corollary 1: beta = sqrt(N/K)", rule=sp.Eq(beta * sp.sqrt(T / n), unit)),
)
BRACKET = 1 / sp.sqrt(n * T) + 1 / (T * sp.sqrt(n)) + 1 / (tau * sp.sqrt(n * T))
HIDDEN = (f_start, f_best, L, sigma, varsigma)  # by the O(.)


def _at_least(text: str, rounds: sp.Expr) -> Assumption:
    return Assumption(f"Corollary 1: K >= {text}", rule=rounds <= T, asks=rounds)


ROUNDS = (
    P_BELOW_1,
    _at_least("18 C^2 L^2 N^3/(1-q)^2", 18 * (C_PRINTED * unit * L) ** 2 * n**3 / GAP_PRINTED**2),
    _at_least("(2 L^2 + 2)^2/(N L^4)", (2 * (unit * L) ** 2 + 2) ** 2 / (n * (unit * L) ** 4)),
    _at_least("N L^2", n * (unit * L) ** 2),
)


def _flat(made: Any) -> float:
    """1 if no loss of a coupled quadratic depends on phi."""
    problem = made.problem
    return float(problem.name == "coupled-quadratic" and not (problem.A.any() or problem.C.any()))


def _aperiodic(made: Any) -> float:
    graph = nx.from_scipy_sparse_array(made.topology.matrix(0), create_using=nx.DiGraph)
    return float(nx.is_aperiodic(graph)) if nx.is_strongly_connected(graph) else 1.0


def _phi_noise(made: Any) -> float:
    field = getattr(made.problem, "field", None)
    return 0.0 if field is None else float(field.parts[0].sigma)


WALK = Floor(
    lower=phi_noise**2 * (T - 1) / (2 * T),
    along=T,
    assumes=tuple(
        sp.Eq(symbol, value)
        for symbol, value in (
            (flat, 1),
            (doubly, 1),
            (connected, 1),
            (aperiodic, 0),
            (independent, 1),
        )
    ),
    follow=STEPS,
)
WALK_FACTS: dict[sp.Symbol, str | Callable[[Any], Any]] = {
    flat: _flat,
    aperiodic: _aperiodic,
    phi_noise: _phi_noise,
}
