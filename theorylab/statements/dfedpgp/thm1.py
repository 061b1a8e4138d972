r"""Theorem 1: how far DFedPGP is from stationary on average.

Printed (3): "Under Assumptions 1-5", 0 < eta_u < delta/(4 sqrt(2 L_u K_u)), F(ubar, V) >= F^*,

    1/T sum_{t=1}^T (1/L_u E Delta_u^t + 1/L_v E Delta_v^t) <= O( (F(ubar^1, V^1) - F^*)/sqrt T
      + (1+L_v) sigma_v^2/sqrt T + (sigma_u^2 + sigma_g^2) (C^2/((1-q)^2 L_u T) + 1/(K_u L_u sqrt T)
      + 1/(K_u L_u sqrt T) + 1/(K_u L_u delta^2 T^{3/2}) + C^2/(K_u L_u (1-q)^2 T^{3/2})
      + L_vu^2 C^2/((1-q)^2 L_u^2 sqrt T) ) ),
    Delta_u^t = ||grad_u F(ubar^t, V^{t+1})||^2,  Delta_v^t = 1/m sum_i ||grad_v F_i(u_i^t,
    v_i^t)||^2

(1/(K_u L_u sqrt T) stands twice; sum_{i=1}^T is read over t). There is no Assumption 5. An O(.) is
judged by growth along sweeps: (3) is ``thm1_growth``. Here is the inequality that its proof gives,
`printed/eq32`, (32) summed:

    c_u 1/T sum E Delta_u + c_v 1/T sum E Delta_v <= (F(ubar^1, V^1) - F^*)/T
        + 4 eta_v^2 K_v^2 L_v^2 (1+L_v) sigma_v^2 + d (sigma_u^2 + sigma_g^2),
    d = K_u L_u^2 eta_u AA/2 + 5/2 K_u L_u eta_u^2 [1 + 32 K_u L_u^2 eta_u^2/delta^2 (L_u^2 AA + 1)
        + L_u^2 AA] + L_vu^2 AA/2,    c_u = eta_u K_u/2 - d,
    c_v = eta_v K_v - 8 eta_v^2 K_v^2 L_v - 8 eta_v^2 K_v^2,
    AA = 8 K_u^2 eta_u^2 C^2 (K_u+1) / ((1-q)^2 K_u - 8 K_u^2 L_u^2 eta_u^2 C^2 (K_u+1)),

divided by min(c_u L_u, c_v L_v). (C, q): of the network, the valid pair of the per-client SGP
inequality that makes the bound smallest; in `printed/eq32-eq14` those of (14), whose C/(1-q) grows
with K_u as D^{2 K_u Delta B}, so that eta_u has to be below its inverse; in `printed/eq32-sgp` the
closed formulas of [2, Lemma 3], to which the theorem refers, the same for every K_u.

Readings. `printed/eq32`: a minibatch a step, as the proof uses it, and u_i in Delta_v, as printed.
`printed/eq32-debiased`: z_i for u_i in Delta_v, where the gradient of line 6 is. `printed/
eq32-line-4`: one minibatch a round (line 4), u_i in Delta_v; K_u has to be above 10 m to refute it,
as the paper has no 1/m on the noise of u. The cap: that of the proof of Lemma 3, delta/(4 sqrt 2
K_u L_u); in the last one the theorem's (its units differ: 1/sqrt(L_u) is no step size).

No verdict hangs on C and q: as eta_u -> 0 and T -> infinity, what has them falls faster than the
rest. (With (14)'s, line 4's noise asks for K_u above 10 m, so eta_u below 2^-160 and as many rounds
more: out of reach.) On the instance of `printed/eq32-eq14` F(ubar^1, V^1) - F^* is 0, and the
formula gives 1.3e-6. The rest of that bound, .00039, is room for the rounding of F(ubar^1, V^1) -
F^*: what float64 cannot exclude, divided by a tiny eta_u.
A network that does not mix, a ring without self-loops, has no q < 1: "q < 1, C finite" fails there.

Corrected. Heads at ubar^t: (grad_u F, grad_v F_i)(ubar, V) is what vanishes at a stationary point
of (2). A minibatch a step. (C, q): ||M(t,s)||_2 <= C q^{t-s}, M(t,s) = D_t^{-1} Phi(t,s) - 11^T/m.
Let omega = delta ((1 + eta_u L_u/delta)^{K_u} - 1), gamma = (1 + eta_u L_u/delta)^{K_u-1} - 1,
beta = omega C q/(1-q), X = L_u C sqrt(S_0/(T(1-q^2))), S_0 = 1/m sum_i ||u_i^0 - ubar^0||^2,
s = sigma_u + sigma_g, r = (1+gamma)/(1-beta) - 1, r' = beta/(1-beta),
chi = eta_v K_v/(eta_u K_u) (L_vu/L_u)^2, zeta = 1 - r - chi r'. If L_u eta_u K_u < 1,
L_v eta_v K_v <= 1, beta < 1, zeta > 0, r' < 1:

    1/T sum_{t<T} E[2 eta_u K_u Delta_u^t + eta_v K_v 1/m sum_i ||grad_v F_i(ubar^t, v_i^t)||^2]
      <= 1/zeta { 4 (F(ubar^0, V^0) - F^*)/T + 2 L_u eta_u^2 K_u sigma_u^2/(1 - L_u eta_u K_u)
         + 2 eta_v^2 K_v L_v (1 + eta_v L_v (K_v-1)) sigma_v^2
         + 2 eta_u K_u ((1+gamma)/(1-beta) X + r s)^2/(1-r)
         + 2 eta_v K_v (L_vu/L_u)^2 ((X + beta s)/(1-beta))^2/(1-r') }.

Proof. Heads: as in deprl's Theorem 1, with z_i for phi_i, K_v eta_v L_v <= 1:
    E F_i(ubar, v^+) <= F_i(ubar, v) - eta_v K_v/4 ||grad_v F_i(ubar, v)||^2
        + eta_v K_v L_vu^2/2 ||z_i - ubar||^2 + eta_v^2 K_v L_v sigma_v^2/2
        + eta_v^3 L_v^2 K_v (K_v-1) sigma_v^2/2.
Body: ubar^+ = ubar - eta_u (A + N), A the sum over k and mean over i of grad_u F_i(z_{i,k}, v_i^+),
N that of the noise, E<G, N> = 0 for G = grad_u F(ubar, V^+), E||N||^2 <= K_u sigma_u^2 (orthogonal
over k; Jensen over i). Smoothness, -<a,b> = (||a-b||^2 - ||a||^2 - ||b||^2)/2 and ||A+N||^2 <=
||A||^2/(L_u eta_u K_u) + ||N||^2/(1 - L_u eta_u K_u):
    E F(ubar^+, V^+) <= F(ubar, V^+) - eta_u K_u/2 ||G||^2 + eta_u K_u/2 R
        + L_u eta_u^2 K_u sigma_u^2/(2 (1 - L_u eta_u K_u)),  R = ||G - A/K_u||^2.
Drift (``lem2``): in root mean square over i, ||z_{i,k} - z_i|| <= ((1 + eta_u L_u/delta)^k - 1)/L_u
(s + L_u sqrt D + sqrt Delta_u), D = 1/m sum E||z_i - ubar||^2, as mu_i >= delta. So
sqrt(E R) <= (1+gamma) L_u sqrt D + gamma (s + sqrt Delta_u). Consensus (``lem3``), averaged over t:
L_u sqrt D <= (X + beta (s + sqrt Delta_u))/(1-beta). With Dbar for the average of E Delta_u, the
averages of R and L_u^2 D are at most (p + r sqrt Dbar)^2, (p' + r' sqrt Dbar)^2, p and p' the bases
of the last two terms; (p + r x)^2 <= p^2/(1-r) + r x^2. Add both halves times 4, sum, and take what
stands with Dbar to the left: at least zeta times the left side remains.

Each client's own v, so no assumption on how different the grad_v are. Neither u_i^0 = 0 nor
independent clients are needed. For K_u = 1 and one client the first term is attained.

`corrected/independent`: the clients' minibatches are independent of each other, too. The same with
2 L_u eta_u^2 K_u sigma_u^2/(m (1 - L_u eta_u K_u)) for the noise of u, and nothing else changes: N
= sum_k 1/m sum_i n_{i,k}, n_{i,k} the noise of client i's k-th step. Given all minibatches of all
clients before step k, the points z_{i,k} and v_i^+ are known, and the n_{i,k} are independent over
i with mean 0 and at most the variance sigma_u^2. So two of them with different i or k have a
product of mean 0, E||N||^2 = sum_k 1/m^2 sum_i E||n_{i,k}||^2 <= K_u sigma_u^2/m, and E<G, N> = 0
as before. The rest of the proof takes nothing else of N. The other noises stay: that of v_i moves
v_i alone, and F is the mean of the F_i, so their second-order terms are a mean, too; s in r s is
how far a client's own z_{i,k} goes in a round, whose gradients do not average where F_i is curved.
With one draw for all clients it is false: m equal noises have the variance of one."""

from theorylab.statements import Check, Source, Statement
from theorylab.statements.dfedalt._causes import ONE_MINIBATCH
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._causes import HEADS_AT_U, VANISHING_NOISE
from theorylab.statements.dfedpgp._theorem1 import (
    BODY_CAP,
    DEBIASED,
    FRESH,
    ONE_BATCH,
    PROOF_CAP,
    STATIONARITY,
    proven,
    summed,
)
from theorylab.symbols import C, q

STATEMENT = Statement(
    id="dfedpgp.thm1",
    source=Source("dfedpgp", "Theorem 1", "convergence of DFedPGP, smooth non-convex losses"),
    algorithm="dfedpgp",
    quantity=STATIONARITY,
    versions={
        "printed/eq32": summed(
            FRESH,
            PROOF_CAP,
            note="(32) summed; a minibatch a step, u_i in Delta_v",
            causes=(VANISHING_NOISE, HEADS_AT_U),
            mends=(ONE_MINIBATCH,),
            checks=(
                Check("flat-heads-two-steps", cases.FLAT_HEADS_TWO_STEPS, "VIOLATED",
                      causes=(VANISHING_NOISE,)),
                Check("flat-heads", cases.FLAT_HEADS, "VIOLATED", causes=(VANISHING_NOISE,)),
                Check("biased-at-a-stationary-point", cases.STATIONARY, "VIOLATED",
                      causes=(HEADS_AT_U,)),
                Check("forty-steps", cases.SEVERAL_BATCHES, "HOLDS"),
                Check("no-self-loops", cases.UNMIXED, "ASSUMPTION_FAILS"),
                Check("three-steps", cases.FINE, "HOLDS"),
            ),
        ),
        "printed/eq32-eq14": summed(
            FRESH,
            PROOF_CAP,
            pair={C: "C_dfedpgp", q: "q_dfedpgp"},
            note="(32) summed, with (14)'s own C and q; as printed/eq32",
            causes=(HEADS_AT_U,),
            mends=(ONE_MINIBATCH,),
            checks=(
                Check("biased-at-a-stationary-point", cases.STATIONARY_TINY, "VIOLATED",
                      carries="the formula gives 1.3e-06; the rest is room for rounding"),
                Check("tiny-steps", cases.FINE_TINY, "HOLDS"),
            ),
        ),
        "printed/eq32-sgp": summed(
            FRESH,
            PROOF_CAP,
            pair={C: "C_sgp", q: "q_sgp"},
            note="(32) summed, with C and q of [2, Lemma 3] in closed form; as printed/eq32",
            causes=(HEADS_AT_U,),
            mends=(ONE_MINIBATCH,),
            checks=(
                Check("biased-at-a-stationary-point", cases.STATIONARY_SMALL, "VIOLATED"),
                Check("tiny-steps", cases.FINE_TINY, "HOLDS"),
            ),
        ),
        "printed/eq32-debiased": summed(
            FRESH,
            PROOF_CAP,
            quantity=DEBIASED,
            note="(32) summed; a minibatch a step, z_i in Delta_v",
            causes=(VANISHING_NOISE,),
            mends=(ONE_MINIBATCH, HEADS_AT_U),
            checks=(
                Check("flat-heads-two-steps", cases.FLAT_HEADS_TWO_STEPS, "VIOLATED"),
                Check("flat-heads", cases.FLAT_HEADS, "VIOLATED"),
                Check("heads-with-L-1", cases.STEEP_HEADS, "HOLDS"),
                Check("stationary-point", cases.STATIONARY, "HOLDS"),
                Check("no-self-loops", cases.UNMIXED, "ASSUMPTION_FAILS"),
                Check("three-steps", cases.FINE, "HOLDS"),
            ),
        ),
        "printed/eq32-line-4": summed(
            ONE_BATCH,
            BODY_CAP,
            note="(32) summed; one minibatch a round, u_i in Delta_v",
            causes=(ONE_MINIBATCH,),
            checks=(
                Check("eighty-steps-on-a-ring", cases.ONE_BATCH_RING, "VIOLATED"),
                Check("forty-steps-one-batch", cases.ONE_BATCH, "VIOLATED"),
                Check("step-above-cap", cases.changed(cases.ONE_BATCH, eta_u=0.5),
                      "ASSUMPTION_FAILS"),
                Check("coupled-quadratic", cases.changed(cases.COUPLED, batch="per-round"),
                      "ASSUMPTION_FAILS"),
                Check("no-self-loops", cases.changed(cases.UNMIXED, batch="per-round"),
                      "ASSUMPTION_FAILS"),
                Check("three-steps", cases.FINE_ONE_BATCH, "HOLDS"),
            ),
        ),
        "corrected": proven(
            note="heads at ubar, exact drift and mixing, L_v where it belongs",
            checks=(
                Check("representation-alone", cases.TIGHT, "HOLDS"),
                Check("heads-alone", cases.TIGHT_HEADS, "HOLDS"),
                Check("noise-alone", cases.TIGHT_NOISE, "HOLDS"),
                Check("head-noise-alone", cases.TIGHT_HEAD_NOISE, "HOLDS"),
                Check("disagreement-alone", cases.CONSENSUS, "HOLDS"),
                Check("forty-steps", cases.SEVERAL_BATCHES, "HOLDS"),
                Check("flat-heads-two-steps", cases.FLAT_HEADS_TWO_STEPS, "HOLDS"),
                Check("flat-heads", cases.FLAT_HEADS, "HOLDS"),
                Check("stationary-point", cases.STATIONARY, "HOLDS"),
                Check("three-steps", cases.FINE, "HOLDS"),
                Check("sin-sin", cases.NONLINEAR, "HOLDS"),
                Check("sin-sin-noise", cases.NONLINEAR_NOISE, "INCONCLUSIVE"),
                Check("one-batch", cases.ONE_BATCH, "ASSUMPTION_FAILS"),
                Check("coupled-quadratic", cases.COUPLED, "ASSUMPTION_FAILS"),
                Check("no-self-loops", cases.UNMIXED, "ASSUMPTION_FAILS"),
            ),
        ),
        "corrected/independent": proven(
            note="1/m on the noise of u, for independent clients",
            apart=True,
            checks=(
                Check("noise-of-eight", cases.NOISE_OF_EIGHT, "HOLDS"),
                Check("one-draw-for-all", cases.ONE_DRAW, "ASSUMPTION_FAILS"),
                Check("noise-alone", cases.TIGHT_NOISE, "HOLDS"),
                Check("head-noise-alone", cases.TIGHT_HEAD_NOISE, "HOLDS"),
                Check("disagreement-alone", cases.CONSENSUS, "HOLDS"),
                Check("three-steps", cases.FINE, "HOLDS"),
                Check("sin-sin-noise", cases.NONLINEAR_NOISE, "INCONCLUSIVE"),
                Check("one-batch", cases.ONE_BATCH, "ASSUMPTION_FAILS"),
            ),
        ),
    },
)  # fmt: skip
