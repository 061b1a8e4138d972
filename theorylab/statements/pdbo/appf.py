r"""Appendix F, "Outer-loop in PDBO": is HGP's output an unbiased estimate of the hypergradient?

Printed (line 984): "As the output of HGP can be seen as an unbiased estimate of stochastic
gradient, the convergence property of outer steps is simply given by the common convergence
property of SGD whose noise is characterized by Theorem 1."

After M terms the mean is Bbar sum_{i<M} Abar^i c^y + c^lambda (line 113 claims no more): it differs
from d_lambda Fbar by the rest of the series. Readings: `printed` takes the sentence at its word,
unbiased for d_lambda Fbar, and is false; `printed/truncated`, unbiased for the truncated series, is
true; `corrected` bounds the bias as ``thm8_tail`` does. (With
y^(T) for y* there is Theorem 11's bias on top, and estimated pbar, dbar have theirs.) The second
half, on SGD, has no formula.
"""

from __future__ import annotations

from theorylab.statements._base import Check, Source, Statement, Version
from theorylab.statements._quantity import Quantity
from theorylab.statements.pdbo._bound import EDGES, NORMS, TRIVIAL
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
    source=Source("pdbo", "Appendix F", "HGP's output as an unbiased estimate (line 984)"),
    experiment="hgp-error",
    quantity=_BIAS,
    versions={
        "printed": Version(
            terms={"rounding": _ROUNDING},
            assumes=(*EDGES[:2], *NORMS),
            note="unbiased for d_lambda Fbar",
            checks=(Check("two-clients", HGP, "VIOLATED"),),
        ),
        "printed/truncated": Version(
            terms={"rounding": _ROUNDING},
            assumes=(*EDGES[:2], *NORMS),
            quantity=_OF_SUM,
            note="unbiased for the truncated series",
            checks=(Check("two-clients", HGP), Check("vr-hgp", EXACT)),
        ),
        "corrected": Version(
            terms={
                "truncation": eta_B * c_norm * eta_A**terms / (1 - eta_A),
                "rounding": _ROUNDING,
            },
            assumes=(*EDGES[:2], *NORMS),
            note="biased by the rest of the series",
            checks=(Check("two-clients", HGP),),
        ),
    },
)
