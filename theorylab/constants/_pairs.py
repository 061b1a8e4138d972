"""The names of the constants that products of a network's matrices have, and nothing else has."""

from __future__ import annotations

# M(t, s) is the debiased product of the rounds s..t less its limit, Phi(t, s) the product itself.
PAIRS = {
    "C": "C of ||M(t, s)||_2 <= C q^(t - s)",
    "q": "q of ||M(t, s)||_2 <= C q^(t - s)",
    "C_row": "C of the largest row sum of |M(t, s)|",
    "q_row": "q of the largest row sum of |M(t, s)|",
    "C_entry": "C of |Phi(t, s)_ij - w_i(t)/n|",
    "q_entry": "q of |Phi(t, s)_ij - w_i(t)/n|",
    "C_least": "C of the largest row sum of |M(t, s)|, of t > s or t = 0",
    "q_least": "q of the largest row sum of |M(t, s)|, of t > s or t = 0",
    "delta": "smallest row sum of P(t)...P(0)",
}
