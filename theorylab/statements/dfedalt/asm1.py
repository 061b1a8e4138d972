r"""Assumption 1: smoothness, block by block.

Printed: F_i is continuously differentiable and there are L_u, L_v, L_uv, L_vu such that for each
client grad_u F_i(u_i, v_i) is L_u-Lipschitz with respect to u_i and L_uv-Lipschitz with respect to
v_i, grad_v F_i(u_i, v_i) is L_v-Lipschitz in v_i and L_vu-Lipschitz in u_i. chi := max{L_uv, L_vu}
/ sqrt(L_u L_v).

Judged at drawn pairs, half of them close, up to 1e-8 of a constant, which quadratics attain; the
constants are the problem's own, exact or proven.
Satisfiable. L_uv = L_vu for twice differentiable F_i. It says nothing of F_i(.; xi), of which
Lemma 4's proof ("we use assumption 1") needs a constant: see ``dfedsalt.lem4``.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedalt import _instances as cases
from theorylab.statements.dfedalt._assumptions import SHARE
from theorylab.statements.dfedalt._symbols import L_u, L_uv, L_v, L_vu


def _of(part: str, by: str, L: sp.Symbol) -> Version:
    return Version(
        terms={f"L_{part}{by}": L, "rounding": SHARE * L},
        assumes=(Assumption("Assumption 1: finite", finite=(L,)),),
        quantity=_slope(part, by),
        checks=(Check("sin-sin", cases.PROBED), Check("coupled-quadratic", cases.PROBED_COUPLED)),
    )


def _slope(part: str, by: str) -> Quantity:
    text = rf"\|\nabla_{part} F_i-\nabla_{part} F_i'\|/\|{by}-{by}'\|"
    return Quantity(f"slope_{part}{by}", "rows", (1, -2), text, pathwise=True)


STATEMENT = Statement(
    id="dfedalt.asm1",
    source=Source("dfedalt", "Assumption 1", "smoothness"),
    experiment="drawn-points",
    quantity=_slope("u", "u"),
    versions={
        "printed": _of("u", "u", L_u),
        "printed/uv": _of("u", "v", L_uv),
        "printed/vu": _of("v", "u", L_vu),
        "printed/vv": _of("v", "v", L_v),
    },
)
