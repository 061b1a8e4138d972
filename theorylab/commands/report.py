"""``theorylab report``: the pages of a folder again."""

from pathlib import Path
from typing import Annotated

import typer

from theorylab.commands.options import Options
from theorylab.commands.refusal import refusing, tell


class Report(Options):
    """Write pages, figures and LaTeX tables of a folder again from its results.json."""

    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of verify --out.")]

    def work(self) -> int:
        from theorylab.commands.progress import writing
        from theorylab.report.folder import PAGE, RESULTS, load, prepare, write

        folder = self.folder
        with refusing():
            kept = load(folder / RESULTS)
        with refusing(str(folder)):
            prepare(folder, (result.id for result in kept.results))
        with refusing(str(folder)), writing(str(folder)) as told:
            write(folder, kept.results, kept.not_run, origin=kept.origin, told=told)
        tell(f"{folder / PAGE}: {len(kept.results)} checks. Exit code 0: the report is written.")
        return 0
