"""``theorylab list``: its options; its work is imported when it is done."""

from collections.abc import Sequence
from typing import Annotated

import typer

from theorylab.commands.completion import KINDS, listed
from theorylab.commands.options import Json, Options


class List(Options):
    """List the papers; of a paper its statements; of a statement its checks.

    A paper has a row with its counts, a statement one with what is false in it, and a check stands
    with the verdict that is expected. Where the first word is statements, the checks of all are
    listed. Where it is topologies, problems, algorithms, metrics, experiments or laws, what there
    is of that kind, with every option and its default; where it is symbols, quantities or
    constants, what a claim may name, with LaTeX, units, and what defines it.
    """

    selection: Annotated[
        Sequence[str],
        typer.Argument(
            metavar="PAPER|ID|PATTERN|FILE.py|FOLDER|KIND",
            help="A paper, statements by id, pattern or file, or a kind and names of it.",
            show_default=False,
            autocompletion=listed,
        ),
    ] = ()
    json_target: Json = None

    def work(self) -> int:
        if self.selection and self.selection[0] in KINDS:
            from theorylab.commands.list.kinds import kinds

            return kinds(self)
        from theorylab.commands.list.catalogue import catalogue

        return catalogue(self)
