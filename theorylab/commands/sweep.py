"""The flags of ``theorylab sweep`` and of its subcommands; their work is imported when called.

``theorylab --help`` imports this module, so it imports nothing that takes time.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from theorylab.commands.importing import importing
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
    list[str] | None,
    typer.Option(help="Only rows that fulfil this: 'ratio > 1', 'topology == \"ring\"'."),
]


@app.command(_RUN)
@importing
def run(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.toml|FILE.py", help="A plan, or a file with PLAN.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keeps every row, is resumed; FILE.campaign if omitted."),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Processes, with one thread each.")] = 1,
    backend: Annotated[str, typer.Option(help="processes, or dask.")] = "processes",
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Of --backend dask: tcp://HOST:PORT.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(metavar="N", help="Compute at most N cells, and stop.")
    ] = None,
    shard: Annotated[
        str | None, typer.Option(metavar="i/N", help="Only every N-th cell, from the i-th on.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show how many cells there are, and the first ones.")
    ] = False,
) -> None:
    """Compute every cell of a plan that its folder does not have."""
    from theorylab.commands.campaign import campaign

    raise typer.Exit(
        campaign(
            file,
            out,
            jobs=jobs,
            backend=backend,
            scheduler=scheduler,
            limit=limit,
            shard=_shard(shard),
            dry_run=dry_run,
        )
    )


@app.command()
def status(folder: Folder) -> None:
    """Show how far a campaign is, also while it runs."""
    from theorylab.commands.campaign_view import status as show

    raise typer.Exit(show(folder))


@app.command()
def show(
    folder: Folder,
    where: Where = None,
    sort: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Sort by it; the worst first if omitted.")
    ] = None,
    reverse: Annotated[bool, typer.Option("--reverse", help="The largest first.")] = False,
    columns: Annotated[
        str | None, typer.Option(metavar="A,B", help="Which columns; 'all' names them.")
    ] = None,
    limit: Annotated[int, typer.Option(min=0, help="Rows that are shown.")] = 20,
    replays: Annotated[int, typer.Option(min=0, help="Rows whose command is shown.")] = 3,
) -> None:
    """Show rows as a table, the worst first, each with the command that makes it again."""
    from theorylab.commands.campaign_view import show as show_rows

    raise typer.Exit(show_rows(folder, where or [], sort, reverse, columns, limit, replays))


@app.command()
def export(
    folder: Folder,
    csv: Annotated[str | None, typer.Option(metavar="FILE|-", help="All columns as CSV.")] = None,
    parquet: Annotated[
        Path | None, typer.Option(metavar="FILE", help="As Parquet (extra frames).")
    ] = None,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE.svg|png", help="Heat map, or curves with --curves.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="A page with the worst rows and a picture.")
    ] = None,
    x: Annotated[str | None, typer.Option(help="The axis from left to right.")] = None,
    y: Annotated[
        str | None, typer.Option(help="The axis from bottom to top, or of the curves.")
    ] = None,
    measure: Annotated[
        str | None, typer.Option(help="The column that is drawn; 'ratio' if omitted.")
    ] = None,
    by: Annotated[str | None, typer.Option(help="An axis with a panel for each value.")] = None,
    curves: Annotated[
        bool, typer.Option("--curves", help="Curves along x, with a band over all other axes.")
    ] = False,
    where: Where = None,
) -> None:
    """Write the rows as CSV, Parquet or a page, or draw two axes and a measure."""
    from theorylab.commands.campaign_view import export as write

    drawn = {"x": x, "y": y, "measure": measure, "by": by, "curves": curves}
    raise typer.Exit(write(folder, csv, parquet, figure, out, drawn, where or []))


@app.command()
def diff(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="A campaign's folder.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="Another one's.")],
    limit: Annotated[int, typer.Option(min=0, help="Changes that are shown.")] = 40,
) -> None:
    """Show which verdicts and numbers changed between two campaigns; exit code 1 if any did."""
    from theorylab.commands.campaign_view import diff as compare

    raise typer.Exit(compare(old, new, limit))


@app.command()
def merge(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Shards of a campaign.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder of all of them.")],
) -> None:
    """Join shards: identical rows once; what differs about a cell is an error."""
    from theorylab.commands.campaign_view import merge as join

    raise typer.Exit(join(folders, out))


@app.command()
@importing
def replay(
    folder: Folder,
    key: Annotated[
        str, typer.Argument(metavar="KEY", help="Of a row, its first 8 digits or more.")
    ],
) -> None:
    """Compute a cell again and compare every digit with its row; exit code 1 if it differs."""
    from theorylab.commands.campaign_view import replay as again

    raise typer.Exit(again(folder, key))


def _shard(text: str | None) -> tuple[int, int]:
    if text is None:
        return 1, 1
    first, slash, last = text.partition("/")
    fits = all(word.isascii() and word.isdecimal() and len(word) < 8 for word in (first, last))
    if not slash or not fits:
        raise Refused(f"sweep: --shard is {text!r}; need i/N, as in 2/16")
    return int(first), int(last)
