r"""Lemma 6: bounds of the coefficient matrices.

Printed (Appendix C.1), "Under Assumption 9", with b = 1 - beta + beta eta_A:

    ||R_3^(i,M)|| <= (1-alpha)/(1-eta_A) alpha^{M-i} + alpha^{M-i+1} eta_A^i / (1-eta_A)
                     - alpha^{M-i} eta_A^{i+1} / (1-eta_A),                                  (25)
    ||L-hat_4^(i,M)|| <= eta_B alpha beta / (alpha - b) alpha^{M-i} - eta_B / (1-eta_A) eta_A^{M-i}
                     - eta_B / (1-eta_A) (1-alpha) / (alpha - b) b^{M-i+1},                  (26)
    ||L-hat_5^(i,M)|| <= eta_B (1-alpha) beta / (alpha - b) (alpha^{M-i} - b^{M-i}),         (27)
    ||R_1^(i)|| <= (1 - eta_A^{i+1}) / (1 - eta_A).                                          (28)

`printed` is (25) for local maps that meet Assumption 9 with equality: A.1 and A.3 have any maps, as
Lemmas 7 and 9 are read here. `printed/sgp`: no instance of SGP, Eq. (4a) or (4b), satisfies
Assumption 9, see ``_assumption9``.

`printed/r3`, `/l4`, `/l5`, `/r1` take from Assumption 9 what the proof does (Appendix C.1): numbers
eta_A < 1 with ||A-bar||, ||A-hat|| <= eta_A and eta_B with ||B-hat|| <= eta_B, for any matrices.
They are true where they mean something, and attained for every i, M by A = eta_A I and B of norm
eta_B: each step of Appendix C.1 is then an equality. (26) and (27) are of the form 0/0 where
alpha = b, which nothing in the text excludes ("tacit" below), e.g. (alpha, beta, eta_A) =
(.75, .5, .5); the display's fourth line also needs alpha != eta_A, which cancels. For alpha < b
numerator and denominator are both negative and the bounds stay true. alpha = 0, alpha = 1, beta = 0
and beta = 1 are covered.

`corrected/l4`, `corrected/l5` are the same numbers without the quotient, for every alpha, beta in
[0, 1]: with p = M - i,

    ||L-hat_5|| <= eta_B (1-alpha) beta sum_{j=1}^{p} alpha^{p-j} b^{j-1},
    ||L-hat_4|| <= eta_B sum_{j=1}^{p} ( alpha^{p-j+1} eta_A^{j-1}
                                         + (1-alpha) alpha^{p-j} (b^j - eta_A^j) / (1-eta_A) ).

Proof. ||D_m|| <= b and the triangle inequality in the definitions, with j - i for j; the inner sum
of L-hat_4 is (1-beta) sum_{k=1}^{j} b^{j-k} eta_A^{k-1} = (b^j - eta_A^j) / (1-eta_A), because
b - eta_A = (1-beta)(1-eta_A) (both sides are 0 for beta = 1). Summing the geometric series gives
(26) and (27) where alpha != b. (28): R_1^(i) = sum_{j<=i} A-bar^j. QED

All with what rounding can do to the measured norm, see ``_rounding``.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._assumption9 import BELOW_ONE, SAMPLES, slope, witness
from theorylab.statements.pdbo._causes import OMEGA
from theorylab.statements.pdbo._instances import NOISY, STO_D, STO_U, place
from theorylab.statements.pdbo._rounding import NORM_OPERATIONS, gamma
from theorylab.statements.pdbo._symbols import (
    eta_A,
    eta_B,
    op_A,
    op_B,
    rounds_left,
    size_R,
    term_index,
    vr_alpha,
    vr_beta,
)
from theorylab.symbols import magnitude

_j = sp.Symbol("j", integer=True, positive=True)
b = 1 - vr_beta + vr_beta * eta_A
left = rounds_left  # M - i

R3 = (
    (1 - vr_alpha) / (1 - eta_A) * vr_alpha**left
    + vr_alpha ** (left + 1) * eta_A**term_index / (1 - eta_A)
    - vr_alpha**left * eta_A ** (term_index + 1) / (1 - eta_A)
)
L4 = (
    eta_B * vr_alpha * vr_beta / (vr_alpha - b) * vr_alpha**left
    - eta_B / (1 - eta_A) * eta_A**left
    - eta_B / (1 - eta_A) * (1 - vr_alpha) / (vr_alpha - b) * b ** (left + 1)
)
L5 = eta_B * (1 - vr_alpha) * vr_beta / (vr_alpha - b) * (vr_alpha**left - b**left)
R1 = (1 - eta_A ** (term_index + 1)) / (1 - eta_A)
_first = vr_alpha ** (left - _j + 1) * eta_A ** (_j - 1)
_second = (1 - vr_alpha) * vr_alpha ** (left - _j) * (b**_j - eta_A**_j) / (1 - eta_A)
L4_SUM = eta_B * sp.Sum(_first + _second, (_j, 1, left))
L5_SUM = (
    eta_B
    * (1 - vr_alpha)
    * vr_beta
    * sp.Sum(vr_alpha ** (left - _j) * b ** (_j - 1), (_j, 1, left))
)

WEIGHTS = (
    Assumption("alpha in [0, 1]", rule=vr_alpha <= 1),
    Assumption("beta in [0, 1]", rule=vr_beta <= 1),
)
NORMS = (
    BELOW_ONE,
    Assumption("Appendix C.1: ||A-bar||, ||A-hat|| <= eta_A", rule=op_A <= eta_A),
    Assumption("Appendix C.1: ||B-hat|| <= eta_B", rule=op_B <= eta_B),
)
APART = Assumption("tacit: alpha != 1 - beta + beta eta_A", rule=sp.Gt((vr_alpha - b) ** 2, 0))

_BASE: dict[str, Any] = {"terms": [1, 2, 6], "alpha": 0.9, "beta": 0.1, "eta_A": 0.5}
INSTANCES = {
    "scalar": {**_BASE, "family": "scalar"},
    "scalar-fast": {**_BASE, "family": "scalar", "beta": 0.9},
    "alpha-below": {**_BASE, "family": "scalar", "alpha": 0.3, "beta": 0.5, "eta_A": 0.9},
    "near-one": {**_BASE, "family": "scalar", "eta_A": 0.999, "terms": [12]},
    "alpha-1": {**_BASE, "family": "alternating", "alpha": 1.0},
    "beta-0": {**_BASE, "family": "negative", "beta": 0.0},
    "beta-1": {**_BASE, "family": "nilpotent", "beta": 1.0, "alpha": 0.6},
    "random": {**_BASE, "family": "random", "alpha": 0.7, "beta": 0.3},
    "maps": {**_BASE, "family": "maps", "maps": {"network": STO_D}},
}
# One client whose samples are all alike: ||A-hat|| = eta_A, and (25) is an equality.
_ALONE = {"network": {"name": "complete"}, "clients": 1, "family": "aligned", "population": 1}
MAPS = {
    "sto-d": INSTANCES["maps"],
    "sto-u": {**INSTANCES["maps"], "maps": {"network": STO_U, "batch": 2, "family": "aligned"}},
    "alone": {**INSTANCES["maps"], "maps": _ALONE},
}
EQUAL = {**_BASE, "family": "scalar", "alpha": 0.75, "beta": 0.5}
_SGP = {
    **_BASE,
    "family": "network",
    "place": place(NOISY, STO_D),
    "terms": [2],
}


def _norm(column: str, name: str) -> Quantity:
    units = (0, 0) if column.startswith("R") else (0, 1)
    return Quantity(column, "rows", units, name, pathwise=True)


QUANTITY = {
    "R3": _norm("R3", r"\|R_3^{(i,M)}\|_2"),
    "L4": _norm("L4", r"\|\hat L_4^{(i,M)}\|_2"),
    "L5": _norm("L5", r"\|\hat L_5^{(i,M)}\|_2"),
    "R1": _norm("R1", r"\|R_1^{(i)}\|_2"),
}


def _version(column: str, bound: sp.Expr, number: str, corrected: bool = False) -> Version:
    room = gamma(NORM_OPERATIONS) * (size_R if column.startswith("R") else magnitude)
    quotient = column.startswith("L") and not corrected
    checks = [Check(name, instance) for name, instance in INSTANCES.items()]
    if column.startswith("L"):
        checks.append(Check("alpha-equal", EQUAL, "ASSUMPTION_FAILS" if quotient else "HOLDS"))
    return Version(
        mends=(OMEGA,),
        terms={f"({number})": bound, "rounding": room},
        assumes=(*WEIGHTS, *NORMS, *((APART,) if quotient else ())),
        quantity=QUANTITY[column],
        checks=tuple(checks),
        note=f"({number}), " + ("without the quotient" if corrected else "for any such matrices"),
    )


STATEMENT = Statement(
    id="pdbo.lem6",
    source=Source("pdbo", "Lemma 6", "norms of R_3, L_4, L_5 and R_1"),
    experiment="hgp-norms",
    quantity=QUANTITY["R3"],
    versions={
        "printed": Version(
            terms={"(25)": R3, "rounding": gamma(NORM_OPERATIONS) * size_R},
            assumes=(*WEIGHTS, *SAMPLES),
            note="(25), for local maps that meet Assumption 9",
            checks=tuple(Check(name, instance) for name, instance in MAPS.items()),
        ),
        "printed/sgp": Version(
            terms={"(25)": R3},
            assumes=(BELOW_ONE, slope(9)),
            unsatisfiable=witness(9),
            causes=(OMEGA,),
            note="for SGP, Eq. (4a)/(4b)",
            checks=(Check("sgp-4b", _SGP, "UNSATISFIABLE"),),
        ),
        "printed/r3": _version("R3", R3, "25"),
        "printed/l4": _version("L4", L4, "26"),
        "printed/l5": _version("L5", L5, "27"),
        "printed/r1": _version("R1", R1, "28"),
        "corrected/l4": _version("L4", L4_SUM, "26", corrected=True),
        "corrected/l5": _version("L5", L5_SUM, "27", corrected=True),
    },
)
