r"""Theorem 1 with constants: what the corrected rounds of ``eq19`` and ``lem5`` add up to.

The printed proof gives no such inequality: (19), which it sums, is false (``eq19``), and so is the
O(.) that it arrives at (``thm1``). There is a `corrected` version alone.

For y = eta_u K_u L_u <= 1/8, eta_v K_v L_v <= 1/4, l = lambda/(1-lambda), y l <= 1/16,
eta_u K_u eta_v K_v (L_vu l)^2 <= 1/48, equal starts, one minibatch a step:

    (1/T) sum_{t<T} E[eta_u K_u Delta_u^t + eta_v K_v Delta_v^t] <= 6 (F(ubar^0, V^0) - F*)/T
      + 6 L_u eta_u^2 K_u sigma_u^2/m + 18/5 eta_v^2 K_v L_v sigma_v^2
      + 6 eta_u^3 K_u^2 L_u^2 (13/10 K_u delta^2 + 2 sigma_u^2)
      + 24 (21/20 eta_u K_u L_u^2 + eta_v K_v L_vu^2/2) (l eta_u K_u)^2 (delta^2 + sigma_u^2/K_u).

Proof. Disagreement (``lem5``): sqrt(D_t) <= sum_{j<t} lambda^{t-j} z_j, z_j^2 <= 3 e^{1/4} eta^2
(K^2 (delta^2 + 2 L_u^2 D_j + 2 Delta_u^j) + K sigma_u^2). By Young's inequality for the convolution
sum_t D_t <= l^2 sum_j z_j^2, and 6 e^{1/4} (y l)^2 < .031 moves the D_j to the left:

    sum_t D_t <= 4 (l eta_u K_u)^2 (2 sum_t Delta_u^t + T (delta^2 + sigma_u^2/K_u)).

Sum ``eq19``'s corrected version over t: the Delta_u on the right have 21/20 * 8/256 + 4/48 < .117
eta_u K_u, which leaves 9/20 - .117 >= 1/6. Times 6. With eta_u = c/(L_u K_u sqrt T) and eta_v =
c/(L_v K_v sqrt T) this is the corrected order of ``thm1``.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements._base import Check, Source, Statement, Version
from theorylab.statements.dfedalt._instances import (
    LONG_RUN,
    NOISE_U,
    NOISE_V,
    SINES_RING,
    SINES_RUN,
    changed,
)
from theorylab.statements.dfedalt._symbols import K_u, delta, sigma_u
from theorylab.statements.dfedalt._theorem1 import WEIGHTED, WHOLE_ASSUMES, R, whole

CORRECTED = whole(R(13, 10), sp.Integer(2), R(21, 20), sp.Integer(24), delta**2 + sigma_u**2 / K_u)

STATEMENT = Statement(
    id="dfedalt.thm1_bound",
    source=Source("dfedalt", "Theorem 1", "the bound with its constants"),
    algorithm="dfedalt",
    quantity=WEIGHTED,
    versions={
        "corrected": Version(
            terms=CORRECTED,
            assumes=WHOLE_ASSUMES,
            note="all constants; any step sizes below the caps",
            checks=(
                Check("far", LONG_RUN),
                Check("u-noise", NOISE_U),
                Check("v-noise", NOISE_V),
                Check("sin-sin", SINES_RUN),
                Check("sin-sin-ring", SINES_RING),
                Check("step-above-cap", changed(LONG_RUN, eta_u=0.5), "ASSUMPTION_FAILS"),
            ),
        ),
    },
)
