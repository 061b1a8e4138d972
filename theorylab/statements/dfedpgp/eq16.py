r"""(16): a local gradient by the gradient of F at the client's z.

Printed, for every i and k:

    E||grad_u F_i(z_i^{t,k}, v_i^{t+1}; xi_i)||^2 <= 4 (1 + 32 K_u L_u^2 eta_u^2/delta^2)
        (sigma_u^2 + sigma_g^2 + E||grad_u F(z_i^t, V^{t+1})||^2).

Its last step but one is Lemma 2, false, and for one i, where it is about their mean. (16) is true
all the same, with a minibatch a step and below the cap of the proof of Lemma 3: there ||z_i^{t,k} -
z_i^t|| L_u is in root mean square at most .194 (sigma_u + sigma_g + G) (``lem2``; .1934 is
e^{1/(4 sqrt 2)} - 1), G that of grad_u F(z_i^t, V^{t+1}), so the left side is at most sigma_u^2 +
(sigma_g + G + .194 (sigma_u + sigma_g + G))^2 <= 2.91 (sigma_u^2 + sigma_g^2 + G^2).
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._symbols import (
    K_u,
    L_u,
    eta_u,
    own_gradient,
    sigma_g,
    sigma_u,
)
from theorylab.statements.dfedpgp._theorem1 import DIVERSITY, FRESH, PROOF_CAP
from theorylab.symbols import delta

_FACTOR = 4 * (1 + 32 * K_u * L_u**2 * eta_u**2 / delta**2)

STATEMENT = Statement(
    id="dfedpgp.eq16",
    source=Source("dfedpgp", "Eq. (16), proof of Lemma 3", "a local gradient by that of F at z_i"),
    algorithm="dfedpgp",
    quantity=Quantity(
        "dfedpgp.local_square", "rows", (2, -2), r"E\|\nabla_uF_i(z_i^{t,k},v_i^{t+1};\xi_i)\|^2"
    ),
    versions={
        "printed": Version(
            terms={
                "noise": _FACTOR * sigma_u**2,
                "diversity": _FACTOR * sigma_g**2,
                "gradient of F": _FACTOR * own_gradient,
            },
            assumes=(
                Assumption("Assumption 2 (smoothness)", finite=(L_u,)),
                Assumption("Assumption 3 (bounded variance)", finite=(sigma_u,)),
                DIVERSITY,
                Assumption("Proof of Lemma 2: delta > 0", rule=delta > 0),
                FRESH,
                PROOF_CAP,
            ),
            checks=(
                Check("signs", cases.SIGNS),
                Check("three-clients", cases.ROUNDS),
                Check("long-walk", cases.LONG_WALK),
                Check("pulled-apart", cases.PULLED),
                Check("step-above-cap", cases.changed(cases.ROUNDS, eta_u=0.2), "ASSUMPTION_FAILS"),
                Check("one-batch", cases.SIGNS_ONE_BATCH, "ASSUMPTION_FAILS"),
            ),
        ),
    },
)
