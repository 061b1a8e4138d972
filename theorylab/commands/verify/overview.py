"""Many checks of several papers on one screen: the main theorem of each, counts in words, what
next."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from theorylab.commands.refusal import tell
from theorylab.commands.table import paragraph, print_table
from theorylab.commands.verify import Verify
from theorylab.report.groups import Reading
from theorylab.report.names import paper_of
from theorylab.report.standing import Judged
from theorylab.report.tally import (
    Refutation,
    expected_claims,
    grouped,
    refutation,
    seen_claims,
    tally,
)
from theorylab.statements import BUILT_IN, worst_of
from theorylab.verdicts import selected
from theorylab.verdicts.result import NotRun, Result

_COUNTED = ("own", "inherited")  # false as printed
_NOT_REFUTED = "not refuted as printed"


def print_overview(judged: Sequence[Judged], asked: Verify) -> None:
    """A row a paper, with the first theorem that was judged; then counts, pages and commands."""
    results = [each for each in judged if isinstance(each, Result)]
    claims = seen_claims(results)
    groups = grouped(claims)
    shown: dict[str, Refutation | None] = {}
    for name in _theorems(judged):
        found = refutation(groups[name]) if name in groups else None
        shown[name] = found if found is not None and found.kind in _COUNTED else None
    quick = asked.quick and not asked.version  # else versions lack anyway
    rows = [_row(name, judged, found, quick) for name, found in shown.items()]
    false = [name for name, found in shown.items() if found is not None]
    print_table("", ("theorem", "verdict", "as printed"), rows)
    paragraph(tally(claims).sentence)
    if asked.quick:
        left_out = len(selected(asked.selection)) - len({each.id for each in judged})
        if left_out:
            paragraph(f"{left_out} more statements have no quick check; --quick leaves them out.")
    again = shlex.join(["theorylab", "verify", *["--quick"] * asked.quick, *asked.selection])
    pages = f"{again} --out results" if asked.out is None else asked.out / "index.html"
    tell(f"Pages of all results:  {pages}")
    tell(f"Why one is false:      theorylab explain {[*false, rows[0][0]][0]}")
    tell("A theorem of your own: theorylab verify my_theorem.py (docs/own-theorem.md)")
    tell(f"A row for each check:  {again} --long")


def _theorems(judged: Sequence[Judged]) -> list[str]:
    """Of each paper the first statement whose place in it is a theorem; else the first of all."""
    papers: dict[str, list[str]] = {}
    for name in dict.fromkeys(each.id for each in judged):
        papers.setdefault(paper_of(name), []).append(name)
    return [
        next((n for n in names if BUILT_IN[n].source.locator.startswith("Theorem")), names[0])
        for names in papers.values()
    ]


def _left_out(name: str, shown: Refutation | None) -> str:
    """The severity of a theorem's fault if its checks that take long are to show a worse one."""
    if name not in BUILT_IN:
        return ""
    whole = refutation(expected_claims([BUILT_IN[name]]))
    if whole is None or whole.kind not in _COUNTED:
        return ""
    known = () if shown is None else (shown.cause,)
    return whole.severity if worst_of((*known, whole.cause)) != worst_of(known) else ""


def _row(
    name: str, judged: Sequence[Judged], found: Refutation | None, quick: bool
) -> tuple[str, str, str]:
    """Its id, the verdict of the reading that counts, and how it is false."""
    own = [each for each in judged if each.id == name]
    version = own[0].version if found is None else found.claim.version
    same = [each for each in own if isinstance(each, Result) and each.version == version]
    if not same:
        return name, next(each.told for each in own if isinstance(each, NotRun)), ""
    how = _NOT_REFUTED if any(each.version.startswith("printed") for each in own) else ""
    if found is not None:
        how = f"{found.severity}: {found.cause.clause}"
    if quick and (worse := _left_out(name, found)):
        how += f" ({worse} without --quick)"
    return name, Reading(version, tuple(same), ()).lead.told, how
