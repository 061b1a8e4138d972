r"""Eq. (11): client by client, and what undirected edges have to do with it.

Printed (Section 4.2): client i computes sum_j delta_{i->j} <A-hat>_ij u_j, for which it "needs
to receive u_j from all the j-th client with delta_{i->j} = 1 [...] In other words, the exact
computation of Eq. (11) is available only when the communications are undirected".

`printed`: a client adds up what it receives, sum_j delta_{j->i} delta_{i->j} <A-hat>_ij u_j. On
undirected edges that is Eq. (11) and unbiased. `printed/directed` drops "undirected" and is false:
the mean loses the factor dbar_{j->i}. That is what the text says, not the contrary: its checks are
controls.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Source, Statement, Version
from theorylab.statements.pdbo._symbols import undirected
from theorylab.statements.pdbo._unbiased import BIAS, BIAS_TERMS, instances

_BY_NAME = instances("eq11", edges="received")
_UNDIRECTED = Assumption("undirected: delta_{i->j} = delta_{j->i}", rule=sp.Eq(undirected, 1))

STATEMENT = Statement(
    id="pdbo.eq11",
    source=Source("pdbo", "Eq. (11)", "exact backpropagation over undirected edges"),
    experiment="hgp-unbiased",
    quantity=BIAS,
    versions={
        "printed": Version(
            terms=BIAS_TERMS,
            assumes=(_UNDIRECTED,),
            checks=(
                Check("sto-u", _BY_NAME["sto-u"]),
                Check("sto-u-three", _BY_NAME["sto-u-three"]),
                Check("sto-d", _BY_NAME["sto-d"], "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/directed": Version(
            terms=BIAS_TERMS,
            assumes=(),
            note="control, not claimed: the same on directed edges",
            checks=(
                Check("sto-d", _BY_NAME["sto-d"], "VIOLATED", control=True),
                Check("sto-d-4a", _BY_NAME["sto-d-4a"], "VIOLATED", control=True),
            ),
        ),
    },
)
