r"""Lemma 4: the explicit formula of v.

Printed (Appendix C.1, Eq. (23)):

    v^(M+1) = sum_{i=0}^{M} alpha^{M-i+1} B-hat^(2i) u^(i)
            + (1-alpha) sum_{i=0}^{M} alpha^{M-i} B-hat^(2i) w^(i).

True for all matrices and M >= 0: (17) is v^(m+1) = alpha v^(m) + B-hat^(2m) (alpha u^(m) +
(1-alpha) w^(m)), v^(0) = 0. Misprints of the proof, none of which the claim needs: Appendix C.1
(`printed/line597`) has a factor alpha too many ((1-alpha) alpha B-hat^(0) w^(0), with which the
right-hand side is not B-hat^(0) c^y); C.1 supposes M >= 1 where M = 0 is the start; the last
but one line of the display at 603 (`printed/line603`) has w^(M+1) for w^(M).

Judged against rounding, see ``_rounding``.
"""

from __future__ import annotations

from theorylab.statements import Cause, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._causes import ALPHA_TWICE, W_AHEAD
from theorylab.statements.pdbo._rounding import OPERATIONS, gamma
from theorylab.statements.pdbo._symbols import magnitude_v
from theorylab.statements.pdbo.lem2 import CHECKS as SHARED

TERMS = {"rounding": gamma(OPERATIONS) * magnitude_v}
_ENDS = {"matrices": "normal", "terms": [0, 1, 5], "beta": 0.4}
CHECKS = (
    *SHARED,
    Check("alpha-0", {**_ENDS, "alpha": 0.0}),
    Check("alpha-1", {**_ENDS, "alpha": 1.0}),
)


def _line(column: str, text: str, cause: Cause) -> Version:
    quantity = Quantity(column, "rows", (1, 0), text, pathwise=True)
    inside = {"matrices": "normal", "terms": [1, 5], "alpha": 0.6, "beta": 0.4}
    return Version(
        terms=TERMS,
        assumes=(),
        quantity=quantity,
        causes=(cause,),
        note="a line of the proof",
        checks=(Check("normal", inside, "VIOLATED"),),
    )


STATEMENT = Statement(
    id="pdbo.lem4",
    source=Source("pdbo", "Lemma 4", "the explicit formula of v"),
    experiment="hgp-identities",
    quantity=Quantity(
        "lemma4", "rows", (1, 0), r"\|v^{(M+1)} - \mathrm{(23)}\|_\infty", pathwise=True
    ),
    versions={
        "printed": Version(terms=TERMS, assumes=(), checks=CHECKS, mends=(ALPHA_TWICE, W_AHEAD)),
        "printed/line597": _line(
            "lemma4_base",
            r"\|v^{(1)} - \mathrm{line\,597}\|_\infty",
            ALPHA_TWICE,
        ),
        "printed/line603": _line(
            "lemma4_step",
            r"\|v^{(M)} - \mathrm{line\,603}\|_\infty",
            W_AHEAD,
        ),
    },
)
