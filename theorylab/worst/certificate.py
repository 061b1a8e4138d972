"""A certificate: multipliers in floats made exact, checked, kept beside the checker.

The metric is lifted by a little times the identity before it is solved for, so that the form stays
positive definite when multipliers move by 2^-60. What moves is few: the equalities of the values
are solved exactly for a basis of large multipliers, chosen by a pivoted QR decomposition.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from theorylab.report.atomic import write_atomic
from theorylab.worst import check_certificate
from theorylab.worst.check_certificate import Terms, Theorem
from theorylab.worst.generation import Solved, solved, trace
from theorylab.worst.program import Name, Program
from theorylab.worst.question import Question
from theorylab.worst.solver import GAP

CHECKER = Path(check_certificate.__file__)
BITS = 60  # multipliers are rounded to 2^-BITS
DIGITS = 12  # of the claim, which is rounded up


class NotCertifiedError(ArithmeticError):
    """The rounded multipliers prove nothing; the line says at which step."""


@dataclass(frozen=True)
class Kept:
    """What ``check_certificate.py`` accepts: the content of the file."""

    certificate: dict[str, Any]

    def text(self) -> str:
        """The file."""
        return json.dumps(self.certificate, allow_nan=False, separators=(",", ":")) + "\n"

    def save(self, path: str | Path) -> None:
        """Write the file, and the checker beside it.

        Raises OSError where there is no room or right.
        """
        path = Path(path)
        write_atomic(path, self.text())
        write_atomic(path.parent / CHECKER.name, CHECKER.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Bound(Kept):
    """What is measured is at most ``claim``; ``certificate`` proves it."""

    claim: Fraction


@dataclass(frozen=True)
class Certificate(Bound):
    """Of finite T. margin: claim / value - 1."""

    margin: float

    @property
    def data(self) -> dict[str, Any]:
        """The content of the file."""
        return self.certificate


def certify(question: Question, program: Program, first: Solved, margin: float) -> Certificate:
    """A certificate whose claim is at most 1 + margin times the value, give or take.

    Raises NotCertifiedError, one line, where the rounded multipliers are no proof.
    """
    value = first.solution.dual
    lift = margin * abs(value) / (2 * trace(first.solution))
    lifted = solved(program, lift, first.names, max(GAP, margin / 100))
    exact = program.spread(multipliers(program, lifted))
    number = claim(program, exact)
    data = {**question.as_json(), "claim": str(number), **as_parts(exact)}
    accepted(check_certificate.read(json.dumps(data)), f"at a margin of {margin:.0e}")
    return Certificate(data, number, float(number) / value - 1)


def accepted(data: dict[str, Any], where: str = "the rounded certificate fails") -> None:
    """Ask the checker; NotCertifiedError, one line, with what it says against the file."""
    try:
        check_certificate.proved(data)
    except Exception as error:
        raise NotCertifiedError(f"{where}: {error}") from None


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


def tables_of(theorem: Theorem, names: Sequence[Any]) -> NDArray[np.float64]:
    """Of every inequality, by name and places, the form over the theorem's vectors, (K, N, N).

    None stands for the metric.
    """
    each = (theorem.measured() if name is None else theorem.inequality(*name) for name in names)
    return np.array([table_of(terms, len(theorem.vectors)) for terms, *_ in each])


def table_of(terms: Terms, size: int) -> NDArray[np.float64]:
    """The form sum c <p, q> over vectors, (size, size)."""
    made = np.zeros((size, size))
    for c, p, q in terms:
        for (u, a), (v, b) in itertools.product(p.items(), q.items()):
            made[u, v] += float(c * a * b)
    return made


def forms_of(theorem: Theorem, tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """The tables as symmetric forms over the basis, (K, d, d)."""
    rows = np.zeros((len(theorem.vectors), theorem.size))
    for at, row in zip(rows, theorem.vectors, strict=True):
        for k, v in row.items():
            at[k] = float(v)
    made = rows.T @ tables @ rows
    return np.asarray((made + made.transpose(0, 2, 1)) / 2)
