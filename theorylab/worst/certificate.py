"""A certificate of a worst case: made, kept beside its checker, read again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from theorylab.worst import check_certificate
from theorylab.worst.bound import Bound
from theorylab.worst.generation import Solved, solved, trace
from theorylab.worst.program import Program
from theorylab.worst.question import Question
from theorylab.worst.rounding import NotCertifiedError, as_parts, claim, multipliers
from theorylab.worst.solver import GAP


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
    try:
        check_certificate.proved(check_certificate.read(json.dumps(data)))
    except Exception as error:
        raise NotCertifiedError(f"at a margin of {margin:.0e}: {error}") from None
    return Certificate(data, number, float(number) / value - 1)
