r"""Lemma 7: bounds of the parts X and Y of the error.

Printed (Appendix C.3), "Under Assumption 9, when alpha, beta in (0,1) so that
1 - beta + beta eta_A in (eta_A, 1)", b = 1 - beta + beta eta_A, w = pbar_ts, c = dbar_{s -> t}:

    ||X_{B,st}^(i)||^2 <= eta_B^2 w^2 / (kappa^2 c^2) ((1-alpha)/(1-eta_A))^2 alpha^{2(M-i)}
                          + exp(-O(M)),                                                      (30)
    ||X_{A,st}^(i)||^2 <= eta_B^2 w^2 / (kappa^2 c^2) (eta_A/(1-eta_A) (1-alpha) beta/(alpha-b))^2
                          (alpha^{M-i} - b^{M-i})^2 + exp(-O(M)),                            (31)
    ||Y_{B,t}^(i,xi)||^2 <= 4 eta_B^2 / (kappa^2 |zeta_t|^2) ((1-alpha)/(1-eta_A))^2
                          alpha^{2(M-i)} + exp(-O(M)),                                       (32)
    ||Y_{A,t}^(i,xi)||^2 <= 4 eta_B^2 / (kappa^2 |zeta_t|^2) (eta_A/(1-eta_A) (1-alpha) beta /
                          (alpha-b))^2 (alpha^{M-i} - b^{M-i})^2 + exp(-O(M)).               (33)

exp(-O(M)) has no constants. The proof's (Appendix C.3) is what R_3 and L_4 eta_A^i + L_5 R_1 have
beside the leading term, by Lemma 6: `printed/xb` ... `printed/ya` evaluate

    leading factor * ( (25)^2, or ((26) eta_A^i + (27) (28))^2 / eta_B^2 * eta_A^2 ),

which is the leading term plus an explicit remainder. It decays: every summand of the remainder is
a multiple of alpha^p eta_A^i, b^p eta_A^i or eta_A^p eta_A^i with p + i = M, so at most
max(alpha, b, eta_A)^M, uniformly in i.

True, with slack. (a) For X, ||B-hat^phi|| <= eta_B / (2 kappa) has the square 1/4 that the last
line of each display drops: the printed factor is 4 times too large. (b) For Y Appendix C.3 bounds
||d g - B-bar^psi|| by eta_B / (2 kappa): a difference of two such matrices can have twice that
norm, so the second line is false by 4 (aligned samples, see the test), but its last line multiplies
by the 4 that is missing, and (32), (33) are right: ||sum_s||^2 <= (eta_B/kappa)^2 (2 + 2 sum_s
pbar_ts^2) <= 4 (eta_B/kappa)^2. This is nearly attained for n = 1. (c) alpha = b is 0/0, as in
Lemma 6. Misprints: the second "Y_B" of C.2 is Y_A, and sums over xi in zeta_s are over zeta_t.

Nothing above is about SGP, which cannot meet Assumption 9 (``pdbo.asm9``, `printed/sgp`): the
Jacobians are drawn with norm eta / (2 kappa), the largest that it allows.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._assumption9 import SAMPLES
from theorylab.statements.pdbo._symbols import (
    batch,
    edge_chance,
    edge_weight,
    eta_A,
    eta_B,
    kappa,
    term_index,
    vr_alpha,
    vr_beta,
)
from theorylab.statements.pdbo.lem6 import APART, L4, L5, R1, R3, b, left

ASSUMES = (
    *SAMPLES,
    Assumption("alpha > 0", rule=vr_alpha > 0),
    Assumption("alpha < 1", rule=vr_alpha < 1),
    Assumption("beta > 0", rule=vr_beta > 0),
    Assumption("beta < 1", rule=vr_beta < 1),
    APART,
)
_lead_B = (1 - vr_alpha) / (1 - eta_A) * vr_alpha**left
_lead_A = (
    eta_A / (1 - eta_A) * (1 - vr_alpha) * vr_beta / (vr_alpha - b) * (vr_alpha**left - b**left)
)
_full_B = R3
_full_A = eta_A * (L4 * eta_A**term_index + L5 * R1) / eta_B
_X = eta_B**2 * edge_weight**2 / (kappa**2 * edge_chance**2)
_Y = 4 * eta_B**2 / (kappa**2 * batch**2)

_DIRECTED = {"network": {"name": "sto-d", "seed": 1}, "terms": [1, 3, 8]}
_PAIRS = {"network": {"name": "sto-u", "seed": 1}, "batch": 2, "terms": [1, 4]}
_ALONE = {
    "network": {"name": "complete"},
    "clients": 1,
    "family": "aligned",
    "population": 8,
    "terms": [1, 5],
    "alpha": 0.6,
    "beta": 0.5,
}
CHECKS = (
    Check("sto-d", _DIRECTED),
    Check("sto-u", {**_PAIRS, "alpha": 0.5, "beta": 0.5}),
    Check("rare-edges", {**_DIRECTED, "network": {"name": "sto-d", "low": 0.05, "high": 0.1}}),
    Check("alone", _ALONE),
)
_EQUAL = {**_ALONE, "alpha": 0.75, "beta": 0.5, "eta_A": 0.5}


def _version(column: str, factor: sp.Expr, lead: sp.Expr, full: sp.Expr, number: str) -> Version:
    return Version(
        terms={"leading": factor * lead**2, "exp(-O(M))": factor * (full**2 - lead**2)},
        assumes=ASSUMES,
        quantity=Quantity(
            column,
            "rows",
            (0, 2),
            rf"\|{column[0]}_{{{column[2]}}}^{{(i)}}\|_2^2",
            pathwise=True,
        ),
        note=f"({number}), with the proof's remainder",
        checks=(*CHECKS, Check("alpha-equal", _EQUAL, "ASSUMPTION_FAILS")),
    )


_VERSIONS = {
    "printed/xb": _version("X_B", _X, _lead_B, _full_B, "30"),
    "printed/xa": _version("X_A", _X, _lead_A, _full_A, "31"),
    "printed/yb": _version("Y_B", _Y, _lead_B, _full_B, "32"),
    "printed/ya": _version("Y_A", _Y, _lead_A, _full_A, "33"),
}
STATEMENT = Statement(
    id="pdbo.lem7",
    source=Source("pdbo", "Lemma 7", "norms of the parts X and Y of the error"),
    experiment="hgp-blocks",
    quantity=Quantity("X_B", "rows", (0, 2), r"\|X_B^{(i)}\|_2^2", pathwise=True),
    versions=_VERSIONS,
)
