r"""Theorem 1: how far DePRL is from stationary on average, for any step sizes below the caps.

Printed (11), for alpha <= (1 + 36 tau^2)/(tau L), beta <= min(1/L, N/2, (1-q)/(3 sqrt(2) C L N)),
C := 2 (1 + p^-N)/(1 - p^N), q := (1 - p^N)^(1/N), p the smallest positive entry of P:

    1/K sum_{k<K} E M(k) <= 4 (f(phibar(0), theta(0)) - f(phi*, theta*)) / (K beta)
      + 2 beta L sigma^2 / N + 12 alpha^3 L^2 tau (tau-1) (6 tau+1) sigma^2 / beta
      + 2 alpha^2 tau L sigma^2 / beta + 2 beta/(3N) (1 + 1/L^2) sigma^2
      + 2 beta/N (1 + 1/L^2) varsigma^2,
    M(k) = ||grad_phi f(phibar(k), theta(k+1))||^2 + alpha tau/beta ||grad_theta f(phibar(k),
        theta(k))||^2 + 1/N sum_i ||phi_i(k) - phibar(k)||^2                             (10)

with grad_theta f = 1/N sum_i grad_theta F_i, (8). "arg min P_ij" is read as the smallest entry. (9)
sums k = 1 .. K; (11)'s k = 0 .. K-1 is read. Assumption 4 prints g_theta - grad_phi; g_phi is read.

Readings. P_ij > 0 on N_i, which has i in it; and theta(k+1) is theta(k, tau-1) in line 10 and under
(4): `printed`. Figure 1 makes tau steps of it: `printed/all-steps`. The cap on alpha grows with
tau. A factor meant for the denominator is read in `printed/small-heads`, alpha <= 1/((1 + 36 tau^2)
tau L), with all steps. `printed/no-self-loops` is the same with P_ii = 0 allowed (Assumption 1 asks
for sums alone; the source of C and q asks for P_ii > 0, see ``thm1_mixing``), and `printed/graph`
with P_ij = 0 allowed on an edge, where "an edge indicates that workers can communicate".

With alpha L = 3 and 50 rounds the left side is 6e29 times the bound. On a ring of four without
self-loops, and for two pairs of workers, it grows linearly in K (``cor1_consensus`` has the sum).
With L = 3e9 it is the average of the grad_phi F_i(phi_i) that is driven to 0, not grad_phi
f(phibar); in units where L is 3 the same run satisfies (11).

Remarks. (8)'s grad_theta f is a mean over workers' own heads: two heads pulling opposite ways
cancel (``eq8``). The caps are out of reach: with Metropolis weights (p = 1/3) beta L <= 10^-6.0 on
a ring of 4, 10^-18.6 on one of 16, 10^-65.6 on one of 64, for the printed C is about 2 p^-N.

Corrected. m head steps lead to theta(k+1) (m = tau, or tau - 1 by line 10); C_2, q_2 with
||P^m - J||_2 <= C_2 q_2^m for m >= 1, J = 11^T/N; m alpha L <= 1, beta L <= 1 and
beta L C_2 q_2/(1-q_2) < 1:

    1/K sum_{k<K} E [ 2 ||grad_phi f(phibar(k), theta(k+1))||^2
          + alpha m/beta 1/N sum_i ||grad_theta F_i(phibar(k), theta_i(k))||^2 + L^2 D_k ]
      <= 4 (f(phibar(0), theta(0)) - f*)/(K beta) + 2 beta L sigma^2/N
       + 2 alpha^3 L^2 m (m-1) sigma^2/beta + 2 alpha^2 m L sigma^2/beta
       + (3 + 2 alpha m/beta) [ beta L C_2 (sigma q_2/sqrt(1-q_2^2) + varsigma q_2/(1-q_2))
                                / (1 - beta L C_2 q_2/(1-q_2)) ]^2,

D_k = 1/N sum_i ||phi_i(k) - phibar(k)||^2. By Jensen the left side is at least M(k)
with L^2 before the distance.

Proof. Heads. Let h_s, n_s be gradient and noise of worker i's step s at (phi_i, theta_{i,s}), and
a_s = grad_theta F_i(phibar, theta_{i,s}). F_i(phibar, .) is L-smooth, E n_s = 0 given the past,
-<a, h> = (||a-h||^2 - ||a||^2 - ||h||^2)/2, ||a_s - h_s|| <= L ||phi_i - phibar||; over m steps

    E F_i(phibar, theta_i^+) <= F_i(phibar, theta_i) - alpha/2 sum ||a_s||^2
        - alpha/2 (1 - alpha L) sum ||h_s||^2 + alpha m L^2/2 ||phi_i - phibar||^2
        + alpha^2 m L sigma^2/2.

||a_0||^2 <= 2 ||a_s||^2 + 2 L^2 ||theta_s - theta_0||^2, and E||theta_s - theta_0||^2 <=
2 alpha^2 (s sum_{r<s} ||h_r||^2 + s sigma^2), summed over s: alpha^2 m (m-1) (sum ||h||^2 +
sigma^2). So -alpha/2 sum ||a_s||^2 <= -alpha m/4 ||a_0||^2 + alpha/2 (alpha L)^2 m (m-1)
(sum ||h||^2 + sigma^2), and the ||h||^2 cancel, as m alpha L <= 1 gives (alpha L)^2 m (m-1) +
alpha L <= 1.

Representation. phibar(k+1) = phibar - beta gbar (columns of P sum to 1), E gbar = h := 1/N sum
grad_phi F_i(phi_i, theta_i^+), its variance at most sigma^2/N. With beta L <= 1, G = grad_phi
f(phibar, theta^+), ||G - h||^2 <= L^2 D: E f^+ <= f(phibar, theta^+) - beta/2 ||G||^2
+ beta L^2 D/2 + L beta^2 sigma^2/(2N). Add both, times 4/beta, sum over k:

    1/K sum E [2 ||G||^2 + alpha m/beta mean_i ||a_0||^2] <= 4 (f_0 - f*)/(K beta)
        + 2 L beta sigma^2/N + 2 alpha^2 m L sigma^2/beta + 2 alpha^3 L^2 m (m-1) sigma^2/beta
        + 2 (1 + alpha m/beta) L^2 1/K sum E D_k;  then add L^2 D_k on both sides.

Consensus. The deviations are E(k) = -beta sum_{j<k} (P^{k-j} - J) g(j), as E(0) = 0. g(j) is noise
(uncorrelated over j: at most N sigma^2 C_2^2 q_2^2/(1-q_2^2) in all) and gradients, which after
1 grad_phi f(phibar) is taken off (J - P^m kills it) are at most L sqrt(D_j) + varsigma in mean
square. With d_k = sqrt(E D_k) and Minkowski, d_k <= beta C_2 (sigma q_2/sqrt(1-q_2^2) + sum_{j<k}
q_2^{k-j} (L d_j + varsigma)); Young's inequality for the convolution, in l^2 over k < K, gives the
bracket. The drift needs neither the 6 tau + 1 of (11) nor its (N, p)-constants.

It is attained by one worker's quadratic of curvature L with beta L = 1 (first two terms). alpha
m/beta is not bounded by the caps; a large one makes the consensus term large, which (11) has lost.
"""

from theorylab.statements import Check, Source, Statement, Version
from theorylab.statements.deprl import _instances as cases
from theorylab.statements.deprl._causes import HEAD_CAP as LARGE_CAP
from theorylab.statements.deprl._causes import LINE_10 as LOST_STEP
from theorylab.statements.deprl._causes import NO_LOOPS, OFF_GRAPH, UNITS
from theorylab.statements.deprl._theorem1 import (
    ALL_STEPS,
    CAPS,
    CORRECTED,
    CORRECTED_ASSUMES,
    HEAD_CAP,
    LINE_10,
    MEASURE,
    MEASURE_EACH,
    ON_A_GRAPH,
    PRINTED,
    SELF_LOOPS,
    SHARED,
    SMALL_HEAD_CAP,
)

STATEMENT = Statement(
    id="deprl.thm1",
    source=Source("deprl", "Theorem 1", "convergence of DePRL, smooth non-convex losses"),
    algorithm="deprl",
    quantity=MEASURE,
    versions={
        "printed": Version(
            terms=PRINTED,
            assumes=(*SHARED, SELF_LOOPS, LINE_10, HEAD_CAP, *CAPS),
            note="theta(k+1) = theta(k, tau-1), as line 10 has it; P_ij > 0 on N_i",
            causes=(LOST_STEP, LARGE_CAP),
            mends=(NO_LOOPS, OFF_GRAPH),
            checks=(
                Check(
                    "large-head-step",
                    cases.changed(cases.HEAD_STEP, tau=2, head="printed"),
                    "VIOLATED",
                    causes=(LARGE_CAP,),
                    carries="alpha L = 3",
                ),
                Check(
                    "one-head-step",
                    cases.THROWN_AWAY,
                    "VIOLATED",
                    causes=(LOST_STEP,),
                    carries="tau = 1",
                ),
                Check(
                    "step-above-cap",
                    cases.changed(cases.LINE_10_RUN, beta=1e-3),
                    "ASSUMPTION_FAILS",
                ),
                Check("coupled-quadratic", cases.COUPLED, "ASSUMPTION_FAILS"),
                Check("two-steps", cases.LINE_10_RUN, "HOLDS"),
            ),
        ),
        "printed/all-steps": Version(
            terms=PRINTED,
            assumes=(*SHARED, SELF_LOOPS, ALL_STEPS, HEAD_CAP, *CAPS),
            note="theta(k+1) after all tau steps, as Figure 1 has it",
            causes=(LARGE_CAP,),
            mends=(LOST_STEP, NO_LOOPS, OFF_GRAPH),
            checks=(
                Check("large-head-step", cases.HEAD_STEP, "VIOLATED", carries="alpha L = 3"),
                Check("small-head-step", cases.PRINTED_FINE, "HOLDS"),
            ),
        ),
        "printed/small-heads": Version(
            terms=PRINTED,
            assumes=(*SHARED, ALL_STEPS, SMALL_HEAD_CAP, SELF_LOOPS, *CAPS),
            note="all tau steps, (1 + 36 tau^2) below in the cap on alpha; L = 3e9 is allowed",
            causes=(UNITS,),
            mends=(LOST_STEP, LARGE_CAP, NO_LOOPS, OFF_GRAPH),
            checks=(
                Check("large-head-step", cases.HEAD_STEP, "ASSUMPTION_FAILS"),
                Check("ring-without-self-loops", cases.RING_RUN, "ASSUMPTION_FAILS"),
                Check("other-units", cases.OTHER_UNITS, "VIOLATED", quick=False, carries="L = 3e9"),
                Check("same-in-units-with-L-near-1", cases.SAME_UNITS, "HOLDS", quick=False),
                Check("small-head-step", cases.PRINTED_FINE, "HOLDS"),
            ),
        ),
        "printed/no-self-loops": Version(
            terms=PRINTED,
            assumes=(*SHARED, ALL_STEPS, SMALL_HEAD_CAP, *CAPS),
            note="the same, and P_ii = 0 is allowed",
            causes=(NO_LOOPS,),
            mends=(LOST_STEP, LARGE_CAP, OFF_GRAPH),
            checks=(
                Check("ring-without-self-loops", cases.RING_RUN, "VIOLATED"),
                Check("small-head-step", cases.PRINTED_FINE, "HOLDS"),
            ),
        ),
        "printed/graph": Version(
            terms=PRINTED,
            assumes=(*ON_A_GRAPH, ALL_STEPS, SMALL_HEAD_CAP, SELF_LOOPS, *CAPS),
            note="the graph is connected, and P_ij = 0 on an edge is allowed",
            causes=(OFF_GRAPH,),
            mends=(LOST_STEP, LARGE_CAP, NO_LOOPS),
            checks=(
                Check("two-pairs", cases.BLOCKS, "VIOLATED"),
                Check("small-head-step", cases.PRINTED_FINE, "HOLDS"),
            ),
        ),
        "corrected": Version(
            terms=CORRECTED,
            assumes=CORRECTED_ASSUMES,
            quantity=MEASURE_EACH,
            note="mixing of P itself, m alpha L <= 1, L^2 before the distance, each head by itself",
            mends=(LOST_STEP, LARGE_CAP, NO_LOOPS, OFF_GRAPH, UNITS),
            checks=(
                Check("fine", cases.FINE, "HOLDS"),
                Check("representation-alone", cases.TIGHT, "HOLDS"),
                Check("noise-alone", cases.TIGHT_NOISE, "HOLDS"),
                Check("heads-alone", cases.TIGHT_HEADS, "HOLDS"),
                Check("head-noise-alone", cases.TIGHT_HEAD_NOISE, "HOLDS"),
                Check("disagreement-alone", cases.TIGHT_SPREAD, "HOLDS"),
                Check("small-head-step", cases.PRINTED_FINE, "HOLDS"),
                Check("one-head-step", cases.THROWN_AWAY, "HOLDS"),
                Check("other-units", cases.OTHER_UNITS, "HOLDS", quick=False),
                Check("noisy-heads", cases.NOISY_HEADS, "HOLDS"),
                Check("nonlinear", cases.NONLINEAR, "INCONCLUSIVE"),
                Check("ring-without-self-loops", cases.RING_RUN, "ASSUMPTION_FAILS"),
                Check("two-pairs", cases.BLOCKS, "ASSUMPTION_FAILS"),
                Check("large-head-step", cases.HEAD_STEP, "ASSUMPTION_FAILS"),
                Check("coupled-quadratic", cases.COUPLED, "ASSUMPTION_FAILS"),
                Check("one-draw-for-all-workers", cases.COMMON_NOISE, "ASSUMPTION_FAILS"),
            ),
        ),
    },
)
