r"""Eq. (9): the estimator of the hypergradient.

Printed (Section 4.1, which claims "to ensure unbiasedness"): the estimator is

    sum_{m=0}^{M-1} B-hat^(2m) prod_{s=0}^{m-1} A-hat^(2m+1) c^y + c^lambda,
    B-bar sum_m A-bar^m = E[ sum_m B-hat^(2m) prod_{s=0}^{m-1} A-hat^(2m+1) ].

`printed` takes the product to the letter, (A-hat^(2m+1))^m, as it stands here, in the line on
unbiasedness and in u^(m). `corrected` has A-hat^(2s+1), as Appendix A.3.2 and Eq. (16): the factors
are independent (Assumption 5) and the mean of a product is the product of the means. True for
sto-u, too: no independence of edges within a round is needed. Exact means over all joint outcomes.
"""

from theorylab.statements import Check, Source, Statement, Version
from theorylab.statements.pdbo._causes import PRODUCT_INDEX
from theorylab.statements.pdbo._unbiased import BIAS, BIAS_TERMS, instances

_LITERAL = instances("eq9", terms=3)

STATEMENT = Statement(
    id="pdbo.eq9",
    source=Source("pdbo", "Eq. (9)", "the estimator is unbiased"),
    experiment="hgp-unbiased",
    quantity=BIAS,
    versions={
        "printed": Version(
            terms=BIAS_TERMS,
            assumes=(),
            causes=(PRODUCT_INDEX,),
            note="to the letter, a misprint: the product of A-hat^(2m+1) over s",
            checks=(
                *(Check(name, instance, "VIOLATED") for name, instance in _LITERAL.items()),
                Check("two-terms", {**_LITERAL["sto-d"], "terms": 2}),
            ),
        ),
        "corrected": Version(
            terms=BIAS_TERMS,
            assumes=(),
            note="the obvious repair: the product of A-hat^(2s+1), as Eq. (16) has it",
            mends=(PRODUCT_INDEX,),
            checks=tuple(Check(name, one) for name, one in instances("eq10").items()),
        ),
    },
)
