r"""Corollary 1: Theorem 1 at eta_u = O(1/(L_u K_u sqrt T)), eta_v = O(1/(L_v K_v sqrt T)).

Printed (4), (5):

    1/T sum_{t=1}^T (1/L_u E Delta_u^t + 1/L_v E Delta_v^t)
      <= O( (F(ubar^1, V^1) - F^* + sigma_1^2)/sqrt T + sigma_2^2/T + sigma_3^2/sqrt(T^3) ),
    sigma_1^2 = (1+L_v) sigma_v^2 + (1/(K_u L_u) + L_v chi^2 C^2/((1-q)^2 L_u)) (sigma_u^2 +
    sigma_g^2), sigma_2^2 = C^2/((1-q)^2 L_u) (...), sigma_3^2 = (1/(K_u L_u delta^2)
    + C^2/((1-q)^2 K_u L_u)) (...).

(4), an O(.), is judged in ``cor1_rate`` and ``cor1_growth``; here is the inequality that the proof
gives, `printed/eq32`, (32) summed, at eta_u = c_u/(L_u K_u sqrt T), eta_v = c_v/(L_v K_v sqrt T),
c_u and c_v what the O hides. Other steps at every T are another run at every T, so a check is one
T with its own eta_u and eta_v, and the bound is written in these: it is that of the very steps that
are taken (c_v = 1/8 keeps the coefficient of Delta_v negative for T > 4, if L_v
>= 1; c_u = 1 needs T > 64 C^2/(1-q)^2 or so: "C^2 << (1-q)^2 T" stands above (33) alone).
L_v chi^2/L_u is the L_vu^2/L_u^2 of (3) if L_uv = L_vu, as the least are
(``asm2``).

Readings as Theorem 1's, at T large.

Corrected: Theorem 1's corrected bound at these step sizes, which reads, times sqrt T,

    1/T sum_{t<T} E[2 c_u Delta_u^t/L_u + c_v/(L_v m) sum_i ||grad_v F_i(ubar^t, v_i^t)||^2]
      <= 1/zeta { 4 (F_0 - F^*)/sqrt T + 2 c_u^2 sigma_u^2/(L_u K_u (sqrt T - c_u))
         + 2 c_v^2 sigma_v^2 (1 + c_v (K_v-1)/(K_v sqrt T))/(L_v K_v sqrt T) + O(1/T) }.

`corrected/independent`: that of independent clients, sigma_u^2/(m L_u K_u (sqrt T - c_u)).

So the rate is right, diversity, the network and chi enter at 1/T only, and 1/L_v stands where the
paper has 1 + L_v.
"""

from __future__ import annotations

from theorylab.statements import Check, Source, Statement
from theorylab.statements._quadratics import Data
from theorylab.statements.dfedalt._causes import ONE_MINIBATCH
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._causes import VANISHING_NOISE
from theorylab.statements.dfedpgp._theorem1 import (
    DEBIASED,
    FRESH,
    ONE_BATCH,
    PROOF_CAP,
    STATIONARITY,
    proven,
    summed,
)


def _each(name: str, instance: Data, expect: str, *powers: int) -> tuple[Check, ...]:
    """A check a T = 10^k, at the steps of that T."""
    return tuple(Check(f"{name}-1e{k}", cases.corollary(instance, 10**k), expect) for k in powers)


STATEMENT = Statement(
    id="dfedpgp.cor1",
    source=Source("dfedpgp", "Corollary 1", "Theorem 1 with steps of order 1/(L K sqrt T)"),
    algorithm="dfedpgp",
    quantity=STATIONARITY,
    versions={
        "printed/eq32-debiased": summed(
            FRESH,
            PROOF_CAP,
            quantity=DEBIASED,
            note="(32) summed; a minibatch a step, z_i in Delta_v",
            causes=(VANISHING_NOISE,),
            mends=(ONE_MINIBATCH,),
            checks=(
                *_each("flat-heads", cases.FLATTER_HEADS, "VIOLATED", 8, 9),
                *_each("three-steps", cases.FINE, "HOLDS", 5, 6, 7, 8, 9),
            ),
        ),
        "printed/eq32-line-4": summed(
            ONE_BATCH,
            PROOF_CAP,
            note="(32) summed; one minibatch a round, u_i in Delta_v",
            causes=(ONE_MINIBATCH,),
            checks=(
                *_each("noise-of-two-one-batch", cases.NOISE_OF_TWO, "VIOLATED", 6, 8),
                *_each("many-steps-one-batch", cases.NOISE_ONE_BATCH, "VIOLATED", 6, 8),
                *_each("three-steps", cases.FINE_ONE_BATCH, "HOLDS", 5, 6, 7, 8, 9),
                *_each("too-few-rounds", cases.FINE_ONE_BATCH, "ASSUMPTION_FAILS", 0, 1),
            ),
        ),
        "corrected": proven(
            note="Theorem 1's corrected bound at these step sizes",
            checks=(
                *_each("three-steps", cases.FINE, "HOLDS", 5, 6, 7, 8, 9),
                *_each("flat-heads", cases.FLATTER_HEADS, "HOLDS", 8, 9),
                *_each("noise-alone", cases.TIGHT_NOISE, "HOLDS", 6, 8),
                *_each("one-batch", cases.NOISE_ONE_BATCH, "ASSUMPTION_FAILS", 6),
            ),
        ),
        "corrected/independent": proven(
            note="the same for independent clients",
            apart=True,
            checks=(
                *_each("noise-of-eight", cases.NOISE_OF_EIGHT, "HOLDS", 6, 8),
                *_each("one-draw-for-all", cases.ONE_DRAW, "ASSUMPTION_FAILS", 6),
                *_each("three-steps", cases.FINE, "HOLDS", 5, 7, 9),
            ),
        ),
    },
)
