r"""Appendix C.6: do more rounds make the error smaller?

Printed (C.6): "the larger number of estimation rounds tends to have smaller error", of VR-HGP
with (alpha, beta) = (.9, .1), n = 3, StoU, Eq. (4b); the step is not printed. And Assumption 4, on
z, is all that Eq. (9) asks of A-bar: the series converges.

`printed`: the root mean square error after m = 100, 500 is at most that after 50, on the problem
that stands for the figure's data, see ``fig2``; true. `printed/any-step`: wherever rho(A-bar) < 1.
True at the steps .3 and .1. What decides is rho(E[A-hat (x) A-hat]), which is above 1 at smaller
ones. u^(m) = A^(m) .. A^(1) c has E[u u^T] = (S -> E[A S A^T])^m (c c^T), and the products of 1 /
dbar that Section 4.2 speaks of make that radius larger than rho(A-bar)^2.

Corrected: where rho(E[A (x) A]) < 1 the summands die out in mean square, and with them the variance
stays bounded. With X = I + E[A^T X A] (the sum of E |A .. A u|^2 over all lengths, as u^T X u),

    E || u^(m) ||^2 <= || X ||_2 (1 - 1 / || X ||_2)^m || c^y ||^2.

Proof. V(u) = u^T X u >= |u|^2. E V(A u) = u^T E[A^T X A] u = V(u) - |u|^2 <= (1 - 1/||X||) V(u), as
V(u) <= ||X|| |u|^2. So |u^(m)|^2 is in the mean at most (1 - 1/||X||)^m V(c). (X is finite where
S -> E[A S A^T] has a radius below 1, which is that of its adjoint X -> E[A^T X A].)
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._causes import SECOND_MOMENT
from theorylab.statements.pdbo._symbols import (
    c_norm,
    lyapunov,
    radius_A,
    second_radius,
    terms,
)
from theorylab.statements.pdbo.fig2 import FIGURE_2

_LATER = Quantity("later", "rows", (0, 0), r"\mathrm{rms}_{.9,.1}(m)/\mathrm{rms}_{.9,.1}(50)")
_SUMMAND = Quantity("summand", "rows", (2, -2), r"E\|u^{(m)}\|^2")
_PLACE = {
    "problem": {"clients": 3, "dim": 1, "hyper": 1, "seed": 1},
    "network": {"name": "sto-u", "seed": 1},
    **{"step": 0.3, "variant": "4b", "lam": 1.0},
}
STEPS = {
    "place": _PLACE,
    "terms": [100, 500],
    "sweep": {"parameter": "place.step", "values": [0.3, 0.1, 0.03, 0.02, 0.01]},
}
_MORE = Assumption("more than the 50 terms compared with", rule=terms > 50)
FIGURE = {
    **{"problem": {"clients": 3, "dim": 1, "hyper": 1}, "network": {"name": "sto-u"}},
    **{"step": 0.3, "variant": "4b", "lam": 1.0},
}
SMALL_STEP = {"place": {**FIGURE, "step": 0.01}, "terms": [100, 500]}
SUMMANDS = {"place": _PLACE, "terms": [1, 10, 100, 500]}

STATEMENT = Statement(
    id="pdbo.appc6_rounds",
    source=Source("pdbo", "Appendix C.6", "more rounds tend to have a smaller error"),
    experiment="hgp-second-moment",
    quantity=_LATER,
    versions={
        "printed": Version(
            terms={"the error after 50": sp.Integer(1)},
            assumes=(*FIGURE_2, _MORE),
            note="on the problem that stands for the figure's data",
            mends=(SECOND_MOMENT,),
            checks=(
                Check("sto-u", {"place": FIGURE, "terms": [100, 500]}),
                Check("small-step", SMALL_STEP, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/any-step": Version(
            terms={"the error after 50": sp.Integer(1)},
            assumes=(
                *FIGURE_2[:3],
                _MORE,
                Assumption("Eq. (9): the series converges, rho(A-bar) < 1", rule=radius_A < 1),
            ),
            causes=(SECOND_MOMENT,),
            note="at any step at which SGP converges",
            checks=(Check("steps", STEPS, "VIOLATED", quick=False),),
        ),
        "corrected": Version(
            terms={"die out": lyapunov * (1 - 1 / lyapunov) ** terms * c_norm**2},
            assumes=(Assumption("rho(E[A (x) A]) < 1", rule=second_radius < 1),),
            quantity=_SUMMAND,
            note="HGP's summands die out where rho(E[A (x) A]) < 1",
            mends=(SECOND_MOMENT,),
            checks=(
                Check("sto-u", SUMMANDS),
                Check("sto-d", {**SUMMANDS, "place": {**_PLACE, "network": {"name": "sto-d"}}}),
                Check(
                    "small-step",
                    {**SUMMANDS, "place": {**_PLACE, "step": 0.01}},
                    "ASSUMPTION_FAILS",
                ),
            ),
        ),
    },
)
