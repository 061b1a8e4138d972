r"""Section 3.1: neighbors, and whether i is one of its own.

Printed: G(t) is a "directed connected graph", N_i^in = {j | (j,i) in E(t)}, and "the link (i,j) in
E(t) (where i != j) does not imply the link (j,i)". Algorithm 1 sums over N_i^in alone (line 16),
and every p_{j,i} is 1/|N_i^out|. In Appendix B a client "'pulls a message' from itself as well".
Assumption 1, strong connectivity, is to "ensure the convergence". Theorem 1 and Lemma 3 need a pair
(C, q) with q < 1 for that, and what such a pair gives is judged: the consensus of ``lem3``
[corrected].

`printed`: E(t) has every link (i,i). i != j says of which links it is that need not be mutual, and
Appendix B excludes a network without (i,i). There a static graph with a period, a ring for one, has
no such pair, however connected: P is a permutation on a ring, and nothing ever mixes
(``ring-without-self-loops``)."""

import sympy as sp

from theorylab.statements import Assumption, Check, Source, Statement, Version
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp.lem3 import STATEMENT as LEM3
from theorylab.symbols import self_loops

_LEMMA = LEM3.versions["corrected"]

STATEMENT = Statement(
    id="dfedpgp.sec31",
    source=Source(
        "dfedpgp", "Section 3.1, Directed Graph Network", "whether i is its own neighbor"
    ),
    algorithm="dfedpgp",
    quantity=LEM3.quantity_of(_LEMMA),
    versions={
        "printed": Version(
            terms=_LEMMA.terms,
            assumes=(
                *_LEMMA.assumes,
                Assumption("every client has a link to itself", rule=sp.Eq(self_loops, 1)),
            ),
            note="links (i,i) are there",
            checks=(
                Check("ring", cases.AWAY),
                Check("ring-without-self-loops", cases.NEVER_MIXED, "ASSUMPTION_FAILS"),
            ),
        ),
    },
)
