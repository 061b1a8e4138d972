"""Products of column-stochastic networks of a class, over every sequence: exact, at the vertices.

A product is affine in each of its factors. What is convex in the product is therefore largest, and
what is concave least, where every factor is a vertex of the class: a column with all that is free
on one entry.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from theorylab.worst.recursion import Exact, exact
from theorylab.worst.sequences import ColumnStochastic

MOST = 100_000  # products that are looked at in a round


@dataclass(frozen=True)
class Products:
    """Over every sequence of ``rounds`` networks of a class.

    dobrushin: the largest Dobrushin coefficient of P(T-1) ... P(0), half of the largest distance of
    two columns in the 1-norm: what two pushes differ by, in units of what they differed by.
    delta: the least push-sum weight, min over t <= T and i of (P(t-1) ... P(0) 1)_i.
    """

    rounds: int
    dobrushin: Fraction
    delta: Fraction


def vertices(networks: ColumnStochastic) -> list[Exact]:
    """The vertices of the class, (n, n) each.

    Raises ValueError, one line, where the class has no matrices.
    """
    support, n = networks.support, len(networks.support)
    columns = []
    for j in range(n):
        edges = [i for i in range(n) if support[i][j]]
        rest = 1 - len(edges) * networks.least
        if not edges or rest < 0 or networks.least < 0:
            raise ValueError(f"column {j}: {len(edges)} entries of at least {networks.least}")
        ends = {
            tuple(networks.least * support[i][j] + rest * (i == k) for i in range(n)) for k in edges
        }
        columns.append(sorted(ends))
    return [exact(chosen).T for chosen in itertools.product(*columns)]


def products(networks: ColumnStochastic, rounds: int) -> Products:
    """What no sequence of ``rounds`` networks exceeds, and some sequence attains.

    Raises ValueError, one line, where there are more than ``MOST`` products.

    >>> ring = ColumnStochastic([[1, 0, 1], [1, 1, 0], [0, 1, 1]], Fraction(1, 4))
    >>> products(ring, 3).dobrushin
    Fraction(27, 64)
    """
    factors = vertices(networks)
    n, below = (
        len(networks.support),
        math.lcm(*(v.denominator for P in factors for v in P.reshape(-1).tolist())),
    )
    if below**rounds * n >= 2**62:
        raise ValueError(f"{rounds} rounds have products beyond 64 bits; need fewer")
    whole = np.array(
        [[[int(v * below) for v in row] for row in P] for P in factors], dtype=np.int64
    )
    some, unit = np.eye(n, dtype=np.int64)[None], 1
    least = Fraction(1)
    for _ in range(rounds):
        if len(some) * len(whole) > MOST:
            raise ValueError(f"{len(some) * len(whole)} products; need at most {MOST}")
        made = np.einsum("aij,bjk->abik", whole, some).reshape(-1, n, n)
        some, unit = np.unique(made, axis=0), unit * below
        least = min(least, Fraction(int(some.sum(2).min()), unit))
    apart = np.abs(some[:, :, :, None] - some[:, :, None, :]).sum(1).max()
    return Products(rounds, Fraction(int(apart), 2 * unit), least)
