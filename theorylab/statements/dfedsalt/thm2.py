r"""Theorem 2: the rate of DFedSalt, an O(.).

Printed (4), eta_u = O(1/(L_u K_u sqrt T)), eta_v = O(1/(L_v K_v sqrt T)), rho = O(1/sqrt T):

    (1/T) sum_{i=1}^T ( E Delta_u^t/L_u + E Delta_v^t/L_v ) <= O( (F(ubar^1, V^1) - F*)/sqrt T
        + sigma_v^2 (L_v+1)/(L_v^2 sqrt T) + L_u/T + sigma^2 L_vu^2/(T^{1/2} (1-lambda)^2)
        + sigma^2 L_u/(T (1-lambda)^2) ),
    O(sigma^2) = O(rho^2/K_v + (sigma_u^2+delta^2)/L_v^2)
               = O(1/(K_v T) + (sigma_u^2+delta^2)/L_v^2).

Readings. `printed` is (4). `printed/appendix` is (35), (36): K_u and L_u in sigma^2, and K_u^2 T
(1-lambda)^2 under the last term; "sigma^2 = rho/K_u + ..." above (35) is read with rho^2, as (34)
and (36) have it. (34) has L_vu where (35) has L_vu^2, and no K_u^2 in its last term. L_u/T, rho^2
against sigma_u^2/L_v^2, and L_vu^2 sigma^2 have different units. Otherwise as ``dfedalt.thm1``;
judged in the same way.

At ``dfedalt.thm1``'s instance the left side is c sigma_u^2/(2 m K_u L sqrt T), and all of the
bracket that is not 0 falls as 1/T. The check "rounds" has rho = 1/sqrt T: SAM moves ubar by at most
rho (``metrics.dfedalt_measure`` proves it step by step), so Delta_u/L by at most L rho^2 + 2 rho
sqrt(L Delta_u), which is O(T^{-3/4}) beside T^{-1/2}. At T = 1e12 the enclosed ratio is 12500, off
by 215 at most. O(1/sqrt T) includes rho = 0 as well, which is exact: DFedSalt is DFedAlt then.

Corrected, from ``thm2_bound``, with L_xi = L_u:

    O( (F - F*)/sqrt T + (sigma_v^2/(K_v L_v) + sigma_u^2/(m K_u L_u))/sqrt T + L_u rho^2
       + (1 + chi^2) (1 + l^2) (delta^2 + sigma_u^2/K_u + L_u^2 rho^2)/(L_u T) ).

Its checks have rho = 0, but for "radius", which has no noise. ``thm2_bound`` is checked with both.
"""

from theorylab.statements import Check, Source, Statement
from theorylab.statements.dfedalt._instances import swept
from theorylab.statements.dfedalt._orders import MEASURE
from theorylab.statements.dfedalt._readings import noise_lost, true_order
from theorylab.statements.dfedsalt import _instances as cases

STATEMENT = Statement(
    id="dfedsalt.thm2",
    source=Source("dfedsalt", "Theorem 2", "convergence of DFedSalt, O(.)"),
    algorithm="dfedsalt",
    quantity=MEASURE,
    versions={
        "printed": noise_lost(
            "thm2",
            cases.THM2_REFUTED,
            sam=True,
            note="K_v and L_v in sigma^2, as Section 4 has it",
        ),
        "printed/appendix": noise_lost(
            "thm2-appendix",
            cases.THM2_REFUTED,
            sam=True,
            note="K_u and L_u in sigma^2, as (35) and (36) have it",
        ),
        "corrected": true_order(
            Check("radius", swept(**cases.ALONG_RADIUS), quick=False), sam=True
        ),
    },
)
