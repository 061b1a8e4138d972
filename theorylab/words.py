"""The words of a verdict: what each says, its colours, its order, and how a command ends on it.

Every surface reads this table: checks and results, terminal, pages, sentences, exit codes, the page
on verdicts. A word that is added here is everywhere.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

REFUTED, REFUSED, UNDECIDED = 1, 2, 4  # exit codes


@dataclass(frozen=True)
class Word:
    """What surfaces need of one verdict.

    Attributes:
        sentence: what it means, for people.
        clause: the rest of a sentence about the claim, with places for ``how`` (as printed, ...),
            ``kind`` (the severity), ``compared`` (both sides as numbers) and ``reason``.
        ink: its colour on a terminal. tone: that on a page, a variable of its palette, which has
            one value in the light, in the dark and on paper.
        box: the title of a check's box on a page; "" where the distance to the bound is told.
        exit: the exit code of a command that judged it where nothing is expected.
        refutes: whether it tells against the claim: "always", "never", or of which severity alone.
        applies: whether the claim speaks of the instance, so that measured over bound means
            something.
        stands: whether it is evidence for the claim.
        of_class: whether it speaks of a whole class, so that no check of an instance expects it.
    """

    sentence: str
    clause: str
    ink: str
    tone: str
    box: str = ""
    exit: int = 0
    refutes: str = "never"
    applies: bool = True
    stands: bool = False
    of_class: bool = False


class Verdict(enum.Enum):
    """What is said of a claim on an instance, or of a whole class.

    The member's name is the word, its value the full sentence. What tells most against a claim
    comes first: one violation outweighs many checks that hold.

    Attributes:
        word: colour, exit code and what the verdict means for the claim.

    >>> Verdict["HOLDS"].value.startswith("every assumption")
    True
    >>> Verdict.HOLDS.word.ink, Verdict.VIOLATED.word.exit
    ('green', 1)
    """

    _value_: str
    word: Word

    def __new__(cls, word: Word) -> Verdict:
        """The value is what people read; the rest is ``word``."""
        member = object.__new__(cls)
        member._value_, member.word = word.sentence, word
        return member

    VIOLATED = Word(
        sentence="the assumptions hold, every constant is exact or on the side that makes the "
        "bound larger, and the measured side exceeds it",
        clause="is false {how}{kind}: {compared}",
        ink="red",
        tone="bad",
        box="Counterexample",
        exit=REFUTED,
        refutes="always",
    )
    UNSATISFIABLE = Word(
        sentence="no instance of the algorithm or class that the version names can satisfy the "
        "assumptions",
        clause="is empty {how}: {reason}",
        ink="magenta",
        tone="other",
        box="Why no instance of that class satisfies it",
        refutes="always",
        applies=False,
    )
    VACUOUS = Word(
        sentence="true, but never below what holds without the theorem, or it asks for more rounds "
        "than anybody can run (the power of ten is told)",
        clause="says nothing {how}: {reason}",
        ink="magenta",
        tone="other",
        refutes="empty",
    )
    INCONCLUSIVE = Word(
        sentence="the interval straddles the bound (the reason says how many more runs would "
        "decide, what runs cannot see, or that rounding is the limit), a constant is not known "
        "well enough, or the instance has numbers whose squares leave float64",
        clause="is not decided {how}: {reason}",
        ink="yellow",
        tone="open",
        exit=UNDECIDED,
    )
    ERROR = Word(
        sentence="this check alone could not be judged; the reason says what failed, and the other "
        "checks are judged",
        clause="could not be judged {how}: {reason}",
        ink="bold yellow",
        tone="open",
        box="Why it could not be judged",
        exit=REFUSED,
        applies=False,
    )
    PROVED = Word(
        sentence="it is true of a whole class of functions, networks and starts, by a certificate "
        "that a checker of one file accepts; the margin is part of the claim",
        clause="is proved {how}: {reason}",
        ink="bold green",
        tone="good",
        box="The certificate",
        stands=True,
        of_class=True,
    )
    HOLDS = Word(
        sentence="every assumption was checked, and the measured side stays below the bound",
        clause="holds {how} on this instance: {compared}",
        ink="green",
        tone="good",
        stands=True,
    )
    ASSUMPTION_FAILS = Word(
        sentence="this instance breaks an assumption; the reason names it and by how much",
        clause="does not apply {how}: {reason}",
        ink="cyan",
        tone="other",
        box="Where an assumption fails",
        applies=False,
    )

    def tells_against(self, severity: str) -> bool:
        """Whether it shows that a claim, whose fault has this severity, is false; "": no fault."""
        return bool(severity) and self.word.refutes in ("always", severity)

    @property
    def agrees(self) -> bool:
        """It is a verdict, it is decided, and it speaks against no claim."""
        return self.word.exit == 0 and self.word.refutes != "always"

    @property
    def broken(self) -> bool:
        """An instance within the assumptions exceeds the bound."""
        return self.word.refutes == "always" and self.word.applies

    @property
    def impossible(self) -> bool:
        """No instance is within the assumptions."""
        return self.word.refutes == "always" and not self.word.applies

    @property
    def judged(self) -> bool:
        """It says something of the claim: the check did not fail."""
        return self.word.exit != REFUSED

    @property
    def undecided(self) -> bool:
        """More runs, another constant or exact arithmetic would decide."""
        return self.word.exit == UNDECIDED

    @property
    def decided(self) -> bool:
        """Both sides were compared, and the claim stands or is broken."""
        return self.broken or self.word.stands

    @property
    def empty(self) -> bool:
        """The claim is true, and says nothing."""
        return self.word.refutes == "empty"

    @property
    def outside(self) -> bool:
        """This instance, and it alone, is outside the assumptions."""
        return self.judged and not self.word.applies and not self.impossible


EXPECTED = tuple(v.name for v in Verdict if v.judged and not v.word.of_class)  # of a check
ORDER = tuple(Verdict.__members__)
