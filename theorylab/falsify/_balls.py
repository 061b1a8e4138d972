"""Vectors and matrices of Arb balls: every number encloses the exact one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import flint
import scipy.sparse

Ball = Any  # flint.arb
Vector = Sequence[Ball]
Point = list[Vector]  # one vector a client
Weights = list[list[tuple[int, Ball]]]  # of every row of a matrix: (column, entry)
ZERO = flint.arb(0)


def ball(number: Any) -> Ball:
    """The ball of radius 0 at a float."""
    return flint.arb(float(number))


def vector(numbers: Iterable[Any]) -> list[Ball]:
    return [ball(number) for number in numbers]


def total(parts: Iterable[Ball]) -> Ball:
    """The sum."""
    return sum(parts, ZERO)


def dot(a: Vector, b: Vector) -> Ball:
    return total(p * q for p, q in zip(a, b, strict=True))


def square(vector: Vector) -> Ball:
    """The squared length."""
    return total(e * e for e in vector)


def gap(a: Vector, b: Vector) -> list[Ball]:
    """a - b."""
    return [p - q for p, q in zip(a, b, strict=True)]


def less(x: Vector, step: Ball, g: Vector) -> list[Ball]:
    """x - step g."""
    return [a - step * b for a, b in zip(x, g, strict=True)]


def lifted(z: Vector, g: Vector, rho: Ball) -> list[Ball]:
    """z + rho g / |g|."""
    norm = square(g).sqrt()
    return [a + rho * e / norm for a, e in zip(z, g, strict=True)]


def mean(points: Sequence[Vector]) -> list[Ball]:
    """The average over clients."""
    return [total(column) / len(points) for column in zip(*points, strict=True)]


def apart(points: Sequence[Vector], origin: Sequence[Vector]) -> Ball:
    """(1/m) sum_i ||points_i - origin_i||^2."""
    return total(square(gap(a, b)) for a, b in zip(points, origin, strict=True)) / len(points)


def spread(points: Sequence[Vector]) -> Ball:
    """(1/m) sum_i ||points_i - their average||^2."""
    return apart(points, [mean(points)] * len(points))


def weights_of(P: Any) -> Weights:
    """Of a matrix of floats (m, m), sparse or not, what is not 0."""
    rows = scipy.sparse.csr_array(P)
    ends = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
    return [
        [(int(j), ball(p)) for j, p in zip(rows.indices[a:b], rows.data[a:b], strict=True)]
        for a, b in ends
    ]


def mixed(P: Weights, points: Sequence[Vector]) -> Point:
    """sum_j P_ij points_j of every i."""
    return [[total(p * points[j][c] for j, p in row) for c in range(len(points[0]))] for row in P]
