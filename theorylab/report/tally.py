"""How many statements are false, and how: one count a statement, one cause once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from theorylab.explain.causes import causes_of_result
from theorylab.statements import (
    BUILT_IN,
    Cause,
    Line,
    Severity,
    Statement,
    Version,
    worst_of,
)
from theorylab.words import Verdict

if TYPE_CHECKING:
    from theorylab.verdicts.result import Result

SEVERITIES = tuple(severity.value for severity in Severity)
_ORDER = list(Severity)


@dataclass(frozen=True)
class Claim:
    """One version of one statement.

    Attributes:
        causes: what refutes it; nothing if it was not refuted.
        mends: the causes that it has not, and other versions have.
        stands: whether it holds in a check, and nothing refutes it.
    """

    id: str
    version: str
    causes: tuple[Cause, ...] = ()
    mends: tuple[Cause, ...] = ()
    stands: bool = True

    @property
    def severity(self) -> str:
        """The worst of its causes; empty if it was not refuted."""
        return worst_of(self.causes) or ""


@dataclass(frozen=True)
class Refutation:
    """How one statement is false, of all of its versions.

    Attributes:
        kind: ``own``, ``inherited``, ``reading`` or ``implied``.
        claim: the version that shows it.
        cause: the one whose severity is the statement's.
        causes: all that refute what counts: those of its own lines first, and the worst first.
    """

    kind: str
    claim: Claim
    cause: Cause
    causes: tuple[Cause, ...]

    @property
    def severity(self) -> str:
        return self.cause.severity.value


@dataclass(frozen=True)
class Tally:
    """Counts of statements; each stands in one place at most.

    Attributes:
        false: severity -> statements false as printed by a fault of their own.
        inherited: false as printed by faults of other lines alone.
        readings: true as printed, false in another reading that the text admits.
        implied: what a proof needs and the paper does not print is false, and nothing else.
    """

    statements: int
    false: Mapping[str, int]
    inherited: int
    readings: int
    implied: int

    @property
    def empty(self) -> int:
        """Statements that nothing satisfies, or that say nothing; they are no false ones."""
        return self.false[Severity.EMPTY.value]

    @property
    def total(self) -> int:
        """Statements false as printed by a fault of their own; an empty one is none."""
        return sum(self.false.values()) - self.empty

    @property
    def sentence(self) -> str:
        """One line for people."""
        kinds = ", ".join(
            f"{n} {name}" for name, n in self.false.items() if n and name != Severity.EMPTY
        )
        are = "is" if self.total == 1 else "are"
        told = [
            f"{self.total} of {self.statements} statements {are} false as printed"
            + f" ({kinds})" * bool(kinds)
            + f", and {self.inherited} more by the fault of another line" * bool(self.inherited),
            f"{self.empty} empty: no instance satisfies the assumptions, or nothing follows",
            f"{self.readings} false only in another reading that the text admits",
            f"{self.implied} false only in what a proof needs and the paper does not print",
        ]
        counts = (True, self.empty, self.readings, self.implied)
        return "; ".join(part for part, n in zip(told, counts, strict=True) if n) + "."


def tally(claims: Iterable[Claim]) -> Tally:
    """Count the statements among ``claims``; give every version of a statement."""
    groups = grouped(claims)
    refuted = [found for group in groups.values() if (found := refutation(group)) is not None]
    false = Counter(found.severity for found in refuted if found.kind == "own")
    kinds = Counter(found.kind for found in refuted)
    counts = {name: false[name] for name in SEVERITIES}
    return Tally(len(groups), counts, kinds["inherited"], kinds["reading"], kinds["implied"])


def grouped(claims: Iterable[Claim]) -> dict[str, list[Claim]]:
    """The claims of each statement, in their order."""
    groups: dict[str, list[Claim]] = {}
    for claim in claims:
        groups.setdefault(claim.id, []).append(claim)
    return groups


def refutation(group: Sequence[Claim]) -> Refutation | None:
    """How one statement is false, of all of its versions; None of a true one.

    A statement is false as printed if ``printed`` is; where the paper admits several readings and
    none is the fairest, if all of them are. Its causes are those of these readings, and of every
    reading that mends one of them, but for what the fairest one mends itself. No cause counts that
    a mend of milder ones removes: there is a version that mends milder ones alone, and stands. The
    severity is the worst of what is left: of faults of its own lines, where there are any, and of
    what is false before what is empty.
    """
    printed = [claim for claim in group if claim.version == "printed"]
    other = [claim for claim in group if claim.version.startswith("printed/")]
    fairest = printed or other
    if fairest and all(claim.causes for claim in fairest):
        causes = _standing(group, _reached(fairest, other))
        own = any(group[0].id in cause.homes for cause in causes)
        return _refutation("own" if own else "inherited", [*fairest, *other], causes)
    implied = [claim for claim in group if claim.version.split("/")[0] == "implied"]
    for kind, claims in (("reading", other), ("implied", implied)):
        if shown := dict.fromkeys(cause for claim in claims for cause in claim.causes):
            return _refutation(kind, claims, tuple(shown))
    return None


def expected_claims(statements: Iterable[Statement] | None = None) -> list[Claim]:
    """What the checks of the statements expect to be refuted; controls say nothing."""
    return [
        Claim(statement.id, name, _expected(version), version.mends, _holds(version))
        for statement in (BUILT_IN.values() if statements is None else statements)
        for name, version in statement.versions.items()
    ]


def seen_claims(results: Iterable[Result]) -> list[Claim]:
    """What the results refute. A reading says nothing of what is printed: of a built-in statement
    whose ``printed`` has no result, that stands undecided."""
    found: dict[tuple[str, str], dict[Cause, None]] = {}
    holds: set[tuple[str, str]] = set()
    for result in results:
        key = result.id, result.version
        causes = found.setdefault(key, {})
        if result.severity:
            causes |= dict.fromkeys(causes_of_result(result) or (_own_fault(result),))
        if result.outcome.word.stands and not result.control:
            holds.add(key)
    for name in dict.fromkeys(name for name, _ in found):
        if "printed" in getattr(BUILT_IN.get(name), "versions", ()):
            found.setdefault((name, "printed"), {})
    return [
        Claim(*key, tuple(causes), _mends(*key), key in holds and not causes)
        for key, causes in found.items()
    ]


def _reached(fairest: Sequence[Claim], other: Sequence[Claim]) -> tuple[Cause, ...]:
    """The causes of the fairest readings, and of the readings that mend one of those."""
    found = dict.fromkeys(cause for claim in fairest for cause in claim.causes)
    waiting = list(other)
    while near := [claim for claim in waiting if any(cause in found for cause in claim.mends)]:
        found |= dict.fromkeys(cause for claim in near for cause in claim.causes)
        waiting = [claim for claim in waiting if claim not in near]
    mended = [cause for cause in found if all(cause in claim.mends for claim in fairest)]
    return tuple(cause for cause in found if cause not in mended)


def _standing(group: Sequence[Claim], causes: tuple[Cause, ...]) -> tuple[Cause, ...]:
    """The causes that no mend of milder ones removes; all of them, if that leaves none."""

    def removed(cause: Cause) -> bool:
        return any(
            claim.mends
            and claim.stands
            and not claim.causes
            and all(_rank(mended) < _rank(cause) for mended in claim.mends)
            for claim in group
        )

    return tuple(cause for cause in causes if not removed(cause)) or causes


def _refutation(kind: str, claims: Sequence[Claim], causes: tuple[Cause, ...]) -> Refutation:
    own = [cause for cause in causes if claims[0].id in cause.homes]
    ranked = sorted(causes, key=lambda cause: (cause in own, _rank(cause)), reverse=True)
    counted = ranked[: len(own)] or ranked
    false = [cause for cause in counted if cause.severity is not Severity.EMPTY] or counted
    shown = next(claim for claim in claims if false[0] in claim.causes)
    return Refutation(kind, shown, false[0], tuple(ranked))


def _rank(cause: Cause) -> int:
    return _ORDER.index(cause.severity)


def against(version: Version) -> list[str]:
    """The checks that are expected to tell against a version, by name."""
    return [
        check.name
        for check in version.checks
        if Verdict[check.expect].tells_against(worst_of(version.causes_of(check)) or "")
    ]


def _expected(version: Version) -> tuple[Cause, ...]:
    shown = (
        cause
        for check in version.checks
        for cause in version.causes_of(check)
        if Verdict[check.expect].tells_against(cause.severity.value)
    )
    return tuple(dict.fromkeys(shown))


def _holds(version: Version) -> bool:
    """Whether a check of a version that nothing refutes is expected to hold."""
    holds = any(Verdict[c.expect].word.stands and not c.control for c in version.checks)
    return holds and not _expected(version)


def _mends(name: str, version: str) -> tuple[Cause, ...]:
    statement = BUILT_IN.get(name)
    known = None if statement is None else statement.versions.get(version)
    return () if known is None else known.mends


def _own_fault(result: Result) -> Cause:
    """The cause of a result that names none which is known: a fault of its own statement."""
    words = result.rests_on or result.severity
    return Cause(
        id="own/fault",
        clause=words,
        fails=words,
        repair="-",
        severity=Severity(result.severity),
        lines=(Line(result.id, result.version, words=words),),
    )
