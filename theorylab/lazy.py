"""Packages that import a public name, and tables that import a built-in member, when asked for it.

A package writes its public names once, where type checkers read them::

    if TYPE_CHECKING:
        from theorylab.problems.quadratic import Quadratic as Quadratic
    else:
        from theorylab.lazy import attach

        attach(__name__)

Which module registers which name of a kind is read from the class statements of the sources, so
that a table knows all of its names without a member.
"""

from __future__ import annotations

import functools
import importlib
import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

FILE = Path(__file__).with_name("members.json")  # in a wheel alone: setup.py writes it
ROOMS = {  # where the members of a kind are
    "algorithm": "algorithms", "decider": "scripts/exactly.py", "experiment": "experiments",
    "metric": "metrics", "problem": "problems", "surface": "report/notebook.py",
    "topology": "topologies",
}  # fmt: skip
_CLASS = re.compile(r"""^class \w+\([^)]*\bname=["']([^"']+)["']""", re.MULTILINE)
_NAME = re.compile(r"^ +from (theorylab\.[\w.]+) import \(?\s*(\w+) as \2\b", re.MULTILINE)
Members = dict[str, dict[str, str]]  # kind -> name -> module


class _Package(ModuleType):
    """A package with public names in modules that are not imported yet."""

    _homes: dict[str, str]

    def __getattr__(self, name: str) -> Any:
        home = self.__dict__["_homes"].get(name)
        if home is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(home), name)
        self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        # Whoever imports the module a.b.c sets c in a.b, also where c is a public name of a.b.
        if not (isinstance(value, ModuleType) and name in self.__dict__["_homes"]):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*self.__dict__, *self.__dict__["_homes"]})


def attach(package: str) -> None:
    """Let the package import each of its public names on first use; they are its ``__all__``."""
    module = sys.modules[package]
    text = Path(str(module.__file__)).read_text(encoding="utf-8")
    module.__dict__["_homes"] = homes = {name: home for home, name in _NAME.findall(text)}
    module.__dict__["__all__"] = [*homes]
    module.__class__ = _Package


def kept() -> Members:
    """Every kind, with the module of each name that theorylab's own sources register."""
    return {kind: waiting(kind) for kind in ROOMS}


@functools.cache
def waiting(kind: str) -> dict[str, str]:
    """Name -> module of one kind; nothing of a kind that theorylab's own sources lack.

    A wheel has them in a file. In a checkout the sources are read: the class statements that have a
    name, as ``class Ring(Weighted, name="ring")``.
    """
    if FILE.is_file():
        shipped: Members = json.loads(FILE.read_text(encoding="utf-8"))
        return shipped.get(kind, {})
    return written(kind)


def written(kind: str) -> dict[str, str]:
    """``waiting``, from the sources. ValueError where two modules have one name."""
    if kind not in ROOMS:
        return {}
    place = FILE.parent / ROOMS[kind]
    found: dict[str, str] = {}
    for path in [place] if place.suffix else sorted(place.rglob("*.py")):
        parts = path.relative_to(FILE.parent).with_suffix("").parts
        if not all(part.isidentifier() for part in parts):
            continue  # an editor's copy or lock, which may be a link to nothing
        module = ".".join(("theorylab", *parts))
        for name in _CLASS.findall(path.read_text(encoding="utf-8")):
            if name in found:
                raise ValueError(
                    f"the {kind} {name!r} is in {found[name]} and in {module}; need another name"
                )
            found[name] = module
    return {name: found[name] for name in sorted(found)}
