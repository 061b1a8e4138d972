"""``docs/errata.md``: what is false in the papers, a row a cause, from the catalogue alone.

``python verify/counts.py`` writes it anew. Nothing is judged: the checks' expected verdicts are
what ``theorylab verify`` compares with, and both sides are what ``verify/exhibits.py`` kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from theorylab.explain import instance_line
from theorylab.report.errata import MEANING, WORST_FIRST
from theorylab.report.faults import Exhibit, Fault, claims_of, faults, shown_by
from theorylab.report.names import paper_name, paper_of
from theorylab.report.tally import Refutation, grouped, refutation, tally
from theorylab.statements import BUILT_IN, NOT_RUN, Cause, Severity
from theorylab.words import Verdict

_HEAD = """# Errata of the five papers

What is false in the papers, a row a fault: the line that has it, why it fails, what mends it, which
statements it makes false, and what is left to say of them once it is mended. The command of a fault
shows its counterexample: both sides as numbers, what the verdict rests on, the proof of the repair,
and a NumPy script where one can be written. `theorylab verify` judges every one of them anew. The
catalogue writes this page: `python verify/counts.py`.

The worst stands first. {meaning} A statement counts once, by the worst of its
faults that no mend of a milder one removes. [Verdicts](verdicts.md) says what a counterexample
proves, and [the five papers](papers.md) what else was judged.

**Do you disagree with a row?** A line of the paper that we read otherwise than its authors, a
hypothesis that it states and a counterexample breaks, or a number that `theorylab explain` prints
and you compute differently each change it. Open an issue with the id of the row and the paper's
words; [withdrawn and changed rows](withdrawn.md) lists what has changed so far, and why.
"""
_KINDS = {
    "reading": "false in another reading that the text admits, or in a line beside the claim",
    "implied": "false in what a proof needs and the paper does not print",
}
_LETTERS = re.compile(r"([\\`*_{}\[\]<>#$|~])")


def text(sides: Mapping[str, str]) -> str:
    """The page: a section a paper, in it the statements, and the causes by severity.

    sides: what both sides of an exhibit are, by its name; "" of one without numbers.
    """
    meaning = " ".join(f"*{name.capitalize()}*: {MEANING[name]}." for name in WORST_FIRST)
    head = _HEAD.format(meaning=meaning)
    return "\n".join([head, *(line for paper in NOT_RUN for line in _paper(paper, sides))])


def _paper(paper: str, sides: Mapping[str, str]) -> Iterator[str]:
    claims = claims_of(paper)
    refuted = [found for group in grouped(claims).values() if (found := refutation(group))]
    yield f"## {paper_name(paper)}\n"
    yield f"{tally(claims).sentence}\n"
    yield "| statement | how | by |\n|---|---|---|"
    for found in refuted:
        yield _statement(found)
    yield ""
    told = faults(paper)
    for severity in WORST_FIRST:
        group = [fault for fault in told if fault.kind == "own" and fault.severity == severity]
        if group:
            yield f"### {paper_name(paper)}: {severity}\n"
        for fault in group:
            yield from _fault(fault, sides)
    rest = [fault for fault in told if fault.kind in _KINDS]
    if rest:
        yield f"### {paper_name(paper)}: readings, and what is implied\n"
    for fault in rest:
        yield from _fault(fault, sides)


def _statement(found: Refutation) -> str:
    source = BUILT_IN[found.claim.id].source
    how = found.severity
    if found.kind in _KINDS:
        how += f", {'reading only' if found.kind == 'reading' else 'implied only'}"
    elif found.kind == "inherited":
        how += ", by the fault of another line"
    by = ", ".join(f"[{cause.id}](#{slug(cause)})" for cause in found.causes)
    return (
        f"| {_plain(source.locator)}: {_plain(source.text)} (`{found.claim.id}`) | {how} | {by} |"
    )


def _fault(fault: Fault, sides: Mapping[str, str]) -> Iterator[str]:
    cause = fault.cause
    yield f"#### {cause.id}\n"
    several = len({paper_of(line.statement) for line in cause.lines}) > 1
    for line in cause.lines:
        whose = f"{paper_name(paper_of(line.statement))}, " if several else ""
        yield f"**{whose}{_plain(line.place)}** (`{line.statement}`).\n"
        if line.display:
            yield f"$$\n{line.display}\n$$\n"
        if line.words:
            yield f"> {_plain(line.words)}\n"
    if fault.kind in _KINDS:
        yield f"*{cause.severity.value.capitalize()}*, {_KINDS[fault.kind]}.\n"
    yield f"*What fails.* {_plain(cause.fails)}\n"
    yield f"*Repair.* {_plain(cause.repair)}\n"
    if cause.effect:
        yield f"*At the paper's own parameters.* {_plain(cause.effect)}\n"
    does = "Makes empty" if cause.severity is Severity.EMPTY else "Refutes"
    yield f"*{does}* {_versions(fault.refutes)}.\n"
    if fault.mended:
        yield f"*Once it is mended*: {_mended(fault)}.\n"
    seen = shown_by(fault)
    if seen is not None:
        yield from _exhibit(seen, sides.get(seen.name, ""))


def _mended(fault: Fault) -> str:
    """What each statement says still, versions of the same fate together."""
    groups: dict[tuple[str, str], list[str]] = {}
    for name, version, causes in fault.mended:
        groups.setdefault((name, _left(name, version, causes)), []).append(version)
    return "; ".join(f"`{n}` [{', '.join(own)}] {left}" for (n, left), own in groups.items())


def _left(name: str, version: str, causes: Sequence[Cause]) -> str:
    """What is left to say of a version that mends a fault."""
    if causes:
        empty = all(cause.severity is Severity.EMPTY for cause in causes)
        by = ", ".join(f"[{each.id}](#{slug(each)})" for each in causes)
        return f"is {'empty' if empty else 'still false'} by {by}"
    checks = BUILT_IN[name].versions[version].checks
    expected = Counter(check.expect for check in checks if not check.control)
    if expected and all(Verdict[name].word.stands for name in expected):
        return "holds in every check"
    told = ", ".join(f"{word} x{n}" if n > 1 else word for word, n in expected.items())
    return f"is refuted by nothing ({told})"


def _exhibit(seen: Exhibit, sides: str) -> Iterator[str]:
    carries = f" ({_plain(seen.check.carries)})" if seen.check.carries else ""
    both = _plain(sides)
    if seen.check.instance:
        told = f"{_plain(instance_line(seen.check.instance))}{carries}"
        yield f"*Seen* on {told}{': ' * bool(both)}{both}.\n"
    elif both:
        yield f"*Seen*: {both}.\n"
    yield f"```sh\n{seen.command}\n```\n"


def _versions(refuted: Sequence[tuple[str, str]]) -> str:
    groups: dict[str, list[str]] = {}
    for name, version in refuted:
        groups.setdefault(name, []).append(version)
    return ", ".join(f"`{name}` [{', '.join(own)}]" for name, own in groups.items())


def slug(cause: Cause) -> str:
    """The anchor that a page gives to the heading of a cause."""
    return re.sub(r"[^\w-]", "", cause.id.lower())


def _plain(words: str) -> str:
    """Text in which no letter is markup."""
    return _LETTERS.sub(r"\\\1", words)
