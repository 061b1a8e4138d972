r"""Eq. (42) to (44): iterative differentiation, forward mode.

Printed (Appendix H): U^(0) = O, U^(t+1) = U^(t) A^(t) + B^(t) for t = 0 .. T-1 "provides
the hyper-gradient by d^ITD Fbar = U^(K) c^x + c^lambda" (42); client by client,
U_ki^(t+1) = sum_j delta_{j->i} U_kj^(t) <A^(t)>_ji + delta_{k->i} <B^(t)>_ki (43), and
sum_j U_ij^(T) c_j^x + c_i^lambda (44).

True. K is T (nothing else in Appendix H is called K), c^x is c^y. U^(t) as defined in Appendix H by
products in the paper's sign is not what (42) computes, see ``eq41``. The delta's of (43) change
nothing: <A>_ji = O where j does not send to i.
"""

from theorylab.statements import Check, Source, Statement, Version
from theorylab.statements.pdbo.eq41 import NOISY, RANDOM, ROUNDING, residual

_CHECKS = (Check("random-edges", RANDOM), Check("minibatches", NOISY))

STATEMENT = Statement(
    id="pdbo.eq42",
    source=Source("pdbo", "Eq. (42)", "iterative differentiation, forward mode"),
    experiment="itd",
    quantity=residual("eq42"),
    versions={
        "printed": Version(terms=ROUNDING, assumes=(), checks=_CHECKS, note="Eq. (42)"),
        "printed/eq43": Version(
            terms=ROUNDING,
            assumes=(),
            checks=_CHECKS,
            quantity=residual("eq43"),
            note="Eq. (43) and (44), client by client",
        ),
    },
)
