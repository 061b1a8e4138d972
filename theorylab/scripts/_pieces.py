"""The text of one class, function or constant of a user's file, or of a cell of a notebook."""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import sys
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from theorylab.scripts._scope import loads, resolved
from theorylab.scripts._world import PURE, outside
from theorylab.scripts.base import UnscriptedError
from theorylab.scripts.text import comment

_Node = ast.ClassDef | ast.FunctionDef | ast.Assign
_ALWAYS = ("__init__", "__post_init__", "__call__", "__new__")


@dataclass
class Piece:
    """A class, a function or a constant of a module, as it will stand in the script.

    uses: the names of the pieces that have to stand before it.
    """

    name: str
    node: _Node | None
    lines: list[str]
    scope: Mapping[str, Any]
    literal: str = ""
    uses: dict[str, None] = field(default_factory=dict)
    own: bool = True
    bare: bool = False
    file: str = ""

    def kept(self, needed: set[str]) -> list[ast.stmt]:
        """The statements of a class body that are carried; of anything else the node itself."""
        if self.node is None:
            return []
        if not isinstance(self.node, ast.ClassDef):
            return [self.node]
        fields = bool(self.node.decorator_list)
        body = [each for each in self.node.body if _wanted(each, needed, fields)]
        made = [each for each in body if getattr(each, "name", "") != "__init__"]
        return made if self.bare else body


def _wanted(statement: ast.stmt, needed: set[str], fields: bool) -> bool:
    if isinstance(statement, ast.FunctionDef):
        return statement.name in needed or statement.name in _ALWAYS
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return fields or statement.target.id in needed
    if isinstance(statement, ast.Assign):
        names = {n.id for target in statement.targets for n in ast.walk(target)
                 if isinstance(n, ast.Name)}  # fmt: skip
        return bool(names & needed)
    return True


def registered(node: ast.ClassDef) -> str | None:
    """The name that a class statement gives its class."""
    for each in node.keywords:
        if each.arg == "name" and isinstance(each.value, ast.Constant):
            return str(each.value.value)
    return None


def segment(node: ast.stmt, lines: list[str]) -> list[str]:
    """The lines of a statement as they were written, with the comments right above it."""
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
    assert node.end_lineno is not None
    alone = not lines[first - 1][: node.col_offset].strip()
    if not alone or lines[node.end_lineno - 1].encode()[node.end_col_offset :].strip()[:1] == b";":
        return ast.unparse(node).splitlines()
    while first > 1 and lines[first - 2].strip().startswith("#"):
        first -= 1
    return [line.rstrip() for line in lines[first - 1 : node.end_lineno]]


def piece_of(value: Any) -> Piece:
    """The text of a class or a function; UnscriptedError, one line, where there is none."""
    plain = inspect.unwrap(value) if not isinstance(value, type) else value
    name = getattr(plain, "__qualname__", "") or getattr(plain, "__name__", "")
    shown = comment(name or type(value).__name__, 60)
    if "<locals>" in name:
        raise UnscriptedError(f"{shown} is made inside of a function; need it at the top of a file")
    file, line, scope = _place(plain)
    if not file:
        raise UnscriptedError(f"the text of {shown} cannot be had: it is compiled")
    linecache.checkcache(file)
    lines = linecache.getlines(file, dict(scope))
    if not lines:
        raise UnscriptedError(f"the text of {shown} cannot be had: {comment(file, 60)} has none")
    node = _node(_defined("".join(lines)), plain, name, line)
    if node is None:
        raise UnscriptedError(f"the text of {shown} is no longer in {comment(file, 60)}")
    if node.col_offset:
        lines = ast.unparse(node).splitlines()
        node = parsed("\n".join(lines)).body[0]  # type: ignore[assignment]
    assert isinstance(node, _Node)
    own = name if not isinstance(node, ast.Assign) else ast.unparse(node.targets[0])
    return Piece(own, node, [each.rstrip("\n") for each in lines], scope, file=file)


def _place(value: Any) -> tuple[str, int, Mapping[str, Any]]:
    """(file, or cell of a notebook, first line or 0, what its names mean); "" where compiled."""
    if isinstance(value, types.FunctionType):
        return value.__code__.co_filename, value.__code__.co_firstlineno, value.__globals__
    module = sys.modules.get(getattr(value, "__module__", ""))
    scope = {} if module is None else vars(module)
    file = getattr(module, "__file__", None) or ""
    if file.endswith(".py") and value.__module__ != "__main__":
        return file, 0, scope
    for function in _functions(value):  # of a notebook, each cell is a file of its own
        code = function.__code__
        named = function.__qualname__.startswith(f"{value.__qualname__}.")
        if named and linecache.getlines(code.co_filename, function.__globals__):
            return code.co_filename, code.co_firstlineno, function.__globals__
    return "", 0, scope


def _functions(kind: Any) -> Iterator[types.FunctionType]:
    for each in vars(kind).values() if isinstance(kind, type) else ():
        for part in (each, getattr(each, "__func__", None), getattr(each, "fget", None),
                     getattr(each, "func", None)):  # fmt: skip
            if isinstance(part, types.FunctionType):
                yield part


@functools.lru_cache(maxsize=64)
def parsed(text: str) -> ast.Module:
    return ast.parse(text)


@functools.lru_cache(maxsize=64)
def _defined(text: str) -> list[_Node]:
    return [node for node in ast.walk(parsed(text)) if isinstance(node, _Node)]


def _node(nodes: list[_Node], value: Any, name: str, line: int) -> _Node | None:
    """Where the class or function of that name is defined; the last one that has the line."""
    found: _Node | None = None
    for node in nodes:
        if isinstance(value, type):
            if isinstance(node, ast.ClassDef) and node.name == name:
                inside = node.lineno <= line <= (node.end_lineno or 0)
                found = node if inside or not line else found
        elif isinstance(node, ast.FunctionDef) and node.name == name:
            if min([node.lineno, *(d.lineno for d in node.decorator_list)]) == line:
                found = node
        elif name == "<lambda>" and isinstance(node, ast.Assign) and node.lineno == line:
            found = node if isinstance(node.value, ast.Lambda) else found
    return found


def check_world(piece: Piece, kept: list[ast.stmt]) -> None:
    """UnscriptedError with the name of what a user's text reads of the world outside."""
    if not piece.own:
        return
    for part in kept:
        free = loads(part)
        for node in ast.walk(part):
            told = _told(node, piece.scope, free)
            if told:
                where = f"{piece.name}, line {node.lineno}"  # type: ignore[attr-defined]
                raise UnscriptedError(
                    f"{where}: it reads {comment(told, 60)}, which lies outside of the instance"
                )


def _told(node: ast.AST, scope: Mapping[str, Any], free: Mapping[str, None]) -> str:
    """What of the world the node reads, "" for nothing."""
    if isinstance(node, ast.Global):
        return f"the global {', '.join(node.names)}, which it changes"
    if isinstance(node, ast.Import | ast.ImportFrom):
        named = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module]
        return next((str(n) for n in named if str(n).partition(".")[0] not in PURE), "")
    asked = node.func if isinstance(node, ast.Call) else node
    dotted, value = resolved(asked, scope, free)
    if isinstance(node, ast.Call):
        bare = dotted.startswith("numpy.random.") and not (node.args or node.keywords)
        return f"{dotted} without a seed" if bare else ""
    return outside(value, dotted) if dotted else ""
