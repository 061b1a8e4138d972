"""What a search has to tell."""

from __future__ import annotations

from dataclasses import dataclass

from theorylab.falsify.moves import Instance
from theorylab.verdicts import Result


@dataclass(frozen=True)
class Finding:
    """result: of ``instance``, the one nearest to breaking the claim, or breaking it.

    refuted: VIOLATED, confirmed with ``seeds`` runs. tried, inside, invalid: instances judged,
    within the assumptions, and that were none. stage: where it was found. how: the moves that
    lead from a check to it. refusal: why the first that was none was none. known: one of the
    version's own checks refutes it, ``check``, so nothing was searched. undecided: where nothing
    is refuted, an instance whose mean lies beyond the bound while its confidence limit does not;
    its ``runs`` were all that there was time for.
    """

    statement: str
    version: str
    refuted: bool
    instance: Instance
    result: Result | None
    seeds: int
    seed: int
    tried: int
    inside: int
    invalid: int
    stage: str
    seconds: float
    refusal: str = ""
    known: bool = False
    undecided: Result | None = None
    how: str = ""
    check: str = ""
