r"""Theorem 1: the rate of DFedAlt, an O(.).

Printed (3), (21), with eta_u = O(1/(L_u K_u sqrt T)), eta_v = O(1/(L_v K_v sqrt T)):

    (1/T) sum_{i=1}^T ( E Delta_u^t/L_u + E Delta_v^t/L_v ) <= O( (F(ubar^1, V^1) - F*)/sqrt T
        + sigma_1^2/sqrt T + sigma_2^2/(T (1-lambda)^2) ),
    sigma_1^2 = sigma_v^2 (L_v+1)/L_v^2 + L_vu^2 (sigma_u^2+delta^2)/L_u^2
              = sigma_v^2 (L_v+1)/L_v^2 + chi^2 L_v (sigma_u^2+delta^2)/L_u,
    sigma_2^2 = (sigma_u^2+delta^2)/L_u.

Readings. The sum is over t (i is printed). The rounds are counted from 1, so u^1 is the start:
Algorithm 1 counts from 0. (20) has L_v^2 under L_vu^2 (sigma_u^2 + delta^2), against L_u^2 here and
below (20). chi^2 L_v/L_u is L_vu^2/L_u^2 if L_vu >= L_uv. L_v + 1 and L_vu^2/L_u^2 add numbers of
different units. The O(1) of the steps is read as one c for both, c = .1; any c gives the same.

An O(.) has no constant: the ratio of both sides must not grow. Judged: the factor by which it
grows per decade at the end of a sweep, at most 10^(1/20), the bracket's terms with the powers of c
that the proof leaves. A window proves nothing about a limit, so a growth counts against the claim
only where the limit is proved, as here (the lower bound is in ``_orders``):

Uncoupled (L_vu = 0), sigma_v = delta = 0, W = P, F_i = L u^2/2 + L v^2/2 from the minimum: a round
multiplies ubar by (1-eta_u L)^K ~ 1 - c/sqrt T and adds noise of variance about eta_u^2 K_u
sigma_u^2/m, so that after sqrt T/c rounds E Delta_u = L^2 E ubar^2 ~ c sigma_u^2/(2 m K_u sqrt T).
The left side is ~ c sigma_u^2/(2 m K_u L sqrt T) against sigma_u^2/(L T): the ratio grows as
c sqrt T/(2 m K_u), without limit. Growth 10^(1/2) a decade, exact. (20) has lost more of (19): the
(1-lambda)^2 under L_vu^2 (sigma_u^2 + delta^2)/sqrt T, which Theorem 2 keeps, and 18 eta_u^2 K_u^2
(sigma_u^2 + delta^2)/(1-lambda)^2, 1/sqrt T too. These two are an excess of (19), not of the truth.

Corrected, from ``thm1_bound``:

    O( (F - F*)/sqrt T + (sigma_v^2/(K_v L_v) + sigma_u^2/(m K_u L_u))/sqrt T
       + (1 + chi^2) (1 + l^2) (delta^2 + sigma_u^2/K_u)/(L_u T) ),   l = lambda/(1-lambda),

once T is large enough for the caps. The coupling and delta enter at 1/T only, and the noise of u at
1/sqrt T, divided by m and K_u: linear speedup, which the printed theorem does not have.
"""

from theorylab.statements import Check, Source, Statement
from theorylab.statements.dfedalt import _instances as cases
from theorylab.statements.dfedalt._orders import MEASURE
from theorylab.statements.dfedalt._readings import noise_lost, true_order

STATEMENT = Statement(
    id="dfedalt.thm1",
    source=Source("dfedalt", "Theorem 1", "convergence of DFedAlt, O(.)"),
    algorithm="dfedalt",
    quantity=MEASURE,
    versions={
        "printed": noise_lost("thm1", {"rounds": {}}, sam=False),
        "corrected": true_order(
            sam=False, last=(Check("too-few-rounds", cases.THM1_TOO_FEW, "ASSUMPTION_FAILS"),)
        ),
    },
)
