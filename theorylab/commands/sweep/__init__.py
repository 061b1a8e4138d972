"""``theorylab sweep`` and its subcommands: their options; their work is imported when done."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from theorylab.commands.options import Backend, Jobs, Options, Scheduler, command
from theorylab.commands.refusal import Refused

_RUN = "run"  # what ``theorylab sweep FILE`` means


class _WithFile(TyperGroup):
    """A group whose subcommand is ``run`` where none is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args:
            args = ctx.help_option_names[:1]
        elif args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = [_RUN, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_WithFile,
    add_completion=False,
    rich_markup_mode=None,
    help="Run a campaign, theorylab sweep FILE.toml|FILE.py: claims, metrics or runs over a grid, "
    "a list or a sample of instances; read what it kept.",
)

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a campaign.")]
Where = Annotated[
    Sequence[str],
    typer.Option(help="Only rows that fulfil this: 'ratio > 1', 'topology == \"ring\"'."),
]
KEPT = "finished cells are kept, and the same command goes on"


class Run(Options):
    """Compute every cell of a plan that its folder does not have."""

    file: Annotated[
        Path, typer.Argument(metavar="FILE.toml|FILE.py", help="A plan, or a file with PLAN.")
    ]
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keeps every row, is resumed; FILE.campaign if omitted."),
    ] = None
    jobs: Jobs = 1
    backend: Backend = "processes"
    scheduler: Scheduler = None
    limit: Annotated[
        int | None, typer.Option(metavar="N", help="Compute at most N cells, and stop.")
    ] = None
    shard: Annotated[
        str | None, typer.Option(metavar="i/N", help="Only every N-th cell, from the i-th on.")
    ] = None
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show how many cells there are, and the first ones.")
    ] = False

    def work(self) -> int:
        place = _shard(self.shard)
        from theorylab.commands.sweep.campaign import campaign

        return campaign(self, place)


class Status(Options):
    """Show how far a campaign is, also while it runs."""

    folder: Folder

    def work(self) -> int:
        from theorylab.commands.sweep.view import status

        return status(self.folder)


class Show(Options):
    """Show rows as a table, the worst first, each with the command that makes it again."""

    folder: Folder
    where: Where = ()
    sort: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Sort by it; the worst first if omitted.")
    ] = None
    reverse: Annotated[bool, typer.Option("--reverse", help="The largest first.")] = False
    columns: Annotated[
        str | None, typer.Option(metavar="A,B", help="Which columns; 'all' names them.")
    ] = None
    limit: Annotated[int, typer.Option(min=0, help="Rows that are shown.")] = 20
    replays: Annotated[int, typer.Option(min=0, help="Rows whose command is shown.")] = 3

    def work(self) -> int:
        from theorylab.commands.sweep.view import show

        return show(self)


class Export(Options):
    """Write the rows as CSV, Parquet or a page, or draw two axes and a measure."""

    folder: Folder
    csv: Annotated[str | None, typer.Option(metavar="FILE|-", help="All columns as CSV.")] = None
    parquet: Annotated[
        Path | None, typer.Option(metavar="FILE", help="As Parquet (extra frames).")
    ] = None
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE.svg|png", help="Heat map, or curves with --curves.")
    ] = None
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="A page with the worst rows and a picture.")
    ] = None
    x: Annotated[str | None, typer.Option(help="The axis from left to right.")] = None
    y: Annotated[
        str | None, typer.Option(help="The axis from bottom to top, or of the curves.")
    ] = None
    measure: Annotated[
        str | None, typer.Option(help="The column that is drawn; 'ratio' if omitted.")
    ] = None
    by: Annotated[str | None, typer.Option(help="An axis with a panel for each value.")] = None
    curves: Annotated[
        bool, typer.Option("--curves", help="Curves along x, with a band over all other axes.")
    ] = False
    where: Where = ()

    def work(self) -> int:
        from theorylab.commands.sweep.view import export

        return export(self)


class Diff(Options):
    """Show which verdicts and numbers changed between two campaigns; exit code 1 if any did."""

    old: Annotated[Path, typer.Argument(metavar="OLD", help="A campaign's folder.")]
    new: Annotated[Path, typer.Argument(metavar="NEW", help="Another one's.")]
    limit: Annotated[int, typer.Option(min=0, help="Changes that are shown.")] = 40

    def work(self) -> int:
        from theorylab.commands.sweep.view import diff

        return diff(self.old, self.new, self.limit)


class Merge(Options):
    """Join shards: identical rows once; what differs about a cell is an error."""

    folders: Annotated[
        Sequence[Path], typer.Argument(metavar="DIR...", help="Shards of a campaign.")
    ]
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder of all of them.")]

    def work(self) -> int:
        from theorylab.commands.sweep.view import merge

        return merge(self.folders, self.out)


class Replay(Options):
    """Compute a cell again and compare every digit with its row; exit code 1 if it differs."""

    folder: Folder
    key: Annotated[str, typer.Argument(metavar="KEY", help="Of a row, its first 8 digits or more.")]

    def work(self) -> int:
        from theorylab.commands.sweep.view import replay

        return replay(self.folder, self.key)


for _options in (Run, Status, Show, Export, Diff, Merge, Replay):
    app.command(_options.__name__.lower())(command(_options))


def _shard(text: str | None) -> tuple[int, int]:
    if text is None:
        return 1, 1
    first, slash, last = text.partition("/")
    fits = all(word.isascii() and word.isdecimal() and len(word) < 8 for word in (first, last))
    if not slash or not fits:
        raise Refused(f"sweep: --shard is {text!r}; need i/N, as in 2/16")
    return int(first), int(last)
