r"""Lemma 1 (Lemma 4 of Lian et al. 2017): powers of the gossip matrix.

Printed: for any t in Z^+, "the mixing matrix W in R^m" satisfies ||W^t - P||_op <= lambda^t, with
lambda := max{|lambda_2|, |lambda_m(W)|}, P := 11^T/m. (W is m x m.)

True, with equality: W is symmetric with W1 = 1, so W^t - P = (W - P)^t has the eigenvalues 0 and
lambda_k^t, k >= 2. For t = 0, which Lemma 5 uses too, ||I - P|| = 1. Judged up to rounding.
"""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedalt import _instances as cases
from theorylab.statements.dfedalt._assumptions import GRAPH
from theorylab.statements.dfedalt._symbols import lam
from theorylab.statements.dfedsgpsm._symbols import t
from theorylab.symbols import matrix_rounding

STATEMENT = Statement(
    id="dfedalt.lem1",
    source=Source("dfedalt", "Lemma 1", "powers of the gossip matrix"),
    experiment="network-matrices",
    quantity=Quantity("norms", "rows", (0, 0), r"\|\mathbf{W}^t-\mathbf{P}\|_{op}", pathwise=True),
    versions={
        "printed": Version(
            terms={"power": lam**t, "rounding": matrix_rounding},
            assumes=(GRAPH,),
            checks=(
                Check("ring", cases.NETWORK),
                Check("few-loops", {**cases.NETWORK, "topology": cases.FEW_LOOPS, "clients": 4}),
                Check("slow-pair", {**cases.NETWORK, "topology": cases.pair(1e-3), "clients": 2}),
                Check(
                    "directed-ring",
                    {**cases.NETWORK, "topology": {"name": "directed-ring"}},
                    "ASSUMPTION_FAILS",
                ),
            ),
        ),
    },
)
