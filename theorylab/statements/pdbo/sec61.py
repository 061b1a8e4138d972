r"""Section 6.1: A and B sampled in one round.

Printed (Section 6.1): "We also made a practical modification in HGP to sample A-tilde^(m) and
B-tilde^(m) together at the single m-th round, which leads to the same length of the Neumann series
with the half sampling costs of the original HGP, while they are no longer unbiased."

`printed`: there is a bias, that is, more than rounding makes of 0: |bias| >= room.

Corrected: the bias is 0. Proof. v^(M) = c^lambda + sum_m B^(m) u^(m), and u^(m) = A^(m-1) ... A^(0)
c^y is made of rounds before m. B^(m) and A^(m) of the same round never meet in a product, so by
Assumption 5 E v^(M) = B-bar sum_{m<M} A-bar^m c^y + c^lambda. The same for VR-HGP, whose w^(m) is
made of rounds before m, too (the recursion is affine in (v, u, w), its matrices independent of the
past). What changes is the variance.
"""

from theorylab.statements import Check, Source, Statement, Version
from theorylab.statements.pdbo._causes import STILL_UNBIASED
from theorylab.statements.pdbo._symbols import bias_room
from theorylab.statements.pdbo._unbiased import BIAS, BIAS_TERMS, instances
from theorylab.statements.pdbo.asm6 import BOTH_WAYS

_HGP = instances("eq12", together=True, terms=3)
_VR = instances("appendix-b", together=True, terms=3, alpha=0.6, beta=0.3)

STATEMENT = Statement(
    id="pdbo.sec61",
    source=Source("pdbo", "Section 6.1", "A and B sampled together: no longer unbiased"),
    experiment="hgp-unbiased",
    quantity=BIAS,
    versions={
        "printed": Version(
            terms={"rounding": bias_room},
            relation=">=",
            assumes=(BOTH_WAYS,),
            causes=(STILL_UNBIASED,),
            note="biased: |bias| >= rounding",
            checks=tuple(Check(name, one, "VIOLATED") for name, one in _HGP.items()),
        ),
        "corrected": Version(
            terms=BIAS_TERMS,
            assumes=(BOTH_WAYS,),
            note="unbiased",
            mends=(STILL_UNBIASED,),
            checks=(
                *(Check(name, one) for name, one in _HGP.items()),
                *(Check(f"vr-{name}", one) for name, one in _VR.items()),
            ),
        ),
    },
)
