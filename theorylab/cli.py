"""The command line. Every error is one line on stderr; see ``EXIT`` for the exit codes.

Nothing heavy is imported here: a command imports what it needs when it is called.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import theorylab
from theorylab.commands import sweep
from theorylab.commands.bench import Bench
from theorylab.commands.check import Check
from theorylab.commands.compare import Compare
from theorylab.commands.constants import Constants
from theorylab.commands.doctor import Doctor
from theorylab.commands.ending import EXIT, ended
from theorylab.commands.explain import Explain
from theorylab.commands.falsify import Falsify, Replay
from theorylab.commands.hypergradient import Hypergradient
from theorylab.commands.importing import Imports
from theorylab.commands.list import List
from theorylab.commands.new import New
from theorylab.commands.options import Options, command
from theorylab.commands.plan import Plan
from theorylab.commands.refusal import tell
from theorylab.commands.report import Report
from theorylab.commands.run import Run
from theorylab.commands.speedup import Speedup
from theorylab.commands.verify import Verify
from theorylab.commands.worst import Worst

COMMANDS: dict[str, type[Options]] = {
    "list": List,
    "new": New,
    "verify": Verify,
    "explain": Explain,
    "check": Check,
    "falsify": Falsify,
    "replay": Replay,
    "speedup": Speedup,
    "run": Run,
    "compare": Compare,
    "constants": Constants,
    "plan": Plan,
    "worst": Worst,
    "hypergradient": Hypergradient,
    "bench": Bench,
    "report": Report,
    "doctor": Doctor,
}
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


for _name, _options in COMMANDS.items():
    app.command(_name)(command(_options))
app.add_typer(sweep.app, name="sweep")
KEPT = {name: options.kept for name, options in COMMANDS.items()} | {"sweep": sweep.KEPT}


def run(arguments: list[str] | None = None) -> int:
    """Run one command line (without the program's name) and return its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    return ended(
        lambda: app(given or ["--help"], prog_name="theorylab", standalone_mode=False), given, KEPT
    )


def main() -> None:
    """Entry point of the ``theorylab`` program."""
    sys.exit(run())


if __name__ == "__main__":
    main()
