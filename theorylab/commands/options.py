"""A command's options are the names of one class; ``command`` makes typer's function of it.

A name is an option, the docstring is the command's help, and ``work`` has what came, so that an
option is named once. ``theorylab --help`` imports this module and every module that holds options,
so they import nothing that takes time: what a command needs is imported by ``work``.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import GenericAlias
from typing import (
    Annotated,
    Any,
    ClassVar,
    Self,
    dataclass_transform,
    get_args,
    get_origin,
)

import typer

from theorylab.commands.completion import members
from theorylab.commands.importing import Imports, brought_in
from theorylab.commands.refusal import Refused, check_target, write_target


@dataclass(frozen=True)
class Least:
    """The least number that an option takes: it stands beside the option's help."""

    number: int


@dataclass(frozen=True)
class Place:
    """Where the value of an option stands in the configuration of a run: ``algorithm.eta``."""

    path: str


_TARGETS = {"json_target": "--json", "csv_target": "--csv", "script_target": "--script"}


def json_text(content: Any) -> str:
    """Plain data as the file that ``--json`` writes."""
    return json.dumps(content, indent=1, allow_nan=False) + "\n"


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Options:
    """What came on the command line of one command: a name that is ``Annotated`` is an option.

    It is filled by keywords, and does not change. ``dataclasses`` would write code for each class,
    which takes as long as all else that ``theorylab --help`` imports of theorylab.

    Attributes:
        kept: what an interrupt says of the work that was done.
    """

    kept: ClassVar[str] = "finished checks are kept where --out was given"

    def __init__(self, **given: Any) -> None:
        for name in self.hints():
            if name not in given and not hasattr(type(self), name):
                raise TypeError(f"{type(self).__name__}: {name} is missing")
        for name in given:
            if name not in self.hints():
                raise TypeError(f"{type(self).__name__}: no option {name!r}")
        self.__dict__.update(given)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} does not change; need replaced()")

    @classmethod
    @functools.cache
    def hints(cls) -> dict[str, Any]:
        """The options by name, in the order of their declaration, bases first.

        Annotations are objects, not texts: no module of options defers them, which costs time.
        """
        found: dict[str, Any] = {}
        for base in reversed(cls.__mro__):
            found |= inspect.get_annotations(base)
        return {name: hint for name, hint in found.items() if get_origin(hint) is Annotated}

    def replaced(self, **given: Any) -> Self:
        """The same with some options replaced."""
        return type(self)(**{**self.__dict__, **given})

    def work(self) -> int:
        """Do what the command is for; the exit code. Raises Refused."""
        raise NotImplementedError

    @property
    def speaks(self) -> bool:
        """Whether stdout is for people: no ``FILE|-`` is ``-``."""
        return "-" not in (getattr(self, name, None) for name in _TARGETS)

    def check_targets(self) -> None:
        """Refuse what could not be written, and two things on stdout or in one file, before any
        work is done."""
        given = {flag: getattr(self, name, None) for name, flag in _TARGETS.items()}
        piped = [flag for flag, target in given.items() if target == "-"]
        if len(piped) > 1:
            raise Refused(f"{piped[1]}: - came with {piped[0]} -; need a file for one of them")
        taken: dict[Path, str] = {}
        for flag, target in given.items():
            check_target(flag, target)
            path = Path(target or "-")
            if str(path) == "-" or (path.exists() and not path.is_file()):  # a device takes both
                continue
            if (other := taken.setdefault(path.resolve(), flag)) != flag:
                raise Refused(f"{flag} {target}: {other} writes there, too; need another file")

    def write_json(self, content: Any) -> None:
        """To ``--json``, if it came: a text as it is, or plain data."""
        target = getattr(self, "json_target", None)
        if target is not None:
            made = content if isinstance(content, str) else json_text(content)
            write_target("--json", target, made)

    def write_csv(self, rows: Any) -> None:
        """To ``--csv``, if it came."""
        target = getattr(self, "csv_target", None)
        if target is not None:
            from theorylab.tables import csv_text

            write_target("--csv", target, csv_text(rows))

    def marked(self, kind: type[Any]) -> Iterator[tuple[str, Any, Any]]:
        """(name, mark, value) of each option that has a ``Least``, or a ``Place``, and came."""
        for name, hint in self.hints().items():
            for mark in get_args(hint)[1:]:
                if isinstance(mark, kind) and getattr(self, name) is not None:
                    yield name, mark, getattr(self, name)


def command(options: type[Options]) -> Callable[..., None]:
    """The function of the command that fills ``options`` and does their work.

    Every command takes ``--import``, which may stand before its name, too.
    """

    def called(context: typer.Context, imports: Imports = None, **given: Any) -> None:
        asked = options(**{name: value for name, value in given.items() if value is not None})
        for name, least, value in asked.marked(Least):
            if value < least.number:  # typer's own message does not say what came
                flag = f"{context.info_name}: --{name.replace('_', '-')}"
                raise Refused(f"{flag} is {value}; need at least {least.number}")
        asked.check_targets()
        files = [*(imports or [])]
        above = context.parent
        while above is not None:
            files = [*(above.params.get("imports") or []), *files]
            above = above.parent
        with brought_in(files):
            code = asked.work()
        raise typer.Exit(code)

    kind = inspect.Parameter.KEYWORD_ONLY
    missing = inspect.Parameter.empty
    parameters = [
        inspect.Parameter("context", kind, annotation=typer.Context),
        *(
            _parameter(name, hint, getattr(options, name, missing))
            for name, hint in options.hints().items()
        ),
    ]
    parameters.append(inspect.Parameter("imports", kind, annotation=Imports, default=None))
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {each.name: each.annotation for each in parameters}
    called.__doc__ = options.__doc__
    return called


def _parameter(name: str, hint: Any, default: Any) -> inspect.Parameter:
    """typer knows lists, which options that do not change have not: a sequence is one, or None."""
    kind, *marks = get_args(hint)
    if get_origin(kind) is Sequence:
        several: Any = GenericAlias(list, get_args(kind))
        hint = Annotated[several if default is inspect.Parameter.empty else several | None, *marks]
        default = None if default == () else default
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=hint, default=default)


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
Jobs = Annotated[int, typer.Option(help="Processes, with one thread each.")]
Backend = Annotated[str, typer.Option(help="processes, or dask.")]
Scheduler = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Of --backend dask: tcp://HOST:PORT.")
]
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
