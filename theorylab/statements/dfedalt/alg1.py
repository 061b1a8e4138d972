r"""Algorithm 1, line 13: what is mixed.

Printed: line 12 "Receive neighbors' shared models z_j^t with adjacency matrix W", line 13
"u_i^{t+1} = sum_{l in N(i)} w_{i,l} z_i^t"; Section 3.2: "each client updates its shared parameters
by averaging its neighbors' shared parameters (including itself)".

Judged: t such lines, with no steps between them, leave a distance to the average of at most
lambda^t, which is what averaging does (Lemma 1) and what the lemmas use it for. ||M^t - P||_op <=
lambda^t for the matrix M of line 13.

Readings. `printed` takes z_i^t, as line 13 has it: M is the diagonal matrix of W's row sums, the
identity by Definition 1, and the distance stays 1. `printed/received` reads z_l, the letter that is
summed over: M = W, with equality. All runs have z_l.
"""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedalt import _instances as cases
from theorylab.statements.dfedalt._assumptions import GRAPH
from theorylab.statements.dfedalt._causes import LINE_13
from theorylab.statements.dfedalt._symbols import lam
from theorylab.statements.dfedsgpsm._symbols import t
from theorylab.symbols import matrix_rounding

_TEXT = r"\|\mathbf{M}^t-\mathbf{P}\|_{op}"
_TERMS = {"power": lam**t, "rounding": matrix_rounding}

STATEMENT = Statement(
    id="dfedalt.alg1",
    source=Source("dfedalt", "Algorithm 1, line 13", "what a client averages"),
    experiment="network-matrices",
    quantity=Quantity("norms", "rows", (0, 0), _TEXT, pathwise=True),
    versions={
        "printed": Version(
            terms=_TERMS,
            assumes=(GRAPH,),
            quantity=Quantity("own_norms", "rows", (0, 0), _TEXT, pathwise=True),
            note="z_i^t, as line 13 has it",
            causes=(LINE_13,),
            checks=(
                Check("ring", cases.NETWORK, "VIOLATED"),
                Check("slow-pair", cases.ALG1_SLOW_PAIR, "VIOLATED"),
            ),
        ),
        "printed/received": Version(
            terms=_TERMS,
            assumes=(GRAPH,),
            note="z_l^t, the letter that is summed over",
            mends=(LINE_13,),
            checks=(Check("ring", cases.NETWORK), Check("slow-pair", cases.ALG1_SLOW_PAIR)),
        ),
    },
)
