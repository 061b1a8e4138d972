r"""(24): how far the local z_i^{t,k} are from ubar^t, by Lemma 3.

Printed, with AA of Lemma 3's (19), T_{1,u} <= K_u L_u^2 eta_u/2 (sigma_u^2 + sigma_g^2 + E
Delta_u^t) AA. Judged without the factor eta_u L_u^2/2 that both sides have:

    1/m sum_i sum_{k<K_u} E||z_i^{t,k} - ubar^t||^2
        <= K_u (sigma_u^2 + sigma_g^2 + E Delta_u^t) AA.

Lemma 3 is about z_i^t, the models before a round; (24) is about z_i^{t,k}, and what a client goes
in its own round is dropped. `printed`: C and q of (14). `printed/theorem1-constants`: those of the
network. The size of C hides the fault in both: it counts lag 0, and the least C of the network is
large enough at every q. No instance with two clients or more is known that refutes it. One client
alone has C = q = 0, so AA = 0 and the right side is 0, and it moves all the same; but that is a
network without a neighbor, of which the lemma does not speak, so both suppose two. (DFedAlt's (9)
is the same step, with a constant in which nothing hides it: ``dfedalt.eq9``.)

Corrected, a minibatch a step, D = 1/m sum_i E||z_i^t - ubar^t||^2, gamma = (1 + eta_u L_u/
delta)^{K_u-1} - 1:

    left side <= K_u [(1 + gamma) sqrt D + gamma/L_u (sigma_u + sigma_g + sqrt(E Delta_u^t))]^2.

Proof. In root mean square ||z_i^{t,k} - ubar|| <= ||z_i^{t,k} - z_i|| + ||z_i - ubar||; by ``lem2``
the first is at most ((1 + eta_u L_u/delta)^k - 1)/L_u (sigma_u + sigma_g + L_u sqrt D + sqrt(E
Delta_u)), and k <= K_u - 1.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._symbols import (
    K_u,
    L_u,
    apart,
    body_gradient,
    sigma_g,
    sigma_u,
)
from theorylab.statements.dfedpgp._theorem1 import (
    AA,
    DENOMINATOR,
    FRESH,
    NETWORK_S,
    NOISE,
    PROOF_CAP,
    SHARED,
    START,
    inner,
)
from theorylab.symbols import C, n, q

_NEIGHBORS = Assumption("reading: more than one client", rule=n > 1)
_TERMS = {"consensus": K_u * AA * (sigma_u**2 + sigma_g**2 + body_gradient)}

STATEMENT = Statement(
    id="dfedpgp.eq24",
    source=Source("dfedpgp", "Eq. (24)", "T_{1,u} by Lemma 3"),
    algorithm="dfedpgp",
    quantity=Quantity(
        "dfedpgp.body_away", "rows", (0, 2), r"\frac1m\sum_{i,k}E\|z_i^{t,k}-\bar u^t\|^2"
    ),
    versions={
        "printed": Version(
            terms=_TERMS,
            assumes=(*SHARED, FRESH, PROOF_CAP, DENOMINATOR, START, _NEIGHBORS),
            constants={C: "C_dfedpgp", q: "q_dfedpgp"},
            note="with C and q of (14)",
            checks=(
                Check("tiny-steps", cases.TINY_ROUNDS),
                Check("no-self-loops", {**cases.TINY_ROUNDS, "topology": cases.PERMUTATION},
                      "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/theorem1-constants": Version(
            terms=_TERMS,
            assumes=(*SHARED, FRESH, PROOF_CAP, DENOMINATOR, START, _NEIGHBORS),
            constants=NETWORK_S,
            note="with C and q of the network",
            checks=(
                Check("slow-mode", cases.SLOW_ROUNDS),
                Check("long-walk", cases.LONG_WALK),
            ),
        ),
        "corrected": Version(
            terms={
                "drift and consensus": K_u
                * ((1 + inner) * sp.sqrt(apart) + inner / L_u * (NOISE + sp.sqrt(body_gradient)))
                ** 2
            },
            assumes=(*SHARED, FRESH),
            note="the local drift, and the spread before the round",
            checks=(
                Check("one-client", cases.SIGNS_SMALL),
                Check("pulled-apart", cases.changed(cases.PULLED, eta_u=1e-3, steps_u=3)),
                Check("three-clients", cases.ROUNDS),
                Check("long-walk", cases.LONG_WALK),
            ),
        ),
    },
)  # fmt: skip
