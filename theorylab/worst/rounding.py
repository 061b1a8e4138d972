"""From multipliers in floats to exact ones: rounded, with the equalities restored, then checked.

The metric is lifted by a little times the identity before it is solved for, so that the form stays
positive definite when multipliers move by 2^-60. What moves is few: the equalities of the values
are solved exactly for a basis of large multipliers, chosen by a pivoted QR decomposition.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.linalg import qr

from theorylab.worst.generation import Solved
from theorylab.worst.program import Name, Program

BITS = 60  # multipliers are rounded to 2^-BITS
DIGITS = 12  # of the claim, which is rounded up


class NotCertifiedError(ArithmeticError):
    """The rounded multipliers prove nothing; the line says at which step."""


def multipliers(program: Program, solved: Solved) -> dict[Name, Fraction]:
    """Exact multipliers, >= 0 unless of an equality, that leave no scalar over.

    Raises NotCertifiedError where the equalities cannot be restored without a negative one.
    """
    names, y = solved.names, solved.solution.y
    signed = [v if equal else max(0.0, v) for v, equal in zip(y, solved.block.equal, strict=True)]
    exact = [Fraction(round(v * 2.0**BITS), 2**BITS) for v in signed]
    scalars = [program.scalars(name) for name in names]
    left = dict(program.scalars(("metric",)))
    for v, row in zip(exact, scalars, strict=True):
        for key, c in row.items():
            left[key] = left.get(key, Fraction(0)) - v * c
    E = solved.block.E.T * np.maximum(y, 1e-9 * y.max(initial=0))
    if len(E):
        triangle, pivots = qr(E, mode="r", pivoting=True)
        sizes = np.abs(np.diag(triangle))
        rank = int((sizes > 1e-12 * sizes.max(initial=0)).sum())
        basis = [int(k) for k in pivots[:rank]]
        for k, move in zip(basis, _solved([scalars[k] for k in basis], left), strict=True):
            exact[k] += move
    if any(v < 0 and not equal for v, equal in zip(exact, solved.block.equal, strict=True)):
        raise NotCertifiedError("a multiplier becomes negative where the equalities are restored")
    return {name: v for name, v in zip(names, exact, strict=True) if v}


def _solved(rows: Sequence[dict[Any, Any]], right: dict[Any, Any]) -> list[Fraction]:
    """Moves m with sum m_k rows[k] = right, by sparse elimination in fractions."""
    equations: dict[Any, dict[int, Fraction]] = {}
    for k, row in enumerate(rows):
        for key, c in row.items():
            equations.setdefault(key, {})[k] = Fraction(c)
    constants = {key: Fraction(right.get(key, 0)) for key in {*equations, *right}}
    done: list[tuple[int, Any]] = []
    while open_ := {key: row for key, row in equations.items() if key not in {e for _, e in done}}:
        key = min(open_, key=lambda e: (len(open_[e]) or math.inf, str(e)))
        row = open_[key]
        if not row:
            break
        k = next(iter(row))
        for other, line in equations.items():
            if other == key or k not in line:
                continue
            share = line[k] / row[k]
            for j, c in row.items():
                line[j] = line.get(j, Fraction(0)) - share * c
                if not line[j]:
                    del line[j]
            constants[other] -= share * constants[key]
        done.append((k, key))
    solved = {key for _, key in done}
    if any(v for key, v in constants.items() if key not in solved):
        raise NotCertifiedError(
            "the equalities of the values have no solution near the multipliers"
        )
    moves = [Fraction(0)] * len(rows)
    for k, key in done:
        moves[k] = constants[key] / equations[key][k]
    return moves


def claim(program: Program, exact: dict[Name, Fraction]) -> Fraction:
    """sum y_k b_k, rounded up to ``DIGITS`` digits."""
    total = sum((v * program.form(name)[2] for name, v in exact.items()), Fraction(0))
    if total <= 0:
        return total
    shift = Fraction(10) ** (DIGITS - 1 - math.floor(math.log10(float(total))))
    return Fraction(math.ceil(total * shift)) / shift


def as_parts(exact: dict[Name, Fraction]) -> dict[str, Any]:
    """Multipliers as a certificate has them: integers over one denominator."""
    below = math.lcm(*(v.denominator for v in exact.values()))
    return {
        "denominator": below,
        "multipliers": [[int(v * below), *name] for name, v in sorted(exact.items(), key=str)],
    }
