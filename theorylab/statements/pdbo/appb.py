r"""Appendix B: general HGP for variance reduction.

Printed (Appendix B; Section 4.2): v, u, w of Eq. (17) to (19) and the
estimate v^(M) + c^lambda. "this general HGP is the weighted average of the two different estimation
algorithms, which results in an estimator with a smaller variance" (Section 4.2: "Note that the
weighted average of two different estimators results in an estimator with a smaller variance").

`printed`: the estimate is unbiased for all alpha, beta in [0, 1]; true, as its mean follows the
recursion with A-bar, B-bar, in which w^(m) = sum_{m'<=m} A-bar^{m'} c^y. `printed/variance` takes
Sec. 4.2 alone, which has no "by choosing alpha, beta appropriately": the variance is at most that
of either estimator. `printed/chosen` takes Appendix B with it, some alpha, beta in (0, 1) make it
smaller than both: shown where a grid has such a pair (its least is above the infimum, so a grid
without one refutes nothing). With the paper's (.9, .1) the sentence holds on this instance. Of
plain averages Var(a X + (1-a) Y) <= max(Var X, Var Y) is all that is true.
"""

import sympy as sp

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._causes import ANY_WEIGHTS
from theorylab.statements.pdbo._symbols import variance_u, variance_w
from theorylab.statements.pdbo._unbiased import BIAS, BIAS_TERMS, instances
from theorylab.statements.pdbo.asm6 import BOTH_WAYS

_BETWEEN = instances("appendix-b", alpha=0.6, beta=0.3)
_MOSTLY_W = {"alpha": 0.05, "beta": 0.2}
_LEAST = Quantity(
    "least_variance", "rows", (2, 0), r"\min_{\alpha,\beta}\mathrm{tr\,Cov}(\hat d_\lambda)"
)
_VARIANCE = Quantity("variance", "rows", (2, 0), r"\mathrm{tr\,Cov}(\hat d_\lambda)")

STATEMENT = Statement(
    id="pdbo.appb",
    source=Source("pdbo", "Appendix B", "general HGP: unbiased, with a smaller variance"),
    experiment="hgp-unbiased",
    quantity=BIAS,
    versions={
        "printed": Version(
            terms=BIAS_TERMS,
            assumes=(BOTH_WAYS,),
            note="unbiased",
            checks=(
                *(Check(name, one) for name, one in _BETWEEN.items()),
                Check("three-terms", {**_BETWEEN["sto-u"], "terms": 3}),
            ),
        ),
        "printed/variance": Version(
            terms={"smaller of the two": sp.Min(variance_u, variance_w)},
            assumes=(BOTH_WAYS,),
            quantity=_VARIANCE,
            causes=(ANY_WEIGHTS,),
            note="Section 4.2: smaller than that of either estimator, for any weights",
            checks=(
                Check("mostly-w", {**_BETWEEN["sto-u"], **_MOSTLY_W}, "VIOLATED"),
                Check("mostly-w-4a", {**_BETWEEN["sto-d-4a"], **_MOSTLY_W}, "VIOLATED"),
                Check("paper-weights", {**_BETWEEN["sto-u"], "alpha": 0.9, "beta": 0.1}),
            ),
        ),
        "printed/chosen": Version(
            terms={"smaller of the two": sp.Min(variance_u, variance_w)},
            assumes=(BOTH_WAYS,),
            quantity=_LEAST,
            note="Appendix B: smaller than both for weights chosen appropriately",
            mends=(ANY_WEIGHTS,),
            checks=tuple(Check(name, one) for name, one in _BETWEEN.items()),
        ),
    },
)
