r"""Lemma 2 (Lemma 23 of Pillutla et al. 2022): how far the personal steps go.

Printed: F is L-smooth, v^0 is fixed, (v^k) are the iterates of stochastic gradient descent with
eta_v <= 1/(2 K_v L_v) from v^0:

    E||v^{K_v-1} - v^0||^2 <= 16 eta_v^2 K_v^2 E||grad F(v^0)||^2 + 8 eta_v^2 K_v^2 sigma_v^2.

Readings. (16) uses it for v^{K_v} = v^{t+1}: `printed/last`. L is L_v, F is F_i(u_i^t, .). "SGD" is
read as an unbiased gradient given the past at every step; line 4's one minibatch a round is not
that (see ``asm2``), and with noise that depends on the point the lemma has no proof there.

Both are true. r_k = v^k - v^0 = -eta sum_{s<k} (grad F(v^s) + n_s), ||grad F(v^s)|| <= g +
L ||r_s|| with g = ||grad F(v^0)||, and the n_s are uncorrelated. So the root mean square a_k of r_k
has a_k <= eta (k g + sigma sqrt k) + eta L sum_{s<k} a_s, hence (discrete Gronwall, as the first
part does not fall with k) a_k <= (1 + eta L)^k eta (k g + sigma sqrt k) and

    E||v^k - v^0||^2 <= 2 (1 + eta L)^{2k} eta^2 (k^2 g^2 + k sigma^2),

for every step size: `corrected`, k = K_v. With eta L K_v <= 1/2 the factor is at most 2e < 8.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedalt import _instances as cases
from theorylab.statements.dfedalt._assumptions import FRESH, SMOOTH, VARIANCE
from theorylab.statements.dfedalt._symbols import K_v, L_v, eta_v, head, sigma_v

_CAP = Assumption("Lemma 2: eta_v <= 1/(2 K_v L_v)", rule=eta_v <= 1 / (2 * K_v * L_v))
_ASSUMES = (SMOOTH, VARIANCE, FRESH, _CAP)
_PRINTED: dict[str, sp.Expr] = {
    "gradient": 16 * eta_v**2 * K_v**2 * head,
    "noise": 8 * eta_v**2 * K_v**2 * sigma_v**2,
}
_FACTOR = 2 * (1 + eta_v * L_v) ** (2 * K_v) * eta_v**2
_LAST = Quantity("dfedalt.head_drift_last", "rows", (0, 2), r"E\|v_i^{t,K_v}-v_i^t\|^2")

STATEMENT = Statement(
    id="dfedalt.lem2",
    source=Source("dfedalt", "Lemma 2", "drift of the personal parts"),
    algorithm="dfedalt",
    quantity=Quantity("dfedalt.head_drift", "rows", (0, 2), r"E\|v_i^{t,K_v-1}-v_i^t\|^2"),
    versions={
        "printed": Version(
            terms=_PRINTED,
            assumes=_ASSUMES,
            checks=(
                Check("sin-sin", cases.SINES),
                Check("signs", cases.SIGNS),
                Check("one-batch-a-round", cases.ONE_BATCH, "ASSUMPTION_FAILS"),
                Check("step-above-cap", cases.LEM2_LARGE, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/last": Version(
            terms=_PRINTED,
            assumes=_ASSUMES,
            quantity=_LAST,
            note="v^{K_v}, as (16) uses it",
            checks=(Check("sin-sin", cases.SINES), Check("signs", cases.SIGNS)),
        ),
        "corrected": Version(
            terms={"gradient": _FACTOR * K_v**2 * head, "noise": _FACTOR * K_v * sigma_v**2},
            assumes=(SMOOTH, VARIANCE, FRESH),
            quantity=_LAST,
            note="v^{K_v}, any step size, K_v sigma_v^2",
            checks=(
                Check("sin-sin", cases.SINES),
                Check("signs", cases.SIGNS),
                Check("large-step", cases.LEM2_LARGE),
            ),
        ),
    },
)
