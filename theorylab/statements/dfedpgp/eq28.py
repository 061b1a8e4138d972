r"""(28): the linear part of the v-step.

Printed, T_{1,v} = 1/m sum_i E<grad_v F_i(ubar^t, v_i^t), v_i^{t+1} - v_i^t>:

    T_{1,v} <= -eta_v K_v E Delta_v^t + L_vu^2/(2m) sum_i E||ubar^t - z_i^t||^2
        + 1/(2m) sum_i E||v_i^{t+1} - v_i^t||^2.

False in two ways. The gradients of the algorithm are at z_i, Delta_v^t is at u_i = mu_i z_i: at a
stationary point v_i stays, both other terms are 0, and -eta_v K_v Delta_v^t is below 0; no factor
helps. With mu_i = 1 it is false for K_v > 1, even where every constant is 1: a) puts the first
step's gradient, grad_v F_i(u_i^t, v_i^t; xi_i), for those of all K_v steps. One client, v^2/2,
eta_v = 1/(2 K_v L_v) (Lemma 1's cap): v goes 1 - (1 - 1/(2K))^K of the way, .39 and not .5, so the
left side is -.39 v^2 and the right one (-.5 + .39^2/2) v^2 = -.42 v^2. (1 stands where a step size
should, 1_eta: the two halves of b) have different units.)

Corrected, a minibatch a step, h_i = grad_v F_i(ubar^t, v_i^t):

    T_{1,v} <= -eta_v K_v/(2m) sum_i E||h_i||^2 + eta_v K_v L_vu^2/m sum_i E||ubar^t - z_i^t||^2
        + eta_v L_v^2/m sum_{k<K_v} sum_i E||v_i^{t,k} - v_i^t||^2,

from -<h, g_k> <= -||h||^2/2 + ||g_k - h||^2/2 for the mean gradient g_k of every step, and ||g_k -
h|| <= L_vu ||z_i - ubar|| + L_v ||v_i^{t,k} - v_i^t||.
"""

from __future__ import annotations

from theorylab.statements._base import Check, Source, Statement, Version
from theorylab.statements._quantity import Quantity
from theorylab.statements._severity import Severity
from theorylab.statements.dfedpgp import _places as made
from theorylab.statements.dfedpgp._instances import changed
from theorylab.statements.dfedpgp._symbols import (
    K_v,
    L_v,
    L_vu,
    apart,
    eta_v,
    head_walk,
    heads_at_mean,
    heads_at_u,
    moved_v,
    unit,
)
from theorylab.statements.dfedpgp._theorem1 import FRESH, HEAD_CAP, SMOOTH

STATEMENT = Statement(
    id="dfedpgp.eq28",
    source=Source("dfedpgp", "Eq. (28), analysis of the v-step", "the linear part of the v-step"),
    algorithm="dfedpgp",
    quantity=Quantity(
        "dfedpgp.head_product",
        "rows",
        (1, 0),
        r"\frac1m\sum_iE\langle\nabla_vF_i(\bar u^t,v_i^t),v_i^{t+1}-v_i^t\rangle",
    ),
    versions={
        "printed": Version(
            terms={
                "descent": -eta_v * K_v * heads_at_u,
                "disagreement": L_vu**2 * unit / 2 * apart,
                "moved": moved_v / (2 * unit),
            },
            assumes=(SMOOTH, FRESH, HEAD_CAP),
            severity=Severity.WRONG_ORDER,
            rests_on="Delta_v at u_i; where mu = 1, K_v > 1 and a constant",
            checks=(
                Check("stationary-point", made.STATIONARY_ROUND, "VIOLATED"),
                Check("step-at-the-cap", made.HEAD_AT_CAP, "VIOLATED"),
                Check("one-step", made.ONE_HEAD_STEP),
                Check("step-above-cap", changed(made.HEAD_AT_CAP, eta_v=0.01), "ASSUMPTION_FAILS"),
            ),
        ),
        "corrected": Version(
            terms={
                "descent": -eta_v * K_v / 2 * heads_at_mean,
                "disagreement": eta_v * K_v * L_vu**2 * apart,
                "drift": eta_v * L_v**2 * head_walk,
            },
            assumes=(SMOOTH, FRESH),
            note="every step's own gradient, heads at ubar",
            checks=(
                Check("step-at-the-cap", made.HEAD_AT_CAP),
                Check("one-step", made.ONE_HEAD_STEP),
                Check("three-clients", made.ROUNDS),
                Check("signs", made.SIGNS),
                Check("one-batch", made.SIGNS_ONE_BATCH, "ASSUMPTION_FAILS"),
            ),
        ),
    },
)
