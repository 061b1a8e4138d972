r"""Appendix C before C.1: kappa >= n, and what Assumption 9 implies for whole rounds.

Printed (Appendix C): "sum_{i,j} pbar_ji / dbar_{i->j} >= n by the properties sum_i pbar_ji =
1, dbar_{i->j} in [0, 1]. Assumption 9 implies"

    ||A-bar||_2 <= eta_A,  ||A-hat||_2 <= eta_A,  ||B-bar||_2 <= eta_B,  ||B-hat||_2 <= eta_B.

True: each norm is at most the sum of the norms of its blocks; n blocks of psi and, with weights
pbar_ji <= pbar_ji / dbar_{i->j} (A-bar) or at most pbar_ji / dbar_{i->j} (A-hat, delta is 0 or 1),
those of phi; so at most (n + kappa) eta / (2 kappa) <= eta. The printed middle term (n + sum
pbar_ji) is 2n. kappa >= n itself is ``pdbo.eq34``. SGP cannot meet the hypothesis
(``_assumption9``); the Jacobians here are drawn to meet it.
Appendix C prints sup over lambda_j twice where y_j, lambda_j is meant.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._assumption9 import SAMPLES
from theorylab.statements.pdbo._symbols import eta_A, eta_B
from theorylab.statements.pdbo.lem7 import CHECKS

_ALONE = {**CHECKS[3].instance, "eta_A": 0.9}


def _version(column: str, bound: sp.Expr) -> Version:
    units = (0, 0) if column.startswith("A") else (0, 1)
    letter, hat = column.split("_")
    return Version(
        terms={"Assumption 9": bound},
        assumes=SAMPLES,
        quantity=Quantity(column, "rows", units, rf"\|\{hat} {letter}\|_2", pathwise=True),
        checks=(*CHECKS[:3], Check("alone", _ALONE)),
    )


STATEMENT = Statement(
    id="pdbo.appc",
    source=Source("pdbo", "Appendix C", "Assumption 9 bounds A-bar, A-hat, B-bar, B-hat"),
    experiment="hgp-blocks",
    quantity=Quantity("A_bar", "rows", (0, 0), r"\|\bar A\|_2", pathwise=True),
    versions={
        "printed/abar": _version("A_bar", eta_A),
        "printed/ahat": _version("A_hat", eta_A),
        "printed/bbar": _version("B_bar", eta_B),
        "printed/bhat": _version("B_hat", eta_B),
    },
)
