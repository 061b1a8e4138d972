r"""Section 5: AID-CG against AID-RB.

Printed (Section 5): "To apply AID-CG (Pedregosa, 2016), we need to solve min_q 1/2 ||(I -
A-bar) q - c^y||^2. However, in our setting where I - A-bar can be asymmetric, AID-CG is slower than
AID-RB (Grazzi et al., 2020)." No rate is printed, nor what is counted.

Readings. A-bar on z (on y = (z, omega) I - A-bar is singular, see ``asm4``). The sentence cites
rates, and a rate is of the worst case: `printed` is that over all matrices with ||A||_2 <= a and
all c AID-RB's promise is better than AID-CG's, and true. Counted are products with A-bar or its
transpose, each of which is a round of communication: AID-RB has one a step, AID-CG two (the
residual, and the gradient (I - A-bar)^T r of that sum of squares).

`printed/every-instance`: of every A-bar with ||A-bar||_2 < 1 (Assumption 4) that is not symmetric,
from q = 0 to a residual of epsilon ||c^y||, N_RB <= N_CG. `printed/iterations` counts iterations.
Checked on quadratics of 8, 20 and 30 clients with 10 numbers each, Hessians in [.5, 2], a directed
ring or StoD, (4a) or (4b), steps .003 and .05 (the paper trains with .05 and .25, and drops to a
hundredth), residuals 1e-3 and 1e-8. It is not that conjugate gradients end by themselves, after n
d_x iterations: the test counts how far from that they are. At a large step (.3: "large-step") and
where A-bar is a multiple of a rotation of many clients, so that all singular values of I - A-bar
differ ("cycle"), it is true. "conditioning" lets the step fall on one network: true at .3, and the
ratio then grows as 1 / alpha_i without limit.

Proof of `printed`. AID-RB's residual after 2j products is at most a^(2j+1). AID-CG's after as many,
j iterations, is 2 a^j / (1 + a^(2j)) > a^(2j+1) on one of them, so its promise is worse for every a
and j: it is the cycle of 2j clients, A = a Q, c = (I - a Q)^{-1} e_1. The eigenvalues of M^T M are
1 + a^2 - 2a cos(pi k / j), k = 0 .. j: j + 1 points where the Chebyshev polynomial of degree j of
that interval is +1 and -1 in turn. Every Fourier mode of c has the weight 1 / lambda_k, so
the eigenvalue lambda_k has w_k proportional to 1 / lambda_k (twice that for 0 < k < j), and w_k
lambda_k (-1)^k is proportional to the weights of the divided difference of order j, which is 0 on
polynomials of a lower degree. So T_j, scaled to 1 at 0, is the residual's polynomial of least
norm, and that norm is 1 / T_j((1 + a^2) / (2a)) = 2 / (a^j + a^-j).

Corrected. With ||A-bar||_2 <= a < 1 AID-RB is sure to end after ln(1/epsilon) / ln(1/a) products,
and AID-CG needs, on every instance,

    N_CG <= 2 (ln(2/epsilon) / ln(1/a) + 1):

no more than twice that promise and a few. Proof. Conjugate gradients for M^T M, M = I - A-bar,
minimise ||c - M q_k|| over the Krylov spaces, and the classical bound is ||r_k|| <= 2 ((kappa - 1)
/ (kappa + 1))^k ||c||, kappa the condition number of M (the root of that of M^T M). 1 - a <= ||M
x|| / ||x|| <= 1 + a gives kappa <= (1 + a) / (1 - a), that is (kappa - 1) / (kappa + 1) <= a. So k
>= ln(2/epsilon) / ln(1/a) is enough, the least such integer is below that plus one, and an
iteration costs two products.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._causes import EVERY_INSTANCE
from theorylab.statements.pdbo._instances import STO_D
from theorylab.statements.pdbo._symbols import (
    accuracy,
    asymmetry,
    cg_iterations,
    cg_products,
    cg_residual,
    norm_A,
)

_RB = Quantity("rb", "rows", (0, 0), r"N_{\mathrm{RB}}")
_STEPS = Quantity("rb_iterations", "rows", (0, 0), r"k_{\mathrm{RB}}")
_CG = Quantity("cg", "rows", (0, 0), r"N_{\mathrm{CG}}")
_PROMISE = Quantity("rb_promise", "rows", (0, 0), r"a^{2j+1}")
SHRINKS = Assumption("Assumption 4, on z: ||A-bar||_2 < 1", rule=norm_A < 1)
ASYMMETRIC = Assumption("I - A-bar is asymmetric", rule=asymmetry > sp.Rational(1, 10**9))


def _cycle(clients: int) -> dict[str, object]:
    edges = [[i, (i + 1) % clients] for i in range(clients)]
    return {"name": "edge-list", "edges": edges, "weights": "uniform", "self_loops": False}


# A-bar is half of a rotation of 24 clients; c^y is one client's.
_N = 24
CYCLE = {
    "problem": {
        **{"H": [[[1.0]]] * _N, "b": [[1.0]] + [[0.0]] * (_N - 1), "G": [[[0.0]]] * _N},
        "t": [[0.0]] * _N,
    },
    **{"network": _cycle(_N), "step": 0.5, "variant": "4a", "targets": [1e-1, 1e-2, 1e-3]},
    "c": [1.0] + [0.0] * (_N - 1),
}
_TARGETS = {"targets": [1e-3, 1e-8]}


def _ordinary(clients: int, network: dict[str, Any], step: float, variant: str) -> dict[str, Any]:
    problem = {"clients": clients, "dim": 10, "hyper": 1, "seed": 2}  # Hessians in [.5, 2]
    return {"problem": problem, "network": network, "step": step, "variant": variant, **_TARGETS}


_RING: dict[str, Any] = {"name": "directed-ring"}
THREE = Check(
    "three-in-a-ring",
    {
        "problem": {"clients": 3, "dim": 1, "hyper": 1, "seed": 2},
        **{"network": _RING, "step": 0.05, "variant": "4b", "targets": [1e-8]},
    },
    "VIOLATED",
)
EIGHT = _ordinary(8, STO_D, 0.003, "4a")
TWENTY = _ordinary(20, STO_D, 0.05, "4b")
THIRTY = _ordinary(30, _RING, 0.05, "4a")
LARGE_STEP = _ordinary(8, STO_D, 0.3, "4b")
ORDINARY = (
    Check("eight-clients", EIGHT, "VIOLATED"),
    Check("eight-in-a-ring", _ordinary(8, _RING, 0.05, "4b"), "VIOLATED"),
    Check("twenty-clients", TWENTY, "VIOLATED"),
    Check("thirty-in-a-ring", THIRTY, "VIOLATED", quick=False),
)
# I - A-bar's condition number grows as 1 / step: so does AID-RB's count, and CG's hardly moves.
CONDITIONING: dict[str, Any] = {
    **_ordinary(8, _RING, 0.3, "4b"),
    **{"targets": [1e-8], "sweep": {"parameter": "step", "values": [0.3, 0.03, 0.003, 0.0003]}},
}
SYMMETRIC = {
    "problem": {"clients": 3, "dim": 1, "hyper": 1, "seed": 3},
    **{"network": {"name": "complete"}, "step": 0.2, "variant": "4b"},
}

STATEMENT = Statement(
    id="pdbo.sec5",
    source=Source("pdbo", "Section 5", "AID-CG is slower than AID-RB"),
    experiment="aid-products",
    quantity=_RB,
    versions={
        "printed": Version(
            terms={"residual of AID-CG": cg_residual},
            assumes=(),
            quantity=_PROMISE,
            note="in the worst case: on the cycle AID-CG is above what AID-RB promises for as many "
            "products",
            mends=(EVERY_INSTANCE,),
            checks=(
                Check("cycles", {"norms": [0.1, 0.5, 0.9, 0.999], "iterations": [1, 2, 4, 8]}),
            ),
        ),
        "printed/every-instance": Version(
            terms={"products of AID-CG": cg_products},
            assumes=(SHRINKS, ASYMMETRIC),
            causes=(EVERY_INSTANCE,),
            note="of every instance, counted in products with A and its transpose",
            checks=(
                *ORDINARY,
                THREE,
                Check("conditioning", CONDITIONING, "VIOLATED", quick=False),
                Check("large-step", LARGE_STEP),
                Check("cycle", CYCLE),
                Check("symmetric", SYMMETRIC, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/iterations": Version(
            terms={"iterations of AID-CG": cg_iterations},
            assumes=(SHRINKS, ASYMMETRIC),
            quantity=_STEPS,
            causes=(EVERY_INSTANCE,),
            note="of every instance, counted in iterations",
            checks=(
                *ORDINARY,
                THREE,
                Check("conditioning", CONDITIONING, "VIOLATED", quick=False),
                Check("large-step", LARGE_STEP, "VIOLATED"),
            ),
        ),
        "corrected": Version(
            terms={
                "twice AID-RB's promise": 2 * sp.log(2 / accuracy) / sp.log(1 / norm_A),
                "the last iteration": sp.Integer(2),
            },
            assumes=(SHRINKS,),
            quantity=_CG,
            note="AID-CG's products are below about twice what AID-RB promises",
            mends=(EVERY_INSTANCE,),
            checks=(
                *(replace(check, expect="HOLDS") for check in (*ORDINARY, THREE)),
                Check("conditioning", CONDITIONING, quick=False),
                Check("large-step", LARGE_STEP),
                Check("cycle", CYCLE),
                Check("symmetric", SYMMETRIC),
            ),
        ),
    },
)
