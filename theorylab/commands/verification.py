"""The flags of ``theorylab verify``; its work is imported when it is called.

``theorylab --help`` imports this module, so it imports nothing that takes time.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from theorylab.commands.completion import ids
from theorylab.commands.refusal import Refused, tell, tell_over
from theorylab.commands.scripted import Force, Script, check_script
from theorylab.commands.simulation import Clients, Csv, Json, Problem, TopologyName


@contextlib.contextmanager
def _at_once(line: str, quiet: bool) -> Iterator[None]:
    """A line on a terminal while modules are imported, which takes longer than people wait."""
    shown = sys.stderr.isatty() and not quiet
    if shown:
        tell(line, end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        if shown:
            tell_over("")


Selection = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="ID|PATTERN|FILE.py",
        help="Statements by id, by pattern ('deprl.*'), or in a file of your own; all if omitted.",
        show_default=False,
        autocompletion=ids,
    ),
]


def verify(
    selection: Selection = None,
    version: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this version; may come again."),
    ] = None,
    check: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only the check of this name, in detail."),
    ] = None,
    instance: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.json",
            help="Judge on this instance: an object, or what falsify or verify --json wrote.",
        ),
    ] = None,
    record: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="RUN.npz",
            help="Judge a run from elsewhere, by the file that it wrote (docs/records.md); may "
            "come again, for more runs.",
        ),
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option(
            metavar="L=2,...",
            help="With --record: constants that you know, or the name of an assumption that you "
            "say holds; may come again.",
        ),
    ] = None,
    problem: Problem = None,
    topology: TopologyName = None,
    clients: Clients = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="PATH=VALUE",
            help="Change the instance: rounds=200, algorithm.eta=.1; may come again.",
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(help="Most runs a check.")] = 64,
    seed: Annotated[int, typer.Option(help="What all randomness derives from.")] = 0,
    budget: Annotated[
        float,
        typer.Option(
            help="Gradients that the runs of a check may compute: runs x rounds x "
            "clients x local steps. A dearer check is INCONCLUSIVE, and says its price."
        ),
    ] = 1e9,
    jobs: Annotated[
        int | None,
        typer.Option(
            help="Processes, which share the cores' threads: with 1, one with all of them. "
            "If omitted as many as there are cores, with one thread each.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Write results, pages, figures, LaTeX tables; resume what is there."
        ),
    ] = None,
    json_target: Json = None,
    csv_target: Csv = None,
    script_target: Script = None,
    force: Force = False,
    quick: Annotated[bool, typer.Option("--quick", help="Only checks that take seconds.")] = False,
    long: Annotated[
        bool, typer.Option("--long", "-v", help="A row for every check, and for every place.")
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VERDICT", help="Show only the checks with this verdict; may come again."
        ),
    ] = None,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="Stop at the first verdict that is not expected.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="Only the last line, and no progress.")
    ] = False,
) -> None:
    """Run statements on their instances and judge them against what is expected.

    With --instance, --problem, --topology, --clients or --set, every version of one statement is
    judged on that instance, of which nothing is expected. Without --instance it starts from the
    instance of --check, or of the first check that is meant to hold. Exit code 1: a version is
    VIOLATED there; 2: none is, and one could not be judged; 4: one is INCONCLUSIVE; else 0. The
    assumptions that fail, and by how much, are shown. --script is of the first check that is
    VIOLATED, or of the first of all; --check and --version choose another one. With --record the
    instance is a run from elsewhere, whose network and measured side are in the file.
    """
    if jobs is not None and jobs < 1:
        raise Refused(f"verify: --jobs is {jobs}; need at least 1")
    if clients is not None and clients < 1:
        raise Refused(f"verify: --clients is {clients}; need at least 1")
    if fail_fast and not (out is None and json_target is None and csv_target is None):
        raise Refused("verify: --fail-fast leaves results out; need no --out, --json and --csv")
    if record and (script_target is not None or check is not None):
        raise Refused("verify: --record came with --script or --check; a record has neither")
    if given and not record:
        raise Refused("verify: --given came without --record; need both")
    check_script(script_target, force, json_target)
    from theorylab.commands.catalogue import check_selection

    check_selection(selection or [])  # before what takes seconds to import
    with _at_once("reading the statements", quiet):
        from theorylab.commands.own_instance import Changes
        from theorylab.commands.verify import verify as run

    changes = Changes(instance, problem, topology, clients, settings or ())
    if record and changes.any:
        raise Refused("verify: --record came with an instance; need one of them")
    raise typer.Exit(
        run(
            selection or [],
            changes,
            versions=version or [],
            check=check,
            quick=quick,
            seeds=seeds,
            seed=seed,
            budget=budget,
            workers=jobs,
            out=out,
            json_target=json_target,
            csv_target=csv_target,
            script_target=script_target,
            long=long,
            only=only or [],
            fail_fast=fail_fast,
            quiet=quiet,
            records=record or [],
            given=given or [],
        )
    )
