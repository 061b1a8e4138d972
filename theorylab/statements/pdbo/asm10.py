r"""Assumption 10: the Jacobians of every g_i and h_i are Lipschitz in y_i.

Printed (Appendix C.7): there are finite positive L_y, L_lambda with, for all y_i, y_i',

    sup ||d_y g_i(y_i) - d_y g_i(y_i')||_2 <= L_y ||y_i - y_i'||, the same for h_i, and
    sup ||d_lambda g_i(y_i) - d_lambda g_i(y_i')||_2 <= eta_B L_lambda ||y_i - y_i'||, and for h_i.

`printed`: of the maps of A.3, any g_i and h_i: smooth bounded ones satisfy it (Theorem 11 is judged
on such maps). The second line is not judged.

`printed/sgp`: no instance of SGP does. The map that steps, h_i in (4a) and g_i in (4b), has the
z-block -(alpha_i / omega_i) H_i(z_i / omega_i), beside I in (4a), H_i the Hessian of f_i. Take
y = (0, omega) and y' = (0, 2 omega): the blocks differ by alpha_i / (2 omega) H_i(0), y and y' by
omega, so the quotient is at least alpha_i mu / (2 omega^2), mu > 0 by Assumption 1. It has no
bound as omega -> 0, for any f_i and any step size.

Corrected (SGP on {omega_i >= w, ||z_i|| <= R}, where its weights and its models stay; f_i L-smooth,
its Hessian M_f-Lipschitz; s^2 = 1 + R^2 / w^2):

    L_y = alpha_i ( 2 L s + M_f s^2 ) / w^2.

Proof. Up to the constant I, the Jacobian is J(y) = (alpha_i / omega) H(x) N(x), N(x) = [-I, x], x =
z / omega, ||x|| <= R / w, ||N|| <= s. ||x - x'|| <= ||z - z'|| / w + R |omega - omega'| / w^2
<= (s / w) ||y - y'|| (Cauchy-Schwarz), |1/omega - 1/omega'| <= |omega - omega'| / w^2, and ||N(x) -
N(x')|| = ||x - x'||. The three differences, one factor at a time: L s / w^2 + (1/w) M_f (s / w) s +
(1/w) L (s / w), times alpha_i ||y - y'||. QED (||y|| adds omega^2 to ||z||^2: ``omega_unit`` is
the length that it takes for 1; it divides omega's share, L s and R.)

Assumption 8 fails for SGP as well (Theorem 1), and on that set, too.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version, Witness
from theorylab.statements.pdbo._assumption9 import SGP_MAPS
from theorylab.statements.pdbo._causes import SMALL_OMEGA
from theorylab.statements.pdbo._instances import STO_D
from theorylab.statements.pdbo._symbols import (
    L_y,
    hessian_slope,
    omega_floor,
    omega_unit,
    z_reach,
)
from theorylab.symbols import L, eta, mu

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
    within=SGP_MAPS,
)
_s = sp.sqrt(1 + (z_reach / (omega_floor * omega_unit)) ** 2)
BOUNDED = {
    "weights and directions": 2 * eta * L * _s / (omega_floor**2 * omega_unit),
    "Hessians": eta * hessian_slope * _s**2 / omega_floor**2,
}
SGP_4B = {"network": STO_D, "problem": {"clients": 2}}
SGP_4A = {"network": STO_D, "problem": {"clients": 3}, "step": 0.1, "variant": "4a"}
SET = {"floor": 0.5, "reach": 3.0}
RIPPLED = {**SGP_4A, **SET, "ripple": 0.3, "k": 4.0}

STATEMENT = Statement(
    id="pdbo.asm10",
    source=Source("pdbo", "Assumption 10", "Lipschitz Jacobians of g_i and h_i"),
    experiment="hgp-slopes",
    quantity=_QUOTIENT,
    versions={
        "printed": Version(
            terms={"L_y": L_y},
            assumes=(_FINITE,),
            note="any g_i, h_i, as A.3 has them",
            mends=(SMALL_OMEGA,),
            checks=(
                Check("sine-maps", {"maps": "sine", "network": STO_D, "k": 3.0}),
                Check("sgp-4b", SGP_4B, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/sgp": Version(
            terms={"L_y": L_y},
            assumes=(_FINITE,),
            unsatisfiable=_NOT_SGP,
            causes=(SMALL_OMEGA,),
            note="for SGP, Eq. (4a)/(4b): omega may be arbitrarily small",
            checks=(
                Check("sgp-4b", SGP_4B, "UNSATISFIABLE"),
                Check("sgp-4a", SGP_4A, "UNSATISFIABLE"),
            ),
        ),
        "corrected": Version(
            terms=BOUNDED,
            assumes=(Assumption("corrected: Hessians are Lipschitz", finite=(hessian_slope,)),),
            note="for SGP on {omega >= w, ||z|| <= R}, where it stays",
            mends=(SMALL_OMEGA,),
            checks=(
                Check("quadratics-4b", {**SGP_4B, **SET}),
                Check("rippled-4a", RIPPLED),
                Check("far-and-light", {**SGP_4B, "floor": 0.01, "reach": 10.0}),
            ),
        ),
    },
)
