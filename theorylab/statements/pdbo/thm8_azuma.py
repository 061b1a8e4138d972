r"""The concentration step of Theorems 8 and 10 (Appendix C.3).

Printed: "by using Matrix Azuma's inequality; with probability at least 1 - epsilon, we have
|| v^(M+1) - Bbar sum_{i=0}^M Abar^i c^y || <= sqrt( 8 sigma^2 n (d_y + d_lambda) / epsilon )",
sigma^2 <= ||c^y||^2 times the squared norms of Lemma 7.

Tropp (2012, Theorem 7.1): P(|| sum X || >= t) <= (d_1 + d_2) exp(-t^2 / (8 sigma^2)) for a matrix
martingale with ||X_k|| <= A_k and sigma^2 = sum A_k^2. Solved for t that is
sqrt(8 sigma^2 log((d_1 + d_2) / eps)): the log is lost. As log x < x the printed line is true and
weaker, by x / log x; `corrected` writes the log, as the theorems do.
"""

import sympy as sp

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._bound import LOG, TRIVIAL, azuma, sums
from theorylab.statements.pdbo._symbols import d_lambda, d_y, eps_chance, eta_A, terms
from theorylab.statements.pdbo.thm8 import ASSUMES, EXACT, TEN_CLIENTS
from theorylab.symbols import n

_NOISE = Quantity(
    "noise",
    "rows",
    (1, 0),
    r"\|v^{(M)} - \bar B\sum_{i<M}\bar A^i c^{\mathbf y}\|",
    chance=eps_chance,
)
_root = azuma(*sums(terms - 1, eta_A))

STATEMENT = Statement(
    id="pdbo.thm8_azuma",
    source=Source("pdbo", "Theorem 8, proof", "Azuma's inequality for the noise (Appendix C.3)"),
    experiment="hgp-error",
    quantity=_NOISE,
    trivial=TRIVIAL,
    versions={
        "printed": Version(
            terms={"Azuma": _root * sp.sqrt(n * (d_y + d_lambda) / eps_chance)},
            assumes=ASSUMES,
            note="without the log",
            checks=(Check("ten-clients", TEN_CLIENTS, "VACUOUS"),),
        ),
        "corrected": Version(
            terms={"Azuma": _root * sp.sqrt(LOG)},
            assumes=ASSUMES,
            note="with the log",
            checks=(Check("ten-clients", TEN_CLIENTS), Check("every-pattern", EXACT)),
        ),
    },
)
