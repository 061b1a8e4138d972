r"""Section 4, the second challenge: "asymmetric topology, leading to the sum not being equal to 1".

Printed: "In contrast to the symmetric topology, our proposed algorithm employs an asymmetric
topology, leading to the sum of sum_j p_{i,j}^t not being equal to 1"; Section 1: "the matrix
representation of directed graphs is not a doubly stochastic matrix. This means that ... sum_j p_ij
!= 1". Judged: some row is off by more than rounding can be, in every round.

False of directed graphs whose in-degrees are their out-degrees: on a directed ring P has a
half on the diagonal and a half beside it, rows and columns sum to 1, and no weight is needed.
Symmetric graphs with unequal degrees and uniform shares have other sums, too: it is unequal degrees
that matter, and not the direction of links.

The other two challenges. "x_{i,K} - x_{i,0} is not an unbiased estimate of grad f(x_i)": it is one
of grad f_i for K = 1, and Lemma 3 and R1 bound what K > 1 adds (``lem3``, ``lem5_r1``).
"Non-convex" is a word.
"""

from __future__ import annotations

from theorylab.statements._base import Check, Source, Statement, Version
from theorylab.statements._quantity import Quantity
from theorylab.statements._severity import Severity
from theorylab.symbols import matrix_rounding

_CHORD = {
    "topology": {"name": "edge-list", "edges": [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]]},
    "clients": 4,
}
_RING = {"topology": {"name": "directed-ring"}, "clients": 4}
_DRAWN = {"topology": {"name": "random-out", "degree": 2, "seed": 1}, "clients": 6}

STATEMENT = Statement(
    id="dfedsgpsm.sec4_rows",
    source=Source("dfedsgpsm", "Section 4, second challenge", "row sums of asymmetric networks"),
    experiment="network-matrices",
    quantity=Quantity("row_sums", "rows", (0, 0), r"\max_i|\sum_j P_{ij}(t)-1|", pathwise=True),
    versions={
        "printed": Version(
            terms={"rounding": matrix_rounding},
            assumes=(),
            relation=">=",
            severity=Severity.MISSING_HYPOTHESIS,
            rests_on="a directed ring, whose P is doubly stochastic",
            checks=(
                Check("chord", _CHORD),
                Check("drawn", _DRAWN),
                Check("ring", _RING, "VIOLATED"),
            ),
        ),
    },
)
