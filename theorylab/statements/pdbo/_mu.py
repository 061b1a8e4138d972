r"""The factor in front of tau in PDBO's error bounds: mu_{alpha,beta} and mu_{1,0}.

Theorem 1 (= 8) bounds the error by tau sqrt(S log(n (d_y + d_lambda) / eps)) mu, where mu^2 / 8 is
what Appendix C adds up from Lemma 6's norms. With g = 1 - beta + beta eta_A, at terms 0 .. M,

    mu^2 / 8 = (1 - eta_A)^2 ( sum_{i=0}^M |R_3|^2
                               + sum_{i=0}^{M-1} eta_A^2 (|L_4| eta_A^i + |L_5| |R_1|)^2 ).

``MU`` and ``MU_HGP`` are the printed limits. Both are the limits of the sums of Lemma 7 (31) and
Lemma 9 (36), as ``tests/statements/pdbo/test_mu.py`` redoes, but of different sums:

- For alpha, beta in (0, 1), M -> oo leaves (1 - alpha) alpha^(M-i) of (1 - eta_A) R_3, and L_5 of
  the second sum. What is dropped, alpha^(M-i) (alpha - eta_A) eta_A^i and L_4 eta_A^i, is at most
  const * max(alpha, g)^M a term, so it goes to 0 for fixed alpha < 1, beta > 0, and not before
  M >> 1 / (1 - max(alpha, g)).
- At alpha = 1 it is all that there is, whatever beta: R_3 = eta_A^i, L_5 = 0,
  L_4 = eta_B (1 - eta_A^(M-i)) / (1 - eta_A). Its limit is MU_HGP.

So MU -> 0 as alpha -> 1 although mu at alpha = 1 is MU_HGP: the two limits do not commute, the
infimum of MU over (0, 1)^2 is 0 and is not attained (the paper's footnote 2). Which (alpha, beta)
is least at a given M is read from ``mu_after``, where nothing is dropped.

Sources: pdbo, Theorem 1, Theorem 8 (Appendix C.3), Theorem 10 and Appendix C.5.
Printed slips in the proofs that leave both limits as they are: the log is lost in both lines that
quote Azuma's inequality (sqrt(8 sigma^2 n (d_y + d_lambda) / eps)); (36)'s first line has
1 / dbar - 2 for 1 / dbar - 1 and its square on |R_1| instead of on the bracket; the factors
1 / (2 kappa) are squared to 1 / kappa^2, not 1 / (4 kappa^2), so that (30) to (33) are inequalities
with a factor 4 to spare where "=" is printed.
"""

from __future__ import annotations

import math

import sympy as sp

from theorylab.statements.pdbo._symbols import eta_A, vr_alpha, vr_beta

CONTRACTION = 1 - vr_beta + vr_beta * eta_A  # g

MU: sp.Expr = sp.sqrt(
    8
    * (1 - vr_alpha)
    / (1 + vr_alpha)
    * (
        1
        + (1 + vr_alpha * CONTRACTION)
        / (1 - vr_alpha * CONTRACTION)
        * vr_beta**2
        * eta_A**2
        / (1 - CONTRACTION**2)
    )
)
MU_HGP: sp.Expr = sp.sqrt(8 * (eta_A**2 + (1 - eta_A) ** 2) / (1 - eta_A**2))


def mu_after(last: int, eta: float, alpha: float, beta: float) -> float:
    """mu with no term dropped, for v^(M+1), M = ``last``: Lemma 6's sums, not their closed forms.

    eta in (0, 1); alpha, beta in [0, 1], their ends included. (alpha = g, where the printed closed
    forms are 0 / 0, is no exception.)

    Raises:
        ValueError: on M < 0, or a number out of range.
    """
    if last < 0 or not (0 < eta < 1 and 0 <= alpha <= 1 and 0 <= beta <= 1):
        raise ValueError(
            f"mu_after: M is {last}, eta_A {eta!r}, alpha {alpha!r}, beta {beta!r}; need M >= 0, "
            "0 < eta_A < 1, 0..1, 0..1"
        )
    g, total = 1 - beta + beta * eta, 0.0
    for i in range(last + 1):
        geometric = (1 - eta ** (i + 1)) / (1 - eta)
        R3 = alpha ** (last - i) * (alpha * eta**i + (1 - alpha) * geometric)
        total += R3 * R3
    # With k = M - i, from k = 0 upwards: L_4 / eta_B = plain + (1 - alpha) (1 - beta) nested,
    # L_5 / eta_B = (1 - alpha) beta slow.
    plain = nested = slow = inner = 0.0
    for k in range(1, last + 1):
        plain = alpha * plain + alpha * eta ** (k - 1)
        inner = g * inner + eta ** (k - 1)
        nested = alpha * nested + inner
        slow = alpha * slow + g ** (k - 1)
        i = last - k
        L4 = plain + (1 - alpha) * (1 - beta) * nested
        R1 = (1 - eta ** (i + 1)) / (1 - eta)
        total += (eta * (L4 * eta**i + (1 - alpha) * beta * slow * R1)) ** 2
    return math.sqrt(8 * (1 - eta) ** 2 * total)
