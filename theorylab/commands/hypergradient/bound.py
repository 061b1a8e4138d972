"""Bounds on the error of one estimate: pdbo's Theorems 1 and 10 as corrected, in three norms.

The error is at most the rest of the mean's series plus what the draws do. The rest needs one
contracting norm of Abar: ||Abar||_2 < 1, which one SVD gives, or that of ``mean_square``. The
draws do nothing on a static network with full batches. Elsewhere every A-hat has to contract, as
the theorems suppose, or the rounds have to in the mean square, where Chebyshev's inequality stands
in for Pinelis's. All three read the statements' own expression.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import sympy as sp
from scipy.linalg import eigh

from theorylab.experiments.pdbo._base import edge_swing, largest_covariance
from theorylab.hypergradients import EdgeLaw, Linear, MeanSquare, coefficient_law, mean_square
from theorylab.hypergradients._bilevel import Floats
from theorylab.hypergradients.linear import DENSE, blocks, dense
from theorylab.statements.pdbo import _symbols as s
from theorylab.statements.pdbo._bound import PINELIS
from theorylab.statements.pdbo.thm1 import STATEMENT as VR_HGP
from theorylab.statements.pdbo.thm10 import STATEMENT as HGP
from theorylab.symbols import n
from theorylab.topologies import Topology

ROOM = 1 + 1e-10  # LAPACK's singular values
LARGEST = 3000  # n dx up to which A is written out for its norm
APART = 1e-5  # of alpha and 1 - beta + beta a; a is enlarged below it, as (26) is 0/0 at 0
_CONSTANTS = (
    s.terms, s.vr_alpha, s.vr_beta, s.op_A, s.op_B, s.c_norm, s.phi_A, s.phi_B, s.edge_swing,
    s.eps_chance, s.dev_A, s.dev_B, s.batch, n,
)  # fmt: skip
EVERY, CHEBYSHEV = "||A||_2 < 1 in every draw", "rho(E[A (x) A]) < 1"


@dataclass(frozen=True)
class Bound:
    """value: with chance 1 - eps the error is below it. None: ``rule`` says why there is none.

    rest: the part of it that more terms remove. rule: how the draws are bounded.
    """

    value: float | None
    rule: str
    rest: float | None = None


@dataclass(frozen=True)
class Norms:
    """a, b, |c| in one norm; kick_inner and kick_outer are largest effects of a round's draws."""

    a: float
    b: float
    c: float
    kick_inner: float = 0.0
    kick_outer: float = 0.0


@dataclass(frozen=True)
class Bounds:
    """What is known at one point, for every M and pair.

    means: norms in which the mean contracts. draws: (rule, norms), those of the draws. reason: why
    there is none. still: nothing is drawn. contracts: the rounds' norm, where it was looked for.
    euclid: ||Abar||_2 < 1, and ``means`` begins with that norm. size: n dx.
    """

    means: tuple[Norms, ...] = ()
    draws: tuple[tuple[str, Norms], ...] = ()
    reason: str = ""
    still: bool = False
    contracts: MeanSquare | None = None
    euclid: bool = False
    size: int = 1

    def solved_within(self, residual: float) -> float | None:
        """How far B q may be off where no entry of c - (I - A) q is larger; None without a norm."""
        if not (self.means and self.euclid):
            return None
        norms = self.means[0]
        return norms.b * float(np.sqrt(self.size)) * residual / (1 - norms.a)

    def of(
        self, terms: int, alpha: float, beta: float, eps: float, deviation: float | None = None
    ) -> Bound:
        """The least bound of M terms with chance 1 - eps.

        deviation: sqrt(E|v^(M) - E v^(M)|^2), where it is known exactly: Chebyshev's inequality
        takes it as it is.
        """
        if not self.means or not (self.draws or self.still):
            return Bound(None, self.reason)
        asked = terms, alpha, beta, eps
        rest = min(_value("truncation", False, norms, *asked) for norms in self.means)
        ways = [
            (_value("noise", rule == CHEBYSHEV, norms, *asked), rule) for rule, norms in self.draws
        ]
        if self.contracts is not None and deviation is not None:
            ways.append((ROOM * deviation / float(np.sqrt(eps)), f"{CHEBYSHEV}, exact variance"))
        noise, rule = min(ways, default=(0.0, "nothing is drawn"))
        value = rest + noise
        return Bound(value, rule, rest) if np.isfinite(value) else Bound(None, "it leaves float64")


def bounds_at(at: Linear, graph: Topology, law: EdgeLaw) -> Bounds:
    """The constants at run 0's point: norms of computed Jacobians, floats, not certified."""
    size = at.problem.clients * at.problem.dim
    if size > LARGEST:
        return Bounds(reason=f"n dx is {size}; norms are worked out up to {LARGEST}")
    A, B = map(_norm, dense(at, law.mean.T))
    c = ROOM * float(np.linalg.norm(at.problem.numbers(at.seeds()[0])[0]))
    means, draws, reasons, contracts = [Norms(A, B, c)] if A < 1 else [], [], [], None
    coefficients = coefficient_law(graph)
    drawn = bool(at.problem.stochastic or coefficients.pairs.nnz)
    if drawn:
        found = _every_draw(at, graph, law, c)
        if isinstance(found, str):
            reasons.append(found)
        else:
            draws.append((EVERY, found))
    if drawn or not means:
        try:
            contracts = mean_square(at, coefficients)
        except ValueError as error:
            reasons.append(str(error))
        else:
            norms = _in_mean_square(contracts)
            means.append(norms)
            draws += [(CHEBYSHEV, norms)] if drawn else []
    return Bounds(tuple(means), tuple(draws), "; ".join(reasons), not drawn, contracts, A < 1, size)


def _norm(matrix: Floats) -> float:
    """||matrix||_2, a little enlarged."""
    if min(matrix.shape) <= DENSE:
        return ROOM * float(np.linalg.norm(matrix, 2))
    last = len(matrix) - 1  # the top eigenvalue alone is several times as fast
    top = eigh(matrix.T @ matrix, eigvals_only=True, subset_by_index=[last, last])
    return ROOM * float(np.sqrt(top[0]))


def _in_mean_square(found: MeanSquare) -> Norms:
    return Norms(
        ROOM * found.rate, ROOM * found.outer, ROOM * found.start, ROOM * found.kick_inner,
        ROOM * found.kick_outer,
    )  # fmt: skip


def _every_draw(at: Linear, graph: Topology, law: EdgeLaw, c: float) -> Norms | str:
    """Norms that bound every draw, as Theorem 1 as corrected needs them; or why there are none."""
    if at.problem.stochastic:
        return "Theorem 1 needs the Jacobian of every sample, and minibatches are drawn"
    if largest_covariance(graph)["independent_edges"].value != 1:
        return "Assumption 7 fails: edges of a round depend on each other"
    phi_A, phi_B, psi_A, psi_B = (
        float(np.linalg.norm(part, 2, axis=(1, 2)).max()) for part in blocks(at)
    )
    mixing, swing = float(np.linalg.norm(law.debiased, 2)), float(np.sqrt(edge_swing(law)))
    op_A, op_B = (ROOM * (mixing * phi + psi) for phi, psi in ((phi_A, psi_A), (phi_B, psi_B)))
    if not op_A < 1:
        return f"max ||A||_2 is up to {op_A:.4g}; need < 1"
    return Norms(op_A, op_B, c, ROOM * phi_A * swing, ROOM * phi_B * swing)


def _value(
    part: str, chebyshev: bool, norms: Norms, terms: int, alpha: float, beta: float, eps: float
) -> float:
    """One summand of the corrected bound; inf where a cannot be enlarged enough."""
    naive, a = alpha == 1, norms.a  # at alpha = 1 nothing reads w, whatever beta is
    if not naive and abs(alpha - (1 - beta + beta * a)) < APART:
        a += 2 * APART / max(beta, APART)
    if not a < 1:
        return float(np.inf)
    kicks = norms.kick_inner, norms.kick_outer
    values = (terms, alpha, beta, a, norms.b, norms.c, *kicks, 1.0, eps, 0.0, 0.0, 1.0, 1.0)
    return _expression(part, naive, chebyshev)(*values)


@functools.cache
def _expression(part: str, naive: bool, chebyshev: bool) -> Callable[..., float]:
    """A summand of the statements' bound; with 1 / eps in place of Pinelis's 2 log(2 / eps)."""
    expression = (HGP if naive else VR_HGP).versions["corrected"].terms[part]
    if chebyshev:
        log = PINELIS / 2  # SymPy takes the 2 out of the root
        expression = expression.subs(log, 1 / (2 * s.eps_chance))
    made: Callable[..., float] = sp.lambdify(_CONSTANTS, expression, "math")
    return made
