"""One page of HTML a paper and one over all, that need no script, no font and no network."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import theorylab
from theorylab.report.formula import formula
from theorylab.report.groups import VERDICTS, Entry, Paper, Reading
from theorylab.report.number import percent, typeset
from theorylab.report.ratio import log10_ratio, ratio, slack
from theorylab.report.standing import EXIT_MEANING, OPEN, Standing, exit_code, lacking, standing
from theorylab.report.tally import SEVERITIES, seen_claims, tally
from theorylab.verdicts.result import AssumptionResult, Curve, NotRun, Result, Verdict

if TYPE_CHECKING:
    from jinja2 import Environment

_POINTS = 12  # rows of a curve that is shown as numbers
_OFFERS = {  # verdict of the lead -> what its box is called
    "VIOLATED": "Counterexample",
    "UNSATISFIABLE": "Why no instance of that class satisfies it",
    "ASSUMPTION_FAILS": "Where an assumption fails",
}


@dataclass(frozen=True)
class _Row:
    """A row of the slack table: a term, their sum, or the measured side."""

    name: str
    kind: str  # term, bound or measured
    value: str
    share: str
    beside: str  # measured side over this
    width: float  # of the bar, in percent


@dataclass(frozen=True)
class _Card:
    """One result, ready for the template."""

    result: Result
    anchor: str
    standing: str
    slack: list[_Row]
    instance: list[tuple[str, str]]
    instance_json: str
    curve: list[tuple[str, ...]]


@dataclass(frozen=True)
class _Part:
    """One reading: its cards, which of them leads, and the file of the figure.

    claim: the same number for readings of one inequality, in the order in which they come.
    """

    reading: Reading
    claim: int
    cards: list[_Card]
    lead: _Card
    offer: str
    figure: str | None
    caption: str
    replay: list[str]


def overview(papers: Sequence[Paper], left_out: Sequence[NotRun] = ()) -> str:
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
        summary = EXIT_MEANING[exit_code(results)]
    return _render(
        "index.html.j2",
        papers=papers,
        results=results,
        open_ones=open_ones,
        verdicts=VERDICTS,
        severities=SEVERITIES,
        tallies={paper.name: tally(seen_claims(paper.results)) for paper in papers},
        summary=summary,
        lacking=lacking(left_out),
    )


def paper_page(paper: Paper, papers: Sequence[Paper], drawn: Callable[[Result], str | None]) -> str:
    """The page of one paper: every result of it, each once.

    Args:
        papers: all that have a page, to link to.
        drawn: the path of a result's figure relative to the page, None where there is none.

    Everything that comes from a result is escaped; names may be any text.
    """
    entries = [(entry, _parts(entry, drawn)) for entry in paper.entries]
    return _render(
        "paper.html.j2", paper=paper, papers=papers, entries=entries, results=paper.results
    )


def _render(name: str, **values: Any) -> str:
    meaning = {verdict.name: verdict.value for verdict in Verdict}
    counts = [
        (where.value, number)
        for where in Standing
        if (number := sum(standing(result) is where for result in values["results"]))
    ]
    template = _environment().get_template(name)
    return template.render(meaning=meaning, counts=counts, version=theorylab.__version__, **values)


def _parts(entry: Entry, drawn: Callable[[Result], str | None]) -> list[_Part]:
    claims = list(dict.fromkeys(reading.claim for reading in entry.readings))
    return [_part(entry, r, claims.index(r.claim), drawn) for r in entry.readings]


def _part(
    entry: Entry, reading: Reading, claim: int, drawn: Callable[[Result], str | None]
) -> _Part:
    cards = [_card(*pair) for pair in zip(reading.results, reading.anchors, strict=True)]
    lead = next(card for card in cards if card.result is reading.lead)
    shown = reading.drawn
    return _Part(
        reading=reading,
        claim=claim,
        cards=cards,
        lead=lead,
        offer=_offer(lead.result),
        figure=None if shown is None else drawn(shown),
        caption="" if shown is None else _caption(shown),
        replay=_replay(entry, reading) if _offer(lead.result) == "Counterexample" else [],
    )


def _offer(lead: Result) -> str:
    if lead.control:
        return "Control"
    near = "Nearest to the bound" if log10_ratio(lead) is not None else "Check"
    return _OFFERS.get(lead.verdict, near)


def _replay(entry: Entry, reading: Reading) -> list[str]:
    """The commands that show a violation again, and look for another."""
    name = entry.id if entry.built_in else "FILE.py"
    return [
        f"theorylab verify {name} --long",
        f"theorylab falsify {name} --version {reading.version}",
    ]


def _card(result: Result, anchor: str) -> _Card:
    return _Card(
        result=result,
        anchor=anchor,
        standing=standing(result).value,
        slack=_slack_rows(result),
        instance=list(_flat(result.instance)),
        instance_json=json.dumps(result.instance, indent=2, ensure_ascii=False),
        curve=[] if result.curve is None else _points(result.curve),
    )


def _slack_rows(result: Result) -> list[_Row]:
    """Shares of the sum of absolute values; a term beyond float64 leaves the others no share.

    Empty for a bound of one term, which its ratio describes. The bars have one scale: the longer
    of the bound and the measured side is 100 %.
    """
    terms = result.terms
    if len(terms) < 2:
        return []
    total = sum(abs(value) for value in terms.values() if value is not None)
    overflow = any(value is None for value in terms.values())
    log = log10_ratio(result)
    used = 10.0**log if log is not None and -300 < log < 300 else None
    scale = 100 / max(1.0, used or 0.0)
    rows = []
    for name, value in terms.items():
        if value is None:
            row = _Row(name, "term", "beyond float64", "dominates", typeset(None), 100.0)
        elif overflow or not total:
            row = _Row(name, "term", typeset(value), typeset(None), _over(result, value), 0.0)
        else:
            share = abs(value) / total
            width = round(scale * share, 2)
            row = _Row(name, "term", typeset(value), percent(share), _over(result, value), width)
        rows.append(row)
    whole = typeset(result.bound, result.log10_bound)
    beside = typeset(None) if log is None else ratio(result)
    rows.append(
        _Row("bound", "bound", whole, "100 %", beside, 0.0 if overflow else round(scale, 2))
    )
    if result.measured is not None:
        share_text = typeset(None) if used is None else percent(used)
        width = 0.0 if used is None else round(scale * used, 2)
        rows.append(_Row("measured", "measured", typeset(result.measured), share_text, "", width))
    return rows


def _over(result: Result, term: float) -> str:
    """The measured side over one term: what that term alone would have to be multiplied by."""
    if result.measured is None or term <= 0 or not 0 < result.measured / term < 1e300:
        return typeset(None)
    return typeset(result.measured / term, digits=3)


def _flat(value: Any, name: str = "") -> Any:
    """(dotted name, text) of every leaf of an instance; a list is one leaf."""
    if isinstance(value, Mapping):  # an empty one says nothing
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, str):
        yield name, value
    else:
        yield name, json.dumps(value, ensure_ascii=False)


def _points(curve: Curve) -> list[tuple[str, ...]]:
    """The curve as numbers, at most ``_POINTS`` of them: abscissa, measured, interval, bound."""
    count = len(curve.rounds)
    step = max(1, -(-(count - 1) // (_POINTS - 1)))
    chosen = sorted({*range(0, count, step), count - 1}) if count else []
    return [
        (
            typeset(curve.rounds[k]),
            typeset(curve.measured[k]),
            _interval((curve.lower[k], curve.upper[k])),
            typeset(curve.bound[k]),
        )
        for k in chosen
    ]


def _caption(result: Result) -> str:
    axis = "T" if result.curve is None else result.curve.axis
    axis = "communication rounds" if axis == "T" else axis
    what = "" if result.curve is None else result.curve.text
    return (
        f"{result.id} {result.version} {result.check}: {what or 'measured side and bound'} against "
        f"{axis}, "
        f"{result.verdict}; {slack(result) or result.reason}"
    )


def _interval(limits: tuple[float | None, float | None]) -> str:
    """One number where both limits are the same: nothing was random."""
    low, high = (typeset(limit) for limit in limits)
    return low if low == high else f"{low} … {high}"


def margin(assumption: AssumptionResult) -> str:
    """``12 % inside``, ``140 % beyond``: the distance to the cap, relative to the cap."""
    if assumption.margin is None:
        return typeset(None)
    if assumption.margin == 0 and assumption.holds:
        return "met exactly"
    return f"{percent(assumption.margin)} {'inside' if assumption.margin >= 0 else 'beyond'}"


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("theorylab", "report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": typeset,
        "interval": _interval,
        "ratio": ratio,
        "slack": slack,
        "formula": formula,
        "margin": margin,
    }
    return environment
