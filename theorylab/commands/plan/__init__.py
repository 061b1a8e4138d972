"""``theorylab plan``: its options; its work is imported when it is done."""

from pathlib import Path
from typing import Annotated

import typer

from theorylab.commands.completion import ids
from theorylab.commands.options import Csv, Json
from theorylab.commands.verify import OnInstance


class Plan(OnInstance):
    """Show which steps and rounds a theorem promises a target for, and what a run needs.

    Over the step sizes and the local steps of its method, on the instance of a check or on yours,
    the least number of rounds at which the bound is at most --target and every assumption holds,
    term by term; beside it the rounds that runs with these steps need. Exit code 0: it is reached;
    1: the bound never reaches it, and the floor is told.
    """

    name: Annotated[
        str,
        typer.Argument(
            metavar="ID|FILE.py",
            help="One statement, or a file of your own.",
            autocompletion=ids,
        ),
    ]
    target: Annotated[
        float, typer.Option(metavar="EPS", help="What the left side has to be at most.")
    ]
    version: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Which reading; if omitted the first of which no fault is known.",
            show_default=False,
        ),
    ] = None
    check: Annotated[
        str | None, typer.Option(metavar="NAME", help="The check whose instance it starts from.")
    ] = None
    local_steps: Annotated[
        str, typer.Option(metavar="K,K,...", help="Numbers of local steps that are tried.")
    ] = "1,2,4,8,16,32"
    seeds: Annotated[int, typer.Option(help="Runs that are measured.")] = 16
    budget: Annotated[float, typer.Option(help="Gradients that these runs may compute.")] = 1e6
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Promise and need at eight targets: plan.json, plan.csv, plan.svg."
        ),
    ] = None
    json_target: Json = None
    csv_target: Csv = None

    def work(self) -> int:
        from theorylab.commands.plan.work import plan

        return plan(self)
