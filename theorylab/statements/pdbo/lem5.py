r"""Lemma 5: the error of v in the errors of the rounds.

Printed (Appendix C.1, Eq. (24)):

    v^(M+1) - B-bar sum_{i=0}^{M} A-bar^i c^y
      = sum_{i=0}^{M} (B-hat^(2i) - B-bar) R_3^(i,M) c^y
      + sum_{i=0}^{M-1} ( L-hat_4^(i,M) (A-hat^(2i+1) - A-bar) A-bar^i
                        + L-hat_5^(i,M) (A-hat^(2i+1) - A-bar) R_1^(i) ) c^y,
    R_3^(i,M) = alpha^{M-i+1} A-bar^i + (1-alpha) alpha^{M-i} sum_{j=0}^{i} A-bar^j,
    L-hat_4^(i,M) = sum_{j=i+1}^{M} alpha^{M-j+1} B-hat^(2j) [prod_{m=i+1}^{j-1} A-hat^(2m+1)]
        + (1-alpha)(1-beta) sum_{j=i+1}^{M} alpha^{M-j} B-hat^(2j)
            sum_{k=i+1}^{j} [prod_{m=k}^{j-1} D_m] [prod_{m=i+1}^{k-1} A-hat^(2m+1)],
    L-hat_5^(i,M) = (1-alpha) beta sum_{j=i+1}^{M} alpha^{M-j} B-hat^(2j) [prod_{m=i+1}^{j-1} D_m].

True for all matrices: Lemma 4 minus its corollary for A-bar and B-bar, then Lemma 3. In the proof's
last display (Appendix C.1) the braces of L-hat_4 and L-hat_5 wrongly include the sum over i and the
factors to their right.

`printed/m-terms`: HGP (Section 4.2) returns v^(M) as the estimate of M terms. Reading the left
side with v^(M) is an off-by-one, and false: no claim of the paper, but a control that the
measurement can tell. So Theorems 1 and 8 speak of one round more than the algorithm runs; see them.

Judged against rounding, see ``_rounding``.
"""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo.lem4 import CHECKS, TERMS

_SHIFTED = Quantity(
    "lemma5_shifted",
    "rows",
    (1, 0),
    r"\|v^{(M)} - \bar B\sum_{i\leq M} \bar A^i c^{\mathbf y} - \mathrm{(24)}\|_\infty",
    pathwise=True,
)

STATEMENT = Statement(
    id="pdbo.lem5",
    source=Source("pdbo", "Lemma 5", "the decomposition of v"),
    experiment="hgp-identities",
    quantity=Quantity(
        "lemma5",
        "rows",
        (1, 0),
        r"\|v^{(M+1)} - \bar B\sum_{i\leq M} \bar A^i c^{\mathbf y} - \mathrm{(24)}\|_\infty",
        pathwise=True,
    ),
    versions={
        "printed": Version(terms=TERMS, assumes=(), checks=CHECKS),
        "printed/m-terms": Version(
            terms=TERMS,
            assumes=(),
            quantity=_SHIFTED,
            note="control, not claimed: v^(M), what the algorithm returns, on the left",
            checks=(Check("normal", CHECKS[0].instance, "VIOLATED", control=True),),
        ),
    },
)
