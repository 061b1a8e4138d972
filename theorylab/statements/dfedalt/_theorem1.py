"""What Equation (19) and Theorem 1 share, with DFedSalt: terms by name."""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Assumption, Quantity
from theorylab.statements.dfedalt._assumptions import GRAPH, PAPER
from theorylab.statements.dfedalt._symbols import (
    Delta_u,
    Delta_v,
    K_u,
    K_v,
    L_u,
    L_v,
    L_vu,
    delta,
    eta_u,
    eta_v,
    lam,
    sigma_u,
    sigma_v,
    unit,
)

R = sp.Rational
S = sigma_u**2 + delta**2
GAP = (1 - lam) ** 2
ONE = {"constants": {"dfedalt_unit": 1}}  # the printed number 1 in the units of these losses

# The v-step of Appendix C.2 without its last term: (18) and (32) up to [...].
V_STEP: dict[str, sp.Expr] = {
    "v gain": (-eta_v * K_v + 8 * eta_v**2 * K_v**2 * (L_v + unit)) * Delta_v,
    "v noise": 4 * eta_v**2 * K_v**2 * sigma_v**2 * (L_v + unit),
}
V_APART_PRINTED: dict[str, sp.Expr] = {  # (18)'s last term
    "v apart": 18 * eta_u**2 * L_vu**2 / unit * K_u**2 * (S + 2 * Delta_u) / GAP,
}
U_PRINTED: dict[str, sp.Expr] = {  # (13)
    "u gain": (
        -eta_u * K_u / 2
        + 2 * eta_u**2 * K_u * L_u
        + 18 * eta_u**2 * K_u**2 * (2 * unit + eta_u * L_u**2) / GAP
    )
    * Delta_u,
    "u noise": 2 * eta_u**2 * K_u * L_u * S,
    "consensus": 9 * eta_u**2 * K_u**2 * (2 * unit + eta_u * L_u**2) / GAP * S,
}
LETTER_CAP = Assumption(
    "Appendix C.2: eta_u << (1-lambda)/(3 sqrt(2 K_u L_u)), read <=",
    rule=18 * eta_u**2 * K_u * L_u * unit <= (1 - lam) ** 2,
)
LETTER = (*PAPER, GRAPH, LETTER_CAP)
HEAD_CAP = Assumption("Lemma 2: eta_v <= 1/(2 K_v L_v)", rule=eta_v <= 1 / (2 * K_v * L_v))


WEIGHTED = Quantity(
    "dfedalt.weighted",
    "rows",
    (1, 0),
    r"\frac1T\sum_t E[\eta_uK_u\Delta_{\bar u}^t+\eta_vK_v\Delta_v^t]",
)
TWENTIETH = {"a twentieth of a decade": sp.Integer(10) ** R(1, 20)}
DESCENT = Quantity("dfedalt.descent", "rows", (1, 0), r"E[F(\bar u^{t+1},V^{t+1})-F(\bar u^t,V^t)]")
