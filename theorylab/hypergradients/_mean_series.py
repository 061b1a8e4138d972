"""The mean of an estimate after any number of terms, by powers of the round's mean."""

from __future__ import annotations

import numpy as np

from theorylab.hypergradients._bilevel import Floats
from theorylab.hypergradients.coefficient_law import CoefficientLaw
from theorylab.hypergradients.linear import Linear
from theorylab.hypergradients.moments import carried, recursion
from theorylab.hypergradients.recursion import Reading

LARGEST = 500  # numbers of (v, u, w) of all clients up to which their map is written out
LONGEST = 2**40  # terms after which the limit is taken


class MeanSeries:
    """E of ``hgp(at, ..., reading=rule)`` at run 0's point.

    Raises:
        ValueError: more than 500 numbers n (dlam + 2 dx), or Eq. (9)'s power.
    """

    def __init__(
        self, at: Linear, law: CoefficientLaw, rule: Reading, alpha: float, beta: float
    ) -> None:
        n, width = at.problem.clients, at.problem.hyper + 2 * at.problem.dim
        if n * width > LARGEST:
            raise ValueError(f"n (dlam + 2 dx) is {n * width}; a mean is followed up to {LARGEST}")
        if rule.power:
            raise ValueError("Eq. (9)'s power is not covered")
        rounds, first, const, self.shift = recursion(at, rule, alpha, beta, noise=False)
        self.shape, size = first.shape, n * width
        step = np.eye(size)
        for one in rounds:
            step = carried(law.mean, one, step.reshape(n, width, size)).reshape(size, size)
        whole = np.zeros((size + 1, size + 1))
        whole[:size, :size], whole[:size, size], whole[size, size] = step, const.ravel(), 1.0
        self.late = 0 if rule.last else 1  # "return v^(m)" after the loop
        self.first, self.powers = np.append(first.ravel(), 1.0), [whole]

    def mean(self, terms: int) -> Floats:
        """(n, dlam) after M terms."""
        state, left, k = self.first, terms - self.late, 0
        with np.errstate(over="ignore", invalid="ignore"):
            while left:
                if left & 1:
                    state = self._power(k) @ state
                left, k = left >> 1, k + 1
        v = state[:-1].reshape(self.shape)[:, : self.shift.shape[1]]
        return np.asarray(v + self.shift)

    def limit(self) -> Floats:
        """(n, dlam) after 2^40 terms, which is the limit wherever rho(A_zz) is below 1 - 1e-10."""
        return self.mean(LONGEST)

    def needed(self, limit: Floats, least: float, terms: int) -> int:
        """The first M > ``terms`` with |mean - limit| <= ``least``, found as if the gap fell from
        there on."""
        low, high = terms, 2 * terms
        while not self._gap(limit, high) <= least:
            low, high = high, 2 * high
            if high > LONGEST:
                raise ValueError("the series does not come near to its limit in 2^40 terms")
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._gap(limit, middle) <= least else (middle, high)
        return high

    def _gap(self, limit: Floats, terms: int) -> float:
        return float(np.linalg.norm(self.mean(terms) - limit))

    def _power(self, k: int) -> Floats:
        """The map of 2^k terms."""
        while len(self.powers) <= k:
            self.powers.append(self.powers[-1] @ self.powers[-1])
        return self.powers[k]


def partial_means(at: Linear, mean: Floats, terms: int) -> Floats:
    """(M + 1, n, dlam): c^lambda + sum_{k < m} B A^k c^y for coefficients ``mean`` (n, n), by
    products: the mean of Eq. (12) and Appendix B after m = 0 .. M terms."""
    problem = at.problem
    c = problem.points(np.ascontiguousarray(mean[None]))
    c_y, c_lam = at.seeds()
    u, v = c_y[:1, :, None], c_lam[:1]
    seen = [v]
    for _ in range(terms):
        v = v + at.B(c, u)[:, :, 0]
        u = at.A(c, u)
        seen.append(v)
    return np.array([problem.numbers(part)[0] for part in seen])
