"""Versions with a witness that no instance of a class meets their assumptions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from theorylab.known import Known
from theorylab.verdicts.case import Case
from theorylab.verdicts.evidence import settled
from theorylab.verdicts.result import Verdict


def against_all(
    case: Case, constants: Mapping[sp.Symbol, Known], subject: Any
) -> tuple[Verdict, str] | None:
    """The verdict of a version with a witness that no instance of a class meets its assumptions."""
    witness = case.version.unsatisfiable
    if witness is None:
        return None
    for fact in witness.facts:
        result = settled(fact, constants, getattr(subject, "content", None))
        if result.holds is not True:
            reason = f"the witness's fact {fact.name!r} is not seen here: {result.reason}"
            return Verdict.INCONCLUSIVE, reason
    broken = next(a for a in case.version.assumes if a.name == witness.breaks)
    result = settled(broken, constants, getattr(subject, "content", None))
    if result.holds is not False:
        return Verdict.INCONCLUSIVE, f"the witness is refuted: {broken.name} does not fail here"
    facts = "; ".join(fact.name for fact in witness.facts)
    reason = f"by no instance of {witness.within}: {broken.name} against: {facts}"
    return Verdict.UNSATISFIABLE, f"{reason}; here {result.reason}"
