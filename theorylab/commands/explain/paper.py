"""``theorylab explain PAPER``: what is false in it, a fault a paragraph, the worst first."""

from __future__ import annotations

from theorylab.commands.refusal import tell
from theorylab.commands.table import paragraph
from theorylab.report.errata import MEANING, WORST_FIRST
from theorylab.report.faults import claims_of, faults, shown_by
from theorylab.report.names import paper_name
from theorylab.report.prose import first_sentence
from theorylab.report.tally import tally


def explain_paper(paper: str) -> int:
    """Print every fault of the paper, why, what it makes false, and the command that shows it."""
    paragraph(f"{paper_name(paper)}. {tally(claims_of(paper)).sentence}")
    told = [fault for fault in faults(paper) if fault.kind == "own"]
    for severity in WORST_FIRST:
        group = [fault for fault in told if fault.severity == severity]
        if group:
            tell(f"\n{severity.capitalize()}: {MEANING[severity]}.")
        for fault in group:
            line = fault.cause.lines[0]
            names = ", ".join(dict.fromkeys(name for name, _ in fault.refutes))
            paragraph(f"- {line.place}. {first_sentence(fault.cause.fails)} Refutes {names}.", "  ")
            seen = shown_by(fault)
            if seen is not None:
                tell(f"  {seen.command}")
    return 0
