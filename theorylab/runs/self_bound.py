"""An upper limit for a mean of functions of Gaussian draws whose slope is small where they are.

Let X >= 0 be a function of standard normal draws with |grad X|^2 <= 2 c X. The logarithmic Sobolev
inequality (Gross 1975; Boucheron, Lugosi, Massart 2013, Theorem 5.4) of exp(l X/2) and Herbst's
argument bound a tail that no sample has to show. Write M(l) = E exp(l X), l < 0, and
H = log(M)/l, which tends to E X at 0. By the inequality

    l M' - M log M <= l^2/2 E |grad X|^2 exp(l X) <= c l^2 M',

so H' <= c (log M)' = c (H + l H'), or (log H)' <= c/(1 - c l); from l = -s to 0 this adds up to

    E exp(-s X) <= exp(-s m/(1 + c s)),    m = E X.

With s_i chosen before X_i is seen, prod_i exp(-s_i X_i + s_i m/(1 + c s_i)) is a supermartingale
under "the mean is m", and under every larger mean. By Ville's inequality it ever reaches 1/error
with chance at most ``error``, and the m at which it does is the limit. Of X = |x|^2/2 with x
Gaussian, of variance c in every coordinate, it is the right tail but for its constant.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

_AIM = 64  # runs that the bets are best for; they get smaller after that


def self_bound_limit(values: NDArray[Any], c: float, error: float) -> float:
    """The upper limit for the mean of i.i.d. ``values`` (R,) >= 0, valid at every R at once.

    c: of |grad X|^2 <= 2 c X, in units of X. Infinite of one run.
    """
    x = np.asarray(values, dtype=float)
    told = math.log(1 / error)
    count = np.arange(1, len(x) + 1)
    mean = np.maximum(np.cumsum(x) / count, 1e-12 * c)
    # (1 + c s) (m + told/(R s)) is least at s^2 = told/(R c m)
    bets = np.append(0.0, np.sqrt(told / (np.maximum(count[1:], _AIM) * c * mean[:-1])))
    spent = np.cumsum(bets * x) + told
    weight = np.cumsum(bets / (1 + c * bets))
    with np.errstate(divide="ignore"):
        return float((spent / weight).min() * (1 + 1e-9))
