r"""Assumption 2: smoothness of the partial gradients.

Printed: grad_u F_i is L_u-Lipschitz in u_i and L_uv-Lipschitz in v_i; grad_v F_i is L_v-Lipschitz
in v_i and L_vu-Lipschitz in u_i. One version a constant. (Partial Hessians are each other's
transpose, so the least L_uv and L_vu are equal.)

Judged at drawn pairs that differ in one part, half of them close. Satisfiable: quadratics, sin-sin.
Not by what the paper trains: a linear head v on features phi(u) has grad_u F_i = J_phi(u)^T v^T
(p - y), whose slope in u grows with ||v||^2, and v is not bounded.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._symbols import L_u, L_uv, L_v, L_vu


def _slope(column: str, of: str, by: str) -> Quantity:
    text = rf"\|\nabla_{of} F_i-\nabla_{of} F_i'\|/\|{by}-{by}'\|"
    return Quantity(f"slope_{column}", "rows", (1, -2), text, pathwise=True)


def _version(constant: sp.Symbol, column: str, of: str, by: str) -> Version:
    return Version(
        terms={"constant": constant},
        assumes=(Assumption("Assumption 2", finite=(constant,)),),
        checks=(Check("sin-sin", cases.PROBED), Check("coupled-quadratic", cases.PROBED_COUPLED)),
        quantity=_slope(column, of, by),
        note=f"grad_{of} in {by}",
    )


STATEMENT = Statement(
    id="dfedpgp.asm2",
    source=Source("dfedpgp", "Assumption 2", "Lipschitz partial gradients"),
    experiment="drawn-points",
    quantity=_slope("uu", "u", "u"),
    versions={
        "printed": _version(L_u, "uu", "u", "u"),
        "printed/uv": _version(L_uv, "uv", "u", "v"),
        "printed/v": _version(L_v, "vv", "v", "v"),
        "printed/vu": _version(L_vu, "vu", "v", "u"),
    },
)
