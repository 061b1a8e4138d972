"""Products Phi(t, s) = P(t-1) ... P(s) and their coefficient of ergodicity."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist

from theorylab.constants.sequence import rounding, row_terms
from theorylab.kernels import push_mix
from theorylab.known import How, Known
from theorylab.topologies import Topology, check_column_stochastic

Floats = NDArray[np.float64]


def product(topology: Topology, t: int, s: int = 0, run: int = 0) -> Floats:
    """Phi(t, s) = P(t-1) ... P(s), dense (n, n); the identity for t = s.

    Every entry is off by at most gamma_{(m+1)(t-s)} relative, m the longest row of a P.

    Raises:
        ValueError: unless 0 <= s <= t.
    """
    if not 0 <= s <= t:
        raise ValueError(f"product: t is {t}, s is {s}; need 0 <= s <= t")
    n = topology.clients
    Phi, weight = np.eye(n), np.ones(n)
    for round_ in range(s, t):
        Phi = push_mix(topology.matrix(round_, run), Phi, weight)[0]
    return Phi


def dobrushin(Phi: Floats) -> float:
    """tau(Phi) = max_jk (1/2) sum_i |Phi_ij - Phi_ik| of a column-stochastic matrix, in [0, 1].

    tau(A B) <= tau(A) tau(B), |lambda_2(P)| <= tau(P), and tau = 0 if all columns are equal
    (Dobrushin 1956; Seneta 2006, section 4.3).

    Raises:
        TypeError, ValueError: as ``check_column_stochastic``, naming the entry or column.
    """
    check_column_stochastic(Phi, "dobrushin")
    if Phi.shape[0] == 1:
        return 0.0
    return float(pdist(np.ascontiguousarray(Phi.T), "cityblock").max()) / 2


def ergodic_coefficient(topology: Topology, t: int, s: int = 0, run: int = 0) -> Known:
    """tau(Phi(t, s)), an upper bound that includes the rounding of the product.

    |Phi(t, s) x - Phi(t, s) y|_1 <= tau |x - y|_1 for x, y of equal sum. The columns are
    distributions, so relative errors gamma of the entries move tau by at most gamma, and the sum
    of n differences by gamma_n relative. tau below that floor is not resolved.
    """
    Phi, n = product(topology, t, s, run), topology.clients
    steps = (row_terms(topology, t, run) + 1) * (t - s)
    # The sums of float columns drift from 1 by that much, too: no check_column_stochastic here.
    tau = float(pdist(np.ascontiguousarray(Phi.T), "cityblock").max()) / 2 if n > 1 else 0.0
    gamma = rounding(steps) if steps else 0.0
    value = min(1.0, tau * (1 + rounding(n + 1)) + gamma)
    scope = f"of P({t - 1})...P({s})" if t > s else "of the identity"
    scope += "" if topology.period else f", run {run}"
    return Known(value, How.UPPER, f"max_jk |column j - column k|_1 / 2 {scope}, rounding included")
