"""Losses that a search tries, as their own problems say them: by label, as options of a problem."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from theorylab.own import is_own
from theorylab.problems import PROBLEMS


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


def anywhere() -> list[dict[str, Any]]:
    """The losses that fit any number of clients."""
    each = ((name, PROBLEMS[name].moves.anywhere) for name in PROBLEMS)
    return [{"name": name, **options} for name, options in each if options is not None]


def is_anywhere(options: Any) -> bool:
    """Whether it is one of these."""
    name = str(options.get("name"))
    known = PROBLEMS[name].moves.anywhere if name in PROBLEMS else None
    return known is not None and options == {"name": name, **known}
