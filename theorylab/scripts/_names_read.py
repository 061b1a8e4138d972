"""Which names a piece of Python text reads, what each means, and which lie outside the instance.

What a step may not read are the clock, files, and generators that others draw from, too.
"""

from __future__ import annotations

import ast
import builtins
import random
import types
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
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
_REACHING = frozenset(
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


def attributes(node: ast.AST) -> set[str]:
    """The attributes that the text reads or writes, as ``mix`` of ``net.mix``."""
    return {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}


def loads(node: ast.AST) -> dict[str, None]:
    """The names that the text reads and does not define itself, in order; annotations of
    arguments are not read."""
    found: dict[str, None] = {}
    _visit(node, frozenset(), found)
    return found


def _visit(node: ast.AST, local: frozenset[str], found: dict[str, None]) -> None:
    if isinstance(node, ast.Name):
        if node.id not in local and isinstance(node.ctx, ast.Load):
            found[node.id] = None
        return
    if isinstance(node, _Function):
        outer: list[ast.AST] = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
        outer += getattr(node, "decorator_list", ())
        for each in outer:
            _visit(each, local, found)
        inner = local | _bound(node)
        for each in _body(node):
            _visit(each, inner, found)
        return
    if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
        local = local | _stored(node)
    for child in ast.iter_child_nodes(node):
        _visit(child, local, found)


def _body(node: _Function) -> Sequence[ast.AST]:
    return [node.body] if isinstance(node, ast.Lambda) else node.body


def _bound(node: _Function) -> frozenset[str]:
    """The parameters of a function, and what it assigns."""
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    names = {each.arg for each in (*every, arguments.vararg, arguments.kwarg) if each is not None}
    for part in _body(node):
        names |= _stored(part)
    return frozenset(names)


def _stored(node: ast.AST) -> frozenset[str]:
    names: set[str] = set()
    left: list[ast.AST] = [node]
    while left:
        each = left.pop()
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load):
            names.add(each.id)
        if isinstance(each, ast.FunctionDef | ast.ClassDef):
            names.add(each.name)
            continue  # what it assigns is its own
        if isinstance(each, ast.ExceptHandler) and each.name:
            names.add(each.name)
        if isinstance(each, ast.Lambda):
            continue
        if isinstance(each, ast.Import | ast.ImportFrom):
            names |= {a.asname or a.name.partition(".")[0] for a in each.names}
        left += ast.iter_child_nodes(each)
    return frozenset(names)


def resolved(node: ast.AST, scope: Mapping[str, Any], free: Mapping[str, None]) -> tuple[str, Any]:
    """("numpy.random.rand", that function) of a dotted name that starts at a module or a builtin;
    ("", None) of any other. free: the names that are not the text's own."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in free:
        return "", None
    if node.id not in scope:
        known = not parts and hasattr(builtins, node.id)
        return (node.id, getattr(builtins, node.id)) if known else ("", None)
    value = scope[node.id]
    if not isinstance(value, types.ModuleType):
        return ("" if parts else node.id), (None if parts else value)
    dotted = value.__name__
    for part in reversed(parts):
        dotted = f"{dotted}.{part}"
        value = getattr(value, part, None)
    return dotted, value


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
    if name in _REACHING and getattr(builtins, name, None) is value:
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
