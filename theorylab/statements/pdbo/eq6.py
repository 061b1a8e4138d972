r"""Eq. (6): the stationary point of the mean iteration.

Printed (Section 3): "For every i in [n], the expectation of iteration Eq. (2) with
Assumptions 1 and 2 admits the following unique stationary point which gives the optimum of Eq.
(1)",

    y_i* = E[ sum_j p_ji(delta_j) phi_j(y_j*) + psi_i(y_i*) ] = [z_i*, omega_i*],
    x_i* = z_i* / omega_i*.

Three claims, for SGP with its step size alpha_i > 0. (Assumption 2 is assumed: without it omega* is
not unique, or not positive.)

`printed` ("gives the optimum"). With exact averaging and Eq. (4a) (FedAvg, "averaging-4a") the
point does: all z_i* are the same mean, so sum_i grad f_i(x*) = 0.

`printed/unique`. What is said to be unique is y* = (z*, omega*). `printed/unique-x`: x* alone,
which is all that Eq. (7) needs. z = c omega x solves c (diag(omega) - E P diag(omega)) x = -a grad
f(x), so x*(c) is that of the step a/c with c = 1. `printed/unique-given-sum` is the charitable
reading: the iteration keeps sum omega, and with it given (n, omega^(0) = 1) Eq. (4b)'s y* is unique
(below). Measured: the dimension of the stationary points with that sum, T being affine; a singular
value within rounding of 0 decides nothing.

`printed/exists`. Eq. (4b) has a point. So has Eq. (4a) at alpha_i L < 2 omega_i: z_i -> z_i -
alpha_i grad f_i(z_i / omega_i) contracts then, and E P does not expand the norm that is weighted by
1/omega. The numbers of "4a-large-step" are dyadic.

Corrected (Eq. (4b), equal steps a, sum omega = n). Let M = diag(omega) - E P diag(omega), gamma the
smallest eigenvalue of (M + M^T)/2 orthogonal to 1, f_i mu-strongly convex and L-smooth, x0 the
optimum of Eq. (1), g0 = (grad f_i(x0))_i. There is exactly one stationary x*, and

    max_i ||x_i* - x0|| <= (1 + L / (mu sqrt(n))) a ||g0|| / gamma.

Proof. x* solves M x = -a g(x), g(x) = (grad f_i(x_i))_i. 1^T M = 0 (columns of E P sum to 1) and M
1 = 0 (E P omega = omega), so M + M^T is the Laplacian of a strongly connected balanced graph:
positive definite on 1^perp, gamma > 0. M + a g is strongly monotone and continuous: one zero. Let e
= x* - 1 x0, ebar its mean over the clients, e' = e - 1 ebar. 1^T M = 0 gives sum_i g_i(x*) = 0, and
sum_i g0_i = 0. Take the product with e: gamma ||e'||^2 <= e^T M e = -a <g(x*), e> <= -a <g0, e'> -
a mu ||e||^2, so ||e'|| <= a ||g0|| / gamma. And n mu ||ebar||^2 <= <sum_i [g_i(x0 + ebar) - g0_i],
ebar> = <sum_i [g_i(x0 + ebar) - g_i(x0 + e_i)], ebar> <= L sqrt(n) ||e'|| ||ebar||. Add. QED For
Eq. (4a) a bound of this form is missing: M is not monotone there (see "4a-large-step").
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._causes import CONSTANT_STEP, FREE_SCALE, LONG_STEP
from theorylab.statements.pdbo._instances import AVERAGING, NOISY, OPPOSED, STO_D, STO_U, place
from theorylab.statements.pdbo._symbols import balance_gap, pull, solve_room, step_after
from theorylab.statements.pdbo.asm1 import CONVEX
from theorylab.statements.pdbo.asm2 import CONNECTED
from theorylab.symbols import L, eta, mu, n

_ROOM = {"rounding": 3 * solve_room}
_AFTER = Assumption("Eq. (4b)", rule=sp.Eq(step_after, 1))
OPPOSED_0 = {**place(OPPOSED, AVERAGING, "4b", 0.5), "lam": 0.0}
LAZY = {"name": "edge-list", "edges": [[0, 0, 0.25], [1, 1, 0.25], [0, 1, 0.75], [1, 0, 0.75]]}
LARGE = {**place(OPPOSED, LAZY, "4a", 3.0), "lam": 0.0}
APART = {"name": "edge-list", "edges": [[0, 0], [1, 1]], "allow_disconnected": True}
ONE_WAY = {"name": "edge-list", "edges": [[0, 0], [0, 1], [1, 1]], "allow_disconnected": True}
STEPS = {**OPPOSED_0, "sweep": {"parameter": "step", "values": [0.001, 0.01, 0.1, 1.0, 10.0]}}
_ROWS = (
    Check("opposed", OPPOSED_0, "VIOLATED"),
    Check("sto-d", place(NOISY, STO_D), "VIOLATED"),
    Check("sto-u-4a", place(NOISY, STO_U, "4a", 0.05), "VIOLATED"),
    Check("averaging-4a", {**place(OPPOSED, AVERAGING, "4a", 0.5), "lam": 0.0}),
)

STATEMENT = Statement(
    id="pdbo.eq6",
    source=Source("pdbo", "Eq. (6)", "one stationary point, the optimum of Eq. (1)"),
    experiment="pdbo-stationary",
    quantity=Quantity("distance", "rows", (0, 1), r"\max_i \|x_i^* - x^\circ\|"),
    versions={
        "printed": Version(
            terms=_ROOM,
            assumes=(CONVEX, CONNECTED),
            causes=(CONSTANT_STEP,),
            note="it is the optimum of Eq. (1)",
            checks=(
                *_ROWS,
                Check("steps", STEPS, "VIOLATED"),
                Check("apart", place(OPPOSED, APART), "ASSUMPTION_FAILS"),
                Check("one-way", place(OPPOSED, ONE_WAY), "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/unique": Version(
            terms=_ROOM,
            assumes=(CONVEX, CONNECTED),
            quantity=Quantity("second_y", "rows", (0, 1), r"\|y^*(c=1) - y^*(c=2)\|_\infty"),
            causes=(FREE_SCALE,),
            note="there is one y* only",
            checks=tuple(Check(c.name, c.instance, "VIOLATED") for c in _ROWS),
        ),
        "printed/unique-x": Version(
            terms=_ROOM,
            assumes=(CONVEX, CONNECTED),
            quantity=Quantity("second_point", "rows", (0, 1), r"\|x^*(c=1) - x^*(c=2)\|_\infty"),
            causes=(FREE_SCALE,),
            note="there is one x* only",
            checks=_ROWS,
        ),
        "printed/unique-given-sum": Version(
            terms={"none": sp.Rational(1, 2)},  # a dimension below 1
            assumes=(CONVEX, CONNECTED, _AFTER),
            quantity=Quantity("freedom", "rows", (0, 0), r"\dim\{y^*: \sum_i\omega_i = n\}"),
            note="there is one y* with sum omega = n, Eq. (4b)",
            mends=(FREE_SCALE, LONG_STEP),
            checks=(
                Check("opposed", OPPOSED_0),
                Check("sto-d", place(NOISY, STO_D)),
                Check("4b-large-step", {**LARGE, "variant": "4b"}),
                Check("4a-large-step", LARGE, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/exists": Version(
            terms=_ROOM,
            assumes=(CONVEX, CONNECTED),
            quantity=Quantity("existence", "rows", (0, 1), r"\min_z \|T(z) - z\|"),
            causes=(LONG_STEP,),
            note="there is one; false for a step beyond gradient descent's own limit 2/L",
            checks=(
                Check("sto-d", place(NOISY, STO_D)),
                Check("4b-large-step", {**LARGE, "variant": "4b"}),
                Check("4a-large-step", LARGE, "VIOLATED"),
            ),
        ),
        "corrected": Version(
            terms={"step": (1 + L / (mu * sp.sqrt(n))) * eta * pull / balance_gap},
            assumes=(CONVEX, CONNECTED, _AFTER),
            note="within O(step) of it, for Eq. (4b)",
            mends=(CONSTANT_STEP, FREE_SCALE, LONG_STEP),
            checks=(
                Check("steps", STEPS),
                Check("opposed", OPPOSED_0),
                Check("sto-d", place(NOISY, STO_D)),
                Check("sto-u", place(NOISY, STO_U, "4b", 0.01)),
                Check("4a", place(NOISY, STO_U, "4a", 0.05), "ASSUMPTION_FAILS"),
            ),
        ),
    },
)
