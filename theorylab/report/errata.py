"""What of a paper is false, worst first, each with what a person needs to see it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from theorylab.explain import Explanation, explained, script_of
from theorylab.report.groups import Entry, Paper, Reading
from theorylab.report.names import paper_name, paper_of
from theorylab.report.number import typeset
from theorylab.report.prose import first_sentence
from theorylab.report.shown import Shown
from theorylab.report.tally import SEVERITIES, Refutation, refutation, seen_claims
from theorylab.statements import BUILT_IN, Line, Severity, Statement
from theorylab.verdicts.result import Result

WORST_FIRST = tuple(reversed(SEVERITIES))
MEANING = {
    "empty": "no instance that can be run satisfies the assumptions",
    "wrong order": "no constant saves it",
    "wrong constant": "true with a larger constant",
    "missing hypothesis": "true where more is asked for",
    "misprint": "a letter, a factor or a number",
    "harmless": "false, and on the safe side: what is built on it stands",
}


@dataclass(frozen=True)
class Erratum:
    """One false claim. found: what is so, the rest of a sentence. figure: a path, or None."""

    refutation: Refutation
    entry: Entry
    reading: Reading
    explanation: Explanation
    found: str
    figure: str | None

    @property
    def result(self) -> Result:
        return self.explanation.result

    @cached_property
    def script(self) -> str:
        """A NumPy script of it; empty where there is none.

        Only of a check of the catalogue: an instance from a file could be of any size.
        """
        result = self.result
        statement = BUILT_IN.get(result.id) if self.entry.built_in else None
        if statement is None or not result.outcome.broken or not _kept(statement, result):
            return ""
        try:
            return script_of(statement, result)[0]
        except Exception:  # what a file of results lacks or garbles costs the script, not the page
            return ""

    @property
    def explain(self) -> str:
        """The command that tells more of it; empty where its file is not known."""
        result = self.result
        parts = ["theorylab", "explain", result.id, "--version", result.version]
        parts += ["--check", result.check]
        return shlex.join(parts) if self.entry.built_in else ""

    @property
    def why(self) -> str:
        """The first sentence on what fails."""
        return first_sentence(self.explanation.fails)

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines of the paper that have the faults of the result."""
        return tuple(cause.line_of(self.entry.id) for cause in self.explanation.causes)

    @property
    def fault(self) -> str:
        """The statements whose lines these are, where they are not its own."""
        other = (line.statement for line in self.lines if line.statement != self.entry.id)
        return " and ".join(dict.fromkeys(other))

    @property
    def place(self) -> str:
        """``Theorem 1``, without the paper, whose page this is."""
        return Shown(self.result).place.removesuffix(f" of {paper_name(paper_of(self.entry.id))}")

    @property
    def about(self) -> str:
        """What stands at that place, in words."""
        return self.entry.where.removeprefix(self.place).lstrip(": ") or self.entry.id

    @property
    def anchor(self) -> str:
        """Of its row among everything."""
        return self.reading.anchor(self.result)


@dataclass(frozen=True)
class Errata:
    """The false claims of a paper.

    Attributes:
        own: severity -> what it says -> statements false as printed by a fault of their own; empty
            ones first, which are none of these.
        inherited: false as printed by the fault of another one.
        readings: false in another reading alone, or in what the paper needs and does not print.
    """

    own: tuple[tuple[str, str, tuple[Erratum, ...]], ...]
    inherited: tuple[Erratum, ...]
    readings: tuple[Erratum, ...]

    @property
    def total(self) -> int:
        return sum(len(group) for name, _, group in self.own if name != Severity.EMPTY)

    @property
    def empty(self) -> int:
        return sum(len(group) for name, _, group in self.own if name == Severity.EMPTY)


def errata(paper: Paper, drawn: Callable[[Result], str | None]) -> Errata:
    """What of ``paper`` is false, counted as ``tally`` counts. drawn: the path of a figure."""
    own: dict[str, list[Erratum]] = {}
    inherited: list[Erratum] = []
    readings: list[Erratum] = []
    for entry in paper.entries:
        refuted = refutation(seen_claims(entry.results))
        if refuted is None:
            continue
        shown = [r for r in entry.readings if r.version == refuted.claim.version and r.severity]
        one = _erratum(refuted, entry, shown[0], drawn)
        if refuted.kind == "own":
            own.setdefault(refuted.severity, []).append(one)
        else:
            (inherited if refuted.kind == "inherited" else readings).append(one)
    groups = tuple((name, MEANING[name], tuple(own[name])) for name in WORST_FIRST if name in own)
    return Errata(groups, tuple(inherited), tuple(readings))


def told(entry: Entry, result: Result) -> Explanation:
    """The explanation of a result of the entry; a user's own gets no words of a built-in one."""
    return explained(result, source_file="" if entry.built_in else "FILE.py")


def _erratum(
    found: Refutation, entry: Entry, reading: Reading, drawn: Callable[[Result], str | None]
) -> Erratum:
    explanation = told(entry, reading.lead)
    picture = None if reading.drawn is None else drawn(reading.drawn)
    clause = Shown(reading.lead, typeset).clause
    return Erratum(found, entry, reading, explanation, clause, picture)


def _kept(statement: Statement, result: Result) -> bool:
    """Whether the instance is that of the check of its name, but for what judging fills in."""
    filled = {
        "algorithm_name": statement.algorithm,
        "experiment_name": statement.experiment,
        **{"x0": 0.0, "constants": {}},
    }
    checks = statement.versions[result.version].checks
    kept = next((dict(c.instance) for c in checks if c.name == result.check), None)
    if kept is None:
        return False
    kept = json.loads(json.dumps(kept))  # tuples as lists, as results have them
    return {**filled, **kept} == {**filled, **result.instance}
