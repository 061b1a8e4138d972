r"""Remark 2 against Lemma 3: "the q in Corollary 1 can be explicitly expressed as" the remark's.

Remark: q = (1 - a^{Delta B})^{1/(Delta B + 1)}, a a constant. Lemma 3: q = lambda^{1/((K_u+1)
Delta B + 1)}, lambda = 1 - n D^{-(K_u+1) Delta B}, and "more details can be found in Lemma 3".

The two cannot be one number: the remark's does not depend on K_u, the lemma's tends to 1 as K_u
grows. Judged as: Lemma 3's q at K_u > 1 is at most its q at K_u = 1 on the same network, as it
would be if both were the remark's. That they differ is an inconsistency of two formulas, not a
false claim ("a constant" a may depend on K_u, and no claim rests on both): the check is a control,
and counts for nothing. (K_u stands where Assran et al. have a delay tau; local steps
delay no message. With tau = 0 the lemma's is the remark's for a = n^{1/(Delta B)}/D.)
"""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._symbols import q_one

STATEMENT = Statement(
    id="dfedpgp.rem2_lemma3",
    source=Source("dfedpgp", "Remark 2, Lemma 3", "two formulas for one q"),
    experiment="lemma3-rates",
    quantity=Quantity("q", "rows", (0, 0), r"q\text{ of Lemma 3}(K_u)"),
    versions={
        "control": Version(
            terms={"q at K_u = 1": q_one},
            assumes=(),
            note="a remark: two formulas, no claim",
            checks=(Check("ring", cases.REM2_LEMMA3_RING, "VIOLATED", control=True),),
        ),
    },
)
