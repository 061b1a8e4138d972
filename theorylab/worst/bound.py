"""A certificate that is kept as a file, its checker beside it; the checker's forms in floats."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.report.atomic import write_atomic
from theorylab.worst import check_certificate
from theorylab.worst.check_certificate import Theorem

CHECKER = Path(check_certificate.__file__)


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


def tables_of(theorem: Theorem, names: Sequence[Any]) -> NDArray[np.float64]:
    """Of every inequality, by name and places, the form over the theorem's vectors, (K, N, N).

    None stands for the metric.
    """
    size = len(theorem.vectors)
    made = np.zeros((len(names), size, size))
    for table, name in zip(made, names, strict=True):
        terms, *_ = theorem.measured() if name is None else theorem.inequality(*name)
        for c, p, q in terms:
            for (u, a), (v, b) in itertools.product(p.items(), q.items()):
                table[u, v] += float(c * a * b)
    return made


def forms_of(theorem: Theorem, tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """The tables as symmetric forms over the basis, (K, d, d)."""
    rows = np.zeros((len(theorem.vectors), theorem.size))
    for at, row in zip(rows, theorem.vectors, strict=True):
        for k, v in row.items():
            at[k] = float(v)
    made = rows.T @ tables @ rows
    return np.asarray((made + made.transpose(0, 2, 1)) / 2)
