r"""Algorithm 3: exact recurrent backpropagation, as client i runs it, against Eq. (11).

Printed (Appendix F, "(Maybe impossible) Exact recurrent backpropagation"): client i sends u_i to
every j with delta_{i->j} = 1 (lines 5, 13), receives u_j "from the j-th node" for every j with
delta_{i->j} = 1 (8, 16), and adds p_ij(delta_i) d phi_i u_j (10, 18) and d psi_i u_i (11, 19).

What j sends arrives where delta_{j->i} = 1, so what is received is Eq. (11)'s sum with
delta_{j->i} delta_{i->j} p_ij, which is Eq. (11) on undirected edges; elsewhere "maybe impossible",
as the title says (``pdbo.eq11``). `printed`: there it estimates B-bar sum_{m<M} A-bar^m c^y +
c^lambda without bias.

Reading. Line 20 returns v^(m) after the loop over m = 0 .. M - 1: v^(M), the last one computed.
`printed/letter` takes the m that the loop leaves, M - 1: B-bar A-bar^{M-1} c^y is missing then (for
M = 1 all but c^lambda), a bias that vanishes with M.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Source, Statement, Version
from theorylab.statements.pdbo._causes import RETURN
from theorylab.statements.pdbo._symbols import undirected
from theorylab.statements.pdbo._unbiased import BIAS, BIAS_TERMS, instances

_BY_NAME = instances("alg3-received", terms=3)
_UNDIRECTED = Assumption("undirected: delta_{i->j} = delta_{j->i}", rule=sp.Eq(undirected, 1))

STATEMENT = Statement(
    id="pdbo.alg3",
    source=Source("pdbo", "Algorithm 3", "exact backpropagation, client by client"),
    experiment="hgp-unbiased",
    quantity=BIAS,
    versions={
        "printed": Version(
            terms=BIAS_TERMS,
            assumes=(_UNDIRECTED,),
            note="over undirected edges",
            mends=(RETURN,),
            checks=(
                Check("sto-u", _BY_NAME["sto-u"]),
                Check("sto-u-three", {**_BY_NAME["sto-u-three"], "terms": 2}),
                Check("sto-d", {**_BY_NAME["sto-d"], "terms": 2}, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/letter": Version(
            terms=BIAS_TERMS,
            assumes=(_UNDIRECTED,),
            causes=(RETURN,),
            note="v^(m) of the last m, over undirected edges",
            checks=(
                Check("sto-u", {**_BY_NAME["sto-u"], "letter": True}, "VIOLATED"),
                Check("one-term", {**_BY_NAME["sto-u"], "letter": True, "terms": 1}, "VIOLATED"),
            ),
        ),
    },
)
