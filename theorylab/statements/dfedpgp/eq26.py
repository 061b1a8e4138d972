r"""(26): the u-step, with Lemmas 2 and 3 put into (23).

Printed (k_u in its second line is read K_u; its first line has lost the sign of K_u eta_u/2, so the
second is judged), AA and the brackets as in (32):

    E[F(ubar^{t+1}, V^{t+1}) - F(ubar^t, V^{t+1})] <= (-eta_u K_u/2 + d) E Delta_u^t
        + d (sigma_u^2 + sigma_g^2),    d = K_u L_u^2 eta_u/2 AA + 5/2 K_u L_u eta_u^2
        [1 + 32 K_u L_u^2 eta_u^2/delta^2 (L_u^2 AA + 1) + L_u^2 AA].

Readings, as of ``eq23``; (C, q) of the network. `printed`: a minibatch a step. No instance is known
where it fails: the factor 5 and the half of the descent that (23) gives away cover what (24) and
(25) drop. `printed/line-4`: one minibatch a round. K_u steps of m clients gain L_u/2 eta_u^2 K_u^2
sigma_u^2/m from the optimum, and 5/2 L_u eta_u^2 K_u sigma_u^2 is allowed: false from K_u = 5 m or
so on.

Corrected, a minibatch a step, L_u eta_u K_u < 1, D and gamma as in ``eq24``:

    left side <= -eta_u K_u/2 E Delta_u^t + eta_u K_u/2 [(1 + gamma) L_u sqrt D + gamma (sigma_u
        + sigma_g + sqrt(E Delta_u^t))]^2 + L_u eta_u^2 K_u sigma_u^2/(2 (1 - L_u eta_u K_u)).

It is "Body" and "Drift" of ``thm1``'s proof.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedalt._causes import ONE_MINIBATCH
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._symbols import (
    K_u,
    L_u,
    apart,
    body_gradient,
    eta_u,
    sigma_g,
    sigma_u,
)
from theorylab.statements.dfedpgp._theorem1 import (
    BODY_DRIFT,
    DENOMINATOR,
    FRESH,
    NETWORK_S,
    NOISE,
    ONE_BATCH,
    PROOF_CAP,
    SHARED,
    START,
    inner,
)

_DESCENT = -eta_u * K_u / 2 * body_gradient
_PRINTED = {
    "descent": _DESCENT,
    "drift": BODY_DRIFT * (body_gradient + sigma_u**2 + sigma_g**2),
}
_ASSUMES = (*SHARED, PROOF_CAP, DENOMINATOR, START)

STATEMENT = Statement(
    id="dfedpgp.eq26",
    source=Source("dfedpgp", "Eq. (26)", "the u-step, Lemmas 2 and 3 put in"),
    algorithm="dfedpgp",
    quantity=Quantity(
        "dfedpgp.body_descent", "rows", (1, 0), r"E[F(\bar u^{t+1},V^{t+1})-F(\bar u^t,V^{t+1})]"
    ),
    versions={
        "printed": Version(
            terms=_PRINTED,
            assumes=(*_ASSUMES, FRESH),
            constants=NETWORK_S,
            note="a minibatch a step",
            mends=(ONE_MINIBATCH,),
            checks=(
                Check("forty-steps", cases.changed(cases.FORTY_STEPS, steps_u=8, batch="per-step")),
                Check("signs", cases.SIGNS_SMALL),
                Check("slow-mode", cases.SLOW_ROUNDS),
            ),
        ),
        "printed/line-4": Version(
            terms=_PRINTED,
            assumes=(*_ASSUMES, ONE_BATCH),
            constants=NETWORK_S,
            note="one minibatch a round",
            causes=(ONE_MINIBATCH,),
            checks=(
                Check("eighty-steps-of-two", cases.EIGHTY_STEPS_OF_TWO, "VIOLATED"),
                Check("forty-steps", cases.FORTY_STEPS, "VIOLATED"),
                Check("three-steps", cases.changed(cases.FORTY_STEPS, steps_u=3)),
                Check("step-above-cap", cases.changed(cases.FORTY_STEPS, eta_u=0.1),
                      "ASSUMPTION_FAILS"),
            ),
        ),
        "corrected": Version(
            terms={
                "descent": _DESCENT,
                "drift and consensus": eta_u * K_u / 2
                * (
                    (1 + inner) * L_u * sp.sqrt(apart)
                    + inner * (NOISE + sp.sqrt(body_gradient))
                )
                ** 2,
                "noise": L_u * eta_u**2 * K_u * sigma_u**2 / (2 * (1 - L_u * eta_u * K_u)),
            },
            assumes=(
                *SHARED,
                FRESH,
                Assumption("corrected: L_u eta_u K_u < 1", rule=L_u * eta_u * K_u < 1),
            ),
            note="a minibatch a step, exact drift",
            mends=(ONE_MINIBATCH,),
            checks=(
                Check("noise-alone", cases.changed(cases.FORTY_STEPS, steps_u=8, batch="per-step")),
                Check("slow-mode", cases.SLOW_ROUNDS),
                Check("signs", cases.SIGNS_SMALL),
                Check("three-clients", cases.ROUNDS),
                Check("forty-steps", cases.FORTY_STEPS, "ASSUMPTION_FAILS"),
            ),
        ),
    },
)  # fmt: skip
