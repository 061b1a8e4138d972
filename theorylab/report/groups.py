"""Results by paper, statement and version, with what the built-in statements say of themselves."""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from theorylab.explain import text_of
from theorylab.report.figure import drawable
from theorylab.report.names import check_names, page_files, paper_name, paper_of, safe_names
from theorylab.report.shown import nearest
from theorylab.report.standing import OPEN, Standing, standing
from theorylab.statements import BUILT_IN, NOT_RUN, Version
from theorylab.verdicts.result import Result
from theorylab.words import ORDER

ANCHOR = "check:"  # before the name of a result
_CLEAR = math.log10(1.05)  # a violation by less is a poor exhibit
_TITLE = re.compile(r'[^".]+(?:"[^"]*")?')


@dataclass(frozen=True)
class Reading:
    """The results of one version of one statement; ``anchors`` belong to them one by one.

    note: what the reading is, where the statement is built in. added, dropped: assumptions,
    against the first version.
    """

    version: str
    results: tuple[Result, ...]
    anchors: tuple[str, ...]
    note: str = ""
    added: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()

    @property
    def claim(self) -> tuple[str, str]:
        """The inequality, in LaTeX: its left side and its bound."""
        return self.results[0].quantity, self.results[0].formula

    @property
    def verdicts(self) -> Counter[str]:
        """See ``verdict_counts``."""
        return verdict_counts(self.results)

    @property
    def controls(self) -> int:
        """How many results are controls: they say nothing of the claim."""
        return controls(self.results)

    @property
    def severity(self) -> str:
        """How the claim is false; empty if no result is against it."""
        return next((result.severity for result in self.results if result.severity), "")

    @property
    def standing(self) -> Standing:
        """The worst one: a difference outweighs an undecided check."""
        return worst_standing(self.results)

    @property
    def nearest(self) -> Result | None:
        """The result with the largest ratio of measured to bound, controls apart."""
        return nearest(self.results)

    @property
    def lead(self) -> Result:
        """The result that says most: a violation, else the one nearest to its bound.

        Of violations an exact one comes before a sampled one, then one that no rounding explains,
        then one with more than one client, then the one that its statement names first.
        """
        own = [result for result in self.results if not result.control] or self.results
        broken = [result for result in own if result.outcome.broken]
        if broken:
            return max(broken, key=_telling)
        against = next((result for result in own if result.severity), None)  # no ratio tells it
        return against or self.nearest or own[0]

    @property
    def drawn(self) -> Result | None:
        """The result whose curve is drawn: the lead, or the nearest that has a curve."""
        own = [result for result in self.results if not result.control] or self.results
        curves = [result for result in own if drawable(result)]
        lead = self.lead
        return lead if drawable(lead) else max(curves, key=_nearness, default=None)

    def anchor(self, result: Result) -> str:
        """The anchor of one of its results."""
        pairs = zip(self.results, self.anchors, strict=True)
        return next(anchor for own, anchor in pairs if own is result)


@dataclass(frozen=True)
class Entry:
    """A statement. text: the docstring of a built-in one: transcription, readings, proofs.

    built_in: all of its results are of a built-in statement as it is now.
    """

    id: str
    source: str
    anchor: str
    readings: tuple[Reading, ...]
    text: str = ""
    built_in: bool = False

    @property
    def where(self) -> str:
        """The source without the paper's name, which stands above it."""
        return self.source.removeprefix(f"{paper_of(self.id)}, ")

    @property
    def results(self) -> list[Result]:
        return [result for reading in self.readings for result in reading.results]

    @property
    def verdicts(self) -> Counter[str]:
        return verdict_counts(self.results)

    @property
    def controls(self) -> int:
        return controls(self.results)


@dataclass(frozen=True)
class Paper:
    """A page. listed: how many statements the paper has; missing: those without a result here."""

    name: str
    title: str
    file: str
    entries: tuple[Entry, ...]
    not_run: Mapping[str, str]
    listed: int
    missing: tuple[str, ...]

    @property
    def called(self) -> str:
        """The name as people write it."""
        return paper_name(self.name)

    @property
    def results(self) -> list[Result]:
        return [result for entry in self.entries for result in entry.results]

    @property
    def verdicts(self) -> Counter[str]:
        return verdict_counts(self.results)

    @property
    def controls(self) -> int:
        return controls(self.results)


def papers(results: Sequence[Result]) -> list[Paper]:
    """Every result in exactly one reading, all in the order in which they first come."""
    files = page_files([result.id for result in results])
    found: dict[str, dict[str, list[tuple[Result, str]]]] = {name: {} for name in files}
    for result, name in zip(results, check_names(results), strict=True):
        entries = found[paper_of(result.id)]
        entries.setdefault(result.id, []).append((result, name))
    return [_paper(name, files[name], entries) for name, entries in found.items()]


def verdict_counts(results: Sequence[Result]) -> Counter[str]:
    """How often each verdict came, controls apart; what tells most against a claim comes first."""
    seen = Counter(result.verdict for result in results if not result.control)
    return Counter({name: seen[name] for name in ORDER if seen[name]})


def controls(results: Sequence[Result]) -> int:
    """How many results are controls."""
    return sum(result.control for result in results)


def worst_standing(results: Sequence[Result]) -> Standing:
    """A difference outweighs an undecided check."""
    told = {standing(result) for result in results}
    return next((where for where in OPEN if where in told), Standing.AS_EXPECTED)


def _paper(name: str, file: str, entries: Mapping[str, Sequence[tuple[Result, str]]]) -> Paper:
    anchors = safe_names([(statement,) for statement in entries])
    made = [
        _entry(statement, anchor, rows)
        for (statement, rows), anchor in zip(entries.items(), anchors, strict=True)
    ]
    listed = [statement for statement in BUILT_IN if paper_of(statement) == name]
    return Paper(
        name=name,
        title=_title(name) if listed else name,
        file=file,
        entries=tuple(made),
        not_run=NOT_RUN.get(name, {}),
        listed=len(listed),
        missing=tuple(statement for statement in listed if statement not in entries),
    )


def _entry(statement: str, anchor: str, rows: Sequence[tuple[Result, str]]) -> Entry:
    # A file of one's own may hold a statement of the same id: another formula is another reading.
    groups: dict[tuple[str, ...], list[tuple[Result, str]]] = {}
    for result, name in rows:
        key = (result.version, result.quantity, result.formula)
        groups.setdefault(key, []).append((result, name))
    own = [_built_in(same[0][0]) for same in groups.values()]
    readings: list[Reading] = []
    for same, version in zip(groups.values(), own, strict=True):
        added, dropped = _changes(groups, own, same, version)
        readings.append(
            Reading(
                version=same[0][0].version,
                results=tuple(result for result, _ in same),
                anchors=tuple(f"{ANCHOR}{name}" for _, name in same),  # no statement's anchor
                note="" if version is None else version.note,
                added=added,
                dropped=dropped,
            )
        )
    built_in = all(version is not None for version in own)
    text = text_of(statement) if built_in else ""
    return Entry(statement, rows[0][0].source, anchor, tuple(readings), text, built_in)


def _changes(
    groups: Mapping[tuple[str, ...], Sequence[tuple[Result, str]]],
    own: Sequence[Version | None],
    same: Sequence[tuple[Result, str]],
    version: Version | None,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the assumptions that came in and that went, against the first version."""
    before = _assumed(next(iter(groups.values())), own[0])
    now = _assumed(same, version)
    return (
        tuple(name for name in now if name not in before),
        tuple(name for name in before if name not in now),
    )


def _assumed(rows: Sequence[tuple[Result, str]], version: Version | None) -> list[str]:
    if version is not None:
        return [assumption.name for assumption in version.assumes]
    return list(dict.fromkeys(a.name for result, _ in rows for a in result.assumptions))


def _built_in(result: Result) -> Version | None:
    """The built-in version that this is a result of; None if it is a user's, or an older one."""
    statement = BUILT_IN.get(result.id)
    version = None if statement is None else statement.versions.get(result.version)
    if statement is None or version is None:
        return None
    source = statement.source
    same = (
        result.source == f"{source.paper}, {source.locator}: {source.text}"
        and (version.order is not None or result.quantity == statement.quantity_of(version).text)
        and result.formula == version.formula
    )
    return version if same else None


def _title(paper: str) -> str:
    """The first words of the paper's docstring: its short name, its title in quotes."""
    text = getattr(sys.modules.get(f"theorylab.statements.{paper}"), "__doc__", None) or paper
    found = _TITLE.match(" ".join(text.split()))
    return paper if found is None else found.group(0).strip().rstrip(",")


def _telling(result: Result) -> tuple[bool, bool, bool]:
    """Of equals the one that its file names first."""
    log = result.log10_ratio
    clients = result.instance.get("clients")
    several = not (isinstance(clients, int) and clients == 1)
    return is_exact(result), log is None or log > _CLEAR, several


def says_most(result: Result) -> bool:
    """Whether no result that comes after it can be ``Reading.lead`` in its place."""
    return result.outcome.broken and not result.control and all(_telling(result))


def is_exact(result: Result) -> bool:
    """Whether nothing of the measured side was sampled: both limits agree to six digits."""
    low, high = result.ci
    if low is None or high is None or result.measured is None:
        return False
    return high - low <= 1e-6 * abs(result.measured)


def _nearness(result: Result) -> float:
    log = result.log10_ratio
    return -math.inf if log is None else log
