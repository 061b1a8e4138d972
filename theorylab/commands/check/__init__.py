"""``theorylab check``: its options; its work is imported when it is done."""

from collections.abc import Sequence
from typing import Annotated

import typer

from theorylab.commands.options import Json, Least, Options


class Check(Options):
    """Check that what a file brings is what it says: gradients, constants, sums, draws, batches."""

    files: Annotated[
        Sequence[str], typer.Argument(metavar="FILE.py", help="Files of your own; may be several.")
    ]
    settings: Annotated[
        Sequence[str],
        typer.Option(
            "--set", metavar="NAME=VALUE", help="An option, for each thing that takes it."
        ),
    ] = ()
    clients: Annotated[
        int | None,
        typer.Option(help="Of problems and networks; found out if omitted."),
        Least(1),
    ] = None
    json_target: Json = None

    def work(self) -> int:
        from theorylab.commands.check.work import check

        return check(self)
