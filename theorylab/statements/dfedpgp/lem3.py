r"""Lemma 3: how far the clients' z_i are from the average.

Printed (13): "Suppose the time-varying communication topology is strongly connected", for all i, t,

    1/m sum_i E||ubar^t - z_i^t||^2
      <= 8 K_u^2 eta_u^2 C^2/((1-q)^2 K_u - 8 K_u^2 eta_u^2 L_u^2 C^2)
         (sigma_u^2 + sigma_g^2 + E Delta_u^t).

Its proof ends with (19), which has a factor K_u + 1 beside C^2 in both places, and assumes
u_i^0 = 0 and 0 < eta_u < delta/(4 sqrt 2 K_u L_u).

Readings, of C and q. `printed`: those of the proof, C the largest that (14) allows, and q, lambda =
1 - n D^{-(K_u+1) Delta B}: they have K_u where the lemma that is quoted has a delay, and C/(1-q)
grows with K_u as D^{2 K_u Delta B}. `printed/theorem1-constants`: "related to the communication
topology as [2, Lemma 3]", that is of the network alone, as Theorem 1 uses them: the valid pair of
the per-client SGP inequality that makes the bound smallest. `printed/eq19`: (19) with that pair.
The assumptions of the proof are read into the lemma.

On the slowest mode of a ring `printed/theorem1-constants` is passed for K_u large enough, for any C
and q of the network alone, by a ratio that grows as K_u (1.24 at K_u = 1000, 9.9 at 8000, eta_u K_u
the same; on a ring of three 3.89 and 124 at 32,000). With (14)'s C and q in (5) the bound of
Corollary 1 rises with K_u, which Remark 1 denies (``rem1``): either reading costs a claim.

(19)'s proof does not prove it: (15) and (17) are false (``eq15``, ``eq17``), and (18) puts round
t's gradient for every round's (``eq18``), so that it could vanish while earlier rounds still pull
the z_i apart; no instance is known where it does: with that denominator positive, gradients fade by
about (1-q)/(2.8 C) a round at most.

"Strongly connected" is less than what is used: on a directed ring without self-loops P is a
permutation, and no q < 1 exists, of (14) (lambda < 0) or otherwise (|lambda_2| = 1).

Corrected, for all step sizes, any start, averaged over t < T. With omega = delta ((1 + eta_u
L_u/delta)^{K_u} - 1), (C, q) with ||M(t,s)||_2 <= C q^{t-s}, beta = omega C q/(1-q) < 1, a
minibatch a step, X = L_u C sqrt(S_0/(T (1-q^2))), S_0 = 1/m sum_i ||u_i^0 - ubar^0||^2:

    1/T sum_{t<T} 1/m sum_i E||ubar^t - z_i^t||^2
      <= [ (X + beta (sigma_u + sigma_g + sqrt(1/T sum_{t<T} E Delta_u^t))) / (L_u (1-beta)) ]^2.

Proof. Z^t - 1 ubar^t = M(t,0) (U^0 - 1 ubar^0) - eta_u sum_{s<t} M(t,s) G^s, G^s the sums of round
s's gradients, M(t,0) 1 = 0. In root mean square over clients, the k-th gradient of a round is at
most sigma_u + sigma_g + L_u d + sqrt(E Delta_u) + L_u/delta (the way gone), d that of z_i - ubar,
so ||G^s|| eta_u L_u <= omega (sigma_u + sigma_g + L_u d_s + sqrt(E Delta_u^s)) (see ``lem2``).
Hence d_t <= C q^t sqrt S_0 + (omega/L_u) C sum_{s<t} q^{t-s} (...)_s; in l^2 over t < T, Young's
inequality for the convolution gives q/(1-q), and L_u d goes to the left.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._causes import LOST_FACTOR
from theorylab.statements.dfedpgp._symbols import (
    K_u,
    L_u,
    eta_u,
    gradient,
    mean_gradient,
    sigma_g,
    sigma_u,
    start_size,
)
from theorylab.statements.dfedpgp._theorem1 import (
    AA,
    CONTRACTS,
    DENOMINATOR,
    DIVERSITY,
    FRESH,
    NETWORK,
    NOISE,
    PROOF_CAP,
    SPREAD,
    beta,
)
from theorylab.symbols import C, q

_ROW, _EQ14 = {C: "C_row", q: "q_row"}, {C: "C_dfedpgp", q: "q_dfedpgp"}
_LOSSES = (
    Assumption("Assumption 2 (smoothness)", finite=(L_u,)),
    Assumption("Assumption 3 (bounded variance)", finite=(sigma_u,)),
    DIVERSITY,
)
_ASSUMES = (
    *NETWORK,
    *_LOSSES,
    FRESH,
    Assumption("Proof of Lemma 3: u_i^0 = 0", rule=sp.Eq(start_size, 0)),
    PROOF_CAP,
)
_under = (1 - q) ** 2 * K_u - 8 * K_u**2 * eta_u**2 * L_u**2 * C**2
_now = sigma_u**2 + sigma_g**2 + gradient
_EQ13 = {"consensus": 8 * K_u**2 * eta_u**2 * C**2 / _under * _now}
_EQ13_DENOMINATOR = Assumption("(13): its denominator is positive", rule=_under > 0)

STATEMENT = Statement(
    id="dfedpgp.lem3",
    source=Source("dfedpgp", "Lemma 3", "consensus of the debiased shared parts"),
    algorithm="dfedpgp",
    quantity=Quantity(
        "dfedpgp.consensus", "rows", (0, 2), r"\frac1m\sum_iE\|\bar u^t-z_i^t\|^2,\quad t=T"
    ),
    versions={
        "printed": Version(
            terms=_EQ13,
            assumes=(*_ASSUMES, _EQ13_DENOMINATOR),
            constants=_EQ14,
            note="(13) with (14)'s own C and q, which grow with K_u",
            mends=(LOST_FACTOR,),
            checks=(
                Check("tiny-steps", cases.TINY_STEPS, "HOLDS"),
                Check("two-tiny-steps", cases.changed(cases.TINY_STEPS, steps_u=2), "HOLDS"),
                Check(
                    "one-away",
                    {**cases.AWAY, "algorithm": cases.TINY_STEPS["algorithm"]},
                    "ASSUMPTION_FAILS",
                ),
                Check("no-self-loops", cases.NEVER_MIXED, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/theorem1-constants": Version(
            terms=_EQ13,
            assumes=(*_ASSUMES, _EQ13_DENOMINATOR),
            constants=_ROW,
            note="(13) with C and q of the network",
            causes=(LOST_FACTOR,),
            checks=(
                Check("slow-mode", cases.CONSENSUS_LONG, "VIOLATED", quick=False),
                Check("fewer-steps", cases.CONSENSUS, "VIOLATED"),
                Check("along-local-steps", cases.ALONG_STEPS, "VIOLATED"),
                Check("along-more-steps", cases.ALONG_MORE_STEPS, "VIOLATED", quick=False),
                Check("noise", cases.CONSENSUS_NOISE, "HOLDS"),
                Check("one-away", cases.AWAY, "ASSUMPTION_FAILS"),
                Check("no-self-loops", cases.NEVER_MIXED, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/eq19": Version(
            terms={"consensus": AA * _now},
            assumes=(*_ASSUMES, DENOMINATOR),
            constants=_ROW,
            note="(19), with K_u + 1, and C and q of the network",
            mends=(LOST_FACTOR,),
            checks=(
                Check("slow-mode", cases.CONSENSUS, "HOLDS"),
                Check("noise", cases.CONSENSUS_NOISE, "HOLDS"),
                Check("alike-losses", cases.PUSHED, "HOLDS"),
            ),
        ),
        "corrected": Version(
            terms={
                "consensus": (
                    (SPREAD + beta * (NOISE + sp.sqrt(mean_gradient))) / (L_u * (1 - beta))
                )
                ** 2
            },
            assumes=(*NETWORK, *_LOSSES, FRESH, CONTRACTS),
            quantity=Quantity(
                "dfedpgp.mean_consensus",
                "rows",
                (0, 2),
                r"\frac1{mT}\sum_{t<T}\sum_iE\|\bar u^t-z_i^t\|^2",
            ),
            note="averaged over t, every round's gradient, any start",
            mends=(LOST_FACTOR,),
            checks=(
                Check("slow-mode", cases.CONSENSUS, "HOLDS"),
                Check("noise", cases.CONSENSUS_NOISE, "HOLDS"),
                Check("one-away", cases.AWAY, "HOLDS"),
                Check("pulled-apart", cases.TIGHT_SPREAD, "HOLDS"),
                Check("alike-losses", cases.PUSHED, "HOLDS"),
                Check("sin-sin", cases.NONLINEAR, "HOLDS"),
                Check("no-self-loops", cases.NEVER_MIXED, "ASSUMPTION_FAILS"),
            ),
        ),
    },
)
