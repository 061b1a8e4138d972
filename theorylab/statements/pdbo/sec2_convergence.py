r"""Section 2: the column stochastic weights "ensure the convergence of x_i to the consensus".

Printed (Section 2): p_ji "is a weight function that forms column stochastic matrix P^(t) [...] to
ensure the convergence of x_i to the consensus"; delta_{i->i} = 1, so "every client [is allowed] to
send a message to itself", which Eq. (3) does not oblige it to. Of the mean iteration convergence is
rho(A-bar) < 1 on z; and Eq. (9)'s series needs the same.

`printed/no-share` takes any weights that Eq. (3) and Assumption 2 admit, among them p_ii = 0, and
small steps. (Where two clients only send to each other Eq. (4a) has rho = 1 - alpha h, h the
Hessians' common eigenvalue, and converges.)

Corrected. With theta = min_i pbar_ii > 0 (every client keeps a share), f_i mu-strongly convex and
L-smooth, and alpha L <= theta omega_min, Eq. (4b) has

    rho(A-bar_zz) <= 1 - alpha mu / omega_max.

Proof. D = diag(omega*), s = D^{-1/2} z: A-bar^T acts on s as S - alpha G, S = D^{-1/2} E P D^{1/2},
G = diag(H_i / omega_i). (E P - theta I) / (1 - theta) is column stochastic and keeps omega*, so its
transform has norm <= 1 (a stochastic matrix does not expand the norm weighted by 1/omega*), and
||S - alpha G|| <= 1 - theta + ||theta I - alpha G|| = 1 - theta + theta - alpha mu / omega_max, as
0 <= alpha g <= theta for every eigenvalue g of G, and g >= mu / omega_max. (theta = 1 is S = I.)
Equality where H_i = mu I and omega* = 1. `printed` is that rho < 1 under these conditions.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._causes import NO_SHARE
from theorylab.statements.pdbo._instances import NOISY, STO_D, STO_U, place
from theorylab.statements.pdbo._symbols import omega_least, omega_most, self_weight, step_after
from theorylab.statements.pdbo.asm1 import CONVEX
from theorylab.statements.pdbo.asm2 import CONNECTED
from theorylab.symbols import L, eta, mu

_AFTER = Assumption("Eq. (4b)", rule=sp.Eq(step_after, 1))
_SMALL = Assumption("a small step: alpha <= 1 / L", rule=eta <= 1 / L)
_SHARE = Assumption("every client keeps a share", rule=self_weight > 0)
_CAP = Assumption("alpha L <= theta omega_min", rule=eta <= self_weight * omega_least / L)
_TO_THE_OTHER = {
    "name": "edge-list",
    **{"edges": [[0, 1], [1, 0]], "weights": "uniform", "self_loops": False},
}
_PAIR = {
    **{"H": [[[1.0]], [[1.0]]], "b": [[-1.0], [1.0]], "G": [[[1.0]], [[1.0]]]},
    "t": [[0.0], [0.0]],
}
_STEPS = {"parameter": "step", "values": [1e-4, 1e-3, 0.01, 0.1, 1.0]}
PERIODIC = {**place(_PAIR, _TO_THE_OTHER, "4b", 0.1), "sweep": _STEPS}
_CHECKS = (
    Check("sto-d", place(NOISY, STO_D, "4b", 0.05)),
    Check("sto-u", place(NOISY, STO_U, "4b", 0.1)),
    Check("directed-ring", place(NOISY, {"name": "directed-ring"}, "4b", 0.1)),
    Check("periodic", PERIODIC, "ASSUMPTION_FAILS"),
)

STATEMENT = Statement(
    id="pdbo.sec2_convergence",
    source=Source("pdbo", "Section 2", "column stochastic weights ensure convergence"),
    experiment="pdbo-stationary",
    quantity=Quantity("radius_z", "rows", (0, 0), r"\rho(\bar A_{zz})"),
    versions={
        "printed": Version(
            terms={"one": sp.Integer(1)},
            assumes=(CONVEX, CONNECTED, _AFTER, _SHARE, _CAP),
            note="every client keeps a share, small steps",
            mends=(NO_SHARE,),
            checks=_CHECKS,
        ),
        "printed/no-share": Version(
            terms={"one": sp.Integer(1)},
            assumes=(CONVEX, CONNECTED, _AFTER, _SMALL),
            causes=(NO_SHARE,),
            note="p_ii = 0 admitted, small steps",
            checks=(Check("periodic", PERIODIC, "VIOLATED"),),
        ),
        "corrected": Version(
            terms={"one": sp.Integer(1), "descent": -eta * mu / omega_most},
            assumes=(CONVEX, CONNECTED, _AFTER, _SHARE, _CAP),
            note="with a rate",
            mends=(NO_SHARE,),
            checks=_CHECKS,
        ),
    },
)
