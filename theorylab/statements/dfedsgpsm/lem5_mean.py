r"""Proof 5, "taking conditional expectations", first line: the mean of a round's direction.

Printed, in the inner product of the descent step:

    E<grad f(xbar^t), 1/n sum_i sum_k sum_s alpha^{k-s} breve g_{i,s}>
      = E<grad f(xbar^t), 1/n sum_i sum_k sum_s alpha^{k-s} grad f_i(breve z_{i,s})>.

(The display above it prints g, the breve is meant: Lemma 1.) Judged as the distance of both sides
over a~, against what rounding can do.

Without SAM or without noise it is true for every K: grad f(xbar^t) is known when the round starts,
and e_{i,s} has mean 0 given z_{i,s}. `printed/line-9` asks Assumption 3 of line 9's gradient, given
its point: then it is true.

Corrected. With e_{i,s} the noise of line 7, breve g - grad f_i(breve z) is e plus the change of
grad F_i(.; xi) and less that of grad f_i over a way of length rho, so the sides differ by at most
a~ (L_xi + L) rho E||grad f(xbar^t)||.
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedsgpsm import _instances as cases
from theorylab.statements.dfedsgpsm._algorithm1 import INPUTS
from theorylab.statements.dfedsgpsm._causes import UNBIASED
from theorylab.statements.dfedsgpsm._proof5 import CAPS, LINE_9, SMOOTH_SAMPLES
from theorylab.statements.dfedsgpsm._symbols import product_rounding, slope_mean
from theorylab.symbols import B, L, L_sample, rho, sigma_l

_NEEDS = (
    *INPUTS,
    Assumption("Assumption 2 (L-smoothness)", finite=(L,)),
    Assumption("Assumption 3 (bounded gradient noise)", finite=(sigma_l,)),
)
_ASSUMES = (*_NEEDS, Assumption("Assumption 5 (bounded gradient)", finite=(B,)), *CAPS)
_EQUAL = {"rounding": product_rounding}

STATEMENT = Statement(
    id="dfedsgpsm.lem5_mean",
    source=Source("dfedsgpsm", "Proof 5, conditional expectations, first line", "mean direction"),
    algorithm="dfedsgpsm",
    quantity=Quantity(
        "dfedsgpsm.split_inner",
        "rows",
        (2, -2),
        r"\frac{1}{\tilde\alpha}|E\langle\nabla f(\bar x^t), \frac{1}{n}\sum_{i,k,s}\alpha^{k-s}"
        r"(\breve g_{i,s}^t - \nabla f_i(\breve z_{i,s}^t))\rangle|",
    ),
    versions={
        "printed": Version(
            terms=_EQUAL,
            assumes=_ASSUMES,
            causes=(UNBIASED,),
            checks=(
                Check("three-uphill", cases.THREE_UPHILL, "VIOLATED"),
                Check("uphill", cases.UPHILL, "VIOLATED"),
                Check("momentum-noise", cases.TWO_NOISY),
                Check("sam-without-noise", cases.CHORDS),
            ),
        ),
        "printed/line-9": Version(
            terms=_EQUAL,
            assumes=(*_ASSUMES, LINE_9),
            note="Assumption 3 for the gradient of line 9",
            mends=(UNBIASED,),
            checks=(
                Check("three-uphill", cases.THREE_UPHILL, "ASSUMPTION_FAILS"),
                Check("uphill", cases.UPHILL, "ASSUMPTION_FAILS"),
                Check("momentum-noise", cases.TWO_NOISY),
                Check("sam-without-noise", cases.CHORDS),
            ),
        ),
        "corrected": Version(
            terms={"ascent": (L_sample + L) * rho * slope_mean, **_EQUAL},
            assumes=(*_NEEDS, SMOOTH_SAMPLES),
            note="what SAM on one minibatch can do",
            mends=(UNBIASED,),
            checks=(
                Check("three-uphill", cases.THREE_UPHILL),
                Check("uphill", cases.UPHILL),
                Check("momentum-noise", cases.TWO_NOISY),
                Check("sam-without-noise", cases.CHORDS),
            ),
        ),
    },
)
