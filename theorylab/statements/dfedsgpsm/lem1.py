r"""Lemma 1: one round of local steps as a double sum of gradients.

Printed (Appendix B, Eq. 4):

    x_i^{t+1/2} = x_i^t - eta sum_{k=1}^K sum_{s=1}^k alpha^{k-s} g_{i,s}^t.

g_{i,s}^t lacks its breve, a misprint. In Algorithm 1 the plain letter is line 7's gradient, before
the SAM step; line 10 takes line 9's, with a breve. The text says which one is meant: step (4) of
Section 3.4 has "the perturbed gradient g", and the offset is "the exponentially weighted sum of
historical perturbed gradients, as shown in Equation 3". `printed` is that. With line 7's gradient
the identity would be false as soon as rho > 0; the text excludes that reading. Proof 1 also prints
x_{i,0} = x_{i,-1} = 0, which can only mean that the first difference is 0, and Eq. (3) prints eta_t
for eta_l. `corrected` writes the breve.

An identity is judged against what rounding can do: both sides are sums of the same numbers, so
they differ by at most gamma_m S, where S adds the absolute values of all summands, gamma_m =
m u / (1 - m u), and m counts the operations a summand can pass through: 3K + 2 in lines 10 and
11, at most K(K+1)/2 + 4 in the double sum; m = K^2 + 6K + 10 is above both together
(Higham 2002, Section 3.1).
"""

from theorylab.statements import Check, Source, Statement, Version
from theorylab.statements.dfedsgpsm import _instances as cases
from theorylab.statements.dfedsgpsm._algorithm1 import INPUTS
from theorylab.symbols import K, magnitude, roundoff

_m = K**2 + 6 * K + 10
_TERMS = {"rounding": _m * roundoff / (1 - _m * roundoff) * magnitude}


STATEMENT = Statement(
    id="dfedsgpsm.lem1",
    source=Source("dfedsgpsm", "Lemma 1", "the local update is a weighted sum of gradients"),
    algorithm="dfedsgpsm",
    quantity="update_residual_line9",
    versions={
        "printed": Version(
            terms=_TERMS,
            assumes=INPUTS,
            note="g is the perturbed gradient, as Section 3.4 writes it",
            checks=(Check("sam-momentum", cases.LEM1_WITH_SAM),),
        ),
        "corrected": Version(
            terms=_TERMS,
            assumes=INPUTS,
            note="g with a breve: the gradient of line 9",
            checks=(
                Check("sam-momentum", cases.LEM1_WITH_SAM),
                Check("momentum", cases.LEM1_WITHOUT_SAM),
            ),
        ),
    },
)
