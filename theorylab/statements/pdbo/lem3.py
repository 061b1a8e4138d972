r"""Lemma 3: the error of w in the errors of the rounds.

Printed (Appendix C.1, Eq. (22)):

    w^(M) - sum_{i=0}^{M} A-bar^i c^y
      = ( sum_{i=0}^{M-1} L-hat_1^(i,M) (A-hat^(2i+1) - A-bar) R_1^(i)
          + L-hat_2^(i,M) (A-hat^(2i+1) - A-bar) A-bar^i ) c^y,
    L-hat_1^(i,M) = beta prod_{m=i+1}^{M-1} D_m,
    L-hat_2^(i,M) = (1-beta) sum_{j=i+1}^{M} [prod_{m=j}^{M-1} D_m]
                                             [prod_{m=i+1}^{j-1} A-hat^(2m+1)],
    R_1^(i) = D-bar^i + sum_{j=1}^{i} D-bar^{i-j} (beta I + (1-beta) A-bar^j),

D_m = (1-beta) I + beta A-hat^(2m+1), D-bar the same with A-bar. The sum over i is read over both
summands (the second contains i). True for all matrices: subtract Lemma 2 for A-bar in every round
from Lemma 2 and telescope each product. R_1^(i) is sum_{j<=i} A-bar^j, by that corollary. Line
573 sums j to M - 1: its term j = M is zero.

Judged against rounding, see ``_rounding``.
"""

from theorylab.statements import Quantity, Source, Statement, Version
from theorylab.statements.pdbo.lem2 import CHECKS, TERMS

STATEMENT = Statement(
    id="pdbo.lem3",
    source=Source("pdbo", "Lemma 3", "the decomposition of w"),
    experiment="hgp-identities",
    quantity=Quantity(
        "lemma3",
        "rows",
        (1, -1),
        r"\|w^{(M)} - \sum_{i\leq M} \bar A^i c^{\mathbf y} - \mathrm{(22)}\|_\infty",
        pathwise=True,
    ),
    versions={"printed": Version(terms=TERMS, assumes=(), checks=CHECKS)},
)
