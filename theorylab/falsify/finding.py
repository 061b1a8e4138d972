"""What a search has to tell."""

from __future__ import annotations

from dataclasses import dataclass, field

from theorylab.falsify.moves import Instance
from theorylab.verdicts import Result


@dataclass(frozen=True)
class Smaller:
    """A smaller instance that breaks the claim, with less on; its result, and the seed of that.
    ``written``: with every option that stands at its default."""

    instance: Instance
    result: Result
    seed: int
    written: Instance


@dataclass(frozen=True)
class Finding:
    """result: of ``instance``, the one nearest to breaking the claim, or breaking it.

    refuted: VIOLATED, confirmed with ``seeds`` runs. tried, inside, invalid: instances judged,
    within the assumptions, and that were none. stage: where it was found. how: the moves that
    lead from a check to it. refusal: why the first that was none was none. known: one of the
    version's own checks refutes it, ``check``, so nothing was searched. undecided: where nothing
    is refuted, an instance whose mean lies beyond the bound while its confidence limit does not;
    its ``runs`` were all that there was time for.
    needs: where the instance breaks the claim and lies outside its scope, what the claim would need
    to leave it out ("no noise", "one client"); the verdict of ``result`` then tells of the instance
    and not of the claim, and ``refuted`` is False. also: what other findings need, a line each.
    nearest, began: the name of the check that is nearest to the instance, and the check's instance,
    both with every option that stands at its default written out; ``written`` is ``instance`` so.
    exhausted: the search ended before its time, as no move was left that makes another instance.
    smaller: the smallest that breaks the claim, where ``instance``, which has several clients and
    all on that the claim is about as far as there is such a one, is not that.
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
    needs: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    nearest: str = ""
    began: Instance = field(default_factory=dict)
    written: Instance = field(default_factory=dict)
    smaller: Smaller | None = None
    exhausted: bool = False

    @property
    def broken(self) -> bool:
        """Whether ``instance`` breaks the claim, inside its scope or outside."""
        return self.refuted or bool(self.needs)
