r"""(11): one local step of u, inside the proof of Lemma 2.

Printed, for every client, k = 0 .. K_u - 1:

    E||u_i^{t,k+1} - u_i^t||^2 <= (1 + 1/(2K_u-1)) E||u_i^{t,k} - u_i^t||^2 + 8 K_u eta_u^2
        (sigma_u^2 + sigma_g^2 + L_u^2 E||z_i^{t,k} - z_i^t||^2 + E||grad_u F(z_i^t, V^{t+1})||^2).

True: ||a - b||^2 <= (1 + 1/c) ||a||^2 + (1 + c) ||b||^2 with c = 2K_u - 1, and four squares for the
square of a sum of four. A minibatch a step: z_i^{t,k} does not depend on its noise. `printed/
one-batch` is line 4's one minibatch a round, where Assumption 3 says nothing of a point that the
minibatch itself has chosen; its noise here is as large everywhere, so it holds there, too.
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._symbols import (
    K_u,
    L_u,
    eta_u,
    own_gradient,
    own_way,
    own_z_way,
    sigma_g,
    sigma_u,
)
from theorylab.statements.dfedpgp._theorem1 import FRESH, ONE_BATCH

_TERMS = {
    "way": (1 + 1 / (2 * K_u - 1)) * own_way,
    "gradient": 8 * K_u * eta_u**2 * (sigma_u**2 + sigma_g**2 + L_u**2 * own_z_way + own_gradient),
}
_LOSSES = (
    Assumption("Assumption 2 (smoothness)", finite=(L_u,)),
    Assumption("Assumption 3 (bounded variance)", finite=(sigma_u,)),
    Assumption("Assumption 4 (partial gradient diversity)", finite=(sigma_g,)),
)

STATEMENT = Statement(
    id="dfedpgp.eq11",
    source=Source("dfedpgp", "Eq. (11), proof of Lemma 2", "one local step of the shared part"),
    algorithm="dfedpgp",
    quantity=Quantity("dfedpgp.body_step", "rows", (0, 2), r"E\|u_i^{t,k+1}-u_i^t\|^2"),
    versions={
        "printed": Version(
            terms=_TERMS,
            assumes=(*_LOSSES, FRESH),
            note="a minibatch a step",
            checks=(
                Check("long-walk", cases.LONG_WALK),
                Check("signs", cases.SIGNS),
                Check("two-clients-pulled-apart", {**cases.PULLED, "rounds": 3}),
                Check("three-clients", cases.ROUNDS, quick=False),
            ),
        ),
        "printed/one-batch": Version(
            terms=_TERMS,
            assumes=(*_LOSSES, ONE_BATCH),
            note="one minibatch a round",
            checks=(Check("signs", cases.SIGNS_ONE_BATCH),),
        ),
    },
)  # fmt: skip
