r"""Theorem 2 with constants: what the corrected rounds of ``eq33`` and ``lem6`` add up to.

The printed proof sums (33), which is false (``eq33``), and its O(.) is false (``thm2``): there is a
`corrected` version alone. x <= 1/3, w <= 1/4, q < 1, R = L_xi rho, A = (1 + eta_u L_u)^{2(K_u-1)},
and all else as in ``dfedalt.thm1_bound``:

    min(gamma_u, gamma_v) (1/T) sum_{t<T} E[eta_u K_u Delta_u^t + eta_v K_v Delta_v^t] <=
        (F(ubar^0, V^0) - F*)/T + L_u eta_u^2 K_u sigma_u^2/(2m (1-x)) + A eta_u K_u R^2
      + L_v eta_v^2 K_v sigma_v^2/2 (1 + j^2 w/(1/2 - w) + A' j w)
      + B s/2 eta_u K_u x^2 ((1 + h)/3 delta^2 + sigma_u^2/K_u)
      + (B eta_u K_u L_u^2 + eta_v K_v L_vu^2) ((c q/(1-q))^2 + D_0/(T (1-q))).

The proof is in ``dfedalt._descent``. SAM at rest can leave Delta_u at R^2 for ever; here it is at
most 2 R^2 as the steps become small.
"""

from theorylab.statements import Check, Source, Statement, Version
from theorylab.statements.dfedalt._assumptions import SAMPLES
from theorylab.statements.dfedalt._descent import whole, whole_assumes
from theorylab.statements.dfedalt._theorem1 import WEIGHTED
from theorylab.statements.dfedsalt import _instances as cases

CORRECTED = whole(sam=True)

STATEMENT = Statement(
    id="dfedsalt.thm2_bound",
    source=Source("dfedsalt", "Theorem 2", "the bound with its constants"),
    algorithm="dfedsalt",
    quantity=WEIGHTED,
    versions={
        "corrected": Version(
            terms=CORRECTED,
            assumes=(*whole_assumes(sam=True), SAMPLES),
            note="all constants; any start, any step sizes below the caps, any rho",
            checks=(
                Check("far", cases.LONG_RUN),
                Check("radius-alone", cases.STUCK),
                Check("sin-sin", cases.SINES_RUN),
                Check("noise", cases.NOISY_RUN),
                Check(
                    "starts-apart",
                    {**cases.changed(cases.SINES_RUN, eta_u=0.004), "x0": cases.APART["x0"]},
                ),
                Check(
                    "step-above-cap", cases.changed(cases.LONG_RUN, eta_u=0.5), "ASSUMPTION_FAILS"
                ),
            ),
        ),
    },
)
