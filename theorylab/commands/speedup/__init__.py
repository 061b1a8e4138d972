"""``theorylab speedup``: its options; its work is imported when it is done."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from theorylab.commands.completion import members
from theorylab.commands.options import (
    Backend,
    Jobs,
    Json,
    Options,
    ProblemOptions,
    Scheduler,
    TopologyOptions,
)


class Speedup(Options):
    """Measure how the error falls with the number of clients, with the controls beside it.

    Exit code 0: the error falls as claimed; 1: it does not; 4: it cannot be told, and why.
    """

    kept = "with --out, finished cells are kept, and the same command goes on"

    algorithm: Annotated[
        str | None,
        typer.Argument(
            metavar="ALGORITHM|FILE.py",
            help="By name, or a file with one.",
            autocompletion=members("algorithm"),
        ),
    ] = None
    clients: Annotated[
        str | None, typer.Option(metavar="4,8,...", help="Rising; 4,8,16,32 if omitted.")
    ] = None
    problem: Annotated[
        str | None, typer.Option(metavar="NAME|FILE.py", help="The losses of k kinds of clients.")
    ] = None
    problem_option: ProblemOptions = ()
    topology: Annotated[
        str | None, typer.Option(metavar="NAME", help="Built at every number of clients.")
    ] = None
    topology_option: TopologyOptions = ()
    rounds: Annotated[int | None, typer.Option(help="512, or 256 with data.")] = None
    settings: Annotated[
        Sequence[str],
        typer.Option(
            "--set",
            metavar="PATH=VALUE",
            help="Of the algorithm (alpha=.9), or by its path: problem.dim=9, topology.degree=4.",
        ),
    ] = ()
    measure: Annotated[
        str | None,
        typer.Option(metavar="mean|clients|deprl", help="At the mean model, over models, M(k)."),
    ] = None
    step: Annotated[
        str | None,
        typer.Option(metavar="fixed|sqrt|TEXT", help="sqrt: like sqrt(n); or of n, T: sqrt(n/T)."),
    ] = None
    average: Annotated[
        bool, typer.Option("--average", help="The mean over rounds, where nothing is sampled.")
    ] = False
    claims: Annotated[
        bool, typer.Option("--claims", help="Judge the speedup claims of papers and gallery.")
    ] = False
    claim: Annotated[
        float | None, typer.Option(help="The power of n that is judged; -1 if omitted.")
    ] = None
    target: Annotated[
        float | None, typer.Option(help="Rounds, gradients and messages to this error.")
    ] = None
    ceiling: Annotated[
        float | None, typer.Option(help="Clips a sampled run's error; 8 runs choose if omitted.")
    ] = None
    seeds: Annotated[int | None, typer.Option(help="At most so many runs; 128 if omitted.")] = None
    seed: Annotated[int | None, typer.Option(help="What all randomness derives from.")] = None
    full: Annotated[
        bool, typer.Option("--full", help="mlp and cnn: a paper's sizes, all data.")
    ] = False
    transient: Annotated[
        bool,
        typer.Option(
            "--transient/--no-transient", help="Rounds until a network no longer matters."
        ),
    ] = True
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep cells, a page and a picture; resumed.")
    ] = None
    jobs: Jobs = 1
    backend: Backend = "processes"
    scheduler: Scheduler = None
    json_target: Json = None

    def work(self) -> int:
        from theorylab.commands.speedup.work import speedup

        return speedup(self)
