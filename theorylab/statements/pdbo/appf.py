r"""Appendix F, "Outer-loop in PDBO": what HGP's output is an unbiased estimate of.

Printed (Appendix F): "As the output of HGP can be seen as an unbiased estimate of stochastic
gradient, the convergence property of outer steps is simply given by the common convergence
property of SGD whose noise is characterized by Theorem 1."

`printed`: "can be seen as" refers to what was claimed before (Sec. 4.1: E of the estimator is Bbar
sum_{i<M} Abar^i c^y + c^lambda, the truncated series), and is true. `implied`: what the convergence
of SGD on Fbar would take, unbiased for d_lambda Fbar itself, is not: the mean differs from it by
the rest of the series, which goes to 0 as M grows. `corrected` bounds that bias as ``thm8_tail``
does. (With y^(T) for y* there is Theorem 11's bias on top, and estimated pbar, dbar have theirs.)
The second half, on SGD, has no formula.
"""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._bound import EDGES, NORMS, TRIVIAL
from theorylab.statements.pdbo._causes import TRUNCATION
from theorylab.statements.pdbo._symbols import c_norm, eta_A, eta_B, summands, terms
from theorylab.statements.pdbo.thm8 import EXACT
from theorylab.symbols import roundoff

_BIAS = Quantity("bias_law", "rows", (1, 0), r"\|E\,v^{(M)} + c^\lambda - d_\lambda\bar F\|")
_OF_SUM = Quantity(
    "bias_of_sum",
    "rows",
    (1, 0),
    r"\|E\,v^{(M)} - \bar B\textstyle\sum_{i<M}\bar A^i c^{\mathbf y}\|",
)
HGP = {**EXACT, "alpha": 1.0, "beta": 0.0, "terms": [1, 2, 4]}
_ROUNDING = summands * roundoff * TRIVIAL

STATEMENT = Statement(
    id="pdbo.appf",
    source=Source("pdbo", "Appendix F", "HGP's output as an unbiased estimate"),
    experiment="hgp-error",
    quantity=_OF_SUM,
    versions={
        "printed": Version(
            terms={"rounding": _ROUNDING},
            assumes=(*EDGES[:2], *NORMS),
            note="unbiased for the truncated series",
            mends=(TRUNCATION,),
            checks=(Check("two-clients", HGP), Check("vr-hgp", EXACT)),
        ),
        "implied": Version(
            terms={"rounding": _ROUNDING},
            assumes=(*EDGES[:2], *NORMS),
            quantity=_BIAS,
            causes=(TRUNCATION,),
            note="unbiased for d_lambda Fbar, as SGD's convergence would take",
            checks=(Check("two-clients", HGP, "VIOLATED"),),
        ),
        "corrected": Version(
            terms={
                "truncation": eta_B * c_norm * eta_A**terms / (1 - eta_A),
                "rounding": _ROUNDING,
            },
            assumes=(*EDGES[:2], *NORMS),
            quantity=_BIAS,
            note="biased by the rest of the series",
            mends=(TRUNCATION,),
            checks=(Check("two-clients", HGP),),
        ),
    },
)
