"""One page of HTML a paper and one over all, that need no script, no font and no network."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import theorylab
from theorylab.explain import Explanation, fault_of
from theorylab.report.axis import along
from theorylab.report.cards import interval, margin, section
from theorylab.report.errata import errata
from theorylab.report.formula import formula
from theorylab.report.glossary import glossary
from theorylab.report.groups import Entry, Paper, Reading
from theorylab.report.latex import bibtex
from theorylab.report.names import Link
from theorylab.report.number import typeset
from theorylab.report.prose import prose
from theorylab.report.shown import Shown
from theorylab.report.standing import OPEN, Standing, exit_code, exit_meaning, lacking, standing
from theorylab.report.tally import SEVERITIES, seen_claims, tally
from theorylab.report.templates import environment
from theorylab.verdicts.result import NotRun, Result
from theorylab.words import ORDER, Verdict

if TYPE_CHECKING:
    from jinja2 import Environment

UNJUDGED = "not judged"  # in the origin of a report that an interrupt ended
_LONGEST = 1600  # characters of LaTeX that a person can read as a formula
_MOST = 5  # false claims of a paper that the overview tells
_TIGHT = 12  # rows of what comes nearest to its bound that stand open


def overview(
    papers: Sequence[Paper],
    left_out: Sequence[NotRun] = (),
    origin: Mapping[str, str] | None = None,
) -> str:
    """The page that links to the papers'. The same papers give the same text."""
    results = [result for paper in papers for result in paper.results]
    open_ones = [
        (paper, reading, result)
        for paper in papers
        for entry in paper.entries
        for reading in entry.readings
        for result in reading.results
        if standing(result) in OPEN
    ]
    summary = "instances of one's own: nothing is expected of them"
    if any(result.expected for result in results):
        summary = exit_meaning(exit_code(results))
    return _render(
        "index.html.j2",
        papers=papers,
        findings=[(paper, errata(paper, lambda result: None)) for paper in papers],
        most=_MOST,
        results=results,
        open_ones=open_ones,
        verdicts=ORDER,
        severities=SEVERITIES,
        tallies={paper.name: tally(seen_claims(paper.results)) for paper in papers},
        summary=summary,
        lacking=lacking(left_out),
        unjudged=(origin or {}).get(UNJUDGED, ""),
        origin=origin or {},
    )


def paper_page(
    paper: Paper,
    papers: Sequence[Link],
    drawn: Callable[[Result], str | None],
    origin: Mapping[str, str] | None = None,
) -> str:
    """The page of one paper: every result of it, each once.

    Args:
        papers: all that have a page, to link to.
        drawn: the path of a result's figure relative to the page, None where there is none.
        origin: where the results come from, name by name.

    Everything that comes from a result is escaped; names may be any text.
    """
    return _render(
        "paper.html.j2",
        paper=paper,
        papers=papers,
        sections=[section(entry, drawn) for entry in paper.entries],
        severities=SEVERITIES,
        errata=errata(paper, drawn),
        tight=_tight(paper),
        near=_TIGHT,
        longest=_LONGEST,
        letters=glossary(paper),
        origin=origin or {},
        results=paper.results,
    )


def _tight(paper: Paper) -> list[tuple[Entry, Reading, Result]]:
    """What holds, the one that uses most of its bound first; last what has no ratio."""
    rows = [
        (entry, reading, reading.nearest or reading.lead)
        for entry in paper.entries
        for reading in entry.readings
        if any(Verdict[name].word.stands for name in reading.verdicts)
        and all(Verdict[name].agrees for name in reading.verdicts)
    ]
    ratios = [result.log10_ratio for _, _, result in rows]
    order = sorted(range(len(rows)), key=lambda k: -math.inf if (r := ratios[k]) is None else r)
    return [rows[k] for k in reversed(order)]


def _cited(told: Explanation, origin: Mapping[str, str]) -> str:
    """The BibTeX entry of a verdict; empty where no code or no day of the report is known."""
    try:
        day = datetime.date.fromisoformat(origin["date"].partition(" ")[0])
        return bibtex(told, origin["code"], day)
    except (KeyError, ValueError):  # origin may be of a file of anybody's
        return ""


def _render(name: str, **values: Any) -> str:
    meaning = {verdict.name: verdict.value for verdict in Verdict}
    counts = [
        (where.value, number)
        for where in Standing
        if (number := sum(standing(result) is where for result in values["results"]))
    ]
    template = _environment().get_template(name)
    return template.render(meaning=meaning, counts=counts, version=theorylab.__version__, **values)


@cache
def _environment() -> Environment:
    own = environment().overlay()
    own.globals["along"] = along
    own.filters = own.filters | {
        "number": typeset,
        "bibtex": _cited,
        "interval": interval,
        "per": lambda result: Shown(result).per,
        "ratio": lambda result: Shown(result, typeset).ratio,
        "slack": lambda result: Shown(result, typeset).slack,
        "fault": fault_of,
        "formula": formula,
        "margin": margin,
        "prose": prose,
    }
    return own
