r"""Assumption 10: the Jacobians of every g_i and h_i are Lipschitz in y_i.

Printed (Appendix C.7, line 845): there are finite positive L_y, L_lambda with, for all y_i, y_i',

    sup ||d_y g_i(y_i) - d_y g_i(y_i')||_2 <= L_y ||y_i - y_i'||, the same for h_i, and
    sup ||d_lambda g_i(y_i) - d_lambda g_i(y_i')||_2 <= eta_B L_lambda ||y_i - y_i'||, and for h_i.

Unsatisfiable by stochastic gradient push. The map that steps, h_i in (4a) and g_i in (4b), has the
z-block -(alpha_i / omega_i) H_i(z_i / omega_i), beside I in (4a), H_i the Hessian of f_i. Take
y = (0, omega) and y' = (0, 2 omega): the blocks differ by alpha_i / (2 omega) H_i(0), y and y' by
omega, so the quotient is at least alpha_i mu / (2 omega^2), mu > 0 by Assumption 1. It has no
bound as omega -> 0, for any f_i and any step size.

On omega_i >= w > 0, where SGP keeps its weights, and for bounded z_i the Jacobians are Lipschitz if
Hessians are; that is not what is assumed. Assumption 8 fails as well (Theorem 1). Theorem 11 is
judged on maps that meet both.
"""

from __future__ import annotations

from theorylab.statements._base import (
    Assumption,
    Check,
    Source,
    Statement,
    Version,
    Witness,
)
from theorylab.statements._quantity import Quantity
from theorylab.statements.pdbo._symbols import L_y
from theorylab.symbols import eta, mu

_FINITE = Assumption("Assumption 10: L_y finite", finite=(L_y,))
_QUOTIENT = Quantity(
    "quotient",
    "rows",
    (0, -1),
    r"\|\partial_{\mathbf y}g_i(y)-\partial_{\mathbf y}g_i(y')\|_2/\|y-y'\|",
)
_NOT_SGP = Witness(
    breaks=_FINITE.name,
    facts=(
        Assumption("Assumption 1: every f_i is strongly convex", rule=mu > 0),
        Assumption("Eq. (4a), (4b): alpha_i > 0", rule=eta > 0),
    ),
)
SGP_4B: dict[str, object] = {}
SGP_4A = {"sgp": {"step": 0.1, "variant": "4a"}, "clients": 3}

STATEMENT = Statement(
    id="pdbo.asm10",
    source=Source("pdbo", "Assumption 10", "Lipschitz Jacobians of g_i and h_i"),
    experiment="sgp-smoothness",
    quantity=_QUOTIENT,
    versions={
        "printed": Version(
            terms={"L_y": L_y},
            assumes=(_FINITE,),
            unsatisfiable=_NOT_SGP,
            note="for SGP: omega may be arbitrarily small",
            checks=(
                Check("sgp-4b", SGP_4B, "UNSATISFIABLE"),
                Check("sgp-4a", SGP_4A, "UNSATISFIABLE"),
            ),
        ),
    },
)
