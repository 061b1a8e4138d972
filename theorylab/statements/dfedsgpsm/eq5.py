r"""Equation (5), in Proof 1: a local step by differences of models.

Printed: "according to the update rule of Line.8 and Line.9 in Algorithm 1",

    x_{i,k+1} = x_{i,k} - eta g_{i,k+1} + alpha (x_{i,k} - x_{i,k-1}),   x_{i,0} = x_{i,-1} = 0.

Readings. Lines 10 and 11 are meant. The start can only mean that the first difference is 0. g lacks
its breve, a misprint: it is line 9's gradient, as Section 3.4 says in words. See ``lem1``, also for
what rounding may do: m = 3K operations lead to x_k, six more are in (5); S counts |x_k|, |x_{k-1}|
and all updates so far.
"""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedsgpsm import _instances as cases
from theorylab.statements.dfedsgpsm._algorithm1 import INPUTS
from theorylab.symbols import K, magnitude, roundoff

_m = 3 * K + 6
_TERMS = {"rounding": _m * roundoff / (1 - _m * roundoff) * magnitude}


STATEMENT = Statement(
    id="dfedsgpsm.eq5",
    source=Source("dfedsgpsm", "Eq. (5), Proof 1", "a local step by differences"),
    algorithm="dfedsgpsm",
    quantity=Quantity(
        "dfedsgpsm.recursion",
        "rows",
        (0, 1),
        r"\max_{k,i}\|x_{i,k+1} - x_{i,k} + \eta_l\breve g - \alpha(x_{i,k} - x_{i,k-1})\|_\infty",
        pathwise=True,
    ),
    versions={
        "printed": Version(
            terms=_TERMS,
            assumes=INPUTS,
            note="g is the perturbed gradient, as Section 3.4 writes it",
            checks=(Check("six-clients", cases.CHORDS),),
        ),
    },
)
