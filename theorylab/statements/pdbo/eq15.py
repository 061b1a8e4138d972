r"""Eq. (15) and A.3.2: the truncated Neumann series.

Printed (Appendix A.3.2): "With Assumption 4, we have ||A-bar||_2 < 1. We can thus
approximate (I - A-bar)^{-1} by the truncated Neumann series up to the M-th term", (I - A-bar)^{-1}
= sum_{m=0}^{infinity} A-bar^m, about sum_{m=0}^{M-1} A-bar^m. "About" has no number; the claim is
the geometric one,

    ||(I - A-bar)^{-1} - sum_{m<M} A-bar^m||_2 <= ||A-bar||_2^M / (1 - ||A-bar||_2).

`printed`: for SGP, on y = (z, omega), there is no inverse and no convergence, see ``pdbo.asm4``.
`printed/z`: on z, true where ||A-bar_zz||_2 < 1. `corrected`: where only rho(A-bar_zz) < 1, by (I -
A)^{-1} - sum_{m<M} A^m = A^M (I - A)^{-1}: at most ||A^M||_2 ||(I - A)^{-1}||_2, which tends to 0.
(A.3.2 writes c_i^y, c_j^lambda for c^y, c^lambda, and F for Fbar, without its 1/n.)
"""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._causes import OMEGA
from theorylab.statements.pdbo._instances import NOISY, STO_D, STO_U, place
from theorylab.statements.pdbo._rounding import gamma
from theorylab.statements.pdbo._symbols import (
    hgp_size,
    norm_A,
    norm_A_full,
    power_norm,
    resolvent,
    terms,
)
from theorylab.statements.pdbo.asm4 import FULL, ON_Z, RADIUS, SINGULAR, STAR

# M products and one inverse, whose condition number is at most 2 ||(I - A)^{-1}|| + O(1) in these.
_ROOM = gamma(64 * (terms + hgp_size) ** 2) * resolvent * (1 + 2 * resolvent)

STATEMENT = Statement(
    id="pdbo.eq15",
    source=Source("pdbo", "Eq. (15), A.3.2", "the truncated Neumann series"),
    experiment="pdbo-stationary",
    quantity=Quantity("truncation", "rows", (0, 0), r"\|(I-\bar A)^{-1} - \sum_{m<M} \bar A^m\|_2"),
    trivial=None,
    versions={
        "printed": Version(
            terms={"geometric": norm_A_full**terms / (1 - norm_A_full)},
            assumes=(FULL,),
            unsatisfiable=SINGULAR,
            causes=(OMEGA,),
            note="for SGP, on y = (z, omega)",
            checks=(Check("sto-d", place(NOISY, STO_D), "UNSATISFIABLE"),),
        ),
        "printed/z": Version(
            terms={"geometric": norm_A**terms / (1 - norm_A), "rounding": _ROOM},
            assumes=(ON_Z,),
            note="for SGP, on z",
            mends=(OMEGA,),
            checks=(
                Check("sto-d", place(NOISY, STO_D)),
                Check("sto-u-4a", place(NOISY, STO_U, "4a", 0.05)),
                Check("star", STAR, "ASSUMPTION_FAILS"),
            ),
        ),
        "corrected": Version(
            terms={"remainder": power_norm * resolvent, "rounding": _ROOM},
            assumes=(RADIUS,),
            note="for SGP, rho < 1 on z",
            mends=(OMEGA,),
            checks=(Check("sto-d", place(NOISY, STO_D)), Check("star", STAR)),
        ),
    },
)
