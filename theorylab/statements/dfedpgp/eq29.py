r"""(29): the square of the v-step, by Lemma 1.

Printed, T_{2,v} = L_v/(2m) sum_i E||v_i^{t+1} - v_i^t||^2, judged without the factor L_v/2:

    1/m sum_i E||v_i^{t+1} - v_i^t||^2 <= 16 eta_v^2 K_v^2 1/m sum_i E||grad_v F_i(u_i^t, v_i^t)||^2
        + 8 eta_v^2 K_v^2 sigma_v^2.

Assumption 4 is asked for too, as Theorem 1 has it: the coupling is bounded.

Readings. `printed`: the gradient at u_i, as it stands. `printed/debiased`: at z_i, where line 6
steps along it. True, by Lemma 1 (``lem1``, all steps)."""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._causes import HEADS_AT_U
from theorylab.statements.dfedpgp._symbols import (
    K_v,
    L_v,
    eta_v,
    heads_at_u,
    heads_at_z,
    sigma_v,
)
from theorylab.statements.dfedpgp._theorem1 import DIVERSITY, FRESH, HEAD_CAP

_FACTOR = 16 * eta_v**2 * K_v**2
_NOISE = {"noise": 8 * eta_v**2 * K_v**2 * sigma_v**2}
_ASSUMES = (
    Assumption("Assumption 2 (smoothness)", finite=(L_v,)),
    Assumption("Assumption 3 (bounded variance)", finite=(sigma_v,)),
    DIVERSITY,
    FRESH,
    HEAD_CAP,
)

STATEMENT = Statement(
    id="dfedpgp.eq29",
    source=Source("dfedpgp", "Eq. (29)", "T_{2,v} by Lemma 1"),
    algorithm="dfedpgp",
    quantity=Quantity(
        "dfedpgp.heads_moved", "rows", (0, 2), r"\frac1m\sum_iE\|v_i^{t+1}-v_i^t\|^2"
    ),
    versions={
        "printed": Version(
            terms={"gradient": _FACTOR * heads_at_u, **_NOISE},
            assumes=_ASSUMES,
            causes=(HEADS_AT_U,),
            checks=(
                Check("flat-at-the-biased-model", cases.FLAT_AT_U, "VIOLATED"),
                Check("three-clients", cases.ROUNDS),
                Check("signs", cases.SIGNS),
                Check(
                    "step-above-cap",
                    cases.changed(cases.HEAD_AT_CAP, eta_v=0.01),
                    "ASSUMPTION_FAILS",
                ),
            ),
        ),
        "printed/debiased": Version(
            terms={"gradient": _FACTOR * heads_at_z, **_NOISE},
            assumes=_ASSUMES,
            note="z_i in Delta_v",
            mends=(HEADS_AT_U,),
            checks=(
                Check("flat-at-the-biased-model", cases.FLAT_AT_U),
                Check("step-at-the-cap", cases.HEAD_AT_CAP),
                Check("three-clients", cases.ROUNDS),
                Check("signs", cases.SIGNS),
            ),
        ),
    },
)
