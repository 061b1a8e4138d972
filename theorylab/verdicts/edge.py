"""A violation at the edge of an assumption, where rounding decides on which side a run is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from theorylab import symbols
from theorylab.verdicts.case import Case
from theorylab.verdicts.decide import Decision
from theorylab.verdicts.evidence import settled
from theorylab.verdicts.result import AssumptionResult, Verdict


def carried(case: Case, assumptions: Sequence[AssumptionResult], found: Decision) -> Decision:
    """``found``, but no violation that rests on an assumption met by less than rounding moves."""
    if found.verdict is not Verdict.VIOLATED:
        return found
    at_place = {symbols.name_of(s): s for s in found.place.constants if s is not None}
    moving = {at_place[name] for name in found.place.at or {} if name in at_place}
    there = [settled(a, found.place.constants) for a in case.version.assumes if a.free & moving]
    loose = [a for a in (*there, *assumptions) if not a.firm]
    if not loose:
        return found
    first = loose[0]
    reason = (
        f"{found.reason}, but {first.name} is met by less than rounding ({first.reason}); need an "
        "instance that is inside it by one part in 1e9"
    )
    return replace(found, verdict=Verdict.INCONCLUSIVE, reason=reason, rests_on="")
