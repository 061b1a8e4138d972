r"""Equation (18): the v-step, with all constants.

Printed, S = sigma_u^2 + delta^2:

    E[F(ubar^t, V^{t+1}) - F(ubar^t, V^t)] <= (-eta_v K_v + 8 eta_v^2 K_v^2 (L_v + 1)) E Delta_v
        + 4 eta_v^2 K_v^2 sigma_v^2 (L_v + 1)
        + L_vu^2/(1-lambda)^2 [18 eta_u^2 K_u^2 (S + 2 E Delta_u)].

Readings. `printed`: Lemma 2's cap, and (11)'s to the letter; starts as Algorithm 1 draws them.
`printed/cap`: equal starts, the root over 2 alone, one minibatch a step.

Of `printed`: two clients start at u = +-pi/2, where their heads' slopes are the opposite of those
at ubar = 0. Each steps down for itself; at the average that is up.

`printed/cap` is true for all that (15), which it sums, is false: the 8 has room for it. Client i, 1
for ``unit``, w = eta_v K_v L_v <= 1/2, h_k = grad_v F_i(u_i, v^k), H = sum_k E||h_k||^2, d =
||u_i - ubar||: smoothness at ubar and Young's inequality give at most

    -eta H + (eta^2 L_v/2 + eta^2 K/2) H + L_vu^2 d^2/2 + eta^2 K L_v sigma_v^2/2.

e_k, the root mean square of h_k - h_0, is at most 1.65 eta L_v (k g + sigma_v sqrt k) (``lem2``):
H >= K g^2 - sum_k 2 g e_k >= K g^2 - 2.75 eta L_v K^2 g^2 - 1.1 eta L_v K sigma_v^2, and H <= 2 K
g^2 + 2 sum_k e_k^2 <= 2.91 K g^2 + 1.36 sigma_v^2; L_v + K <= K (L_v + 1). Together 4.3 of the 8
and 2.3 of the 4. The d^2 by (17) [printed/cap].

Corrected, in the units of the losses and from any start: the v-step of ``_descent``.
"""

from theorylab.statements import Check, Source, Statement
from theorylab.statements.dfedalt import _instances as cases
from theorylab.statements.dfedalt._assumptions import FRESH, GRAPH, PAPER, TOGETHER
from theorylab.statements.dfedalt._causes import STARTS
from theorylab.statements.dfedalt._proof import V_STEP
from theorylab.statements.dfedalt._readings import AT_ZERO, personal_step, with_ones
from theorylab.statements.dfedalt._theorem1 import HEAD_CAP, LETTER, V_APART_PRINTED
from theorylab.statements.dfedalt._theorem1 import V_STEP as V_PRINTED
from theorylab.statements.dfedalt.lem3 import CAP

PRINTED = {**V_PRINTED, **V_APART_PRINTED}

STATEMENT = Statement(
    id="dfedalt.eq18",
    source=Source("dfedalt", "Equation (18)", "the v-step"),
    algorithm="dfedalt",
    quantity=V_STEP,
    versions={
        "printed": with_ones(
            PRINTED,
            {"opposed": cases.OPPOSED},
            {"sin-sin": cases.SMALL_STEPS},
            assumes=(*LETTER, HEAD_CAP),
            note="u_i^0 as Algorithm 1 draws them",
            causes=(STARTS,),
            carries=AT_ZERO,
        ),
        "printed/cap": with_ones(
            PRINTED,
            {},
            {
                "sin-sin": cases.SMALL_STEPS,
                "signs": cases.SMALL_SIGNS,
                "steep-heads": cases.STEEP_HEADS,
            },
            assumes=(*PAPER, GRAPH, TOGETHER, FRESH, CAP, HEAD_CAP),
            note="eta_u <= (1-lambda)/(3 sqrt(2) K_u L_u), equal starts",
            mends=(STARTS,),
        ),
        "corrected": personal_step(
            cases,
            cases.changed(cases.SIGNS, eta_v=0.05),
            Check("starts-apart", cases.changed(cases.APART, eta_v=0.05)),
        ),
    },
)
