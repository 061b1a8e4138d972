"""Losses that a search tries, as their own problems say them: by label, as options of a problem."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from theorylab.own import is_own
from theorylab.problems import PROBLEMS


def is_field(options: Any) -> bool:
    """Whether it is a saddle problem, whose field is no gradient: a claim about the one says
    nothing about the other."""
    while isinstance(options, Mapping) and isinstance(options.get("base"), Mapping):
        options = options["base"]
    name = str(options.get("name")) if isinstance(options, Mapping) else ""
    return name in PROBLEMS and PROBLEMS[name].is_field is True  # one with a base asks that


def starts(clients: int, personal: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """What problems begin with, in turns over them: a user's own first, then who has most."""
    found = []
    for name, kind in PROBLEMS.items():
        tries = [
            (f"{name}, {label}", {"name": name, **options})
            for label, options in kind.moves.starts(clients, personal)
        ]
        found.append((is_own(kind), -len(tries), name, iter(tries)))
    turns = [tries for *_, tries in sorted(found, key=lambda each: each[:3])]
    while turns:
        for turn in list(turns):
            if (start := next(turn, None)) is None:
                turns.remove(turn)
            else:
                yield start


def anywhere(field: bool = False) -> list[dict[str, Any]]:
    """The losses that fit any number of clients; of saddle problems alone, or of none of these."""
    each = ((name, PROBLEMS[name].moves.anywhere) for name in PROBLEMS)
    made = [{"name": name, **options} for name, options in each if options is not None]
    return [options for options in made if is_field(options) == field]


def is_anywhere(options: Any) -> bool:
    """Whether it is one of these."""
    name = str(options.get("name"))
    known = PROBLEMS[name].moves.anywhere if name in PROBLEMS else None
    return known is not None and options == {"name": name, **known}
