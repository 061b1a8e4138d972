r"""Definition 1 (the gossip matrix): lambda < 1.

Printed: W = [w_ij] in [0,1]^{m x m} with (i) w_ij = 0 if i != j and (i,j) is no edge, otherwise
w_ij > 0; (ii) W = W^T; (iii) null{I - W} = span{1}; (iv) I >= W > -I. "Under these properties, the
eigenvalues of W satisfies 1 = |lambda_1(W)| > |lambda_2(W)| >= ... >= |lambda_m(W)|. And lambda :=
max{|lambda_2(W)|, |lambda_m(W)|} and 1 - lambda in (0, 1]."

The letter writes the chain in moduli, so the eigenvalues come in order of modulus, and the max is
|lambda_2| already: naming lambda_m is left over from an order by value, in which the chain would be
false (a ring of four with w_ii = .1: 1, .1, .1, -.8) and the max needed. lambda is the same number
either way. m = 1 has no lambda_2; lambda_m = 1 would make the gap 0. m >= 2 is read. The graph is
the pattern of W; (i) asks w_ii > 0 too, as "otherwise" includes i = j.

True in order of modulus: W is symmetric, so its eigenvalues are real, in (-1, 1] by (iv); the
eigenvalue 1 is simple by (iii), and there are finitely many others, all in (-1, 1). (iv) follows
from (i)-(iii): w_ij >= 0 with row sums 1 has spectrum in [-1, 1], and w_ii > 0 excludes -1. So
lambda_m > -1 suffices, and costs nothing.
"""

import sympy as sp

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedalt import _instances as cases
from theorylab.statements.dfedalt._assumptions import GRAPH

STATEMENT = Statement(
    id="dfedalt.def1",
    source=Source("dfedalt", "Definition 1", "spectral gap of the gossip matrix"),
    experiment="network-matrices",
    quantity=Quantity("moduli", "rows", (0, 0), r"|\lambda_k(\mathbf{W})|, k\geq 2", pathwise=True),
    versions={
        "printed": Version(
            terms={"one": sp.Integer(1)},
            assumes=(GRAPH,),
            note="eigenvalues in order of modulus",
            checks=(
                Check("ring", cases.NETWORK),
                Check("few-loops", cases.DEF1_FEW),
                Check("complete", cases.DEF1_COMPLETE),
                Check("directed-ring", cases.DEF1_DIRECTED, "ASSUMPTION_FAILS"),
            ),
        ),
    },
)
