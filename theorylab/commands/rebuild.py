"""``theorylab report``: the pages of a folder again."""

from __future__ import annotations

from pathlib import Path

from theorylab.commands.progress import writing
from theorylab.commands.refusal import refusing, tell
from theorylab.report.folder import PAGE, RESULTS, load, prepare, write


def rebuild(folder: Path) -> int:
    """Make the pages, figures and tables of a folder again from its results.json."""
    with refusing():
        report = load(folder / RESULTS)
    with refusing(str(folder)):
        prepare(folder, (result.id for result in report.results))
    with refusing(str(folder)), writing(str(folder)) as told:
        write(
            folder,
            report.results,
            report.not_run,
            origin=report.origin,
            workers=None,
            told=told,
        )
    tell(f"{folder / PAGE}: {len(report.results)} checks. Exit code 0: the report is written.")
    return 0
