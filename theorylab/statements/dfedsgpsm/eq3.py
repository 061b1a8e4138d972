r"""Equation (3): the exchange, in the form of a sum over in-neighbours.

Printed: x_i^{t+1} = sum_j p_{i,j}^t x_j^{t+1/2} = sum_{j in N_i^in(t)} x_j^{t+1/2} / d_j^t.

d_j^t is not defined; it is |N_j^out(t)|, the self-loop counted. Readings. Algorithm 1's input
prints p_{j,i}^t = 1/|N_i^out(0)|, the degree at round 0; with degrees that change, columns then do
not sum to 1, so round t's degree is meant. The last line of (3) is Lemma 1, with eta_t for eta_l.
Both sides are the same n products, so they differ by at most gamma_{n+2} S.
"""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedsgpsm import _instances as cases
from theorylab.statements.dfedsgpsm._algorithm1 import INPUTS
from theorylab.symbols import magnitude, n, roundoff

_m = n + 2

STATEMENT = Statement(
    id="dfedsgpsm.eq3",
    source=Source("dfedsgpsm", "Eq. (3)", "the exchange as a sum over in-neighbours"),
    algorithm="dfedsgpsm",
    quantity=Quantity(
        "dfedsgpsm.pull",
        "rows",
        (0, 1),
        r"\max_i\|x_i^{t+1} - \sum_{j\in N_i^{in}} x_j^{t+1/2}/d_j^t\|_\infty",
        pathwise=True,
    ),
    versions={
        "printed": Version(
            terms={"rounding": _m * roundoff / (1 - _m * roundoff) * magnitude},
            assumes=INPUTS,
            note="d_j is the out-degree at round t",
            checks=(Check("six-clients", cases.CHORDS),),
        ),
    },
)
