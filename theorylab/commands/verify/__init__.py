"""``theorylab verify``: its options, and those of an instance, which ``plan`` has, too."""

import contextlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from theorylab.commands.completion import ids_and_papers
from theorylab.commands.options import (
    Clients,
    Csv,
    Force,
    Json,
    Least,
    Options,
    Problem,
    Script,
    TopologyName,
)
from theorylab.commands.refusal import Refused, tell, tell_over
from theorylab.commands.scripted import check_script


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


class OnInstance(Options):
    """Which instance a statement is judged on, and what its runs may cost."""

    check: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only the check of this name, in detail."),
    ] = None
    instance: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.json",
            help="In place of that of a check: an object, or what falsify or verify --json wrote.",
        ),
    ] = None
    problem: Problem = None
    topology: TopologyName = None
    clients: Annotated[Clients, Least(1)] = None
    settings: Annotated[
        Sequence[str],
        typer.Option(
            "--set",
            metavar="PATH=VALUE",
            help="Change the instance: rounds=200, algorithm.eta=.1; may come again.",
        ),
    ] = ()
    seeds: Annotated[int, typer.Option(help="Most runs a check.")] = 64
    seed: Annotated[int, typer.Option(help="What all randomness derives from.")] = 0
    budget: Annotated[
        float,
        typer.Option(
            help="Gradients that the runs of a check may compute: runs x rounds x "
            "clients x local steps. A dearer check is INCONCLUSIVE, and says its price."
        ),
    ] = 1e9

    @property
    def changes(self) -> bool:
        """Whether another instance than that of a check is asked for."""
        given = (self.instance, self.problem, self.topology, self.clients)
        return any(each is not None for each in given) or bool(self.settings)


class Verify(OnInstance):
    """Run statements on their instances and judge them against what is expected.

    With --instance, --problem, --topology, --clients or --set, every version of one statement is
    judged on that instance, of which nothing is expected. Without --instance it starts from the
    instance of --check, or of the first check that is meant to hold. Exit code 1: a version is
    VIOLATED there; 2: none is, and one could not be judged; 4: one is INCONCLUSIVE; else 0. The
    assumptions that fail, and by how much, are shown. --script is of the first check that is
    VIOLATED, or of the first of all; --check and --version choose another one. With --record the
    instance is a run from elsewhere, whose network and measured side are in the file.
    """

    selection: Annotated[
        Sequence[str],
        typer.Argument(
            metavar="ID|PAPER|PATTERN|FILE.py|FOLDER",
            help="Statements by id, by paper, by pattern ('deprl.*'), in a file of your own, or in "
            "every file of a folder; all if omitted.",
            show_default=False,
            autocompletion=ids_and_papers,
        ),
    ] = ()
    version: Annotated[
        Sequence[str], typer.Option(metavar="NAME", help="Only this version; may come again.")
    ] = ()
    record: Annotated[
        Sequence[Path],
        typer.Option(
            metavar="RUN.npz",
            help="Judge a run from elsewhere, by the file that it wrote (docs/records.md); may "
            "come again, for more runs.",
        ),
    ] = ()
    given: Annotated[
        Sequence[str],
        typer.Option(
            metavar="L=2,...",
            help="With --record: constants that you know, or the name of an assumption that you "
            "say holds; may come again.",
        ),
    ] = ()
    jobs: Annotated[
        int | None,
        typer.Option(
            help="Processes, which share the cores' threads: with 1, one with all of them. "
            "If omitted as many as there are cores, with one thread each.",
            show_default=False,
        ),
        Least(1),
    ] = None
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Write results, pages, figures, LaTeX tables; resume what is there."
        ),
    ] = None
    json_target: Json = None
    csv_target: Csv = None
    script_target: Script = None
    force: Force = False
    quick: Annotated[bool, typer.Option("--quick", help="Only checks that take seconds.")] = False
    long: Annotated[
        bool, typer.Option("--long", "-v", help="A row for every check, and for every place.")
    ] = False
    only: Annotated[
        Sequence[str],
        typer.Option(
            metavar="VERDICT", help="Show only the checks with this verdict; may come again."
        ),
    ] = ()
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="Stop at the first verdict that is not expected.")
    ] = False
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="Only the last line, and no progress.")
    ] = False

    def work(self) -> int:
        files = (self.out, self.json_target, self.csv_target)
        if self.fail_fast and files != (None, None, None):
            raise Refused("verify: --fail-fast leaves results out; need no --out, --json and --csv")
        if self.record and (self.script_target is not None or self.check is not None):
            raise Refused("verify: --record came with --script or --check; a record has neither")
        if self.given and not self.record:
            raise Refused("verify: --given came without --record; need both")
        check_script(self.script_target, self.force)
        from theorylab.commands.list.catalogue import check_selection, opened

        selection = opened(self.selection)
        check_selection(selection)  # before what takes seconds to import
        with _at_once("reading the statements", self.quiet):
            from theorylab.commands.verify.work import verify

        if self.record and self.changes:
            raise Refused("verify: --record came with an instance; need one of them")
        return verify(self.replaced(selection=selection))
