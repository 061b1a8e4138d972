r"""Section 3.1: neighbors, and whether i is one of its own.

Printed: G(t) is a "directed connected graph", N_i^in = {j | (j,i) in E(t)}, and a link is (i,j)
"where i != j". Algorithm 1 sums over N_i^in alone (line 16), and every p_{j,i} is 1/|N_i^out|.
Appendix B lets a client pull from itself besides. Assumption 1, strong connectivity, is to "ensure
the convergence". Theorem 1 and Lemma 3 need a pair (C, q) with q < 1 for that, and what such a pair
gives is judged: the consensus of ``lem3`` [corrected].

`printed`: E(t) may have links (i,i), and has them. `printed/no-self-loops`: it has none, i != j.
Then a static graph with a period, a ring for one, has no such pair, however connected: P is
irreducible of period h > 1, so by Perron and Frobenius it has an eigenvalue e^(2 pi i/h) with a
vector x; 1^T P = 1^T gives 1^T x = 0, and from u^0 = x, eta_u = 0, z_i^t = e^(2 pi i t/h)
x_i/mu_i^t, whose size is at least |x_i|/m, while ubar^t = 0. On a ring P is a permutation: every
client gives away all it has, and nothing ever mixes."""

from __future__ import annotations

import sympy as sp

from theorylab.statements._base import Assumption, Check, Source, Statement, Version, Witness
from theorylab.statements._severity import Severity
from theorylab.statements.deprl._corollary1 import WALK_FACTS
from theorylab.statements.deprl._symbols import aperiodic
from theorylab.statements.dfedpgp import _instances as made
from theorylab.statements.dfedpgp.lem3 import STATEMENT as LEM3
from theorylab.symbols import self_loops, window

_LEMMA = LEM3.versions["corrected"]
_NONE = Assumption("no client has a link to itself", rule=sp.Eq(self_loops, 0))
_CHORD = {"name": "edge-list", "edges": [[0, 1], [1, 2], [2, 0], [0, 2]], "self_loops": False}

STATEMENT = Statement(
    id="dfedpgp.sec31",
    source=Source("dfedpgp", "Section 3.1, Directed Graph Network", "i is no neighbor of its own"),
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
                Check("ring", made.AWAY),
                Check("ring-without-self-loops", made.NEVER_MIXED, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/no-self-loops": Version(
            terms=_LEMMA.terms,
            assumes=_LEMMA.assumes,
            constants={aperiodic: WALK_FACTS[aperiodic]},
            unsatisfiable=Witness(
                breaks="Theorem 1: q < 1, C finite",
                facts=(
                    _NONE,
                    Assumption("the graph is strongly connected", finite=(window,)),
                    Assumption("all its cycles have a common period", rule=sp.Eq(aperiodic, 0)),
                ),
                within="static graphs with a period",
            ),
            note="no link is (i,i)",
            severity=Severity.EMPTY,
            rests_on="the class of static graphs with a period, as rings",
            checks=(
                Check("ring", made.NEVER_MIXED, "UNSATISFIABLE"),
                Check(
                    "ring-with-a-chord",
                    {**made.PUSHED, "topology": _CHORD, **made.rows_at(2)},
                    "INCONCLUSIVE",
                    quick=False,
                ),
                Check("ring-with-self-loops", made.AWAY, "INCONCLUSIVE"),
            ),
        ),
    },
)
