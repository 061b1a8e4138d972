"""The results of a statement, ready for the template: slack, assumptions, constants, curve."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from theorylab.explain import Explanation, reproduced
from theorylab.report.axis import along
from theorylab.report.errata import told
from theorylab.report.groups import Entry, Reading
from theorylab.report.number import percent, typeset
from theorylab.report.shown import Shown
from theorylab.report.slack import Row, slack_rows
from theorylab.report.standing import standing
from theorylab.verdicts.result import AssumptionResult, Curve, Result

_POINTS = 12  # rows of a curve that is shown as numbers
_LONGEST = 240  # characters of one option of an instance; results.json has it whole
_OPTIONS = 24  # of an instance; those of a table from a paper are many more
_KINDS = {
    "thm": "theorem", "lem": "lemma", "cor": "corollary", "eq": "equation", "asm": "assumption",
    "tab": "table", "fig": "figure", "alg": "algorithm", "rem": "remark", "sec": "text",
    "app": "text", "def": "definition", "fn": "text", "itd": "text",
}  # fmt: skip


@dataclass(frozen=True)
class _Card:
    """One result, ready for the template.

    holds: the assumptions that hold, by their numbers. others: those that do not, or are not
    decided. constants: name, value, interval, and the number of what is known of it.
    """

    result: Result
    anchor: str
    standing: str
    slack: list[Row]
    instance: str
    holds: list[str]
    others: list[tuple[int, AssumptionResult]]
    constants: list[tuple[str, str, str, int]]
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
    assumed: list[str]
    told: Explanation


@dataclass(frozen=True)
class _Section:
    """A statement. known: how constants are known, numbered from 1: name, how, source."""

    entry: Entry
    kind: str
    parts: list[_Part]
    known: list[tuple[str, str, str]]

    @property
    def marks(self) -> dict[str, str]:
        """What the filter compares."""
        results = self.entry.results
        return {
            "verdict": " ".join(dict.fromkeys(r.verdict for r in results)),
            "severity": " ".join(
                dict.fromkeys(r.severity.replace(" ", "-") for r in results if r.severity)
            ),
            "version": " ".join(dict.fromkeys(r.version.partition("/")[0] for r in results)),
            "kind": self.kind,
        }


def section(entry: Entry, drawn: Callable[[Result], str | None]) -> _Section:
    """Everything of one statement. drawn: the path of a result's figure, None where there is none.

    What many checks share is told once: assumptions by their version, sources by the statement.
    """
    known: dict[tuple[str, str, str], int] = {}
    claims = list(dict.fromkeys(reading.claim for reading in entry.readings))
    parts = [_part(entry, r, claims.index(r.claim), drawn, known) for r in entry.readings]
    locator = entry.id.partition(".")[2]
    kind = next((kind for name, kind in _KINDS.items() if locator.startswith(name)), "other")
    return _Section(entry, kind, parts, list(known))


def _part(
    entry: Entry,
    reading: Reading,
    claim: int,
    drawn: Callable[[Result], str | None],
    known: dict[tuple[str, str, str], int],
) -> _Part:
    assumed = list(dict.fromkeys(a.name for r in reading.results for a in r.assumptions))
    pairs = zip(reading.results, reading.anchors, strict=True)
    cards = [_card(result, anchor, assumed, known, reading.lead) for result, anchor in pairs]
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
        replay=_replay(entry, reading, lead.result)
        if lead.result.outcome.broken and not lead.result.control
        else [],
        assumed=assumed,
        told=told(entry, lead.result),
    )


def _offer(lead: Result) -> str:
    if lead.control:
        return "Control"
    near = "Nearest to the bound" if lead.log10_ratio is not None else "Check"
    return lead.outcome.word.box or near


def _replay(entry: Entry, reading: Reading, lead: Result) -> list[str]:
    """The commands that show this row again, and look for another counterexample."""
    name = entry.id if entry.built_in else "FILE.py"
    return [
        reproduced(lead, "" if entry.built_in else "FILE.py"),
        f"theorylab falsify {name} --version {reading.version}",
    ]


def _card(
    result: Result,
    anchor: str,
    assumed: list[str],
    known: dict[tuple[str, str, str], int],
    lead: Result,
) -> _Card:
    numbered = [(assumed.index(a.name) + 1, a) for a in result.assumptions]
    return _Card(
        result=result,
        anchor=anchor,
        standing=standing(result).value,
        slack=slack_rows(result),
        instance=_instance(result, lead),
        holds=[_holding(number, a) for number, a in numbered if a.holds],
        others=[(number, a) for number, a in numbered if not a.holds],
        constants=_constants(result, known),
        curve=[] if result.curve is None else _points(result.curve),
    )


def _instance(result: Result, lead: Result) -> str:
    """Its options; where most are those of the lead, what differs from it."""
    own, other = dict(_flat(result.instance)), dict(_flat(lead.instance))
    whole = _options(own)
    if result is lead or not own:
        return whole
    parts = [_options({k: v for k, v in own.items() if other.get(k) != v})]
    parts += [f"no {name}" for name in other if name not in own]
    rest = ", ".join(filter(None, parts))
    told_of = f"that of {lead.check}" + (f", but {rest}" if rest else "")
    return told_of if len(told_of) < 0.7 * len(whole) else whole


def _options(flat: Mapping[str, str]) -> str:
    told_of = ", ".join(f"{name} {_cut(value)}" for name, value in [*flat.items()][:_OPTIONS])
    return told_of + (f", {len(flat) - _OPTIONS} more" if len(flat) > _OPTIONS else "")


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _holding(number: int, assumption: AssumptionResult) -> str:
    room = margin(assumption) if assumption.margin is not None else ""
    within = f"in {assumption.within}" if assumption.within else ""
    told_of = "; ".join(filter(None, (room, assumption.reason, within)))
    return f"({number})" + (f" {told_of}" if told_of else "")


def _constants(
    result: Result, known: dict[tuple[str, str, str], int]
) -> list[tuple[str, str, str, int]]:
    """Name, value, interval, and the number of its source; a new source gets the next one."""
    rows = []
    for name, value, how, source in Shown(result, typeset).constants:
        low, high = (result.constants[name].get(end) for end in ("lower", "upper"))
        between = "" if low is None or high is None else interval((low, high))
        number = known.setdefault((name, how, source), len(known) + 1)
        rows.append((name, value, between, number))
    return rows


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
            interval((curve.lower[k], curve.upper[k])),
            typeset(curve.bound[k]),
        )
        for k in chosen
    ]


def _caption(result: Result) -> str:
    axis = along(result.id, "T" if result.curve is None else result.curve.axis)
    what = "" if result.curve is None else result.curve.text
    return (
        f"{result.id} {result.version} {result.check}: {what or 'measured side and bound'} against "
        f"{axis}, "
        f"{result.verdict}; {Shown(result, typeset).slack or result.reason}"
    )


def interval(limits: tuple[float | None, float | None]) -> str:
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
