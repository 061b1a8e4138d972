"""Every result on one page of HTML that needs nothing else: no script, no font, no network."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import groupby
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

import theorylab
from theorylab.report.figure import INK, ratio, svg
from theorylab.report.formula import formula
from theorylab.report.number import percent, typeset
from theorylab.report.standing import EXIT_MEANING, exit_code, standing
from theorylab.verdicts.result import AssumptionResult, Result, Verdict

if TYPE_CHECKING:
    from jinja2 import Template

_PROLOGUE = re.compile(r"\A.*?(?=<svg)", re.S)
_ROOT = re.compile(r"<svg[^>]*?viewBox=\"([^\"]*)\"[^>]*>")
_REFERENCE = re.compile(r'(\bid="|xlink:href="#|url\(#)')


@dataclass(frozen=True)
class _Term:
    name: str
    value: str
    share: str
    width: float  # of the bar, in percent


@dataclass(frozen=True)
class _Card:
    """One result, ready for the template."""

    result: Result
    anchor: str
    standing: str
    figure: Markup | None
    terms: list[_Term]
    instance: list[tuple[str, str]]
    instance_json: str


def page(results: Sequence[Result]) -> str:
    """The report as one HTML document. The same results give the same text.

    Everything that comes from a result is escaped; names may be any text.
    """
    cards = [_card(result, f"c{index}") for index, result in enumerate(results)]
    key = lambda card: (card.result.id, card.result.version, card.result.formula)  # noqa: E731
    return _template().render(
        cards=cards,
        statements=[list(same) for _, same in groupby(cards, key)],
        counts=Counter(card.standing for card in cards),
        summary=EXIT_MEANING[exit_code(results)],
        meaning={verdict.name: verdict.value for verdict in Verdict},
        version=theorylab.__version__,
    )


def _card(result: Result, anchor: str) -> _Card:
    drawn = svg(result)
    return _Card(
        result=result,
        anchor=anchor,
        standing=standing(result).value,
        figure=None if drawn is None else _inline(drawn, anchor, _caption(result)),
        terms=_terms(result.terms),
        instance=list(_flat(result.instance)),
        instance_json=json.dumps(result.instance, indent=2, ensure_ascii=False),
    )


def _terms(terms: Mapping[str, float | None]) -> list[_Term]:
    """Shares of the sum of absolute values; a term beyond float64 leaves the others no share."""
    total = sum(abs(value) for value in terms.values() if value is not None)
    overflow = any(value is None for value in terms.values())
    rows = []
    for name, value in terms.items():
        if value is None:
            rows.append(_Term(name, "beyond float64", "dominates", 100.0))
        elif overflow or not total:
            rows.append(_Term(name, typeset(value), typeset(None), 0.0))
        else:
            share = abs(value) / total
            rows.append(_Term(name, typeset(value), percent(share), round(100 * share, 2)))
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


def _caption(result: Result) -> str:
    return (
        f"{result.id} {result.version} {result.check}: measured against bound, "
        f"{result.verdict}, measured is {ratio(result)} times the bound"
    )


def _inline(drawn: str, anchor: str, caption: str) -> Markup:
    """An SVG document as a part of the page: its ids its own, its ink the page's text colour."""
    body = _PROLOGUE.sub("", drawn)
    body = _REFERENCE.sub(rf"\g<1>{anchor}-", body)
    body = body.replace("xlink:href", "href").replace(INK, "currentColor")
    body = body.replace("fill: #ffffff", "fill: none")  # the white sheet
    root = Markup('<svg class="figure" viewBox="{}" role="img" aria-label="{}">').format(
        Markup(_ROOT.search(body)[1]),  # type: ignore[index]
        caption,
    )
    return Markup(_ROOT.sub(lambda _: str(root), body, count=1))


def _interval(limits: tuple[float | None, float | None]) -> str:
    """One number where both limits are the same: nothing was random."""
    low, high = (typeset(limit) for limit in limits)
    return low if low == high else f"{low} … {high}"


def _margin(assumption: AssumptionResult) -> str:
    """``12 % inside``, ``140 % beyond``: the distance to the cap, relative to the cap."""
    if assumption.margin is None:
        return typeset(None)
    if assumption.margin == 0 and assumption.holds:
        return "met exactly"
    return f"{percent(assumption.margin)} {'inside' if assumption.margin >= 0 else 'beyond'}"


@cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "number": typeset,
        "interval": _interval,
        "ratio": ratio,
        "formula": formula,
        "margin": _margin,
    }
    text = resources.files("theorylab.report").joinpath("page.html.j2").read_text("utf-8")
    return environment.from_string(text)
