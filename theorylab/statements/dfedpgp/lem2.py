r"""Lemma 2: how far u_i goes in a round.

Printed (10), for k = 0 .. K_u - 1, Assumptions 2-4, and 0 < eta_u < delta/(8 L_u K_u) in the proof:

    1/m sum_i E||u_i^{t,k} - u_i^t||^2 <= 32 K_u eta_u^2 (sigma_u^2 + sigma_g^2
        + 1/m sum_i E||grad_u F(z_i^t, V^{t+1})||^2)                      (grad f is read grad_u F)

Along K_u the ratio on a walk along one slope is (K_u-1)^2/(32 K_u): 15.9 at 512, 63.8 at 2048.

Corrected, for every eta_u > 0 and a minibatch a step:

    1/m sum_i E||u_i^{t,k} - u_i^t||^2 <= [ (delta/L_u) ((1 + eta_u L_u/delta)^k - 1)
        (sigma_u + sigma_g + sqrt(1/m sum_i E||grad_u F(z_i^t, V^{t+1})||^2)) ]^2.

Proof. In root mean square over i and the noise, the k-th gradient is at most sigma_u (noise) +
(L_u/delta) d_k (Lipschitz in u; mu_i >= delta) + sigma_g + the gradient of F at z_i, d_k the left
side's root; d_{k+1} <= d_k + eta_u times that, d_0 = 0. Under the printed cap the bracket is at
most 1.07 k eta_u (...), so that 32 K_u^2 for 32 K_u would be true too.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._causes import LOST_STEPS
from theorylab.statements.dfedpgp._symbols import (
    K_u,
    L_u,
    eta_u,
    own_gradient,
    sigma_g,
    sigma_u,
)
from theorylab.statements.dfedpgp._theorem1 import FRESH
from theorylab.statements.dfedsgpsm._symbols import local_step
from theorylab.symbols import delta

_ASSUMES = (
    Assumption("Assumption 2 (smoothness)", finite=(L_u,)),
    Assumption("Assumption 3 (bounded variance)", finite=(sigma_u,)),
    Assumption("Assumption 4 (partial gradient diversity)", finite=(sigma_g,)),
    Assumption("Proof of Lemma 2: delta > 0", rule=delta > 0),
    FRESH,
)
_CAP = Assumption("Proof of Lemma 2: eta_u < delta/(8 L_u K_u)",
                  rule=eta_u < delta / (8 * L_u * K_u))  # fmt: skip

STATEMENT = Statement(
    id="dfedpgp.lem2",
    source=Source("dfedpgp", "Lemma 2", "local update of the shared part"),
    algorithm="dfedpgp",
    quantity=Quantity("dfedpgp.body_drift", "rows", (0, 2), r"\frac1m\sum_iE\|u_i^{t,k}-u_i^t\|^2"),
    versions={
        "printed": Version(
            terms={"step": 32 * K_u * eta_u**2 * (sigma_u**2 + sigma_g**2 + own_gradient)},
            assumes=(*_ASSUMES, _CAP),
            causes=(LOST_STEPS,),
            checks=(
                Check("long-walk", cases.LONG_WALK, "VIOLATED"),
                Check("along-local-steps", cases.ALONG_WALKS, "VIOLATED"),
                Check("along-more-steps", cases.ALONG_LONG_WALKS, "VIOLATED", quick=False),
                Check("signs", cases.SIGNS_SMALL),
                Check("three-clients", cases.ROUNDS),
                Check("step-above-cap", cases.changed(cases.ROUNDS, eta_u=0.1), "ASSUMPTION_FAILS"),
            ),
        ),
        "corrected": Version(
            terms={
                "step": (
                    delta / L_u * ((1 + eta_u * L_u / delta) ** local_step - 1)
                    * (sigma_u + sigma_g + sp.sqrt(own_gradient))
                ) ** 2
            },
            assumes=_ASSUMES,
            note="the square of k steps",
            mends=(LOST_STEPS,),
            checks=(
                Check("long-walk", cases.LONG_WALK),
                Check("signs", cases.SIGNS),
                Check("three-clients", cases.ROUNDS),
                Check("large-step", cases.changed(cases.ROUNDS, eta_u=0.1)),
            ),
        ),
    },
)  # fmt: skip
