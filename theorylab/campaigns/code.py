"""Which sources a cell reaches: an edit elsewhere, or of a comment, makes no cell new.

A module reaches what its text imports. A name that a package hands on leads to the module that
defines it, so that of the members of a package those count that a cell names. What is counted is
the text of csrc and, of each module, its syntax tree without docstrings; no bytes of a library.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import pathlib
from collections.abc import Iterable, Iterator

import theorylab
from theorylab.algorithms import ALGORITHMS
from theorylab.experiments import EXPERIMENTS
from theorylab.imports import codes
from theorylab.metrics import METRICS
from theorylab.problems import PROBLEMS
from theorylab.topologies import TOPOLOGIES

_ROOT = pathlib.Path(theorylab.__file__).resolve().parent
_LEAVES = {"theorylab.statements._catalogue"}  # it lists every statement; a cell names its own
_ALWAYS = ("theorylab.campaigns.play",)  # what judges, measures and runs a cell
_TABLES = (ALGORITHMS, EXPERIMENTS, METRICS, PROBLEMS, TOPOLOGIES)
_SOURCES = ("*.cuh", "*.hpp", "*.cpp", "*.cu")


def code_hash(modules: Iterable[str] = (), names: Iterable[str] = ()) -> str:
    """SHA-256 of all that a cell reaches.

    Args:
        modules: beside those that every cell reaches, such as that of a statement.
        names: words of its instance; those that are registered lead to their modules.
    """
    found = {entry for table in _TABLES for name in names if (entry := _module(table, name))}
    more = "\0".join(code.model_dump_json() for code in codes())
    reached_hash = _reached_hash(frozenset(modules) | found)
    return hashlib.sha256(f"{reached_hash}\0{more}".encode()).hexdigest()


def _module(table: object, name: str) -> str:
    try:
        return str(table.entry(name).module)  # type: ignore[attr-defined]
    except KeyError:
        return ""


@functools.cache
def _reached_hash(roots: frozenset[str]) -> str:
    digest = hashlib.sha256(csrc_hash().encode())
    for name in reached(roots):
        digest.update(f"{name}\0{tree_hash(name)}\0".encode())
    return digest.hexdigest()


@functools.cache
def csrc_hash() -> str:
    """SHA-256 of the text of csrc."""
    beside = _ROOT.parent / "csrc"  # a tree's own, wherever an editable install leads
    places = [beside] if (beside / "kernels").is_dir() else []
    spec = None if places else importlib.util.find_spec("theorylab._csrc")
    if spec is not None:
        places = [pathlib.Path(place) for place in spec.submodule_search_locations or ()]
    digest = hashlib.sha256()
    for root in places:
        for path in sorted(path for pattern in _SOURCES for path in root.rglob(pattern)):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def reached(roots: Iterable[str]) -> list[str]:
    """The modules of theorylab that the roots reach, themselves included, sorted."""
    found = {name for name in (*_ALWAYS, *roots) if _path(name) is not None}
    left = list(found)
    while left:
        for name in _imports(left.pop()):
            if name not in found:
                found.add(name)
                left.append(name)
    return sorted(found)


@functools.cache
def tree_hash(module: str) -> str:
    """SHA-256 of a module's syntax tree: comments, docstrings and the layout do not count."""
    path = _path(module)
    assert path is not None, module
    digest = hashlib.sha256()
    for word in _words(_tree(path)):
        digest.update(word.encode() + b"\0")
    return digest.hexdigest()


def _words(node: object) -> Iterator[str]:
    """The tree as words; an empty field says nothing, since a newer Python may have more."""
    if isinstance(node, ast.AST):
        yield type(node).__name__
        for name, value in ast.iter_fields(node):
            if value is None or value == [] or isinstance(value, ast.expr_context):
                continue
            if name == "body" and isinstance(node, _WITH_DOCSTRING) and _is_text(value[0]):
                value = value[1:]
            yield name
            yield from _words(value)
        yield ")"
    elif isinstance(node, list):
        yield "["
        for each in node:
            yield from _words(each)
        yield "]"
    else:
        yield f"{type(node).__name__} {node!r}"


_WITH_DOCSTRING = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def _is_text(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


@functools.cache
def _tree(path: pathlib.Path) -> ast.Module:
    return ast.parse(path.read_bytes())


@functools.cache
def _path(module: str) -> pathlib.Path | None:
    """The file of a module of theorylab; None of anything else."""
    first, *rest = module.split(".")
    if first != "theorylab":
        return None
    base = _ROOT.joinpath(*rest)
    files = (base.with_suffix(".py"), base / "__init__.py")
    return next((path for path in files if rest and path.is_file()), None)


@functools.cache
def _imports(module: str) -> frozenset[str]:
    """The modules that a module's text reaches in one step."""
    path = _path(module)
    if path is None or module in _LEAVES:
        return frozenset()
    found: set[str] = set()
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {_defining(node.module, alias.name) for alias in node.names}
    return frozenset(name for name in found if _path(name) is not None)


@functools.cache
def _defining(module: str, name: str) -> str:
    """The module that ``from module import name`` leads to."""
    if _path(f"{module}.{name}") is not None:
        return f"{module}.{name}"
    path = _path(module)
    if path is None or path.name != "__init__.py":
        return module
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module != module:
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return _defining(node.module, alias.name)
    return module
