r"""Proof 5, R1, second inequality (marked "Le2"): smoothness across clients.

Printed, after Jensen,

    1/(n a~) sum_i sum_k sum_s alpha^{k-s} E||grad f_i(z_{i,s}) - grad f(xbar)||^2
      <= L^2/(n a~) sum_i sum_k sum_s alpha^{k-s} E||breve z_{i,s} - xbar||^2.

Readings. Line 1 drops the breve of z on the left; with it is meant. "Le2" is Lemma 2 by its
letters; Assumption 2 is what is used.

Corrected: grad f_i(xbar) for grad f(xbar), and Assumption 2. Since (1/n) sum_i grad f_i(xbar) =
grad f(xbar), that is what R1 (before Jensen) needs: R1's bound survives (``lem5_r1``).
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedsgpsm import _instances as cases
from theorylab.statements.dfedsgpsm._algorithm1 import INPUTS
from theorylab.statements.dfedsgpsm._causes import OTHER_GRADIENT
from theorylab.statements.dfedsgpsm._symbols import point_gap
from theorylab.symbols import L

_TERMS = {"points": L**2 * point_gap}
_ASSUMES = (*INPUTS, Assumption("Assumption 2 (L-smoothness)", finite=(L,)))

STATEMENT = Statement(
    id="dfedsgpsm.lem5_smooth",
    source=Source("dfedsgpsm", "Proof 5, R1, second inequality", "smoothness across clients"),
    algorithm="dfedsgpsm",
    quantity=Quantity(
        "dfedsgpsm.smooth_f",
        "rows",
        (2, -2),
        r"\overline{E\|\nabla f_i(\breve z_{i,s}^t)-\nabla f(\bar x^t)\|^2}",
    ),
    versions={
        "printed": Version(
            terms=_TERMS,
            assumes=_ASSUMES,
            causes=(OTHER_GRADIENT,),
            checks=(
                Check("two-with-momentum", cases.LEM5_SMOOTH_MOVING, "VIOLATED"),
                Check("two-centers", cases.LEM5_SMOOTH_TWO, "VIOLATED"),
                Check("alike", cases.LEM5_SMOOTH_ALIKE),
            ),
        ),
        "corrected": Version(
            terms=_TERMS,
            assumes=_ASSUMES,
            quantity=Quantity(
                "dfedsgpsm.smooth_fi",
                "rows",
                (2, -2),
                r"\overline{E\|\nabla f_i(\breve z_{i,s}^t)-\nabla f_i(\bar x^t)\|^2}",
            ),
            note="grad f_i(xbar) for grad f(xbar)",
            mends=(OTHER_GRADIENT,),
            checks=(
                Check("two-with-momentum", cases.LEM5_SMOOTH_MOVING),
                Check("alike", cases.LEM5_SMOOTH_ALIKE),
                Check("six-clients", cases.CHORDS),
            ),
        ),
    },
)
