"""``--import FILE.py`` of every command; what it imports is known to that command.

``theorylab --help`` imports this module, so it imports nothing that takes time.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from theorylab.commands.refusal import Refused, one_line, refusing, tell

Imports = Annotated[
    list[str] | None,
    typer.Option(
        "--import",
        metavar="FILE.py",
        help="Run this file first; what it registers and states is known. May come again.",
        show_default=False,
    ),
]


@contextmanager
def brought_in(files: Sequence[str]) -> Iterator[None]:
    """Import what installed packages, the project and the command line name, for what is inside.

    What their code raises there is their fault, on their line. Raises Refused.
    """
    if not files and not _named():
        yield  # the modules below take longer to import than a short command takes
        return
    from theorylab import imports
    from theorylab.user_file import guarded

    for line in imports.import_installed():
        tell(f"theorylab: {one_line(line)}", file=sys.stderr)
    with imports.scope():
        with refusing():
            imports.import_project(Path())
            for file in files:
                imports.import_file(file)
        if not imports.imported():
            yield
            return
        with refusing_faults(), guarded():
            yield


def only_of(where: str, known: Any, file: str) -> str:
    """The name of the one thing of a table that a file registers. Raises Refused."""
    path = str(Path(file).resolve())
    own = [str(name) for name in known if known.entry(name).file == path]
    if len(own) != 1:
        raise Refused(
            f"{where}: {file} registers {', '.join(own) or f'no {known.kind}'}; need one, or its "
            f"name with --import {file}"
        )
    return own[0]


def _named() -> bool:
    """Whether an installed package or the current folder's project may name something."""
    from importlib.metadata import entry_points

    try:
        return b"tool.theorylab" in Path("pyproject.toml").read_bytes() or bool(
            entry_points(group="theorylab")
        )
    except OSError:
        return bool(entry_points(group="theorylab"))


@contextmanager
def refusing_faults() -> Iterator[None]:
    """Turn the fault of a user's file into a ``Refused``; all else passes."""
    from theorylab.user_file import UserFaultError

    try:
        yield
    except UserFaultError as error:
        with refusing():
            raise error
