"""Packages that import a public name, and tables that import a built-in member, when asked for it.

A package writes its public names once, where type checkers read them::

    if TYPE_CHECKING:
        from theorylab.problems.quadratic import Quadratic as Quadratic
    else:
        from theorylab.lazy import attach

        attach(__name__)

Which module registers which name of a kind stands in a file, so that a table knows all of its
names without a member. ``python verify/counts.py`` writes that file anew.
"""

from __future__ import annotations

import functools
import importlib
import json
import pkgutil
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

FILE = Path(__file__).with_name("members.json")
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
    """Let the package import each of its public names on first use."""
    module = sys.modules[package]
    text = Path(str(module.__file__)).read_text(encoding="utf-8")
    module.__dict__["_homes"] = {name: home for home, name in _NAME.findall(text)}
    module.__class__ = _Package


@functools.cache
def kept() -> Members:
    """What the file holds."""
    members: Members = json.loads(FILE.read_text(encoding="utf-8"))
    return members


def members() -> Members:
    """What the file has to hold: everything that theorylab's own modules register."""
    import theorylab
    from theorylab import registry

    for found in pkgutil.iter_modules(theorylab.__path__):
        importlib.import_module(f"theorylab.{found.name}")
        homes = vars(sys.modules[f"theorylab.{found.name}"]).get("_homes", {})
        for home in homes.values():
            importlib.import_module(home)
    return registry.built_in()
