r"""Eq. (12): HGP, with debiased receiving edges, is unbiased.

Printed (Section 4.2): replace delta_{i->j} in Eq. (11) by delta_{j->i} / dbar_{j->i} and
p_ij(delta_i) by pbar_ij; "Assumption 6 ensures that [they] are unbiased: E[delta_{j->i}/dbar_{j->i}
<A-tilde>_ij] = E[delta_{j->i}/dbar_{j->i}] E[<A-hat>_ij] = <A-tilde>_ij" (read: <A-bar>_ij). Lines
404 to 408 say it of A-hat, B-hat ("under Assumption 5 where delta and zeta are independent").

`printed`: the estimate v^(M) against B-bar sum_{m<M} A-bar^m c^y + c^lambda. `printed/a`,
`printed/b`: one round's A-hat and B-hat. All true; Assumption 7 is not used, so StoU is covered
(the two ways of an edge never multiply each other within a round: a round enters once). On Eq. (4b)
B-hat has no edges at all.
"""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._instances import place
from theorylab.statements.pdbo._unbiased import (
    A_TERMS,
    B_TERMS,
    BIAS,
    BIAS_TERMS,
    THREE,
    instances,
)
from theorylab.statements.pdbo.asm6 import BOTH_WAYS

RING = {"place": place(THREE, {"name": "directed-ring"}), "reading": "eq12"}
_CHECKS = tuple(Check(name, one) for name, one in instances("eq12").items())

STATEMENT = Statement(
    id="pdbo.eq12",
    source=Source("pdbo", "Eq. (12)", "HGP is unbiased"),
    experiment="hgp-unbiased",
    quantity=BIAS,
    versions={
        "printed": Version(
            terms=BIAS_TERMS,
            assumes=(BOTH_WAYS,),
            checks=(*_CHECKS, Check("directed-ring", RING, "ASSUMPTION_FAILS")),
        ),
        "printed/a": Version(
            terms=A_TERMS,
            assumes=(BOTH_WAYS,),
            quantity=Quantity("bias_A", "rows", (0, 0), r"\|E\hat A - \bar A\|_\infty"),
            note="A-hat of a round",
            checks=_CHECKS,
        ),
        "printed/b": Version(
            terms=B_TERMS,
            assumes=(BOTH_WAYS,),
            quantity=Quantity("bias_B", "rows", (0, 1), r"\|E\hat B - \bar B\|_\infty"),
            note="B-hat of a round",
            checks=_CHECKS,
        ),
    },
)
