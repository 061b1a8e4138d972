r"""How far a round's matrix at y^(T) is from the one at y* (Appendix C.7, in Theorem 11's proof).

Printed: "by Assumption 10, || Atilde - Ahat ||_2 <= L_y n sum_i || y_i* - y_i^(T) || = L_y G".

Readings. C.7 writes Atilde with pbar alone (`printed`); VR-HGP's matrices have the debiased
edges of a round, delta / dbar pbar (`printed/edges`), and so has the sum it is used in.
Block row t is e_t (x) Dpsi_t + w_t (x) Dphi_t, of norm up to L_y ||y_t* - y_t^(T)|| (1+||w_t||_2).
With w = pbar that is at most twice L_y ||.||, and n times it where n >= 2.

Corrected: (1 + r) L_y sum_i ||.||, r^2 = sum_{s,t} pbar_ts^2 / dbar_{s->t}^2, holds for both, as
||w_t||_2 <= r and the norm of a matrix is at most the sum of those of its block rows. (r <= kappa.)
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._bound import EDGES
from theorylab.statements.pdbo._causes import DEBIASED_EDGES, ONE_CLIENT
from theorylab.statements.pdbo._symbols import L_y, edge_spread, y_gap
from theorylab.statements.pdbo.thm11 import ALONE
from theorylab.symbols import n

_MEAN = Quantity("mean_gap", "rows", (0, 0), r"\|\tilde A - \hat A\|_2, \bar p")
_EDGES = Quantity("jacobian_gap", "rows", (0, 0), r"\max\|\tilde A - \hat A\|_2")
_ASSUMES = (EDGES[0], Assumption("Assumption 10: L_y finite", finite=(L_y,)))
_G = {"G": L_y * n * y_gap}
TWO_CLIENTS = {"clients": 2, "network": {"name": "sto-d"}, "level": 0.0, "gap": 0.2}
_RARE = [[1, 0.05], [0.9, 1]]
RARE_EDGE = {
    **TWO_CLIENTS,
    "network": {"name": "sto-d", "probabilities": _RARE},
}
RARER_EDGES = {  # the weight of an edge that is there is its mean over its chance
    **RARE_EDGE,
    "sweep": {
        "parameter": "chance",
        "values": [0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.001],
        "set": {"network.probabilities.0.1": "chance"},
    },
}

STATEMENT = Statement(
    id="pdbo.thm11_gap",
    source=Source("pdbo", "Theorem 11, proof", "the matrices at y^(T) against those at y*"),
    experiment="hgp-bias",
    quantity=_MEAN,
    versions={
        "printed": Version(
            terms=_G,
            assumes=_ASSUMES,
            causes=(ONE_CLIENT,),
            note="with pbar, Appendix C.7; false for n = 1 only",
            checks=(
                Check("two-clients", TWO_CLIENTS),
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
            terms={"both blocks": (1 + sp.sqrt(edge_spread)) * L_y * y_gap},
            mends=(ONE_CLIENT, DEBIASED_EDGES),
            assumes=_ASSUMES,
            quantity=_EDGES,
            checks=(
                Check("rare-edge", RARE_EDGE),
                Check("rarer-edges", RARER_EDGES),
                Check("two-clients", TWO_CLIENTS),
            ),
        ),
    },
)
