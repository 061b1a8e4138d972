r"""Appendix C.6: "500 iterations [...] ensuring the convergence of SGP".

Printed (Appendix C.6): "We let n = 3 clients performed 500 iterations of Eq. (4b) ensuring the
convergence of SGP", on a stochastic undirected network, with full batches; HGP is then run at what
these iterations leave, and compared with the hypergradient at the stationary point.

`printed`: z^(500) is at z*, to the digits of float64. Edges are drawn in every iteration, and
constant weights keep omega at 1, so that z is x and every iterate an affine map of the one before:
E ||z^(500) - z*||^2 is exact, and does not vanish, as ``sec61_point`` says of every T.

Corrected: the mean has converged. As E z^(t+1) - z* = A^T (E z^(t) - z*), A = A-bar on z,

    || E z^(T) - z* || <= ||A-bar||_2^T || z^(0) - z* ||.

At step .01 "500" leaves up to a hundredth of the start (``small-step``). Both steps are ours.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._causes import DRAWN_EDGES
from theorylab.statements.pdbo._symbols import norm_A, z_room, z_start
from theorylab.statements.pdbo.asm2 import CONNECTED
from theorylab.statements.pdbo.sec61_point import PAIRED
from theorylab.symbols import T, n

_AWAY = Quantity("z", "rows", (0, 2), r"E\|z^{(T)}-z^*\|^2")
_MEAN = Quantity("z_mean", "rows", (0, 1), r"\|E\,z^{(T)}-z^*\|")
STO_U = {**PAIRED, "rounds": [500]}
SMALL_STEP = {**STO_U, "step": 0.01, "rounds": [10, 100, 500]}

STATEMENT = Statement(
    id="pdbo.appc6",
    source=Source("pdbo", "Appendix C.6", "500 iterations ensure SGP's convergence"),
    experiment="sgp-approach",
    quantity=_AWAY,
    versions={
        "printed": Version(
            terms={"rounding": z_room},
            assumes=(
                CONNECTED,
                Assumption("C.6: n = 3", rule=sp.Eq(n, 3)),
                Assumption("C.6: 500 iterations", rule=sp.Eq(T, 500)),
            ),
            causes=(DRAWN_EDGES,),
            note="z^(500) is z*",
            checks=(
                Check("sto-u", STO_U, "VIOLATED", carries="step .3"),
                Check("small-step", {**STO_U, "step": 0.01}, "VIOLATED", carries="step .01"),
            ),
        ),
        "corrected": Version(
            terms={"start": norm_A**T * z_start, "rounding": sp.sqrt(z_room)},
            assumes=(CONNECTED, Assumption("Assumption 4, on z: ||A-bar||_2 < 1", rule=norm_A < 1)),
            quantity=_MEAN,
            note="the mean of z^(T) approaches z*",
            mends=(DRAWN_EDGES,),
            checks=(Check("sto-u", STO_U), Check("small-step", SMALL_STEP)),
        ),
    },
)
