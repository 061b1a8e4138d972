"""What breaks a claim outside its scope: by what the claim would need to leave it out."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from theorylab.falsify.moves import Instance
from theorylab.falsify.scope import Scope
from theorylab.verdicts import Result


class Told(NamedTuple):
    """An instance that breaks the claim, its result, the moves that made it, and their stage."""

    instance: Instance
    result: Result
    how: str
    stage: str


class Outside:
    """``told``: by the words of what the claim needs, the first instance that shows it."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.told: dict[tuple[str, ...], Told] = {}

    def knows(self, instance: Instance) -> bool:
        """Whether the instance lies outside by all that one finding lies outside by."""
        needs = {*self.scope.needs(instance)} if self.told else set()
        return any(needs.issuperset(each) for each in self.told)

    def least(self) -> tuple[tuple[str, ...], Told]:
        """The finding that lies outside by the fewest parts; of equals the first."""
        return min(self.told.items(), key=lambda item: len(item[0]))

    def take(self, seen: Told, confirmed: Callable[[Instance], Result | None]) -> Told | None:
        """Keep what breaks the claim outside the scope; give what lies inside it.

        The parts by which it lies outside are put back one by one, as far as what is left is still
        ``confirmed`` to break the claim.
        """
        instance, result, *way = seen
        going = True
        while going:
            going = False
            for made in self.scope.restored(instance):
                fewer = len(self.scope.needs(made)) < len(self.scope.needs(instance))
                found = confirmed(made) if fewer else None
                if found is not None:
                    instance, result, going = made, found, True
                    break
        needs = self.scope.needs(instance)
        if not needs:
            return Told(instance, result, *way)
        self.told.setdefault(needs, Told(instance, result, *way))
        return None
