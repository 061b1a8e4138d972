r"""(28): the linear part of the v-step.

Printed, T_{1,v} = 1/m sum_i E<grad_v F_i(ubar^t, v_i^t), v_i^{t+1} - v_i^t>:

    T_{1,v} <= -eta_v K_v E Delta_v^t + L_vu^2/(2m) sum_i E||ubar^t - z_i^t||^2
        + 1/(2m) sum_i E||v_i^{t+1} - v_i^t||^2.

(1 stands where a step size should, 1_eta: the two halves of b) have different units.)

Readings. `printed`: Delta_v at u_i. `printed/debiased`: at z_i, where line 6 has its gradients.
On v^2/2 with eta_v = 1/(2 K_v L_v), Lemma 1's cap, v goes 1 - (1 - 1/(2K))^K of the way, .39 and
not .5, so the left side is -.39 v^2 and the right one (-.5 + .39^2/2) v^2 = -.42 v^2 in both. Half
of the descent would do there. Where L_v is large in the units of the losses, and noise moves heads
whose gradient bends, no factor before the descent does (``dfedalt.eq15``).

Corrected, a minibatch a step, h_i = grad_v F_i(ubar^t, v_i^t):

    T_{1,v} <= -eta_v K_v/(2m) sum_i E||h_i||^2 + eta_v K_v L_vu^2/m sum_i E||ubar^t - z_i^t||^2
        + eta_v L_v^2/m sum_{k<K_v} sum_i E||v_i^{t,k} - v_i^t||^2,

from -<h, g_k> <= -||h||^2/2 + ||g_k - h||^2/2 for the mean gradient g_k of every step, and ||g_k -
h|| <= L_vu ||z_i - ubar|| + L_v ||v_i^{t,k} - v_i^t||.
"""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedalt._causes import FIRST_HEADS, UNITS
from theorylab.statements.dfedalt.eq15 import bent_heads
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._causes import HEADS_AT_U
from theorylab.statements.dfedpgp._symbols import (
    K_v,
    L_v,
    L_vu,
    apart,
    eta_v,
    head_walk,
    heads_at_mean,
    heads_at_u,
    heads_at_z,
    moved_v,
    unit,
)
from theorylab.statements.dfedpgp._theorem1 import FRESH, HEAD_CAP, SMOOTH

_REST = {"disagreement": L_vu**2 * unit / 2 * apart, "moved": moved_v / (2 * unit)}
_IN_UNITS = Check(
    "bent-heads", bent_heads(1000.0), "VIOLATED", causes=(UNITS,), carries="L_v = 1125"
)

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
            terms={"descent": -eta_v * K_v * heads_at_u, **_REST},
            assumes=(SMOOTH, FRESH, HEAD_CAP),
            causes=(FIRST_HEADS, UNITS, HEADS_AT_U),
            checks=(
                Check("step-at-the-cap", cases.HEAD_AT_CAP, "VIOLATED", causes=(FIRST_HEADS,)),
                Check(
                    "nearly-stationary", cases.NEARLY_STATIONARY, "VIOLATED", causes=(HEADS_AT_U,)
                ),
                _IN_UNITS,
                Check("bent-heads-in-units-with-L-near-1", bent_heads(1.0)),
                Check("one-step", cases.ONE_HEAD_STEP),
                Check(
                    "step-above-cap",
                    cases.changed(cases.HEAD_AT_CAP, eta_v=0.01),
                    "ASSUMPTION_FAILS",
                ),
            ),
        ),
        "printed/debiased": Version(
            terms={"descent": -eta_v * K_v * heads_at_z, **_REST},
            assumes=(SMOOTH, FRESH, HEAD_CAP),
            note="z_i in Delta_v",
            causes=(FIRST_HEADS, UNITS),
            mends=(HEADS_AT_U,),
            checks=(
                Check("step-at-the-cap", cases.HEAD_AT_CAP, "VIOLATED", causes=(FIRST_HEADS,)),
                _IN_UNITS,
                Check("nearly-stationary", cases.NEARLY_STATIONARY),
                Check("one-step", cases.ONE_HEAD_STEP),
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
            mends=(FIRST_HEADS, UNITS, HEADS_AT_U),
            checks=(
                Check("bent-heads", bent_heads(1000.0)),
                Check("step-at-the-cap", cases.HEAD_AT_CAP),
                Check("one-step", cases.ONE_HEAD_STEP),
                Check("three-clients", cases.ROUNDS),
                Check("signs", cases.SIGNS),
                Check("one-batch", cases.SIGNS_ONE_BATCH, "ASSUMPTION_FAILS"),
            ),
        ),
    },
)
