r"""Eq. (13): the variant with w.

Printed (Section 4.2): w^(0) = c^y, v^(m+1) = sum_j (delta_{j->i}/delta_{j->i}) <B-tilde>_ij
w_j^(m), w^(m+1) = sum_j (delta_{j->i}/delta_{j->i}) <A-tilde>_ij w_j^(m) + c^y; "Here, w^(m)
corresponds to the estimator of sum_{m'=0}^{m-1} A^{m'} c^y."

`printed` reads the denominators with a bar, as Eq. (12) has them: v^(M) + c^lambda is unbiased.
(The text at hand is one extracted from a PDF, which loses bars over a delta in a denominator: kappa
of (14) and Theorem 1 lack theirs, too. delta/delta is no reading of the paper: it would be 1 on
every edge that is there, and the mean would lose dbar.) `printed/line157`: E w^(m) =
sum_{m'=0}^{m-1} A-bar^{m'} c^y; `corrected` is Appendix B's upper limit m.
"""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._causes import LAST_INDEX
from theorylab.statements.pdbo._unbiased import BIAS, BIAS_TERMS, W_TERMS, instances
from theorylab.statements.pdbo.asm6 import BOTH_WAYS

_BARRED = instances("eq13")

STATEMENT = Statement(
    id="pdbo.eq13",
    source=Source("pdbo", "Eq. (13)", "the variant with w is unbiased"),
    experiment="hgp-unbiased",
    quantity=BIAS,
    versions={
        "printed": Version(
            terms=BIAS_TERMS,
            assumes=(BOTH_WAYS,),
            note="dbar in the denominators",
            checks=tuple(Check(name, one) for name, one in _BARRED.items()),
        ),
        "printed/line157": Version(
            terms=W_TERMS,
            assumes=(BOTH_WAYS,),
            quantity=Quantity(
                "bias_w_line157",
                "rows",
                (1, -1),
                r"\|E w^{(m)} - \sum_{m'\leq m-1} \bar A^{m'} c^{\mathbf y}\|_\infty",
            ),
            causes=(LAST_INDEX,),
            note="the sum ends at m - 1",
            checks=(Check("sto-d", _BARRED["sto-d"], "VIOLATED"),),
        ),
        "corrected": Version(
            terms=W_TERMS,
            assumes=(BOTH_WAYS,),
            quantity=Quantity(
                "bias_w",
                "rows",
                (1, -1),
                r"\|E w^{(m)} - \sum_{m'\leq m} \bar A^{m'} c^{\mathbf y}\|_\infty",
            ),
            note="the sum ends at m, Appendix B",
            mends=(LAST_INDEX,),
            checks=tuple(Check(name, one) for name, one in _BARRED.items()),
        ),
    },
)
