r"""Assumption 7: the edges of a round are independent.

Printed (Section 4.2): "The realization of delta_{i->j}^(m) are independent over different
j and i for all m in N." Checked: the largest covariance of two different ordered edges, summed over
all edge patterns of a round (edges are 0 or 1; zero covariance of pairs is necessary).

`printed/sto-u`: StoU, one of the two stochastic networks of the paper's experiments (Section 6.1),
has delta_{i->j} = delta_{j->i}: Cov = dbar (1 - dbar) > 0 for any edge with 0 < dbar < 1 (on every
undirected stochastic network, too), and the paper draws dbar from [.4, .8]. Unbiasedness does not
need it (``pdbo.eq12``); the tail bound does. Networks whose clients draw a number of neighbours
(random-out, random-in, random-symmetric) do not satisfy it either.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version, Witness
from theorylab.statements.pdbo._causes import PAIRED_EDGES
from theorylab.statements.pdbo._rounding import gamma
from theorylab.statements.pdbo._symbols import edge_covariance, outcomes, undirected

INDEPENDENT = Assumption("Assumption 7 (edges are independent)", rule=sp.Eq(edge_covariance, 0))
_TERMS = {"rounding": gamma(4 * outcomes + 64)}
_PAIRS = (
    Assumption("StoU: delta_ij = delta_ji", rule=sp.Eq(undirected, 1)),
    Assumption("StoU: Cov(delta_ij, delta_ji) = dbar (1 - dbar) > 0", rule=edge_covariance > 0),
)
RANDOM_OUT = {"network": {"name": "random-out", "degree": 2}, "clients": 4}

STATEMENT = Statement(
    id="pdbo.asm7",
    source=Source("pdbo", "Assumption 7", "the edges of a round are independent"),
    experiment="hgp-network",
    quantity=Quantity(
        "edge_covariance", "rows", (0, 0), r"\max |\mathrm{Cov}(\delta_{i\to j}, \delta_{k\to l})|"
    ),
    versions={
        "printed": Version(
            terms=_TERMS,
            assumes=(INDEPENDENT,),
            mends=(PAIRED_EDGES,),
            checks=(
                Check("sto-d", {"network": {"name": "sto-d"}, "clients": 3}),
                Check("static", {"network": {"name": "complete"}, "clients": 4}),
                Check("sto-u", {"network": {"name": "sto-u"}, "clients": 4}, "ASSUMPTION_FAILS"),
                Check("random-out", RANDOM_OUT, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/sto-u": Version(
            terms=_TERMS,
            assumes=(INDEPENDENT,),
            unsatisfiable=Witness(
                breaks=INDEPENDENT.name, facts=_PAIRS, within="StoU, 0 < dbar < 1"
            ),
            causes=(PAIRED_EDGES,),
            note="for StoU",
            checks=(
                Check("sto-u", {"network": {"name": "sto-u"}, "clients": 4}, "UNSATISFIABLE"),
                Check(
                    "two-clients",
                    {"network": {"name": "sto-u", "low": 0.4, "high": 0.4}, "clients": 2},
                    "UNSATISFIABLE",
                ),
            ),
        ),
    },
)
