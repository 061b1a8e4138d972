r"""Eq. (13): the variant with w.

Printed (lines 153 to 157): w^(0) = c^y, v^(m+1) = sum_j (delta_{j->i}/delta_{j->i}) <B-tilde>_ij
w_j^(m), w^(m+1) = sum_j (delta_{j->i}/delta_{j->i}) <A-tilde>_ij w_j^(m) + c^y; "Here, w^(m)
corresponds to the estimator of sum_{m'=0}^{m-1} A^{m'} c^y."

`printed` reads the denominators with a bar, as Eq. (12) has them: v^(M) + c^lambda is unbiased.
`printed/no-bar` takes the letter: delta/delta is 1 on an edge that is there, so what arrives is not
scaled up, and the mean loses dbar; but a bar over a delta in a denominator is just what a text file
made from a PDF can lose (Eq. (12)'s, a few lines before, has kept it), so this version is a fact
about the letters at hand and may be none about the paper. `printed/line157`: E w^(m) =
sum_{m'=0}^{m-1} A-bar^{m'} c^y is false already for m = 0 (an empty sum against c^y); `corrected`
is Appendix B's upper limit m (line 450).
"""

from __future__ import annotations

from theorylab.statements._base import Check, Source, Statement, Version
from theorylab.statements._quantity import Quantity
from theorylab.statements.pdbo._unbiased import BIAS, BIAS_TERMS, W_TERMS, instances
from theorylab.statements.pdbo.asm6 import BOTH_WAYS

_BARRED = instances("eq13")
_LETTER = instances("eq13", edges="undivided")

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
        "printed/no-bar": Version(
            terms=BIAS_TERMS,
            assumes=(BOTH_WAYS,),
            note="delta in the denominators; the bar may be lost in the text file only",
            checks=tuple(Check(name, one, "VIOLATED") for name, one in _LETTER.items()),
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
            note="the sum ends at m, line 450",
            checks=tuple(Check(name, one) for name, one in _BARRED.items()),
        ),
    },
)
