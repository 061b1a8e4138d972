r"""Proof 5, R1, second inequality (marked "Le2"): smoothness across clients.

Printed, after Jensen,

    1/(n a~) sum_i sum_k sum_s alpha^{k-s} E||grad f_i(z_{i,s}) - grad f(xbar)||^2
      <= L^2/(n a~) sum_i sum_k sum_s alpha^{k-s} E||breve z_{i,s} - xbar||^2.

Readings. Line 1 drops the breve of z on the left; with it is meant. "Le2" is Lemma 2 by its
letters; Assumption 2 is what is used.

Corrected: grad f_i(xbar) for grad f(xbar), and Assumption 2. Since (1/n) sum_i grad f_i(xbar) =
grad f(xbar), that is what R1 (before Jensen) needs: R1's bound survives (``lem5_r1``).
"""

from __future__ import annotations

from theorylab.statements._base import Assumption, Check, Source, Statement, Version
from theorylab.statements._quantity import Quantity
from theorylab.statements.dfedsgpsm._algorithm1 import INPUTS
from theorylab.statements.dfedsgpsm._causes_proof import OTHER_GRADIENT
from theorylab.statements.dfedsgpsm._proof5 import CHORDS
from theorylab.statements.dfedsgpsm._symbols import point_gap
from theorylab.symbols import L

_TERMS = {"points": L**2 * point_gap}
_ASSUMES = (*INPUTS, Assumption("Assumption 2 (L-smoothness)", finite=(L,)))
_TWO = {
    "problem": {"name": "log-cosh", "centers": [[1.0], [-1.0]]},
    "topology": {"name": "complete"},
    "clients": 2,
    "rounds": 1,
    "algorithm": {"eta": 0.1, "alpha": 0.0, "rho": 0.0, "local_steps": 1},
}
_MOVING = {
    **_TWO,
    "topology": {"name": "directed-ring"},
    "algorithm": {"eta": 0.01, "alpha": 0.5, "rho": 0.05, "local_steps": 4},
}
_ALIKE = {
    **_TWO,
    "problem": {"name": "log-cosh", "center": 1.0},
    "x0": [[0.9], [1.1]],
    "rounds": 1,
}

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
                Check("two-with-momentum", _MOVING, "VIOLATED"),
                Check("two-centers", _TWO, "VIOLATED"),
                Check("alike", _ALIKE),
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
                Check("two-with-momentum", _MOVING),
                Check("alike", _ALIKE),
                Check("six-clients", CHORDS),
            ),
        ),
    },
)
