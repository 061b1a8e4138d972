r"""Eq. (10): recurrent backpropagation.

Printed (Section 4.1): with u^(0) = c^y, v^(0) = c^lambda, v^(m+1) = B-hat^(2m) u^(m) + v^(m),
u^(m+1) = A-hat^(2m+1) u^(m), "we obtain the hyper-gradient estimate as v^(M)". As Eq. (9) is
claimed to be unbiased, so is this; and it is, with u^(m) = A-hat^(2m-1) ... A-hat^(1) c^y
(Assumption 5). Exact means over all joint outcomes, of v^(M) against B-bar sum_{m<M} A-bar^m c^y +
c^lambda.
"""

from theorylab.statements import Check, Source, Statement, Version
from theorylab.statements.pdbo._unbiased import BIAS, BIAS_TERMS, instances

STATEMENT = Statement(
    id="pdbo.eq10",
    source=Source("pdbo", "Eq. (10)", "recurrent backpropagation gives the estimate"),
    experiment="hgp-unbiased",
    quantity=BIAS,
    versions={
        "printed": Version(
            terms=BIAS_TERMS,
            assumes=(),
            checks=(
                *(Check(name, one) for name, one in instances("eq10").items()),
                Check("three-terms", instances("eq10", terms=3)["sto-u"]),
            ),
        )
    },
)
