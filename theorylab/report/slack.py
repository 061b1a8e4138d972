"""A bound by its terms beside the measured side: what each gives, and how much is left."""

from __future__ import annotations

from dataclasses import dataclass

from theorylab.report.number import percent, typeset
from theorylab.report.shown import Shown
from theorylab.verdicts.result import Result


@dataclass(frozen=True)
class Row:
    """A row of the slack table: a term, their sum, or the measured side."""

    name: str
    kind: str  # term, bound or measured
    value: str
    share: str
    beside: str  # measured side over this
    width: float  # of the bar, in percent


def slack_rows(result: Result) -> list[Row]:
    """Shares of the sum of absolute values; a term beyond float64 leaves the others no share.

    Empty for a bound of one term, which its ratio describes. The bars have one scale: the longer
    of the bound and the measured side is 100 %.
    """
    terms = result.terms
    if len(terms) < 2:
        return []
    total = sum(abs(value) for value in terms.values() if value is not None)
    overflow = any(value is None for value in terms.values())
    log, at_least = result.log10_ratio, result.relation == ">="
    used = 10.0 ** (-log if at_least else log) if log is not None and -300 < log < 300 else None
    scale = 100 / max(1.0, used or 0.0)
    rows = []
    for name, value in terms.items():
        if value is None:
            row = Row(name, "term", "beyond float64", "dominates", typeset(None), 100.0)
        elif overflow or not total:
            row = Row(name, "term", typeset(value), typeset(None), _over(result, value), 0.0)
        else:
            share = abs(value) / total
            width = round(scale * share, 2)
            row = Row(name, "term", typeset(value), percent(share), _over(result, value), width)
        rows.append(row)
    whole = typeset(result.bound, result.log10_bound)
    beside = typeset(None) if log is None else Shown(result, typeset).ratio
    if at_least:  # its ratio is bound over measured
        beside = typeset(used, None if log is None else -log, digits=3)
    rows.append(Row("bound", "bound", whole, "100 %", beside, 0.0 if overflow else round(scale, 2)))
    if result.measured is not None:
        share_text = typeset(None) if used is None else percent(used)
        width = 0.0 if used is None else round(scale * used, 2)
        rows.append(Row("measured", "measured", typeset(result.measured), share_text, "", width))
    return rows


def _over(result: Result, term: float) -> str:
    """The measured side over one term: what that term alone would have to be multiplied by."""
    if result.measured is None or term <= 0 or not 0 < result.measured / term < 1e300:
        return typeset(None)
    return typeset(result.measured / term, digits=3)
