r"""Lemma 3: how far the shared steps of DFedAlt go.

Printed (Assumptions 1-3, k in {0, ..., K_u - 1}):

    (1/m) sum_i E||u_i^{t,k} - u_i^t||^2 <= 18 eta_u^2 K_u^2 (sigma_u^2 + delta^2
        + (1/m) sum_i E||grad_u F(u_i^t, V^{t+1})||^2).

Readings. No step size condition is printed; `printed/cap` takes the one that the proof of Theorem 1
assumes later, eta_u <= (1-lambda)/(3 sqrt(2) K_u L_u) ("<<", and with the root over K_u L_u too).
With noise round 0 is looked at, over all signs.

Of `printed`. Two equal clients, F_i = L u^2/2: u^{t,k} = (1 - eta L)^k u, so for eta L = 3 the left
side is ((-2)^k - 1)^2 u^2 against 18 * 9 K_u^2 u^2: false from K_u = 9 on, by any factor. The
printed II has 2 K_u^2 where 1 + 1/(1/(2K-1)) = 2 K_u, which the next line takes back. Its a) is
true: the power of 1 + 1/(2K-1) is largest at K = 1, where it is 2.

Corrected. r_k = u_i^{t,k} - u_i^t = -eta sum_{s<k} (grad_u F_i(u^{t,s}) + n_s); in root mean square
over i and the draws ||grad_u F_i(u_i^t, v_i)|| <= delta + sqrt G, G = (1/m) sum_i
E||grad_u F(u_i^t, V^{t+1})||^2, the n_s are uncorrelated, and discrete Gronwall as in Lemma 2
gives, for all k and any step size,

    a_k <= (1 + eta L_u)^k eta (k (delta + sqrt G) + sigma_u sqrt k),
    a_k^2 <= 3 (1 + eta L_u)^{2k} eta^2 (k^2 (delta^2 + G) + k sigma_u^2).

3 e^{2y} <= 18 for y = eta_u K_u L_u <= .89: there the printed bound is true. Needs one minibatch a
step (else the n_s add up to k sigma where they do not depend on the point, and to anything
otherwise).
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Assumption, Check, Source, Statement, Version
from theorylab.statements.dfedalt import _instances as cases
from theorylab.statements.dfedalt._assumptions import FRESH, PAPER
from theorylab.statements.dfedalt._causes import NO_CAP
from theorylab.statements.dfedalt._proof import DRIFT, walked
from theorylab.statements.dfedalt._symbols import G, K_u, L_u, delta, eta_u, lam, sigma_u

PRINTED: dict[str, sp.Expr] = {
    name: 18 * eta_u**2 * K_u**2 * part
    for name, part in (("noise", sigma_u**2), ("diversity", delta**2), ("gradient", G))
}
CAP = Assumption(
    "Theorem 1's proof: eta_u <= (1-lambda)/(3 sqrt(2) K_u L_u)",
    rule=eta_u <= (1 - lam) / (3 * sp.sqrt(2) * K_u * L_u),
)
CORRECTED = walked(3)

STATEMENT = Statement(
    id="dfedalt.lem3",
    source=Source("dfedalt", "Lemma 3", "drift of the shared parts"),
    algorithm="dfedalt",
    quantity=DRIFT,
    versions={
        "printed": Version(
            terms=PRINTED,
            assumes=PAPER,
            note="no step size condition",
            causes=(NO_CAP,),
            checks=(
                Check("large-step", cases.LARGE, "VIOLATED", carries="eta_u L_u = 3"),
                Check("sin-sin", cases.SINES),
                Check("signs", cases.SIGNS),
                Check("one-batch-a-round", cases.ONE_BATCH),
            ),
        ),
        "printed/cap": Version(
            terms=PRINTED,
            assumes=(*PAPER, CAP),
            note="eta_u <= (1-lambda)/(3 sqrt(2) K_u L_u)",
            mends=(NO_CAP,),
            checks=(
                Check("sin-sin", cases.changed(cases.SINES, eta_u=0.01)),
                Check("signs", cases.changed(cases.SIGNS, eta_u=0.01)),
            ),
        ),
        "corrected": Version(
            terms=CORRECTED,
            assumes=(*PAPER, FRESH),
            note="any step size; k sigma_u^2",
            mends=(NO_CAP,),
            checks=(
                Check("large-step", cases.LARGE),
                Check("sin-sin", cases.SINES),
                Check("signs", cases.SIGNS),
                Check("one-batch-a-round", cases.ONE_BATCH, "ASSUMPTION_FAILS"),
            ),
        ),
    },
)
