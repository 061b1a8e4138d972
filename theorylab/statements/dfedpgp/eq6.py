r"""Section 3.2, (6): a random choice of neighbors "that satisfies our theory (Section 4)".

Printed, Appendix B: every client draws whom to pull from, and p_{i,j}^t = 1/(n+1) for these and
for itself, "each row" having n + 1 entries: rows of P^t sum to 1. The theory is about Algorithm 1,
where p_{j,i} = 1/|N_i^out|: columns sum to 1. Its proof needs that at (23) already, ubar^{t+1} -
ubar^t = -eta_u/m sum_i sum_k grad_u F_i: mixing keeps the average. Judged as the largest |sum_i
p_{i,j}^t - 1| over j, which is what a client's model gains or loses in the sum.

`corrected`: every client draws whom to push to, random-out,
and gives each and itself 1/(n+1): |N_i^out| is the same for all, and columns sum to 1.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedpgp._causes import ROWS
from theorylab.statements.dfedpgp._symbols import pushed
from theorylab.symbols import n, roundoff

_TERMS = {"rounding": 2 * n * roundoff}


def _drawn(name: str, degree: int, clients: int = 10) -> dict[str, Any]:
    network = {"name": name, "degree": degree, "seed": 1}
    return {"clients": clients, "topology": network, "rounds": 5}


STATEMENT = Statement(
    id="dfedpgp.eq6",
    source=Source("dfedpgp", "Section 3.2, Eq. (6)", "random neighbors that satisfy the theory"),
    experiment="network-matrices",
    quantity=Quantity(
        "column_sums", "rows", (0, 0), r"\max_j|\textstyle\sum_ip_{i,j}^t-1|", pathwise=True
    ),
    versions={
        "printed": Version(
            terms=_TERMS,
            assumes=(),
            note="rows sum to 1",
            causes=(ROWS,),
            checks=(
                Check("two-of-ten", _drawn("random-in", 2), "VIOLATED"),
                Check("everybody", _drawn("random-in", 9)),
            ),
        ),
        "corrected": Version(
            terms=_TERMS,
            assumes=(Assumption("every client draws whom to push to", rule=sp.Eq(pushed, 1)),),
            note="pushed, columns sum to 1",
            mends=(ROWS,),
            checks=(
                Check("two-of-ten", _drawn("random-out", 2)),
                Check("three-of-ten", _drawn("random-out", 3)),
                Check("pulled", _drawn("random-in", 2), "ASSUMPTION_FAILS"),
            ),
        ),
    },
)
