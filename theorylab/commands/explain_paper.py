"""``theorylab explain PAPER``: what is false as printed in it, the worst first."""

from __future__ import annotations

import textwrap

from theorylab.commands.refusal import printable, tell
from theorylab.commands.table import console
from theorylab.report.errata import MEANING, WORST_FIRST
from theorylab.report.errata_page import command, refuted_of
from theorylab.report.names import paper_name
from theorylab.report.sentences import first_sentence
from theorylab.statements import BUILT_IN, Printed, printed

_WIDE = 100


def explain_paper(paper: str) -> int:
    """Print every claim that is false by a fault of its own, why, and the command that shows it."""
    count, refuted = refuted_of(paper)
    _say(f"{paper_name(paper)}. {count.sentence}")
    for severity in WORST_FIRST:
        own = [each for kind, each in refuted if kind == "own" and each.severity == severity]
        if own:
            tell(f"\n{severity.capitalize()}: {MEANING[severity]}.")
        for claim in own:
            source, told = BUILT_IN[claim.id].source, printed(claim.id) or Printed()
            why = first_sentence(told.fails)
            _say(f"- {source.locator} ({source.text}). {why}", "  ")
            tell(f"  {command(claim)}")
    return 0


def _say(text: str, indent: str = "") -> None:
    width = min(console().width, _WIDE)
    lines = textwrap.wrap(
        printable(text),
        width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    tell("\n".join(lines))
