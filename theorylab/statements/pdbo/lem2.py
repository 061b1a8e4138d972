r"""Lemma 2: the explicit formula of w.

Printed (Appendix C.1, Eq. (20)), for the recursion (17) to (19):

    w^(M) = prod_{m=0}^{M-1} ((1-beta) I + beta A-hat^(2m+1)) c^y
          + sum_{i=1}^{M} [prod_{m=i}^{M-1} ((1-beta) I + beta A-hat^(2m+1))]
              (beta I + (1-beta) [prod_{m=0}^{i-1} A-hat^(2m+1)]) c^y,

with empty products I and, by the paper's Notation (line 30), later factors on the left. True, for
all real alpha, beta and all matrices: (19) is w^(m+1) = D_m w^(m) + (beta I + (1-beta)
A-hat^(2m+1) ... A-hat^(1)) c^y with D_m = (1-beta) I + beta A-hat^(2m+1), solved from w^(0) = c^y.
M = 0 is included. The printed induction is correct; its last remark writes prod_{i=M+1}^{M} for
prod_{m=M+1}^{M} (Appendix C.1).

Judged against rounding, see ``_rounding``.
"""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._instances import NOISY, STO_D, STO_U, place
from theorylab.statements.pdbo._rounding import OPERATIONS, gamma
from theorylab.statements.pdbo._symbols import magnitude_w

TERMS = {"rounding": gamma(OPERATIONS) * magnitude_w}
QUIET = {**NOISY, "noise": 0.0}
_WHOLE = {"matrices": "normal", "terms": [1, 2, 6], "alpha": 0.3, "beta": 0.6}
CHECKS = (
    Check("normal", _WHOLE),
    Check("large", {**_WHOLE, "scale": 3.0, "size": 5}),
    Check("beta-0", {**_WHOLE, "beta": 0.0}),
    Check("beta-1", {**_WHOLE, "beta": 1.0}),
    Check("sto-d", {"matrices": "network", "place": place(NOISY, STO_D)}),
    Check("sto-u-4a", {"matrices": "network", "place": place(NOISY, STO_U, "4a")}),
    # A-hat = A-bar and B-hat = B-bar: what Appendix C.1 calls the corollaries of Lemmas 2 and 4
    Check("static", {"matrices": "network", "place": place(QUIET, {"name": "complete"})}),
)

STATEMENT = Statement(
    id="pdbo.lem2",
    source=Source("pdbo", "Lemma 2", "the explicit formula of w"),
    experiment="hgp-identities",
    quantity=Quantity(
        "lemma2", "rows", (1, -1), r"\|w^{(M)} - \mathrm{(20)}\|_\infty", pathwise=True
    ),
    versions={"printed": Version(terms=TERMS, assumes=(), checks=CHECKS)},
)
