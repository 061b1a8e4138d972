"""``theorylab run``: its options, and those that ``theorylab compare`` has, too."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from theorylab.commands.completion import methods
from theorylab.commands.options import (
    Clients,
    Csv,
    Json,
    Options,
    Out,
    Place,
    Problem,
    ProblemOptions,
    TopologyName,
    TopologyOptions,
    named,
)

Resume = Annotated[bool, typer.Option("--resume", help="Go on with what is in DIR.")]
Replace = Annotated[bool, typer.Option("--force", help="Replace the run that is in DIR.")]
Band = Annotated[
    str, typer.Option(metavar="quantiles|confidence", help="Median and 10-90 %, or mean and 95 %.")
]


class Runs(Options):
    """What runs are made of; None or () where nothing came."""

    kept = "with --out, the same command and --resume go on"

    problem: Problem = None
    problem_option: ProblemOptions = ()
    topology: TopologyName = None
    topology_option: TopologyOptions = ()
    clients: Annotated[Clients, Place("clients")] = None
    rounds: Annotated[int | None, typer.Option(help="Communication rounds."), Place("rounds")] = (
        None
    )
    seeds: Annotated[
        int | None, typer.Option(help="How many runs, together; 1 if omitted."), Place("seeds")
    ] = None
    seed: Annotated[
        int | None,
        typer.Option(help="What all randomness of the runs derives from; 0 if omitted."),
        Place("seed"),
    ] = None
    eta: Annotated[float | None, typer.Option(help="The step size."), Place("algorithm.eta")] = None
    outer_steps: Annotated[
        int | None,
        typer.Option(help="Of pdbo; each trains for --rounds."),
        Place("algorithm.outer_steps"),
    ] = None
    terms: Annotated[
        int | None, typer.Option(help="Of pdbo's hypergradient: M."), Place("algorithm.terms")
    ] = None
    settings: Annotated[
        Sequence[str],
        typer.Option(
            "--set",
            metavar="PATH=VALUE",
            help="Of the algorithm (alpha=.9), or by its path: problem.dim=9, topology.degree=4, "
            "faults.burst=3; may come again.",
        ),
    ] = ()
    x0: Annotated[
        str | None,
        typer.Option("--x0", metavar="JSON", help="First model: a number, (d) or (n, d) numbers."),
    ] = None
    every: Annotated[
        int | None,
        typer.Option(
            help="Record every so many rounds; omitted: 200 points or a tenth of the cost."
        ),
        Place("every"),
    ] = None
    columns: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="What to record; what fits if omitted.")
    ] = None
    dtype: Annotated[
        str | None, typer.Option(metavar="float64|float32", help="Of the models."), Place("dtype")
    ] = None
    device: Annotated[
        str | None,
        typer.Option(help="Where a torch problem lives: an option of the problem."),
        Place("problem.device"),
    ] = None
    own_graphs: Annotated[
        bool | None,
        typer.Option(
            "--own-graphs/--one-graph",
            help="Every run has edges of its own, or all see the same.",
            show_default=False,
        ),
        Place("own_graphs"),
    ] = None
    loss: Annotated[
        float | None, typer.Option(metavar="P", help="A message is lost."), Place("faults.loss")
    ] = None
    failing: Annotated[
        float | None,
        typer.Option(metavar="P", help="A client is down in a round."),
        Place("faults.failing"),
    ] = None
    delay: Annotated[
        int | None,
        typer.Option(metavar="D", help="Messages come up to D rounds late."),
        Place("faults.delay"),
    ] = None
    stragglers: Annotated[
        float | None,
        typer.Option(metavar="P", help="A client does a part of its local steps."),
        Place("faults.stragglers"),
    ] = None
    fault: Annotated[
        Sequence[str], named("--fault", "The same as --set faults.NAME=VALUE.", True)
    ] = ()


class Run(Runs):
    """Run an algorithm on a problem over a topology, many seeds at once, and keep the traces.

    ALGORITHM pdbo takes outer steps on a bilevel --problem (pdbo-da, pdbo-mtl, pdbo-mtl-da).
    Flags go before what --config says. Exit code 1: the run diverged; what came before is kept.
    """

    algorithm: Annotated[
        str | None,
        typer.Argument(
            metavar="ALGORITHM",
            help="By name; pdbo is one.",
            show_default=False,
            autocompletion=methods,
        ),
    ] = None
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE.json", help="All of the above as JSON; a run.json will do."),
    ] = None
    out: Out = None
    resume: Resume = False
    force: Replace = False
    checkpoint_every: Annotated[
        str | None,
        typer.Option(
            metavar="ROUNDS|SECONDSs", help="Every 50 rounds (50) or 30 seconds (30s); 10s."
        ),
    ] = None
    band: Band = "quantiles"
    json_target: Json = None
    csv_target: Csv = None

    def work(self) -> int:
        from theorylab.commands.run.work import run

        return run(self)
