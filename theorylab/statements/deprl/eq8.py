r"""Equation (8): "the partial gradient of the global loss with respect to theta".

Printed: grad_theta f(phibar(k), {theta_i(k)}) := (1/N) sum_i grad_theta F_i(phibar(k), theta_i(k)),
which (10) calls the partial gradient w.r.t. theta of the global loss.

A definition is neither true nor false. `printed`: the name is right for theta as one shift of all
heads: the printed sum is df/ds of f(phi, {theta_i + s}).

A remark: that says little of (2), where each head is minimised on its own. f depends on N heads,
and its gradient with respect to them is (1/N) (grad_theta F_1, ..., grad_theta F_N), of squared
norm (1/N^2) sum_i ||grad_theta F_i||^2. The printed sum is another vector: where two heads pull
opposite ways it is 0 and the gradient is not, so M(k) of (10) can be 0 far from any stationary
point of (2). With aligned heads the printed sum is N times the larger.

`corrected`: of the N blocks; N times it is what Theorem 1's corrected version bounds. Both are
equalities, by central differences of f, and judged up to a millionth.
"""

import sympy as sp

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.deprl import _instances as cases
from theorylab.statements.deprl._symbols import all_heads, printed_heads

_SHARE = sp.Rational(1, 10**6)

STATEMENT = Statement(
    id="deprl.eq8",
    source=Source("deprl", "Equation (8)", "the gradient of f with respect to the heads"),
    experiment="deprl-heads",
    quantity=Quantity(
        "heads",
        "rows",
        (2, -2),
        r"\|\partial f/\partial(\theta_1,\ldots,\theta_N)\|^2",
        pathwise=True,
    ),
    versions={
        "printed": Version(
            terms={"sum": printed_heads, "rounding": _SHARE * printed_heads},
            assumes=(),
            quantity=Quantity(
                "common_shift",
                "rows",
                (2, -2),
                r"\|\tfrac{\partial}{\partial s} f(\bar\phi, \{\theta_i + s\})\|^2",
                pathwise=True,
            ),
            note="the gradient along one shift of all heads",
            checks=(Check("quadratic", cases.PROBED_UNCOUPLED), Check("sin-sin", cases.PROBED)),
        ),
        "corrected": Version(
            terms={"blocks": all_heads, "rounding": _SHARE * all_heads},
            assumes=(),
            note="(1/N) (grad_theta F_1, ..., grad_theta F_N)",
            checks=(Check("quadratic", cases.PROBED_UNCOUPLED), Check("sin-sin", cases.PROBED)),
        ),
    },
)
