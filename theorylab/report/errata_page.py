"""``docs/errata.md``: what is false as printed, as prose, from the catalogue alone.

``python verify/counts.py`` writes it anew. Nothing is judged: the checks' expected verdicts are
what ``theorylab verify`` compares with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from theorylab.explain import instance_line
from theorylab.report.errata import MEANING, WORST_FIRST
from theorylab.report.names import paper_name, paper_of
from theorylab.report.tally import Claim, Tally, expected_claims, refutation, tally
from theorylab.statements import BUILT_IN, NOT_RUN, Check, Printed, Version, printed
from theorylab.words import Verdict

_HEAD = """# Errata of the five papers

Every numbered claim that is false as the paper prints it, with the line that fails and what mends
it. The command of a claim shows its counterexample: both sides as numbers, what the verdict rests
on, the proof of the repair, and a NumPy script where one can be written. `theorylab verify` judges
every one of them anew. The catalogue writes this page:
`python verify/counts.py`.

The worst stands first. *Empty*: {empty}. *Wrong order*: {order}. *Wrong constant*: {constant}.
*Missing hypothesis*: {hypothesis}. *Misprint*: {misprint}. [Verdicts](verdicts.md) says what a
counterexample proves, and [the five papers](papers.md) what else was judged.
"""
_ELSEWHERE = {
    "inherited": "The fault of another claim makes these false, too",
    "reading": "These are false in another reading that the text admits",
    "implied": "Here what a proof needs, and the paper does not print, is false",
}
_LETTERS = re.compile(r"([\\`*_{}\[\]<>#$|~])")


def text() -> str:
    """The page: a section a paper, in it the claims by severity."""
    head = _HEAD.format(
        empty=MEANING["empty"],
        order=MEANING["wrong order"],
        constant=MEANING["wrong constant"],
        hypothesis=MEANING["missing hypothesis"],
        misprint=MEANING["misprint"],
    )
    return "\n".join([head, *(line for paper in NOT_RUN for line in _paper(paper))])


def refuted_of(paper: str) -> tuple[Tally, list[tuple[str, Claim]]]:
    """How many claims of a paper are expected to be false; each with its kind, as ``refutation``
    has it, in the paper's order."""
    groups: dict[str, list[Claim]] = {}
    for claim in expected_claims(BUILT_IN[name] for name in BUILT_IN if paper_of(name) == paper):
        groups.setdefault(claim.id, []).append(claim)
    refuted = [found for group in groups.values() if (found := refutation(group)) is not None]
    return tally(claim for group in groups.values() for claim in group), refuted


def _paper(paper: str) -> Iterator[str]:
    count, refuted = refuted_of(paper)
    yield f"## {paper_name(paper)}\n"
    yield f"{count.sentence}\n"
    for severity in WORST_FIRST:
        own = [each for kind, each in refuted if kind == "own" and each.severity == severity]
        if own:
            yield f"### {paper_name(paper)}: {severity}\n"
        for each in own:
            yield from _erratum(each)
    for kind, title in _ELSEWHERE.items():
        yield from _listed(title, [each for found, each in refuted if found == kind])


def _erratum(claim: Claim) -> Iterator[str]:
    statement, told = BUILT_IN[claim.id], printed(claim.id) or Printed()
    version = statement.versions[claim.version]
    yield f"**{_plain(statement.source.locator)}**: {_plain(statement.source.text)}.\n"
    if told.formula:
        yield f"$$\n{told.formula}\n$$\n"
    if told.words:
        yield f"> {_plain(told.words)}\n"
    if told.fails:
        yield f"*What fails.* {_plain(told.fails)}\n"
    if told.repair:
        yield f"*Repair.* {_plain(told.repair)}\n"
    check = _check(version)
    if check.instance:
        yield f"*Seen* on {_plain(instance_line(check.instance))}.\n"
    yield f"```sh\n{command(claim)}\n```\n"


def _check(version: Version) -> Check:
    """The first one that tells against the version."""
    severity = "" if version.severity is None else version.severity.value
    own = (check for check in version.checks if not check.control)
    return next(check for check in own if Verdict[check.expect].tells_against(severity))


def command(claim: Claim) -> str:
    """The command that shows the counterexample."""
    more = "" if claim.version == "printed" else f" --version {claim.version}"
    return f"theorylab explain {claim.id}{more}"


def _listed(title: str, claims: Sequence[Claim]) -> Iterator[str]:
    if claims:
        yield f"{title}:\n"
        for claim in claims:
            source = BUILT_IN[claim.id].source
            fault = f"; see `{claim.inherits}`" if claim.inherits else ""
            where = f"{_plain(source.locator)}, {_plain(source.text)}"
            yield f"- {where} ({claim.severity}{fault}): `{command(claim)}`"
        yield ""


def _plain(words: str) -> str:
    """Text in which no letter is markup."""
    return _LETTERS.sub(r"\\\1", words)
