"""``theorylab new``: the file of a statement, from a theorem in LaTeX."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from theorylab.commands.options import Options
from theorylab.commands.refusal import Refused, check_target, tell, write_target

_MOST = 2**20  # characters: a paper is a tenth of them


class New(Options):
    """Write the skeleton of a statement: letters recognised, terms split, the rest as TODO.

    Of a paper the first theorem is read. What may be two things is asked, assumptions in words
    stand in the file as they are; the list of what is left to do goes to stderr.
    """

    source: Annotated[
        str,
        typer.Option("--from", metavar="FILE.tex|TEXT", help="A paper, a theorem, an inequality."),
    ]
    out: Annotated[str, typer.Option(metavar="FILE.py|-", help="Where it goes; - is stdout.")] = "-"
    name: Annotated[str, typer.Option("--id", help="The statement's id.")] = "paper.thm1"
    force: Annotated[
        bool, typer.Option("--force", help="Let --out replace a file that exists.")
    ] = False

    def work(self) -> int:
        from theorylab.latex import skeleton

        name, out = self.name, self.out
        if not all(part.replace("-", "_").isidentifier() for part in name.split(".")):
            raise Refused(f"new: --id: {name!r} came; need words with dots, as in paper.thm1")
        if out != "-" and Path(out).exists() and not self.force:
            raise Refused(f"new: --out: {out} exists; need another name, or --force")
        check_target("--out", out)
        text, where = _text(self.source)
        try:
            code, left = skeleton(text, name)
        except ValueError as error:
            raise Refused(f"new: {where}: {error}") from None
        write_target("--out", out, code)
        none = "nothing left to do but the lines with TODO"
        tell(f"{len(left)} left to do, and the lines with TODO:" if left else none, file=sys.stderr)
        for line in left:
            tell(f"- {line}", file=sys.stderr)
        return 0


def _text(source: str) -> tuple[str, str]:
    """The LaTeX, and what to call it in a message."""
    path = Path(source)
    try:
        is_file = path.is_file()
    except (OSError, ValueError):  # longer than a name, or with what no name has
        is_file = False
    if not is_file:
        if source.endswith((".tex", ".txt")):
            raise Refused(f"new: there is no file {source}")
        return source, "--from"
    if path.stat().st_size > _MOST:
        raise Refused(f"new: {source} has {path.stat().st_size} bytes; need at most {_MOST}")
    try:
        return path.read_text(encoding="utf-8"), source
    except UnicodeDecodeError as error:
        raise Refused(f"new: {source} is no UTF-8 text ({error.reason} at {error.start})") from None
