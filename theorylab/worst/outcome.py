"""How a question about a class ends: what each outcome says, and how a command ends on it."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from theorylab.words import Verdict


@dataclass(frozen=True)
class End:
    """sentence: what it means. exit: of a command that ends so."""

    sentence: str
    exit: int


class Outcome(enum.Enum):
    """The name is what is printed, with blanks for the strokes."""

    PROVED = End(Verdict.PROVED.word.sentence, Verdict.PROVED.word.exit)
    VIOLATED = End(
        "functions of the class exceed the bound in a run of the engine", Verdict.VIOLATED.word.exit
    )
    ESTIMATE = End("the value is a float of a solver, which proves nothing", 0)
    UNBOUNDED = End(
        "by a solver's floats there is no worst case: the named assumption is missing", 4
    )
    NOT_LINEAR = End("the step is no fixed combination of gradients, from the named query on", 4)
    TOO_LARGE = End("the program is larger than what is solved; sizes are told before any work", 2)
    NOT_CERTIFIED = End("the value was found, and its rounded multipliers are no proof", 4)

    @property
    def told(self) -> str:
        """As it is printed."""
        return self.name.replace("_", " ")


class UnboundedError(ArithmeticError):
    """There is no worst case; the line names the assumption that is missing."""
