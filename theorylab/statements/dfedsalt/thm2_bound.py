r"""Theorem 2 with constants: what the corrected rounds of ``eq33`` and ``lem6`` add up to.

The printed proof sums (33), which is false (``eq33``), and its O(.) is false (``thm2``): there is a
`corrected` version alone. Under ``dfedalt.thm1_bound``'s conditions and L_xi, B = delta^2 +
sigma_u^2/K_u + L_xi^2 rho^2:

    (1/T) sum_{t<T} E[eta_u K_u Delta_u^t + eta_v K_v Delta_v^t] <= 6 (F(ubar^0, V^0) - F*)/T
      + 6 L_u eta_u^2 K_u sigma_u^2/m + 18/5 eta_v^2 K_v L_v sigma_v^2 + 51/8 eta_u K_u L_xi^2 rho^2
      + 6 eta_u^3 K_u^2 L_u^2 (7/2 K_u delta^2 + 26/5 sigma_u^2)
      + 33 (11/5 eta_u K_u L_u^2 + eta_v K_v L_vu^2/2) (l eta_u K_u)^2 B.

Proof. ``dfedalt.thm1_bound``'s, with 4 e^{1/4} for 3 e^{1/4} in z_j^2: sum_t D_t <= 5.4 (l eta K)^2
(2 sum Delta_u + T B); the Delta_u on the right have 11/5 * 10.8/256 + 5.4/48 < .206 eta_u K_u,
which leaves 3/8 - .206 >= 1/6. Times 6, 32.4 <= 33.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements._base import Check, Source, Statement, Version
from theorylab.statements.dfedalt._assumptions import SAMPLES
from theorylab.statements.dfedalt._symbols import K_u, L_sample, delta, eta_u, sigma_u
from theorylab.statements.dfedalt._theorem1 import WEIGHTED, WHOLE_ASSUMES, R, whole
from theorylab.statements.dfedsalt._instances import (
    LONG_RUN,
    NOISY_RUN,
    SINES_RUN,
    STUCK,
    changed,
)
from theorylab.statements.dfedsalt._symbols import rho

_B = delta**2 + sigma_u**2 / K_u + L_sample**2 * rho**2
CORRECTED = {
    **whole(R(7, 2), R(26, 5), R(11, 5), sp.Integer(33), _B),
    "sharpness": R(51, 8) * eta_u * K_u * L_sample**2 * rho**2,
}

STATEMENT = Statement(
    id="dfedsalt.thm2_bound",
    source=Source("dfedsalt", "Theorem 2", "the bound with its constants"),
    algorithm="dfedsalt",
    quantity=WEIGHTED,
    versions={
        "corrected": Version(
            terms=CORRECTED,
            assumes=(*WHOLE_ASSUMES, SAMPLES),
            note="all constants; any step sizes below the caps, any rho",
            checks=(
                Check("far", LONG_RUN),
                Check("radius-alone", STUCK),
                Check("sin-sin", SINES_RUN),
                Check("noise", NOISY_RUN),
                Check("step-above-cap", changed(LONG_RUN, eta_u=0.5), "ASSUMPTION_FAILS"),
            ),
        ),
    },
)
