r"""Theorem 1: the average squared gradient of DFedSGPSM at the average model.

Printed (Section 4; the last display of Proof 5 repeats it):

    1/T sum_t E||grad f(xbar^t)||^2
      <= 2 (1-alpha) (f(xbar^0) - f*) / (T eta K) + L eta K sigma_l^2 / (1-alpha)
       + 3 eta^2 L^2 / delta (C_1 + 64 K^2 B^2) + 6 L^2 C^2 / (T (1-q^2)) 1/n sum_i ||x_i^0||^2
       + 6 L^2 eta^2 K^2 C^2 (B^2 + sigma_l^2) / ((1-alpha)^2 (1-q)^2) + 3 L^2 rho^2,
    C_1 = 8 K sigma_l^2 + 64 K^2 sigma_g^2 + 32 K^2 alpha^2/(1-alpha)^2 (sigma_l^2 + B^2)
        + 64 K L^2 rho^2,        for 0 < eta < delta / (8 L K) and "proper values of rho".

Readings. Assumption 3 prints sigma_g^2 for the gradient noise; the theorem needs sigma_l^2 and
we read that. m and n both count the clients. "Proper rho": any rho >= 0. C and q "can be referred
to as Lemma 3 in (Assran et al., 2019)": `printed` takes the smallest pair for which that lemma's
per-client inequality, (6) of Proof 4, holds on the sequence at hand (row sums of the debiased
products, lag 0 included); `printed/sgp` takes the closed formulas of that lemma, which are larger
by orders of magnitude. Both are refuted: the terms with C are O(eta^2), so with eta T fixed and
eta -> 0 no finite C saves the first term. As alpha -> 1 no factor saves it either.
Without momentum (a~ = K) SAM with noise refutes `printed` as well, whatever the first term:
``lem5``'s trap. `printed/line-9` asks Assumption 3 of line 9's gradient, as line 9 of Algorithm 1
says in words ("compute unbiased stochastic gradient", ``alg1_line9``): the trap then breaks an
assumption, and the first term is as false as before.

Other lines of its proof that fail are rows of their own: ``eq6``, ``lem5_mean``, ``lem5_split`` and
``lem5_step``. R1 divides by w_i^2 >= delta^2 where delta is printed (``lem5_r1``).

Corrected. Write b_s = sum_{k=s}^K alpha^{k-s}, a~ = sum_s b_s = sum_k sum_{s<=k} alpha^{k-s},
a~_m the same sum with m for K, G = sqrt(B^2 + sigma_l^2) + L_xi rho, where every F_i(.; xi) is
L_xi-smooth (used only if rho > 0). (C, q): ||D_t^{-1} Phi(t,s) - 11^T/n||_2 <= C q^{t-s}, with
Phi(t,s) = P^{t-1}...P^s and D_t = diag(Phi(t,0) 1). n_xi is n where the samples of different
clients are independent given the past, and 1 without that. Then, if L eta a~ < 1,

    1/T sum_t E||grad f(xbar^t)||^2
      <= 2 (f(xbar^0) - f*) / (T eta a~)
       + L eta (sum_s b_s^2 / a~) sigma_l^2 / (n_xi (1 - L eta a~))
       + (L D + L S + L U + L_xi rho)^2,
    D = eta G / delta sqrt(sum_s (b_s/a~) a~_{s-1}^2),   U = eta a~ C G q/(1-q),
    S = C sqrt(1/n sum_i ||x_i^0 - xbar^0||^2 / (T (1-q^2))).

A start moved as a whole changes nothing here. The terms of the square are shown as L D times the
sum, L S times the sum, and so on.

Proof. The s-th local gradient is breve g_{i,s} = h_{i,s} + e_{i,s}: e_{i,s} is the noise at
z_{i,s} = x_{i,s-1}/w_i, a martingale difference with E||e||^2 <= sigma_l^2, and h_{i,s} =
grad f_i(z_{i,s}) + r with ||r|| <= L_xi rho, since SAM moves by at most rho on one sample.
Lemma 1 gives xbar^{t+1} = xbar^t - eta (A + N), A = 1/n sum_{i,s} b_s h_{i,s}, N likewise with e.
Given the past of round t, E N = 0. N is the mean over i of sum_s b_s e_{i,s}; each of these has a
mean square of at most sum_s b_s^2 sigma_l^2, as noise is orthogonal over s. Clients do not talk
inside a round, so with independent samples these n vectors are independent, of mean 0, and
E||N||^2 <= sum_s b_s^2 sigma_l^2 / n; in any case Jensen over i gives the same without n. For
theta > 0, ||A+N||^2 <= (1+theta)||A||^2 + (1+1/theta)||N||^2. L-smoothness of f and
-<a,b> = (||a-b||^2 - ||a||^2 - ||b||^2)/2 with b = A/a~ give

    E f(xbar^{t+1}) <= E f(xbar^t) - (eta a~/2) E||grad f(xbar^t)||^2 + (eta a~/2) R_t
        - (eta a~/2) (1 - (1+theta) L eta a~) E||A/a~||^2
        + (L eta^2/2)(1 + 1/theta) sum_s b_s^2 sigma_l^2 / n_xi,

R_t = E||grad f(xbar^t) - A/a~||^2. Take 1 + theta = 1/(L eta a~), so 1 + 1/theta =
1/(1 - L eta a~). Divide by eta a~/2, average over t, f >= f*: the bound with 1/T sum_t R_t for the
square. By Jensen R_t is at most the mean over i and s, with weights b_s/(n a~), of
E||(grad f_i(xbar) - grad f_i(z_i)) + (grad f_i(z_i) - grad f_i(z_{i,s})) - r||^2. The root of the
mean of R_t over t is a norm in L2 (of t, i, s and the randomness), so it is at most the sum of the
norms of the three parts: L_xi rho; L times the drift; L times the norm of z_i - xbar.
Drift: every breve g has sqrt(E||breve g||^2) <= G (Assumptions 3, 5), so s-1 steps go at most
eta a~_{s-1} G in L2, and w_i >= delta: this is D. Consensus: Z - 1 xbar = M(t,0) X^0 -
eta sum_{j<t} M(t,j) U^j with M(t,s) = D_t^{-1} Phi(t,s) - 11^T/n and
sqrt(1/n E||U^j||_F^2) <= a~ G. M(t,0) 1 = 0, so X^0 may be counted from 1 xbar^0; the mean of
C^2 q^{2t} over t is at most C^2/(T (1-q^2)): this is S. The updates of round j are mixed in that
round, so that sum_{j<t} q^{t-j} <= q/(1-q): this is U. The graph may be random if it is drawn
independently of the gradients: condition on it. Assumption 4 and the cap delta/(8LK) are not
needed.
(a+b+c+d)^2 <= 3 a^2 + 3 b^2 + 3 (c+d)^2, so this is never more than three-term splitting gives.
"""

from theorylab.statements import Assumption, Check, Source, Statement, Version
from theorylab.statements.dfedsgpsm import _instances as cases
from theorylab.statements.dfedsgpsm._algorithm1 import INPUTS, a_tilde, changed, to_one
from theorylab.statements.dfedsgpsm._causes import FIRST_TERM, UNBIASED
from theorylab.statements.dfedsgpsm._proof5 import C1, LINE_9, NOISE, ROOTS, squared
from theorylab.symbols import (
    B,
    C,
    K,
    L,
    L_sample,
    T,
    alpha,
    delta,
    eta,
    f0,
    f_star,
    q,
    rho,
    sigma_g,
    sigma_l,
    window,
    x0_sq,
)

_PRINTED = {
    "optimisation": 2 * (1 - alpha) * (f0 - f_star) / (T * eta * K),
    "noise": L * eta * K * sigma_l**2 / (1 - alpha),
    "client drift": 3 * eta**2 * L**2 / delta * (C1 + 64 * K**2 * B**2),
    "initial disagreement": 6 * L**2 * C**2 / (T * (1 - q**2)) * x0_sq,
    "consensus": 6 * L**2 * eta**2 * K**2 * C**2 * (B**2 + sigma_l**2)
    / ((1 - alpha) ** 2 * (1 - q) ** 2),
    "sharpness": 3 * L**2 * rho**2,
}  # fmt: skip

_CORRECTED = {
    "optimisation": 2 * (f0 - f_star) / (T * eta * a_tilde),
    "noise": NOISE,
    **squared(ROOTS),
}

_SHARED = (
    *INPUTS,
    Assumption("Assumption 1 (bounded strongly connected)", finite=(window,)),
    Assumption("Assumption 2 (L-smoothness)", finite=(L,)),
    Assumption("Assumption 3 (bounded gradient noise)", finite=(sigma_l,)),
    Assumption("Assumption 5 (bounded gradient)", finite=(B,)),
    Assumption("Theorem 1: f* > -infinity", finite=(f_star,)),
    Assumption("Theorem 1: delta > 0", rule=delta > 0),
    Assumption("Theorem 1: q < 1, C finite", rule=q < 1, finite=(C,)),
)
_PRINTED_ASSUMES = (
    *_SHARED,
    Assumption("Assumption 4 (bounded heterogeneity)", finite=(sigma_g,)),
    Assumption("Theorem 1: eta_l < delta / (8 L K)", rule=eta < delta / (8 * L * K)),
)
_CORRECTED_ASSUMES = (
    *_SHARED,
    Assumption("corrected: every F_i(.; xi) is smooth (for rho > 0)", finite=(L_sample,)),
    Assumption("corrected: eta_l < 1 / (L a~)", rule=eta < 1 / (L * a_tilde)),
)


STATEMENT = Statement(
    id="dfedsgpsm.thm1",
    source=Source("dfedsgpsm", "Theorem 1", "convergence of DFedSGPSM, smooth non-convex losses"),
    algorithm="dfedsgpsm",
    quantity="mean_squared_gradient",
    trivial=B**2,  # Assumption 5 alone
    versions={
        "printed": Version(
            terms=_PRINTED,
            assumes=_PRINTED_ASSUMES,
            constants={C: "C_row", q: "q_row"},
            note="C, q: smallest pair for the per-client inequality of the SGP lemma",
            causes=(FIRST_TERM, UNBIASED),
            checks=(
                Check("twenty-local-steps", cases.TWENTY_STEPS, "VIOLATED", causes=(FIRST_TERM,)),
                Check("worked-example", cases.WORKED_EXAMPLE, "VIOLATED", causes=(FIRST_TERM,)),
                Check(
                    "step-above-cap",
                    changed(cases.WORKED_EXAMPLE, eta=0.06),
                    "ASSUMPTION_FAILS",
                ),
                Check(
                    "three-in-the-trap", cases.THM1_THREE_TRAPPED, "VIOLATED", causes=(UNBIASED,)
                ),
                Check("sam-trap", cases.LEM5_TRAPPED, "VIOLATED", causes=(UNBIASED,)),
                Check("momentum-to-one", to_one(30, 100, 300), "VIOLATED", causes=(FIRST_TERM,)),
                Check(
                    "nearer-to-one",
                    cases.THM1_NEARER,
                    "VIOLATED",
                    quick=False,
                    causes=(FIRST_TERM,),
                ),
                Check("digits", cases.DIGITS, "HOLDS"),
            ),
        ),
        "printed/sgp": Version(
            terms=_PRINTED,
            assumes=_PRINTED_ASSUMES,
            constants={C: "C_sgp", q: "q_sgp"},
            note="C, q: the closed formulas of the lemma, as DFedPGP quotes it",
            causes=(FIRST_TERM,),
            checks=(
                Check("twenty-local-steps", cases.TWENTY_ON_A_RING, "VIOLATED"),
                Check("ring-of-three", cases.RING_OF_THREE, "VIOLATED"),
                Check("worked-example", cases.WORKED_EXAMPLE, "VACUOUS"),
            ),
        ),
        "printed/line-9": Version(
            terms=_PRINTED,
            assumes=(*_PRINTED_ASSUMES, LINE_9),
            constants={C: "C_row", q: "q_row"},
            note="Assumption 3 for the gradient of line 9",
            causes=(FIRST_TERM,),
            mends=(UNBIASED,),
            checks=(
                Check("twenty-local-steps", cases.TWENTY_STEPS, "VIOLATED"),
                Check("worked-example", cases.WORKED_EXAMPLE, "VIOLATED"),
                Check("three-in-the-trap", cases.THM1_THREE_TRAPPED, "ASSUMPTION_FAILS"),
                Check("sam-trap", cases.LEM5_TRAPPED, "ASSUMPTION_FAILS"),
            ),
        ),
        "corrected": Version(
            terms=_CORRECTED,
            assumes=_CORRECTED_ASSUMES,
            note="1/a~ kept, delta^2, exact momentum weights, noise / n, the start from its mean",
            mends=(FIRST_TERM, UNBIASED),
            checks=(
                Check("worked-example", cases.WORKED_EXAMPLE, "HOLDS"),
                Check("step-above-cap", changed(cases.WORKED_EXAMPLE, eta=1.5), "ASSUMPTION_FAILS"),
                Check("digits", cases.DIGITS, "HOLDS"),
                Check("digits-long", cases.DIGITS_LONG, "HOLDS", quick=False),
                Check("sam-momentum-noise", cases.THM1_SAM, "HOLDS", quick=False),
                Check("sam-trap", cases.LEM5_TRAPPED, "VACUOUS"),
                Check("ring-of-three", cases.RING_OF_THREE, "HOLDS"),
                Check("twenty-local-steps", cases.TWENTY_STEPS, "HOLDS"),
                Check("shifted", cases.THM1_SHIFTED, "HOLDS"),
            ),
        ),
    },
)
