"""How many statements are false, and how: one count a statement, one cause once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from theorylab.statements import BUILT_IN, Severity, Statement, Version
from theorylab.words import Verdict

if TYPE_CHECKING:
    from theorylab.verdicts.result import Result

SEVERITIES = tuple(severity.value for severity in Severity)


@dataclass(frozen=True)
class Claim:
    """One version of one statement. ``severity``: how it is false, empty if it was not refuted."""

    id: str
    version: str
    severity: str
    inherits: str = ""


@dataclass(frozen=True)
class Tally:
    """Counts of statements; each stands in one place at most.

    Attributes:
        false: severity -> statements false as printed by a fault of their own.
        inherited: false as printed by the fault of another statement that is false, too.
        readings: true as printed, false in another reading that the text admits.
        implied: what a proof needs and the paper does not print is false, and nothing else.
    """

    statements: int
    false: Mapping[str, int]
    inherited: int
    readings: int
    implied: int

    @property
    def total(self) -> int:
        """Statements false as printed by a fault of their own."""
        return sum(self.false.values())

    @property
    def sentence(self) -> str:
        """One line for people."""
        kinds = ", ".join(f"{n} {name}" for name, n in self.false.items() if n)
        return (
            f"False as printed: {self.total} of {self.statements} statements"
            + (f" ({kinds})" if kinds else "")
            + (f", and {self.inherited} by the fault of one of these" if self.inherited else "")
            + f". False in another reading only: {self.readings}. "
            f"False in what is implied only: {self.implied}."
        )


def tally(claims: Iterable[Claim]) -> Tally:
    """Count the statements among ``claims``; give every version of a statement.

    A statement is false as printed if ``printed`` is; where the paper admits several readings and
    none is the fairest, if all of them are. The mildest severity counts then.
    """
    groups: dict[str, list[Claim]] = {}
    for claim in claims:
        groups.setdefault(claim.id, []).append(claim)
    refuted = [found for group in groups.values() if (found := refutation(group)) is not None]
    false = Counter(claim.severity for kind, claim in refuted if kind == "own")
    kinds = Counter(kind for kind, _ in refuted)
    counts = {name: false[name] for name in SEVERITIES}
    return Tally(len(groups), counts, kinds["inherited"], kinds["reading"], kinds["implied"])


def refutation(group: Sequence[Claim]) -> tuple[str, Claim] | None:
    """How one statement is false, of all of its versions, and the version that shows it; None of
    a true one. The kinds are ``own``, ``inherited``, ``reading`` and ``implied``.
    """
    printed = [claim for claim in group if claim.version == "printed"]
    other = [claim for claim in group if claim.version.startswith("printed/")]
    fairest = printed or other
    if fairest and all(claim.severity for claim in fairest):
        mildest = min(fairest, key=lambda claim: SEVERITIES.index(claim.severity))
        return "inherited" if all(claim.inherits for claim in fairest) else "own", mildest
    implied = [claim for claim in group if claim.version.split("/")[0] == "implied"]
    for kind, claims in (("reading", other), ("implied", implied)):
        for claim in claims:
            if claim.severity:
                return kind, claim
    return None


def expected_claims(statements: Iterable[Statement] | None = None) -> list[Claim]:
    """What the checks of the statements expect to be refuted; controls say nothing."""
    return [
        Claim(statement.id, name, _severity(version), version.inherits)
        for statement in (BUILT_IN.values() if statements is None else statements)
        for name, version in statement.versions.items()
    ]


def seen_claims(results: Sequence[Result]) -> list[Claim]:
    """What the results refute."""
    found: dict[tuple[str, str], Claim] = {}
    for result in results:
        key = result.id, result.version
        claim = Claim(*key, result.severity, result.inherits)
        if key not in found or result.severity:
            found[key] = claim
    return list(found.values())


def _severity(version: Version) -> str:
    severity = "" if version.severity is None else version.severity.value
    own = (Verdict[check.expect] for check in version.checks if not check.control)
    return severity if any(verdict.tells_against(severity) for verdict in own) else ""
