"""``theorylab constants``: its options; its work is imported when it is done."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from theorylab.commands.completion import members
from theorylab.commands.options import Clients, Json, Least, Options, named


class Constants(Options):
    """Show the constants of a topology, and how each is known."""

    topology: Annotated[
        str,
        typer.Argument(
            metavar="TOPOLOGY",
            help="A name, the path of an edge list (JSON), or, with --compare, all.",
            autocompletion=members("topology"),
        ),
    ]
    clients: Annotated[Clients, Least(1)] = None
    degree: Annotated[int | None, typer.Option(help="Receivers a client (random-out).")] = None
    seed: Annotated[int | None, typer.Option(help="Seed of a drawn topology.")] = None
    settings: Annotated[Sequence[str], named("--set", "Any other option; may come again.")] = ()
    option: Annotated[Sequence[str], typer.Option(hidden=True, help="The same as --set.")] = ()
    horizon: Annotated[int, typer.Option(help="Rounds to look at."), Least(1)] = 100
    run: Annotated[int, typer.Option(help="Which run of a drawn topology."), Least(0)] = 0
    dim: Annotated[int, typer.Option(help="Coordinates of a model."), Least(1)] = 1
    certify: Annotated[
        bool, typer.Option("--certify", help="Enclose what can be enclosed (small networks).")
    ] = False
    compare: Annotated[
        bool, typer.Option("--compare", help="Also what the papers' formulas give away.")
    ] = False
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="With --compare: draw the envelopes as SVG and PNG."),
    ] = None
    json_target: Json = None

    def work(self) -> int:
        from theorylab.commands.constants.work import constants

        return constants(self)
