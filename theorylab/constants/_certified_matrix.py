"""The matrix that is certified: exact fractions, columns summing to exactly 1.

1/3 is no float64, so "the matrix" has to be said:

1. If every stored entry is within 2 ulp of a fraction with a denominator of at most 4 n (1000 for
   small n) and every column of these fractions sums to 1, it is the matrix of these fractions:
   what the weight rules mean. The diagonal may instead be 1 minus the others, within n eps, since
   Metropolis weights keep the rest at home.
2. Otherwise it is the stored one, every float64 a dyadic rational, but the largest entry of each
   column is moved by the (tiny) difference to 1. A column sum of 1 + 1e-16 has no meaning here,
   and would be one: no product of such matrices averages, so that no envelope decays.

``rule`` says which, and by how much entries were moved.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb, fmpz_mat
from scipy.sparse import csr_array

from theorylab.known import EPS
from theorylab.topologies import Topology

FRACTIONS = "the weights as exact fractions"
DYADIC = "the float64 weights as they are stored"
SMALLEST = 1000  # denominators up to here are tried even for few clients: 0.1 means 1/10

KEPT = 2**22  # entries of drawn matrices that are held: 64 MB
UNDERFLOW = -5000  # 2^this is 0 or the smallest float64, rounded outwards


@dataclass(frozen=True)
class ExactMatrix:
    """P = numerators / denominator, ``fmpz_mat`` (n, n); every column sums to exactly 1."""

    numerators: Any
    denominator: int
    rule: str

    @property
    def clients(self) -> int:
        """n."""
        return int(self.numerators.nrows())

    def __matmul__(self, other: ExactMatrix) -> ExactMatrix:
        product = self.numerators * other.numerators
        denominator = self.denominator * other.denominator
        common = math.gcd(denominator, *(int(v) for v in product.entries()))
        rule = self.rule if self.rule != FRACTIONS else other.rule
        return ExactMatrix(product / common if common > 1 else product, denominator // common, rule)

    def doubly_stochastic(self) -> bool:
        """True if every row sums to exactly 1, too."""
        n = self.clients
        sums = self.numerators * fmpz_mat(n, 1, [1] * n)
        return all(v == self.denominator for v in sums.entries())


class ExactSequence:
    """The exact matrices of a topology, kept where they come back.

    Attributes:
        rule: of the matrices so far; one that is not made of fractions tells.
    """

    def __init__(self, topology: Topology, run: int) -> None:
        self._topology, self._run = topology, run
        self._kept: dict[int, ExactMatrix] = {}
        self.rule = FRACTIONS

    def at(self, t: int) -> ExactMatrix:
        """P(t)."""
        round_ = t if self._topology.period is None else t % self._topology.period
        P = self._kept.get(round_)
        if P is None:
            P = exact_matrix(self._topology.matrix(t, self._run))
            if self.rule == FRACTIONS:
                self.rule = P.rule
            if self._topology.period is not None or P.clients**2 * (len(self._kept) + 1) < KEPT:
                self._kept[round_] = P
        return P


def exact_matrix(P: csr_array) -> ExactMatrix:
    """The exactly column-stochastic matrix that the module's docstring describes.

    Args:
        P: (n, n), nonnegative float64, columns summing to 1 up to rounding.

    Raises:
        ValueError: on a column that is further than n eps from 1.
    """
    columns = P.tocsc()
    columns.sort_indices()
    n = P.shape[0]
    found = [_column(columns, j) for j in range(n)]
    fractions = _as_fractions(found, n)
    rule = FRACTIONS
    if fractions is None:
        fractions, moved = _as_dyadic(found, n)
        rule = DYADIC
        if moved:
            rule += f", the largest of a column moved by up to {moved:.2g} so that it sums to 1"
    denominator = math.lcm(*(v.denominator for column in fractions for v in column.values()))
    numerators = fmpz_mat(n, n)
    for j, column in enumerate(fractions):
        for i, v in column.items():
            numerators[i, j] = v.numerator * (denominator // v.denominator)
    return ExactMatrix(numerators, denominator, rule)


def below(x: Any) -> float:
    """The largest float64 that is at most every number in the ball ``x``."""
    exact = _fraction(x.lower(), -1)
    near = float(exact)
    return near if Fraction(near) <= exact else math.nextafter(near, -math.inf)


def above(x: Any) -> float:
    """The smallest float64 that is at least every number in the ball ``x``."""
    return -below(-x) + 0.0  # no -0.0


def _fraction(x: Any, side: int) -> Fraction:
    mantissa, exponent = (int(v) for v in arb(x).man_exp())
    if mantissa and exponent + mantissa.bit_length() < UNDERFLOW:
        # Fraction(2)**-10**9 would fill the memory; 0 or -2^-5000 is on the right side of x.
        return Fraction(0) if mantissa * side < 0 else Fraction(-1, 2**-UNDERFLOW)
    return Fraction(mantissa) * Fraction(2) ** exponent


def _column(columns: Any, j: int) -> dict[int, float]:
    part = slice(columns.indptr[j], columns.indptr[j + 1])
    return {
        int(i): float(v) for i, v in zip(columns.indices[part], columns.data[part], strict=True)
    }


def _as_fractions(found: list[dict[int, float]], n: int) -> list[dict[int, Fraction]] | None:
    near: dict[float, Fraction | None] = {}
    fractions = []
    for j, column in enumerate(found):
        for v in column.values():
            if v not in near:
                f = Fraction(v).limit_denominator(max(4 * n, SMALLEST))
                fits = f > 0 and abs(f - Fraction(v)) <= 2 * Fraction(math.ulp(v))
                near[v] = f if fits else None
        exact = {i: near[v] for i, v in column.items()}
        away = [f for i, f in exact.items() if i != j]
        if None in away:
            return None
        rest = 1 - sum((f for f in away if f is not None), Fraction(0))
        if exact.get(j, Fraction(0)) != rest:
            if j not in column or rest <= 0 or abs(rest - Fraction(column[j])) > n * Fraction(EPS):
                return None
            exact[j] = rest
        fractions.append({i: f for i, f in exact.items() if f is not None})
    return fractions


def _as_dyadic(found: list[dict[int, float]], n: int) -> tuple[list[dict[int, Fraction]], float]:
    fractions, moved = [], Fraction(0)
    for j, column in enumerate(found):
        exact = {i: Fraction(v) for i, v in column.items()}
        gap = 1 - sum(exact.values(), Fraction(0))
        if abs(gap) > n * Fraction(EPS):
            raise ValueError(
                f"certified: column {j} sums to {float(1 - gap)!r}; need 1 within {n} eps"
            )
        if gap:
            exact[max(column, key=lambda i: column[i])] += gap
            moved = max(moved, abs(gap))
        fractions.append(exact)
    return fractions, float(moved)
