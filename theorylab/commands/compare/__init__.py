"""``theorylab compare``: its options; its work is imported when it is done."""

from collections.abc import Sequence
from typing import Annotated

import typer

from theorylab.commands.completion import members
from theorylab.commands.options import Json, Out, named
from theorylab.commands.run import Band, Replace, Resume, Runs


class Compare(Runs):
    """Draw runs together, and show how they differ from the first, run by run.

    Exit code 1: a run that was made now diverged; what came before is compared.
    """

    which: Annotated[
        Sequence[str],
        typer.Argument(
            metavar="DIR|ALGORITHM[:NAME=VALUE,...]",
            help="Folders of run --out, or algorithms to run now with the same seeds.",
            autocompletion=members("algorithm"),
        ),
    ]
    target: Annotated[
        Sequence[str], named("--target", "Rounds to loss=.3 or accuracy=.9; may come again.")
    ] = ()
    out: Out = None
    resume: Resume = False
    force: Replace = False
    band: Band = "quantiles"
    json_target: Json = None

    def work(self) -> int:
        from theorylab.commands.compare.work import compare

        return compare(self)
