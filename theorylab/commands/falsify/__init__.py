"""``theorylab falsify`` and ``theorylab replay``: their options; the work is imported later."""

from pathlib import Path
from typing import Annotated

import typer

from theorylab.commands.completion import ids
from theorylab.commands.options import Force, Json, Options, Script


class Falsify(Options):
    """Search for an instance that breaks a statement, make it small, re-check it."""

    kept = "a first interrupt prints what there is, and keeps it with --json"

    name: Annotated[
        str,
        typer.Argument(
            metavar="ID|FILE.py",
            help="One statement, or a file of your own.",
            autocompletion=ids,
        ),
    ]
    version: Annotated[
        str | None,
        typer.Option(
            help="Which reading; if omitted the printed one, or the only one.", show_default=False
        ),
    ] = None
    budget: Annotated[float, typer.Option(help="Seconds of processor time to search for.")] = 60.0
    seed: Annotated[int, typer.Option(help="What the search and its runs derive from.")] = 0
    json_target: Json = None
    script_target: Script = None
    force: Force = False

    def work(self) -> int:
        from theorylab.commands.list.catalogue import check_selection

        check_selection([self.name])  # before what takes seconds to import
        from theorylab.commands.falsify.work import hunt

        return hunt(self)


class Replay(Options):
    """Judge a kept counterexample again; it must come out the same, bit for bit."""

    file: Annotated[Path, typer.Argument(metavar="FILE", help="What falsify --json wrote.")]
    source: Annotated[
        Path | None,
        typer.Option(metavar="FILE.py", help="Run this: the file of a statement of one's own."),
    ] = None
    script_target: Script = None
    force: Force = False

    def work(self) -> int:
        from theorylab.commands.falsify.work import again

        return again(self)
