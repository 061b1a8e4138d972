"""A command's options are the fields of one dataclass; ``command`` makes typer's function of it.

A field is an option, the docstring is the command's help, and ``work`` has the filled dataclass, so
that an option is named once. ``theorylab --help`` imports this module and every module that holds
options, so they import nothing that takes time: what a command needs is imported by ``work``.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import GenericAlias
from typing import Annotated, Any, ClassVar, get_args, get_origin, get_type_hints

import typer

from theorylab.commands.completion import members
from theorylab.commands.importing import Imports, brought_in
from theorylab.commands.refusal import Refused


@dataclass(frozen=True)
class Least:
    """The least number that an option takes: it stands beside the option's help."""

    number: int


@dataclass(frozen=True)
class Place:
    """Where the value of an option stands in the configuration of a run: ``algorithm.eta``."""

    path: str


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Options:
    """What came on the command line of one command.

    Attributes:
        kept: what an interrupt says of the work that was done.
    """

    kept: ClassVar[str] = "finished checks are kept where --out was given"

    def work(self) -> int:
        """Do what the command is for; the exit code. Raises Refused."""
        raise NotImplementedError

    def marked(self, kind: type[Any]) -> Iterator[tuple[str, Any, Any]]:
        """(name, mark, value) of each option that has a ``Least``, or a ``Place``, and came."""
        for name, hint in get_type_hints(type(self), include_extras=True).items():
            for mark in get_args(hint)[1:] if get_origin(hint) is Annotated else ():
                if isinstance(mark, kind) and getattr(self, name) is not None:
                    yield name, mark, getattr(self, name)


def command(options: type[Options], *, imports: bool = True) -> Callable[..., None]:
    """The function of the command that fills ``options`` and does their work.

    imports: the command takes ``--import``, which may stand before its name, too.
    """

    def called(context: typer.Context, imports: Imports = None, **given: Any) -> None:
        asked = options(**{name: value for name, value in given.items() if value is not None})
        for name, least, value in asked.marked(Least):
            if value < least.number:  # typer's own message does not say what came
                flag = f"{context.info_name}: --{name.replace('_', '-')}"
                raise Refused(f"{flag} is {value}; need at least {least.number}")
        files = [*(imports or [])]
        above = context.parent
        while above is not None:
            files = [*(above.params.get("imports") or []), *files]
            above = above.parent
        with brought_in(files):
            code = asked.work()
        raise typer.Exit(code)

    kind = inspect.Parameter.KEYWORD_ONLY
    hints = get_type_hints(options, include_extras=True)
    parameters = [
        inspect.Parameter("context", kind, annotation=typer.Context),
        *(_parameter(field, hints[field.name]) for field in dataclasses.fields(options)),
    ]
    if imports:
        parameters.append(inspect.Parameter("imports", kind, annotation=Imports, default=None))
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {each.name: each.annotation for each in parameters}
    called.__doc__ = options.__doc__
    return called


def _parameter(field: dataclasses.Field[Any], hint: Any) -> inspect.Parameter:
    """typer knows lists, which no frozen dataclass should hold: a sequence is one, or None."""
    default = inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default
    kind, *marks = get_args(hint)
    if get_origin(kind) is Sequence:
        several: Any = GenericAlias(list, get_args(kind))
        hint = Annotated[several if default is inspect.Parameter.empty else several | None, *marks]
        default = None if default == () else default
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, annotation=hint, default=default
    )


def named(flag: str, text: str, hidden: bool = False) -> Any:
    """An option that is NAME=VALUE."""
    return typer.Option(flag, metavar="NAME=VALUE", help=text, hidden=hidden)


Problem = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="The losses of the clients.", autocompletion=members("problem")
    ),
]
ProblemOptions = Annotated[
    Sequence[str], named("--problem-option", "The same as --set problem.NAME=VALUE.", True)
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
    Sequence[str], named("--topology-option", "The same as --set topology.NAME=VALUE.", True)
]
Clients = Annotated[int | None, typer.Option(help="How many; an edge list says it itself.")]
Out = Annotated[Path | None, typer.Option(metavar="DIR", help="Keep everything in this folder.")]
Csv = Annotated[
    str | None,
    typer.Option("--csv", metavar="FILE|-", help="Also write CSV; - puts only CSV on stdout."),
]
Json = Annotated[
    str | None,
    typer.Option("--json", metavar="FILE|-", help="Also write JSON; - puts only JSON on stdout."),
]
Script = Annotated[
    str | None,
    typer.Option(
        "--script", metavar="FILE|-", help="Write both sides as a script that needs NumPy alone."
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Let --script replace a file that exists.")]
