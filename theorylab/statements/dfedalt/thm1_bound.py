r"""Theorem 1 with constants: what the corrected rounds of ``eq19`` and ``lem5`` add up to.

The printed proof gives no such inequality: (19), which it sums, is false (``eq19``), and so is the
O(.) that it arrives at (``thm1``). There is a `corrected` version alone.

x = eta_u K_u L_u <= 1/2, w = eta_v K_v L_v <= 1/4, q = lambda (1 + eta_u L_u)^{K_u} < 1, one
minibatch a step, any start; D_0 = (1/m) sum_i ||u_i^0 - ubar^0||^2, and gamma_u, gamma_v, B, s, h,
A', j and c from ``_descent``, where the proof is:

    min(gamma_u, gamma_v) (1/T) sum_{t<T} E[eta_u K_u Delta_u^t + eta_v K_v Delta_v^t] <=
        (F(ubar^0, V^0) - F*)/T + L_u eta_u^2 K_u sigma_u^2/(2m) (1 + h^2 x/(1-x))
      + L_v eta_v^2 K_v sigma_v^2/2 (1 + j^2 w/(1/2 - w) + A' j w)
      + B s/4 eta_u K_u x^2 ((1 + h)/3 delta^2 + sigma_u^2/K_u)
      + (B/2 eta_u K_u L_u^2 + eta_v K_v L_vu^2) ((c q/(1-q))^2 + D_0/(T (1-q))).

Small steps have gamma = 1/2, so the start counts twice and the noise once, and for K_u = 1 there is
no drift. The disagreement is ``lem5``'s without gradients, so no cap ties it to the gain. With
eta_u = c/(L_u K_u sqrt T), eta_v = c/(L_v K_v sqrt T) this is the corrected order of ``thm1``.
"""

from theorylab.statements import Check, Source, Statement, Version
from theorylab.statements.dfedalt import _instances as cases
from theorylab.statements.dfedalt._descent import whole, whole_assumes
from theorylab.statements.dfedalt._theorem1 import WEIGHTED

CORRECTED = whole(sam=False)

STATEMENT = Statement(
    id="dfedalt.thm1_bound",
    source=Source("dfedalt", "Theorem 1", "the bound with its constants"),
    algorithm="dfedalt",
    quantity=WEIGHTED,
    versions={
        "corrected": Version(
            terms=CORRECTED,
            assumes=whole_assumes(sam=False),
            note="all constants; any start, any step sizes below the caps",
            checks=(
                Check("far", cases.LONG_RUN),
                Check("u-noise", cases.NOISE_U),
                Check("v-noise", cases.NOISE_V),
                Check("sin-sin", cases.SINES_RUN),
                Check("sin-sin-ring", cases.SINES_RING),
                Check("starts-apart", {**cases.SINES_RING, "x0": cases.APART["x0"]}),
                Check("near-the-cap", cases.changed(cases.NOISE_U, eta_u=0.16)),
                Check(
                    "step-above-cap", cases.changed(cases.LONG_RUN, eta_u=0.75), "ASSUMPTION_FAILS"
                ),
            ),
        ),
    },
)
