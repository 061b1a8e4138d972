"""Two sentences that a person can quote: what is so on which instance, and why."""

from __future__ import annotations

import re
from collections.abc import Callable

from theorylab.explain import Explanation
from theorylab.report.names import paper_name
from theorylab.report.number import plain
from theorylab.report.ratio import log10_ratio
from theorylab.verdicts.result import Result
from theorylab.words import Verdict

_END = re.compile(r"""(?:(?<=\.)|(?<=\."))(?<!\bEq\.)(?<!\bal\.)\s+(?=[A-Z"`(])""")
_NOBODY = re.compile(r"by no instance of (.+?): (.+?) against: (.+); here .*")
_EMPTY = "the claim is empty here: "  # before what a VACUOUS one asks for
_HOW = {
    "printed": "as printed",
    "implied": "in what it needs and does not print",
}
_CONTROL = "lies outside of what is claimed, and shows that the measurement can tell"


def sentences(explanation: Explanation, number: Callable[..., str] = plain) -> tuple[str, str]:
    """(what was found, why). The second is empty where nothing is kept of it.

    number: sets a number, (value, log10), for a terminal or a page.
    """
    result = explanation.result
    found = f"{place(result)} {verdict_of(explanation, number)}, on {explanation.instance}"
    told = bool(result.noticed) and result.noticed not in found  # a reason may be the note
    found += f"; note: {result.noticed}." if told else "."
    why = first_sentence(explanation.fails) if explanation.false else ""
    return found, why


def place(result: Result) -> str:
    """``Theorem 1 of DFedSGPSM``: the locator of its source, which ends at a colon."""
    paper, rest = _parted(result)
    locator = rest.partition(":")[0]
    return f"{locator} of {paper_name(paper)}" if locator else result.id


def sourced(result: Result) -> str:
    """Where the claim is from, the paper by the name that people use."""
    paper, rest = _parted(result)
    return f"{paper_name(paper)}{', ' * bool(rest)}{rest}"


def _parted(result: Result) -> tuple[str, str]:
    """The paper of its source, whose name may have a comma, and the rest."""
    if result.paper and result.source.startswith(f"{result.paper}, "):
        return result.paper, result.source.removeprefix(f"{result.paper}, ")
    paper, _, rest = result.source.partition(", ")
    return paper, rest


def how(result: Result) -> str:
    """``as printed``, ``in the reading line-9``, ``as corrected``."""
    version, _, reading = result.version.partition("/")
    if version == "printed" and reading:
        return f"in the reading {reading}"
    return _HOW.get(version, f"as {result.version}")


def compared(result: Result, number: Callable[..., str] = plain) -> str:
    """Both sides as numbers, in words."""
    measured, bound = number(result.measured), number(result.bound, result.log10_bound)
    if result.interval.startswith("slope"):
        return f"the ratio of both sides grows by {measured} a decade where {bound} is allowed"
    if result.relative_error is not None and result.relation != ">=":
        return f"both sides differ by {number(100 * result.relative_error, digits=3)} %"
    log = log10_ratio(result)
    over = result.measured is not None and log is not None and abs(log) < 300
    times = f", {number(10.0**log, digits=3)} times" if over and log is not None else ""
    low = "lower" if result.relation == ">=" else ""
    return f"the left side is {measured} and the {low}{' ' * bool(low)}bound {bound}{times}"


def first_sentence(text: str) -> str:
    """Up to the first full stop that a new sentence follows."""
    whole = text.strip()
    for found in _END.finditer(whole):
        if whole.count('"', 0, found.start()) % 2 == 0:  # not within a quotation
            return whole[: found.start()]
    return whole


def verdict_of(explanation: Explanation, number: Callable[..., str] = plain) -> str:
    """What the result says of its claim, as the rest of a sentence about it."""
    result = explanation.result
    if result.control:
        return f"{_CONTROL}: {result.verdict}"
    return Verdict[result.verdict].word.clause.format(
        how=how(result),
        kind=f" ({result.severity})" if result.severity else "",
        compared=compared(result, number),
        reason=_nobody(result.reason.removeprefix(_EMPTY)),
    )


def _nobody(reason: str) -> str:
    """The reason of an UNSATISFIABLE one as a clause: who breaks which assumption, and why."""
    found = _NOBODY.fullmatch(reason)
    if found is None:
        return reason
    whose, broken, facts = found.groups()
    place, colon, says = broken.partition(": ")
    told = f"{place} ({says})" if colon else place
    return f"no instance of {whose}{',' * (',' in whose)} satisfies {told}, since {facts}"
