"""What ``theorylab explain`` is asked of, told before what takes seconds is imported or judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from theorylab.commands.explain import Explain
from theorylab.commands.refusal import refusing, tell
from theorylab.commands.request import one_statement
from theorylab.commands.table import paragraph
from theorylab.report.names import paper_name
from theorylab.report.tally import against, expected_claims, refutation
from theorylab.statements import Statement, Version
from theorylab.verdicts import Job, jobs


@dataclass(frozen=True)
class Claim:
    """One reading of a statement.

    Attributes:
        file: the user's file that the statement is in.
        version: the name of the reading.
        jobs: the checks that are judged until one says most.
    """

    asked: Explain
    statement: Statement
    file: str | None
    version: str
    jobs: Sequence[Job]


def claimed(asked: Explain) -> Claim:
    """The reading that is explained; the line of the paper, and how it is read, are told.

    Nothing is told where a script or a BibTeX entry is all of stdout.
    """
    name, seed = asked.name, asked.seed
    with refusing("explain"):
        statement, file = one_statement([name])
        chosen = asked.version or first_false(statement)
        work = jobs([name], versions=[chosen], check=asked.check, seed=seed)
        quick = jobs([name], versions=[chosen], check=asked.check, seed=seed, quick=True)
    version = statement.versions[chosen]
    if asked.script_target != "-" and not asked.bibtex:
        source = statement.source
        paragraph(f"{paper_name(source.paper)}, {source.locator}: {source.text}.")
        if version.note:
            paragraph(f"Reading: {version.note}")
        tell(end="", flush=True)
    return Claim(asked, statement, file, chosen, _telling(version, quick, work))


def first_false(statement: Statement) -> str:
    """The version that shows how the statement is false; of a true one the first of all."""
    found = refutation(expected_claims([statement]))
    return next(iter(statement.versions)) if found is None else found.claim.version


def _telling(version: Version, quick: Sequence[Job], work: Sequence[Job]) -> Sequence[Job]:
    """The quick jobs; where none of them tells against a version that is false, the first that
    does."""
    shown = against(version)
    if any(job.check in shown for job in quick) or not shown:
        return quick or work
    return [job for job in work if job.check == shown[0]] or quick or work
