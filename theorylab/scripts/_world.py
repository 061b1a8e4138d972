"""What a step may read besides its instance, and what not: the clock, files, global generators."""

from __future__ import annotations

import builtins
import random
import types
from typing import Any

import numpy as np

PURE = frozenset(
    {
        *("numpy", "math", "cmath", "itertools", "functools", "operator", "fractions", "decimal"),
        *("dataclasses", "typing", "abc", "enum", "collections", "numbers", "statistics", "copy"),
        *("string", "bisect", "heapq", "types", "__future__"),
    }
)
_SEEDED = frozenset(  # of numpy.random: what draws from its own seed alone
    {
        *("default_rng", "Generator", "RandomState", "SeedSequence", "BitGenerator"),
        *("Philox", "PCG64", "PCG64DXSM", "SFC64", "MT19937"),
    }
)
_FILES = frozenset(
    {
        *("load", "loadtxt", "genfromtxt", "fromfile", "memmap", "save", "savez", "savetxt"),
        *("DataSource", "savez_compressed"),
    }
)
_BUILTINS = frozenset(
    {
        *("open", "input", "exec", "eval", "compile", "__import__", "breakpoint", "globals"),
        *("id", "hash"),
    }
)
_MODULES = frozenset(
    {
        *("os", "sys", "time", "datetime", "random", "secrets", "uuid", "socket", "subprocess"),
        *("pathlib", "shutil", "io", "urllib", "http", "tempfile", "glob", "platform", "gc"),
        *("threading", "multiprocessing", "posix", "nt", "importlib", "zoneinfo", "getpass"),
    }
)


def outside(value: Any, dotted: str = "") -> str:
    """The name of what lies outside of an instance, as in "time.time"; "" of what does not.

    >>> outside(np.random.rand)
    'numpy.random.rand'
    >>> outside(np.exp)
    ''
    """
    if isinstance(value, types.ModuleType):
        name = value.__name__
        return name if name.partition(".")[0] in _MODULES else ""
    owner = getattr(value, "__self__", None)
    name = getattr(value, "__name__", "")
    if isinstance(owner, np.random.RandomState):
        return f"numpy.random.{name}"
    if isinstance(owner, random.Random):
        return f"random.{name}"
    if name in _BUILTINS and getattr(builtins, name, None) is value:
        return str(name)
    root, _, rest = dotted.partition(".")
    if root in _MODULES:
        return dotted
    if root == "numpy" and (rest in _FILES or _global_draws(rest)):
        return dotted
    module = getattr(value, "__module__", None)
    if isinstance(module, str) and callable(value):
        first = module.partition(".")[0]
        if first in _MODULES and first != "io":
            return f"{module}.{name}"
        if first == "numpy" and name in _FILES and getattr(np, name, None) is value:
            return f"numpy.{name}"
    return ""


def _global_draws(rest: str) -> bool:
    package, _, name = rest.partition(".")
    return package == "random" and bool(name) and name.partition(".")[0] not in _SEEDED
