"""``theorylab hypergradient``: its options; its work is imported when it is done."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from theorylab.commands.options import (
    Csv,
    Json,
    Options,
    Out,
    TopologyName,
    TopologyOptions,
    named,
)


class Hypergradient(Options):
    """Draw the errors of HGP and VR-HGP on a problem of one's own, beside their bound and floor.

    FILE.py may also have a topology and lam.
    """

    file: Annotated[
        Path, typer.Argument(metavar="FILE.py", help="It makes a Bilevel named problem.")
    ]
    topology: TopologyName = None
    topology_option: TopologyOptions = ()
    settings: Annotated[
        Sequence[str], named("--set", "Of the topology: topology.degree=4; may come again.")
    ] = ()
    step: Annotated[float, typer.Option(help="Of the inner SGP.")] = 0.05
    variant: Annotated[str, typer.Option(metavar="4a|4b", help="Of the inner SGP.")] = "4b"
    terms: Annotated[
        str, typer.Option(metavar="M,M,...|A:B", help="Terms of the series; 1:50 is all to 50.")
    ] = "10,50"
    weights: Annotated[
        Sequence[str],
        typer.Option(metavar="ALPHA,BETA", help="Of VR-HGP; 1,0 is HGP; may come again."),
    ] = ()
    runs: Annotated[int, typer.Option(help="Estimates that the quantile is of.")] = 200
    seed: Annotated[int, typer.Option(help="Of the minibatches.")] = 0
    eps: Annotated[float, typer.Option(help="Chance with which the bound may fail.")] = 0.1
    out: Out = None
    csv_target: Csv = None
    json_target: Json = None

    def work(self) -> int:
        from theorylab.commands.hypergradient.work import hypergradient

        return hypergradient(self)
