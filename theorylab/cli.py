"""The command line. Every error is one line on stderr; see ``EXIT`` for the exit codes.

Nothing heavy is imported here: a command imports what it needs when it is called.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

import theorylab
from theorylab.commands import (
    explanation,
    new,
    planning,
    simulation,
    study,
    sweep,
    verification,
    worst,
)
from theorylab.commands.completion import KINDS as KINDS
from theorylab.commands.completion import ids, listed, members
from theorylab.commands.ending import EXIT, ended
from theorylab.commands.importing import Imports, importing
from theorylab.commands.refusal import DEBUG as DEBUG
from theorylab.commands.refusal import Refused, tell
from theorylab.commands.scripted import Force, Script
from theorylab.commands.simulation import Json

app = typer.Typer(
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help=f"Put a convergence theorem on the bench: constants, bound, verdict.\n\n{EXIT}",
)


def _version(wanted: bool) -> None:
    if wanted:
        tell(f"theorylab {theorylab.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
    imports: Imports = None,  # each command takes them from here
) -> None:
    pass


@app.command("list")
@importing
def list_(
    selection: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="KIND|ID|PATTERN|FILE.py",
            help="A kind and names of it, or statements by id, pattern or file; all if omitted.",
            show_default=False,
            autocompletion=listed,
        ),
    ] = None,
    json_target: Json = None,
) -> None:
    """List statements, their versions, and their checks with the expected verdicts.

    Or, where the first word is topologies, problems, algorithms, metrics, experiments or laws, what
    there is of that kind, with every option and its default; where it is symbols, quantities or
    constants, what a claim may name, with LaTeX, units, and what defines it.
    """
    if selection and selection[0] in KINDS:
        from theorylab.commands.kinds import kinds

        raise typer.Exit(kinds(selection[0], selection[1:], json_target))
    from theorylab.commands.catalogue import catalogue

    raise typer.Exit(catalogue(selection or [], json_target))


app.command()(new.new)
app.command()(importing(verification.verify))
app.command()(importing(explanation.explain))


@app.command()
@importing
def check(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE.py", help="Files of your own; may be several.")
    ],
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="An option, for each thing that takes it."
        ),
    ] = None,
    clients: Annotated[
        int | None, typer.Option(help="Of problems and networks; found out if omitted.")
    ] = None,
    json_target: Json = None,
) -> None:
    """Check that what a file brings is what it says: gradients, constants, sums, draws, batches."""
    _at_least("check: --clients", clients, 1)
    from theorylab.commands.check import check as show
    from theorylab.commands.request import named_values

    given = named_values("check: --set", settings or [])
    raise typer.Exit(show(files, given, clients, json_target=json_target))


@app.command()
@importing
def falsify(
    name: Annotated[
        str,
        typer.Argument(
            metavar="ID|FILE.py",
            help="One statement, or a file of your own.",
            autocompletion=ids,
        ),
    ],
    version: Annotated[
        str | None,
        typer.Option(
            help="Which reading; if omitted the printed one, or the only one.", show_default=False
        ),
    ] = None,
    budget: Annotated[float, typer.Option(help="Seconds of processor time to search for.")] = 60.0,
    seed: Annotated[int, typer.Option(help="What the search and its runs derive from.")] = 0,
    json_target: Json = None,
    script_target: Script = None,
    force: Force = False,
) -> None:
    """Search for an instance that breaks a statement, make it small, re-check it."""
    from theorylab.commands.catalogue import check_selection

    check_selection([name])  # before what takes seconds to import
    from theorylab.commands.falsify import hunt

    options: dict[str, Any] = {"json_target": json_target, "script_target": script_target}
    raise typer.Exit(hunt(name, version, budget=budget, seed=seed, force=force, **options))


@app.command()
@importing
def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What falsify --json wrote.")],
    source: Annotated[
        Path | None,
        typer.Option(metavar="FILE.py", help="Run this: the file of a statement of one's own."),
    ] = None,
    script_target: Script = None,
    force: Force = False,
) -> None:
    """Judge a kept counterexample again; it must come out the same, bit for bit."""
    from theorylab.commands.falsify import again

    raise typer.Exit(again(file, source, script_target, force))


app.command()(importing(study.speedup))
app.command()(importing(simulation.run))
app.command()(importing(simulation.compare))
app.add_typer(sweep.app, name="sweep")


@app.command()
@importing
def constants(
    topology: Annotated[
        str,
        typer.Argument(
            metavar="TOPOLOGY",
            help="A name, the path of an edge list (JSON), or, with --compare, all.",
            autocompletion=members("topology"),
        ),
    ],
    clients: Annotated[
        int | None, typer.Option(help="How many; an edge list says it itself.")
    ] = None,
    degree: Annotated[int | None, typer.Option(help="Receivers a client (random-out).")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of a drawn topology.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Any other option; may come again."),
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option(hidden=True, help="The same as --set.")
    ] = None,
    horizon: Annotated[int, typer.Option(help="Rounds to look at.")] = 100,
    run: Annotated[int, typer.Option(help="Which run of a drawn topology.")] = 0,
    dim: Annotated[int, typer.Option(help="Coordinates of a model.")] = 1,
    certify: Annotated[
        bool, typer.Option("--certify", help="Enclose what can be enclosed (small networks).")
    ] = False,
    compare: Annotated[
        bool, typer.Option("--compare", help="Also what the papers' formulas give away.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="With --compare: draw the envelopes as SVG and PNG."),
    ] = None,
    json_target: Json = None,
) -> None:
    """Show the constants of a topology, and how each is known."""
    _at_least("constants: --clients", clients, 1)
    _at_least("constants: --horizon", horizon, 1)
    _at_least("constants: --run", run, 0)
    _at_least("constants: --dim", dim, 1)
    from theorylab.commands.constants import constants as show
    from theorylab.commands.request import named_values, parted

    options: dict[str, Any] = named_values("constants: --option", option or [])
    options |= parted("constants: --set", settings or [], ("topology",))["topology"]
    options |= {k: v for k, v in (("degree", degree), ("seed", seed)) if v is not None}
    raise typer.Exit(
        show(
            topology,
            clients,
            options=options,
            horizon=horizon,
            run=run,
            dim=dim,
            certify=certify,
            compare=compare,
            out=out,
            json_target=json_target,
        )
    )


app.command()(importing(planning.plan))
app.command()(importing(worst.worst))
app.command()(importing(simulation.hypergradient))


@app.command()
@importing
def bench(
    kernel: Annotated[
        str | None, typer.Argument(metavar="KERNEL", help="One kernel; all if omitted.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes, few repeats.")] = False,
    gpu: Annotated[bool, typer.Option("--gpu", help="Check and time them on a GPU.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="--gpu, tiny, emulated.")] = False,
    json_target: Json = None,
) -> None:
    """Time the kernels on this machine: on its processor, or with --gpu on its GPU."""
    from theorylab.commands.bench import bench as run

    raise typer.Exit(run(kernel, quick, json_target, gpu or dry_run, dry_run))


@app.command()
@importing
def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of verify --out.")],
) -> None:
    """Write pages, figures and LaTeX tables of a folder again from its results.json."""
    from theorylab.commands.rebuild import rebuild

    raise typer.Exit(rebuild(folder))


@app.command()
@importing
def doctor(json_target: Json = None) -> None:
    """Show what this installation has and what it lacks, and why."""
    from theorylab.commands.doctor import doctor as show

    raise typer.Exit(show(json_target))


def _at_least(where: str, value: int | None, least: int) -> None:
    if value is not None and value < least:  # typer's own message does not say what came
        raise Refused(f"{where} is {value}; need at least {least}")


def run(arguments: list[str] | None = None) -> int:
    """Run one command line (without the program's name) and return its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    return ended(
        lambda: app(given or ["--help"], prog_name="theorylab", standalone_mode=False), given
    )


def main() -> None:
    """Entry point of the ``theorylab`` program."""
    sys.exit(run())


if __name__ == "__main__":
    main()
