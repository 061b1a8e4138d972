r"""What PDBO's Theorems 1, 8, 10 and 11 add up, with nothing dropped.

``last`` is the index M of v^(M+1) = sum of terms 0 .. M. With g = 1 - beta + beta a, k = last - i,

    |R_3| <= ((1-alpha) alpha^k + alpha^k (alpha - a) a^i) / (1 - a)                      (25)
    |L_4| <= b/(1-a) (alpha^k - a^k + (1-alpha) g/(alpha-g) (alpha^k - g^k))              (26)
    |L_5| <= b (1-alpha) beta (alpha^k - g^k)/(alpha-g),   |R_1| <= (1-a^(i+1))/(1-a)     (27), (28)

a and b bound ||A||_2 and ||B||_2. (26) is printed with its terms collected otherwise. alpha = g,
where (26) and (27) are 0/0, is left out; a may be enlarged by a hair.

The e^{-O(M)} of the theorems has no constant. Literally e^{-O(M)} claims no decay (O(M) may be 0);
the line after Theorem 1 says what is meant: "the exponentially diminishing term over M". What the
proof gives is kept here: what Lemma 7 and Appendix C.3 drop, and the truncated series

    ||Bbar sum_{i>M} Abar^i c|| <= b ||c|| a^(M+1) / (1 - a)           (Appendix C.3).
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Assumption
from theorylab.statements.pdbo._mu import MU, MU_HGP
from theorylab.statements.pdbo._symbols import (
    batch,
    c_norm,
    d_lambda,
    d_y,
    edge_spread,
    eps_chance,
    eta_A,
    eta_B,
    independent_edges,
    kappa,
    vr_alpha,
    vr_beta,
)
from theorylab.symbols import n

_i = sp.Symbol("i", integer=True, nonnegative=True)

TAU = eta_B * c_norm / (kappa * (1 - eta_A))
# Pinelis (1994), Theorem 3.5, in a Euclidean space of any dimension: P(|sum d_k| >= t) is at most
# 2 exp(-t^2 / (2 sum A_k^2)) for martingale differences with |d_k| <= A_k.
PINELIS = 2 * sp.log(2 / eps_chance)
LOG = sp.log(n * (d_y + d_lambda) / eps_chance)
SPREAD = edge_spread + 4 * n / batch


def sums(last: sp.Expr, a: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """(sum_{i=0}^M |R_3|^2, sum_{i=0}^{M-1} (|L_4| a^i + |L_5| |R_1|)^2 / b^2), alpha < 1."""
    g, k = 1 - vr_beta + vr_beta * a, last - _i
    R3 = ((1 - vr_alpha) * vr_alpha**k + vr_alpha**k * (vr_alpha - a) * a**_i) / (1 - a)
    apart = (vr_alpha**k - g**k) / (vr_alpha - g)
    L4 = (vr_alpha**k - a**k + (1 - vr_alpha) * g * apart) / (1 - a)
    L5 = (1 - vr_alpha) * vr_beta * apart
    R1 = (1 - a ** (_i + 1)) / (1 - a)
    return (
        sp.Sum(R3**2, (_i, 0, last)),
        sp.Sum((L4 * a**_i + L5 * R1) ** 2, (_i, 0, last - 1)),
    )


def hgp_sums(last: sp.Expr, a: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """The same at alpha = 1, beta = 0: R_3 = a^i, L_4 a^i = (a^i - a^M)/(1 - a), L_5 = 0."""
    return (
        sp.Sum(a ** (2 * _i), (_i, 0, last)),
        sp.Sum(((a**_i - a**last) / (1 - a)) ** 2, (_i, 0, last - 1)),
    )


def azuma(first: sp.Expr, second: sp.Expr) -> sp.Expr:
    """sqrt(8 sigma^2), sigma^2 of Appendix C.3 with nothing dropped; Azuma multiplies by a root."""
    return TAU * (1 - eta_A) * sp.sqrt(8 * SPREAD * (first + eta_A**2 * second))


def explicit(last: sp.Expr, *, naive: bool = False) -> dict[str, sp.Expr]:
    """Theorem 8's bound on ||v^(last+1) + c^lambda - d_lambda F|| (Theorem 10's if ``naive``)."""
    first, second = (hgp_sums if naive else sums)(last, eta_A)
    mu = MU_HGP if naive else MU
    noise = mu * TAU * sp.sqrt(SPREAD * LOG)
    return {
        "noise": noise,
        "dropped as e^{-O(M)}": azuma(first, second) * sp.sqrt(LOG) - noise,
        "truncation": eta_B * c_norm * eta_A ** (last + 1) / (1 - eta_A),
    }


# No estimate leaves this, whatever is drawn: ||u^(m)|| <= a^m ||c||, by induction ||w^(m)|| and
# ||v^(m)|| stay below (1 - a^(m+1)) / (1 - a) times ||c|| and b ||c||, and the truth does, too.
TRIVIAL = 2 * eta_B * c_norm / (1 - eta_A)

EDGES = (
    Assumption("Assumption 6 (edges go both ways)", finite=(kappa,)),
    Assumption("Assumption 7 (edges are independent)", rule=sp.Eq(independent_edges, 1)),
    Assumption("Theorem: 0 < epsilon < 1", rule=eps_chance < 1),
)
WEIGHTS = (
    Assumption("Theorem: alpha > 0", rule=vr_alpha > 0),
    Assumption("Theorem: alpha < 1", rule=vr_alpha < 1),
    Assumption("Theorem: beta > 0", rule=vr_beta > 0),
    Assumption("Theorem: beta < 1", rule=vr_beta < 1),
)
NORMS = (
    Assumption("Assumption 8: eta_A < 1", rule=eta_A < 1),
    Assumption("Assumption 8: eta_B finite", finite=(eta_B,)),
)


def apart(a: sp.Expr) -> Assumption:
    """alpha = g, where (26) and (27) are printed as 0/0, is left out."""
    gap = vr_alpha - (1 - vr_beta + vr_beta * a)
    return Assumption("(26), (27): alpha is not 1 - beta + beta eta_A", rule=gap**2 > 0)
