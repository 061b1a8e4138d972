r"""Lemma 1: how far v_i goes in a round (Lemma 23 of Pillutla et al. [47]).

Printed, for SGD with eta_v <= 1/(2 K_v L_v) from v^0, F being L-smooth:

    E||v^{K_v-1} - v^0||^2 <= 16 eta_v^2 K_v^2 E||grad F(v^0)||^2 + 8 eta_v^2 K_v^2 sigma_v^2.

Readings. `printed`: v^{K_v-1}, after K_v - 1 steps. `printed/all-steps`: v^{K_v} = v^{t+1}, for
which (29) uses it. Both true with a minibatch a step, and far from tight: with x = k eta_v L_v <=
1/2 the way after k steps is, in root mean square, at most k eta_v (e^x - 1)/x (||grad F(v^0)|| +
sigma_v), so its square is at most 1.69 * 2 k^2 eta_v^2 (||grad F(v^0)||^2 + sigma_v^2). (The proof
divides by K_v - 1, so K_v > 1 is needed there; not here.)

With one minibatch a round (Algorithm 1, line 4) v^k depends on xi_i, and Assumption 3 does not
bound E||g - grad F||^2 at v^k (see ``eq23``): the proof then proves nothing for K_v > 1, whatever
the truth; the lemma is read with a minibatch a step.
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._symbols import K_v, L_v, eta_v, head_gradient, sigma_v
from theorylab.statements.dfedpgp._theorem1 import FRESH, HEAD_CAP

_TERMS = {
    "gradient": 16 * eta_v**2 * K_v**2 * head_gradient,
    "noise": 8 * eta_v**2 * K_v**2 * sigma_v**2,
}
_ASSUMES = (
    Assumption("Assumption 2 (smoothness)", finite=(L_v,)),
    Assumption("Assumption 3 (bounded variance)", finite=(sigma_v,)),
    FRESH,
    HEAD_CAP,
)
_CHECKS = (
    Check("signs", cases.SIGNS),
    Check("three-clients", cases.ROUNDS),
    Check("long-walk", cases.LONG_HEAD_WALK),
    Check("step-above-cap", cases.changed(cases.SIGNS, eta_v=1.0), "ASSUMPTION_FAILS"),
)

STATEMENT = Statement(
    id="dfedpgp.lem1",
    source=Source("dfedpgp", "Lemma 1", "local update of the personal part"),
    algorithm="dfedpgp",
    quantity=Quantity("dfedpgp.head_drift", "rows", (0, 2), r"E\|v_i^{t,K_v-1}-v_i^t\|^2"),
    versions={
        "printed": Version(terms=_TERMS, assumes=_ASSUMES, checks=_CHECKS, note="K_v - 1 steps"),
        "printed/all-steps": Version(
            terms=_TERMS,
            assumes=_ASSUMES,
            checks=_CHECKS,
            quantity=Quantity("dfedpgp.head_drift_all", "rows", (0, 2), r"E\|v_i^{t+1}-v_i^t\|^2"),
            note="K_v steps, as (29) uses it",
        ),
    },
)
