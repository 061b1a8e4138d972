"""The flags of ``theorylab run`` and ``theorylab compare``; their work is imported when called.

``theorylab --help`` imports this module, so it imports nothing that takes time.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from theorylab.commands.completion import members


def _named(flag: str, text: str, hidden: bool = False) -> Any:
    return typer.Option(flag, metavar="NAME=VALUE", help=text, hidden=hidden)


Problem = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="The losses of the clients.", autocompletion=members("problem")
    ),
]
ProblemOptions = Annotated[
    list[str] | None, _named("--problem-option", "The same as --set problem.NAME=VALUE.", True)
]
TopologyName = Annotated[
    str | None,
    typer.Option(
        "--topology",
        metavar="NAME|FILE.json",
        help="Name, or an edge list.",
        autocompletion=members("topology"),
    ),
]
TopologyOptions = Annotated[
    list[str] | None, _named("--topology-option", "The same as --set topology.NAME=VALUE.", True)
]
Clients = Annotated[int | None, typer.Option(help="How many; an edge list says it itself.")]
Rounds = Annotated[int | None, typer.Option(help="Communication rounds.")]
Seeds = Annotated[int | None, typer.Option(help="How many runs, together; 1 if omitted.")]
Seed = Annotated[
    int | None, typer.Option(help="What all randomness of the runs derives from; 0 if omitted.")
]
Eta = Annotated[float | None, typer.Option(help="The step size.")]
OuterSteps = Annotated[int | None, typer.Option(help="Of pdbo; each trains for --rounds.")]
Terms = Annotated[int | None, typer.Option(help="Of pdbo's hypergradient: M.")]
Options = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE",
        help="Of the algorithm (alpha=.9), or by its path: problem.dim=9, topology.degree=4, "
        "faults.burst=3; may come again.",
    ),
]
X0 = Annotated[
    str | None,
    typer.Option("--x0", metavar="JSON", help="First model: a number, (d) or (n, d) numbers."),
]
Every = Annotated[
    int | None,
    typer.Option(help="Record every so many rounds; omitted: 200 points or a tenth of the cost."),
]
Columns = Annotated[
    str | None, typer.Option(metavar="A,B,...", help="What to record; what fits if omitted.")
]
Dtype = Annotated[str | None, typer.Option(metavar="float64|float32", help="Of the models.")]
Device = Annotated[
    str | None, typer.Option(help="Where a torch problem lives: an option of the problem.")
]
OwnGraphs = Annotated[
    bool | None,
    typer.Option(
        "--own-graphs/--one-graph",
        help="Every run has edges of its own, or all see the same.",
        show_default=False,
    ),
]
Loss = Annotated[float | None, typer.Option(metavar="P", help="A message is lost.")]
Failing = Annotated[float | None, typer.Option(metavar="P", help="A client is down in a round.")]
Delay = Annotated[int | None, typer.Option(metavar="D", help="Messages come up to D rounds late.")]
Stragglers = Annotated[
    float | None, typer.Option(metavar="P", help="A client does a part of its local steps.")
]
Fault = Annotated[list[str] | None, _named("--fault", "The same as --set faults.NAME=VALUE.", True)]
Out = Annotated[Path | None, typer.Option(metavar="DIR", help="Keep everything in this folder.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with what is in DIR.")]
Force = Annotated[bool, typer.Option("--force", help="Replace the run that is in DIR.")]
CheckpointEvery = Annotated[
    str | None,
    typer.Option(metavar="ROUNDS|SECONDSs", help="Every 50 rounds (50) or 30 seconds (30s); 10s."),
]
Band = Annotated[
    str, typer.Option(metavar="quantiles|confidence", help="Median and 10-90 %, or mean and 95 %.")
]
Csv = Annotated[
    str | None,
    typer.Option("--csv", metavar="FILE|-", help="Also write CSV; - puts only CSV on stdout."),
]
Json = Annotated[
    str | None,
    typer.Option("--json", metavar="FILE|-", help="Also write JSON; - puts only JSON on stdout."),
]


def run(
    algorithm: Annotated[
        str | None,
        typer.Argument(
            metavar="ALGORITHM",
            help="By name; pdbo is one.",
            show_default=False,
            autocompletion=members("algorithm"),
        ),
    ] = None,
    problem: Problem = None,
    problem_option: ProblemOptions = None,
    topology: TopologyName = None,
    topology_option: TopologyOptions = None,
    clients: Clients = None,
    rounds: Rounds = None,
    seeds: Seeds = None,
    seed: Seed = None,
    eta: Eta = None,
    outer_steps: OuterSteps = None,
    terms: Terms = None,
    options: Options = None,
    x0: X0 = None,
    every: Every = None,
    columns: Columns = None,
    dtype: Dtype = None,
    device: Device = None,
    own_graphs: OwnGraphs = None,
    loss: Loss = None,
    failing: Failing = None,
    delay: Delay = None,
    stragglers: Stragglers = None,
    fault: Fault = None,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE.json", help="All of the above as JSON; a run.json will do."),
    ] = None,
    out: Out = None,
    resume: Resume = False,
    force: Force = False,
    checkpoint_every: CheckpointEvery = None,
    band: Band = "quantiles",
    json_target: Json = None,
    csv_target: Csv = None,
) -> None:
    """Run an algorithm on a problem over a topology, many seeds at once, and keep the traces.

    ALGORITHM pdbo takes outer steps on a bilevel --problem (pdbo-da, pdbo-mtl, pdbo-mtl-da).
    Flags go before what --config says. Exit code 1: the run diverged; what came before is kept.
    """
    from theorylab.commands.request import Flags
    from theorylab.commands.run import run as work

    flags = Flags(
        problem, problem_option or (), topology, topology_option or (), clients, rounds, seeds,
        seed, eta, outer_steps, terms, options or (), x0, every, columns, dtype, device,
        own_graphs, loss, failing, delay, stragglers, fault or (),
    )  # fmt: skip
    raise typer.Exit(
        work(
            algorithm,
            flags,
            config=config,
            out=out,
            resume=resume,
            force=force,
            checkpoint_every=checkpoint_every,
            band=band,
            json_target=json_target,
            csv_target=csv_target,
        )
    )


def compare(
    which: Annotated[
        list[str],
        typer.Argument(
            metavar="DIR|ALGORITHM[:NAME=VALUE,...]",
            help="Folders of run --out, or algorithms to run now with the same seeds.",
            autocompletion=members("algorithm"),
        ),
    ],
    problem: Problem = None,
    problem_option: ProblemOptions = None,
    topology: TopologyName = None,
    topology_option: TopologyOptions = None,
    clients: Clients = None,
    rounds: Rounds = None,
    seeds: Seeds = None,
    seed: Seed = None,
    eta: Eta = None,
    outer_steps: OuterSteps = None,
    terms: Terms = None,
    options: Options = None,
    x0: X0 = None,
    every: Every = None,
    columns: Columns = None,
    dtype: Dtype = None,
    device: Device = None,
    own_graphs: OwnGraphs = None,
    loss: Loss = None,
    failing: Failing = None,
    delay: Delay = None,
    stragglers: Stragglers = None,
    fault: Fault = None,
    target: Annotated[
        list[str] | None, _named("--target", "Rounds to loss=.3 or accuracy=.9; may come again.")
    ] = None,
    out: Out = None,
    resume: Resume = False,
    force: Force = False,
    band: Band = "quantiles",
    json_target: Json = None,
) -> None:
    """Draw runs together, and show how they differ from the first, run by run.

    Exit code 1: a run that was made now diverged; what came before is compared.
    """
    from theorylab.commands.compare_runs import compare as work
    from theorylab.commands.request import Flags

    flags = Flags(
        problem, problem_option or (), topology, topology_option or (), clients, rounds, seeds,
        seed, eta, outer_steps, terms, options or (), x0, every, columns, dtype, device,
        own_graphs, loss, failing, delay, stragglers, fault or (),
    )  # fmt: skip
    raise typer.Exit(
        work(
            which,
            flags,
            targets=target or (),
            out=out,
            resume=resume,
            force=force,
            band=band,
            json_target=json_target,
        )
    )


def hypergradient(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.py", help="It makes a Bilevel named problem.")
    ],
    topology: TopologyName = None,
    topology_option: TopologyOptions = None,
    settings: Annotated[
        list[str] | None, _named("--set", "Of the topology: topology.degree=4; may come again.")
    ] = None,
    step: Annotated[float, typer.Option(help="Of the inner SGP.")] = 0.05,
    variant: Annotated[str, typer.Option(metavar="4a|4b", help="Of the inner SGP.")] = "4b",
    terms: Annotated[
        str, typer.Option(metavar="M,M,...|A:B", help="Terms of the series; 1:50 is all to 50.")
    ] = "10,50",
    weights: Annotated[
        list[str] | None,
        typer.Option(metavar="ALPHA,BETA", help="Of VR-HGP; 1,0 is HGP; may come again."),
    ] = None,
    runs: Annotated[int, typer.Option(help="Estimates that the quantile is of.")] = 200,
    seed: Annotated[int, typer.Option(help="Of the minibatches.")] = 0,
    eps: Annotated[float, typer.Option(help="Chance with which the bound may fail.")] = 0.1,
    out: Out = None,
    csv_target: Csv = None,
    json_target: Json = None,
) -> None:
    """Draw the errors of HGP and VR-HGP on a problem of one's own, beside their bound and floor.

    FILE.py may also have a topology and lam.
    """
    from theorylab.commands.hypergradient import asked_for
    from theorylab.commands.hypergradient import hypergradient as work
    from theorylab.commands.request import named_values, parted

    asked = asked_for(
        terms, weights or ["1,0", ".9,.1"], step=step, variant=variant, runs=runs, seed=seed,
        eps=eps,
    )  # fmt: skip
    options = named_values("hypergradient: --topology-option", topology_option or [])
    options |= parted("hypergradient: --set", settings or [], ("topology",))["topology"]
    network = None if topology is None else (topology, options)
    raise typer.Exit(
        work(file, network, asked, out=out, json_target=json_target, csv_target=csv_target)
    )
