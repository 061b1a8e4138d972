r"""(8): the recursion of v_i unrolled, inside the proof of Lemma 1.

Printed, with A the last two terms of (7):

    E||v_i^{t,k+1} - v_i^{t,0}||^2 <= A sum_{k=0}^{K_v-1} (1 + 2/(k-1))^k
        <= A/2 (K_v-1) sum_{k=0}^{K_v-1} (1 + 2/(K_v-1))^k <= A/2 (K_v-1) (1 + 2/(K_v-1))^{K_v-1}.

(In the first sum k - 1, which is 0 at k = 1, is read K_v - 1.) The last step is judged, both sides
over A/2 (K_v-1).

Corrected: K_v - 1 steps add the terms k < K_v - 1, and with r = 1 + 2/(K_v-1)

    A sum_{k=0}^{K_v-2} r^k = A/2 (K_v-1) (r^{K_v-1} - 1) <= A/2 (K_v-1) r^{K_v-1}.

So both ends of (8) are right, and (9) and Lemma 1 with them.
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedpgp._causes import SUM_TWICE
from theorylab.symbols import K

_ASSUMES = (Assumption("Proof of Lemma 1: K_v > 1", rule=K > 1),)
_TERMS = {"the last term": (1 + 2 / (K - 1)) ** (K - 1)}

STATEMENT = Statement(
    id="dfedpgp.eq8",
    source=Source("dfedpgp", "Eq. (8), proof of Lemma 1", "a sum of powers by the last of them"),
    experiment="momentum-sums",
    quantity=Quantity("powers", "rows", (0, 0), r"\sum_{k=0}^{K_v-1}(1+\frac2{K_v-1})^k"),
    versions={
        "printed": Version(
            terms=_TERMS,
            assumes=_ASSUMES,
            causes=(SUM_TWICE,),
            checks=(Check("two-four-and-ten-steps", {"steps": [2, 4, 10]}, "VIOLATED"),),
        ),
        "corrected": Version(
            terms=_TERMS,
            assumes=_ASSUMES,
            quantity=Quantity(
                "mean_powers", "rows", (0, 0), r"\frac2{K_v-1}\sum_{k=0}^{K_v-2}(1+\frac2{K_v-1})^k"
            ),
            note="K_v - 1 terms, and no factor twice",
            mends=(SUM_TWICE,),
            checks=(Check("up-to-a-hundred-steps", {"steps": [2, 3, 4, 10, 100]}),),
        ),
    },
)
