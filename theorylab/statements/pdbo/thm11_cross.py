r"""How far a round's B is at y^(T) from the one at y* (Appendix C.7, in Theorem 11's proof).

Printed: "by Assumption 10, || Btilde - Bhat ||_2 <= eta_B L_lambda n sum_i || y_i* - y_i^(T) || =
eta_B L_lambda G". Its other half, for A, is ``thm11_gap``.

eta_B L_lambda, as one number, is Assumption 10's Lipschitz constant of d_lambda g_i and d_lambda
h_i. C.7 has d_lambda h_i in Btilde^psi where A.2's B^psi has psi's own, g_i; either moves by
at most eta_B L_lambda ||.||, so that misprint does not matter here.

Readings, as for A: with pbar alone (Appendix C.7: `printed`), or with a round's debiased edges
(`printed/edges`). Block row t is e_t (x) Dpsi_t + w_t (x) Dphi_t, so its norm is at most eta_B
L_lambda ||y_t* - y_t^(T)|| (1 + ||w_t||_2). With w = pbar, ||w_t||_2 <= 1.

Corrected: (1 + r) eta_B L_lambda sum_i ||.||, r^2 = sum_{s,t} pbar_ts^2 / dbar_{s->t}^2, holds for
both readings: the norm of a matrix is at most the sum of those of its block rows, and ||w_t||_2 <=
r. For one client it is an equality. (r <= kappa.)
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._bound import EDGES
from theorylab.statements.pdbo._causes import DEBIASED_EDGES, ONE_CLIENT
from theorylab.statements.pdbo._symbols import L_lambda, edge_spread, eta_B, y_gap
from theorylab.statements.pdbo.thm11 import ALONE
from theorylab.statements.pdbo.thm11_gap import RARE_EDGE, RARER_EDGES, TWO_CLIENTS
from theorylab.symbols import n

_MEAN = Quantity("mean_cross_gap", "rows", (0, 1), r"\|\tilde B - \hat B\|_2, \bar p")
_EDGES = Quantity("cross_gap", "rows", (0, 1), r"\max\|\tilde B - \hat B\|_2")
_ASSUMES = (EDGES[0], Assumption("Assumption 10: L_lambda finite", finite=(L_lambda,)))
_G = {"G": eta_B * L_lambda * n * y_gap}

THREE_CLIENTS = {**TWO_CLIENTS, "clients": 3, "network": {"name": "sto-u"}}

STATEMENT = Statement(
    id="pdbo.thm11_cross",
    source=Source("pdbo", "Theorem 11, proof", "B at y^(T) against B at y*"),
    experiment="hgp-cross",
    quantity=_MEAN,
    versions={
        "printed": Version(
            terms=_G,
            assumes=_ASSUMES,
            causes=(ONE_CLIENT,),
            note="with pbar, Appendix C.7; false for n = 1 only",
            checks=(
                Check("two-clients", TWO_CLIENTS),
                Check("three-clients", THREE_CLIENTS),
                Check("one-client", ALONE, "VIOLATED"),
            ),
        ),
        "printed/edges": Version(
            terms=_G,
            assumes=_ASSUMES,
            quantity=_EDGES,
            causes=(DEBIASED_EDGES,),
            note="with the edges of a round",
            checks=(
                Check("rare-edge", RARE_EDGE, "VIOLATED"),
                Check("rarer-edges", RARER_EDGES, "VIOLATED"),
            ),
        ),
        "corrected": Version(
            terms={"both blocks": (1 + sp.sqrt(edge_spread)) * eta_B * L_lambda * y_gap},
            mends=(ONE_CLIENT, DEBIASED_EDGES),
            assumes=_ASSUMES,
            quantity=_EDGES,
            checks=(
                Check("rare-edge", RARE_EDGE),
                Check("rarer-edges", RARER_EDGES),
                Check("two-clients", TWO_CLIENTS),
                Check("three-clients", THREE_CLIENTS),
            ),
        ),
    },
)
