"""The causes of a paper: what each refutes, what is left once it is mended, what shows it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from theorylab.report.names import paper_of
from theorylab.report.tally import Claim, expected_claims, grouped, refutation
from theorylab.statements import BUILT_IN, Cause, Check
from theorylab.words import Verdict


@dataclass(frozen=True)
class Fault:
    """A cause and what it is met in.

    Attributes:
        kind: ``own`` where it makes a statement false as printed or empty; ``reading`` or
            ``implied`` where it refutes nothing else.
        refutes: (statement, version) of each version that it refutes.
        mended: (statement, version, causes) of each version that mends it, with the causes that
            refute that version still.
    """

    cause: Cause
    kind: str
    refutes: tuple[tuple[str, str], ...]
    mended: tuple[tuple[str, str, tuple[Cause, ...]], ...]

    @property
    def severity(self) -> str:
        return self.cause.severity.value


@dataclass(frozen=True)
class Exhibit:
    """The check that shows a cause."""

    statement: str
    version: str
    check: Check

    @property
    def name(self) -> str:
        """Of no other exhibit."""
        return f"{self.statement} {self.version} {self.check.name}"

    @property
    def command(self) -> str:
        """What explains it in a terminal."""
        parts = ["theorylab", "explain", self.statement, "--version", self.version]
        return shlex.join([*parts, "--check", self.check.name])


def claims_of(paper: str) -> list[Claim]:
    """What is expected of the statements of a paper."""
    return expected_claims(BUILT_IN[name] for name in BUILT_IN if paper_of(name) == paper)


def faults(paper: str) -> list[Fault]:
    """The causes whose first line is of the paper, in the order in which they refute."""
    claims = expected_claims()
    counted = {
        cause
        for group in grouped(claims).values()
        if (found := refutation(group)) is not None and found.kind in ("own", "inherited")
        for cause in found.causes
    }
    every = dict.fromkeys(cause for claim in claims for cause in claim.causes)
    return [
        _fault(cause, claims, counted)
        for cause in every
        if paper_of(cause.lines[0].statement) == paper
    ]


def shown_by(fault: Fault) -> Exhibit | None:
    """The check that shows a cause best: alone, in its own line, with more than one client, and
    first in its file."""
    return min(_exhibits(fault), key=lambda seen: _rank(seen, fault.cause), default=None)


def _fault(cause: Cause, claims: list[Claim], counted: set[Cause]) -> Fault:
    refutes = tuple((claim.id, claim.version) for claim in claims if cause in claim.causes)
    printed = any(not version.startswith("implied") for _, version in refutes)
    kind = "own" if cause in counted else "reading" if printed else "implied"
    mended = [(c.id, c.version, c.causes) for c in claims if cause in c.mends]
    return Fault(cause, kind, refutes, tuple(mended))


def _exhibits(fault: Fault) -> Iterator[Exhibit]:
    for name, label in fault.refutes:
        version = BUILT_IN[name].versions[label]
        for check in version.checks:
            against = Verdict[check.expect].tells_against(fault.severity)
            if against and fault.cause in version.causes_of(check):
                yield Exhibit(name, label, check)


def _rank(seen: Exhibit, cause: Cause) -> tuple[bool, bool, bool]:
    version = BUILT_IN[seen.statement].versions[seen.version]
    alone = version.causes_of(seen.check) == (cause,)
    return not alone, seen.statement not in cause.homes, seen.check.instance.get("clients") == 1
