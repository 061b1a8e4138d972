"""What a search may import is imported before its seconds begin, and before an alarm is set.

Modules that come late, so that a command starts quickly, would else be met in the middle of a
search, and take the time of the instance that needs them.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import pkgutil

from theorylab.algorithms import ALGORITHMS
from theorylab.experiments import EXPERIMENTS
from theorylab.metrics import METRICS
from theorylab.problems import PROBLEMS
from theorylab.topologies import TOPOLOGIES

# Of these the functions that a search calls import more; networkx is no part of a base install.
_OTHERS = (
    *("networkx", "scipy.linalg", "scipy.optimize", "scipy.special", "scipy.sparse.csgraph"),
    "sympy.codegen.ast",
)
_ROOMS = ("topologies", "runs", "metrics", "constants", "verdicts", "falsify")


@functools.cache
def preload() -> None:
    """Import every member of every kind, the rooms that judge, and what they import late."""
    for name in _OTHERS:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for room in _ROOMS:
        package = importlib.import_module(f"theorylab.{room}")
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    for members in (ALGORITHMS, EXPERIMENTS, METRICS, PROBLEMS, TOPOLOGIES):
        for name in members:
            members[name]
