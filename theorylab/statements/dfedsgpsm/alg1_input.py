r"""Algorithm 1, its input: p_{j,i}^t = 1/|N_i^out(0)| for all i, j.

Printed: the share is that of round 0, for every t; and P is "column-stochastic" (Proof 5: "since
the communication topology is a column-stochastic matrix"; Section 1: "each client can ensure that
the weighted coefficients of the information it sends are 1").

Both are true only where no out-degree changes. Client i gives 1/|N_i^out(0)| to each of the
|N_i^out(t)| out-neighbours that it has in round t, in all |N_i^out(t)| / |N_i^out(0)|, which has to
be 1. Undirected graphs that are drawn anew break it; the networks of Appendix A, where every client
has 10 neighbours, do not. Where it is broken sum_i x_i is not kept, and xbar, which Theorem 1 is
about, moves without a gradient.

Corrected: 1/|N_i^out(t)|. Columns then sum to 1 by construction; judged up to rounding.
"""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedsgpsm import _instances as cases
from theorylab.statements.dfedsgpsm._causes import FIRST_SHARES
from theorylab.symbols import matrix_rounding

_CHECKS = (
    Check("changing-degrees", cases.ALG1_INPUT_CHANGING),
    Check("fixed-degrees", cases.ALG1_INPUT_FIXED),
)

STATEMENT = Statement(
    id="dfedsgpsm.alg1_input",
    source=Source("dfedsgpsm", "Algorithm 1, input", "shares of round 0 and columns that sum to 1"),
    experiment="network-matrices",
    quantity=Quantity(
        "first_shares",
        "rows",
        (0, 0),
        r"\max_i\big||N_i^{out}(t)|/|N_i^{out}(0)|-1\big|",
        pathwise=True,
    ),
    versions={
        "printed": Version(
            terms={"rounding": matrix_rounding},
            assumes=(),
            causes=(FIRST_SHARES,),
            checks=(Check("changing-degrees", cases.ALG1_INPUT_CHANGING, "VIOLATED"), _CHECKS[1]),
        ),
        "corrected": Version(
            terms={"rounding": matrix_rounding},
            assumes=(),
            quantity=Quantity(
                "column_sums", "rows", (0, 0), r"\max_j|\sum_i P_{ij}(t)-1|", pathwise=True
            ),
            note="shares of round t",
            mends=(FIRST_SHARES,),
            checks=_CHECKS,
        ),
    },
)
