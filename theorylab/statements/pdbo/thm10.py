r"""Theorem 10: the error of HGP (alpha = 1, beta = 0).

Printed (Appendix C.4; Assumptions 1 to 9, minibatches of b): with probability at least
1 - epsilon,

    || v^(M+1) - d_{lambda_j} F(y*, lambda) ||
      <= mu_{1,0} tau sqrt( ( sum_{s,t} pbar_ts^2 / dbar_{s->t}^2 + 4 n / |zeta| )
             log( n (d_y + d_lambda) / epsilon ) ) + exp(-O(M)),
    mu_{1,0}^2 = 8 (eta_A^2 + (1 - eta_A)^2) / (1 - eta_A^2),   tau as in Theorem 8.

Readings. The left side has no c^lambda, unlike Theorem 8's. C.4 "recovers naive HGP", and naive HGP
starts at v^(0) = c^lambda (below Eq. (9), Appendix A.4, Algorithm 4): that is `printed`, which
holds. Appendix C.1 starts the general HGP at v^(0) = 0 ((17) to (19)), and C.4 does no more than
set alpha and beta: `printed/c1-start`, where v^(M+1) lacks c^lambda and the error is at least
||c^lambda|| less the rest. |zeta| is b. For the index j, and exp(-O(M)), see Theorem 8.

The lines of the proof are those of Theorem 8; (36)'s first line prints 1/dbar - 2 for
1/dbar - 1 (``lem9_lines``; and 1 + (1/dbar - 2)^2 <= 1/dbar^2 fails for dbar > 4/5) and
closes the bracket before ||R_1||, harmless as L_5 = 0 here. The series give mu_{1,0}
(``thm8_series``).

Corrected: c^lambda is added, and the norms are those of Theorem 1's corrected version, with
R_3 = a^i, |L_4| a^i = b (a^i - a^M) / (1 - a), L_5 = 0; the proof is the same.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._bound import EDGES, NORMS, PINELIS, TRIVIAL, explicit, hgp_sums
from theorylab.statements.pdbo._causes import NO_OUTER
from theorylab.statements.pdbo._symbols import (
    batch,
    c_norm,
    dev_A,
    dev_B,
    edge_swing,
    eps_chance,
    op_A,
    op_B,
    phi_A,
    phi_B,
    terms,
    vr_alpha,
    vr_beta,
)
from theorylab.statements.pdbo.thm1 import SGP_CONTRACTING
from theorylab.statements.pdbo.thm8 import ERROR, EXACT, EXTREME, TEN_CLIENTS
from theorylab.symbols import n

_BARE = Quantity(
    "bare_error", "rows", (1, 0), r"\|v^{(M)} - \mathrm{d}_\lambda \bar F\|", chance=eps_chance
)
NAIVE = (
    Assumption("Theorem 10: alpha = 1", rule=sp.Eq(vr_alpha, 1)),
    Assumption("Theorem 10: beta = 0", rule=sp.Eq(vr_beta, 0)),
)
_first, _second = hgp_sums(terms - 1, op_A)
_variance = (phi_B**2 * edge_swing + dev_B**2 * n / batch) * _first + op_B**2 * (
    phi_A**2 * edge_swing + dev_A**2 * n / batch
) * _second
_ONE = {"alpha": 1.0, "beta": 0.0}
LARGE_OUTER = {**EXACT, **_ONE, "outer": 1000.0}
# One client with one number, which nothing random reaches: v^(M) is off by c^lambda itself.
ALONE = {
    **LARGE_OUTER,
    **{"clients": 1, "network": {"name": "complete"}, "dim": 1, "hyper": 1, "terms": [1]},
}
_DECADES = {"parameter": "outer", "values": [1, 10, 100, 1000, 10000]}
OUTER_DECADES = {**LARGE_OUTER, "terms": [1], "sweep": _DECADES}  # the bound has no c^lambda

STATEMENT = Statement(
    id="pdbo.thm10",
    source=Source("pdbo", "Theorem 10", "error of HGP with probability 1 - epsilon"),
    experiment="hgp-error",
    quantity=ERROR,
    trivial=TRIVIAL,
    versions={
        "printed": Version(
            terms=explicit(terms - 1, naive=True),
            assumes=(*EDGES, *NAIVE, *NORMS),
            note="v^(0) = c^lambda, as Appendix A.4 starts it",
            mends=(NO_OUTER,),
            checks=(
                Check("large-outer-gradient", LARGE_OUTER),
                Check("extreme-maps", {**EXTREME, **_ONE}),
                Check("ten-clients", {**TEN_CLIENTS, **_ONE, "batch": 32, "terms": [12, 24]}),
            ),
        ),
        "printed/c1-start": Version(
            terms=explicit(terms - 1, naive=True),
            assumes=(*EDGES, *NAIVE, *NORMS),
            quantity=_BARE,
            causes=(NO_OUTER,),
            note="v^(0) = 0, as Appendix C.1 starts it",
            checks=(
                Check("large-outer-gradient", LARGE_OUTER, "VIOLATED"),
                Check("one-client", ALONE, "VIOLATED"),
                Check("outer-decades", OUTER_DECADES, "VIOLATED"),
            ),
        ),
        "corrected": Version(
            terms={
                "noise": c_norm * sp.sqrt(PINELIS * _variance),
                "truncation": op_B * c_norm * op_A**terms / (1 - op_A),
            },
            assumes=(
                *EDGES,
                *NAIVE,
                Assumption("corrected: a = max ||A||_2 < 1", rule=op_A < 1),
                Assumption("corrected: b = max ||B||_2 finite", finite=(op_B,)),
            ),
            note="with c^lambda; norms of whole rounds",
            mends=(NO_OUTER,),
            checks=(
                Check("large-outer-gradient", LARGE_OUTER),
                Check("sgp-4a", {**SGP_CONTRACTING, **_ONE}),
            ),
        ),
    },
)
