"""What is wrong with a paper, one record a fault: severities, counts and pages follow from it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from theorylab.statements._severity import Severity

_ID = re.compile(r"[a-z][a-z0-9_]*/[a-z0-9][a-z0-9-]*")
_STATEMENT = re.compile(r"[a-z][a-z0-9_]*\.[a-z]+[0-9]*[a-z0-9_]*")


@dataclass(frozen=True)
class Line:
    """The line of a paper that a fault stands in.

    Attributes:
        statement: id of the statement whose line it is, ``dfedpgp.eq25``.
        place: where, more closely than the statement says: ``Eq. (25), first inequality``.
        display: LaTeX, the paper's own letters and order; empty where the line is in words.
        words: quoted from the paper; empty where the line is a formula.

    Raises:
        ValueError: on a malformed id, or on a line without its display and its words.
    """

    statement: str
    place: str
    display: str = ""
    words: str = ""

    def __post_init__(self) -> None:
        if not _STATEMENT.fullmatch(self.statement):
            raise ValueError(f"line of {self.statement!r}; need <paper>.<locator>, as deprl.thm1")
        if not (self.place and (self.display or self.words)):
            raise ValueError(
                f"line of {self.statement}: need its place, and its display or its words"
            )


@dataclass(frozen=True)
class Cause:
    """One fault. A version of a statement names the causes that refute it, and those it mends.

    Attributes:
        id: <paper>/<what>, ``dfedpgp/lost-steps``; of a fault that papers share, the first's.
        clause: what a false verdict stands on, in one clause: "(25) loses a factor K_u".
        fails: which line fails and why, in sentences for its author.
        repair: what to write there instead.
        severity: how wrong it is; one cause has one severity, wherever it is met.
        lines: where it stands; one line in each paper and statement that prints it.
        effect: how large it is at the paper's own parameters, as far as it prints them.

    Raises:
        ValueError: on a malformed id, a severity that is none, or an empty part.

    >>> from theorylab.statements import Cause, Line, Severity
    >>> own = Cause(
    ...     id="mine/lost-factor",
    ...     clause="a factor 2 is lost",
    ...     fails="(3) bounds |a + b|^2 by |a|^2 + |b|^2.",
    ...     repair="Write the factor 2.",
    ...     severity=Severity.WRONG_CONSTANT,
    ...     lines=(Line("mine.eq3", "Eq. (3)", words="|a + b|^2 <= |a|^2 + |b|^2"),),
    ... )
    >>> own.severity.value
    'wrong constant'
    """

    id: str
    clause: str
    fails: str
    repair: str
    severity: Severity
    lines: tuple[Line, ...]
    effect: str = ""

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.id):
            raise ValueError(f"cause {self.id!r}; need <paper>/<words-of-the-fault>")
        object.__setattr__(self, "severity", Severity(self.severity))
        missing = [n for n in ("clause", "fails", "repair", "lines") if not getattr(self, n)]
        if missing:
            raise ValueError(f"cause {self.id}: need {', '.join(missing)}")

    @property
    def homes(self) -> tuple[str, ...]:
        """Ids of the statements whose lines have the fault."""
        return tuple(line.statement for line in self.lines)

    def line_of(self, statement: str) -> Line:
        """The line that a statement is shown: its own, its paper's, else the first."""
        paper = statement.partition(".")[0]
        own = [line for line in self.lines if line.statement == statement]
        near = [line for line in self.lines if line.statement.partition(".")[0] == paper]
        return (own or near or [*self.lines])[0]


def worst_of(causes: Iterable[Cause]) -> Severity | None:
    """The worst severity among causes; None of none."""
    order = list(Severity)
    return max((cause.severity for cause in causes), key=order.index, default=None)
