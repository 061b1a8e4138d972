"""Names of files and anchors, made from text that may hold anything."""

from __future__ import annotations

import hashlib
import re
import sys
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from theorylab.verdicts.result import Result

_UNSAFE = re.compile(r"[^A-Za-z0-9._+-]+")
_LONGEST = 180  # bytes of a file name, below the 255 of every common file system


def safe_names(parts: Sequence[Sequence[str]], reserved: Sequence[str] = ()) -> list[str]:
    """``a--b--c`` of every sequence of parts, as file names without an ending.

    What a file name cannot hold becomes ``-``; a name that is cut, reserved, or would come twice
    gets a few digits of its own hash. Some file systems fold the case, so names differ without it.
    """
    plain = ["--".join(_UNSAFE.sub("-", part).strip("-.") or "x" for part in own) for own in parts]
    seen = Counter([*(name.lower() for name in plain), *reserved])
    names: list[str] = []
    taken: set[str] = set()
    for own, name in zip(parts, plain, strict=True):
        if seen[name.lower()] > 1 or name.lower() in reserved or len(name) > _LONGEST:
            text = "\0".join(own).encode("utf-8", "surrogatepass")
            name = f"{name[:_LONGEST]}-{hashlib.sha256(text).hexdigest()[:8]}"
        again = 2
        while (free := name if again == 2 else f"{name}-{again - 1}").lower() in taken:
            again += 1
        taken.add(free.lower())
        names.append(free)
    return names


def check_names(results: Sequence[Result]) -> list[str]:
    """``<id>--<version>--<check>`` of every result, see ``safe_names``."""
    return safe_names([(result.id, result.version, result.check) for result in results])


def paper_of(statement: str) -> str:
    """The part of a statement's id that names its paper."""
    return statement.partition(".")[0]


@cache
def paper_name(paper: str) -> str:
    """``DFedAlt``: a built-in paper as people write it; any other as its ids have it."""
    from theorylab.statements import NOT_RUN

    if paper not in NOT_RUN:
        return paper
    package = f"theorylab.statements.{paper}"
    import_module(package)
    return (sys.modules[package].__doc__ or paper).partition(",")[0]


class Link(NamedTuple):
    """A page as others link to it. called: the paper as people write it."""

    name: str
    called: str
    file: str


def links(ids: Sequence[str]) -> tuple[Link, ...]:
    """One a paper of these statements, in their order."""
    return tuple(Link(name, paper_name(name), file) for name, file in page_files(ids).items())


def page_files(ids: Sequence[str]) -> dict[str, str]:
    """Paper -> file of its page, for the ids of statements, in their order."""
    papers = list(dict.fromkeys(map(paper_of, ids)))
    named = safe_names([(paper,) for paper in papers], reserved=("index",))
    return {paper: f"{name}.html" for paper, name in zip(papers, named, strict=True)}
