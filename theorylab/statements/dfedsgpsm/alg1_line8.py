r"""Algorithm 1, line 8: the extra step z-breve = z + rho g / ||g||.

`implied`: g of line 7 is never 0, as line 8 divides by its length and Algorithm 1 does not say what
happens then. A count of clients with g = 0 is judged, which has to be below 1. False where a client
is at a minimum of its sample's loss: two clients on the minimum of log cosh.

Corrected: 0/0 read as 0, as every program here does it. All that the proofs use of line 8 is that
||z-breve - z|| <= rho, which that keeps. (= rho, which "|| z-breve - z ||^2 = rho^2" in R1 would
need, is not used: R1 has <=.)
"""

import sympy as sp

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedsgpsm import _instances as cases
from theorylab.statements.dfedsgpsm._algorithm1 import INPUTS
from theorylab.statements.dfedsgpsm._causes import NO_DIRECTION
from theorylab.statements.dfedsgpsm._symbols import ascent_rounding
from theorylab.symbols import rho

STATEMENT = Statement(
    id="dfedsgpsm.alg1_line8",
    source=Source("dfedsgpsm", "Algorithm 1, line 8", "the direction of SAM where g = 0"),
    algorithm="dfedsgpsm",
    quantity=Quantity(
        "dfedsgpsm.no_direction", "rows", (0, 0), r"\#\{i: g_{i,k+1}^t=0\}", pathwise=True
    ),
    versions={
        "implied": Version(
            terms={"less than one": sp.Rational(1, 2)},
            assumes=INPUTS,
            note="line 8 has a value: no g of line 7 is 0",
            causes=(NO_DIRECTION,),
            checks=(
                Check("at-rest", cases.ALG1_LINE8_AT_REST, "VIOLATED"),
                Check("six-clients", cases.CHORDS),
            ),
        ),
        "corrected": Version(
            terms={"radius": rho, "rounding": ascent_rounding},
            assumes=INPUTS,
            quantity=Quantity(
                "dfedsgpsm.ascent", "rows", (0, 1), r"\|\breve z_{i,k+1}-z_{i,k+1}\|", pathwise=True
            ),
            note="0/0 read as 0",
            mends=(NO_DIRECTION,),
            checks=(
                Check("at-rest", cases.ALG1_LINE8_AT_REST),
                Check("six-clients", cases.CHORDS),
            ),
        ),
    },
)
