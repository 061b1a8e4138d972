"""The text of one class, function or constant of a user's file, or of a cell of a notebook.

A constant at the top of a file is carried as it is written there, or as the number that was
computed when the file was read.
"""

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

import numpy as np

from theorylab.scripts._names_read import PURE, loads, outside, resolved
from theorylab.scripts.base import UnscriptedError
from theorylab.scripts.text import comment, constant

_Node = ast.ClassDef | ast.FunctionDef | ast.Assign
_ALWAYS = ("__init__", "__post_init__", "__call__", "__new__")
COMPUTED = "  # computed as the file was read"  # a float, whatever decimal it prints
_ARRAYS = {"np.array", "np.asarray", "np.arange", "np.ones", "np.zeros", "np.eye", "np.full"}
_WRITTEN = (ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.expr_context, ast.unaryop)


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


def constant_of(name: str, value: Any, scope: Mapping[str, Any]) -> Piece:
    """The assignment of a name of a file: its value, and whether that is what is written there.

    Raises UnscriptedError where the value has no text.
    """
    node = definition(name, scope)
    try:
        text = f"{name} = {constant(value)}"
    except UnscriptedError:
        if node is None or isinstance(value, np.ndarray):
            raise
        return _stated(name, node, scope)
    written = node is not None and _is_written(node) and _is(value, node, scope)
    return Piece(name, None, [], {}, text + COMPUTED * (_has_float(value) and not written))


def _stated(name: str, value: ast.expr, scope: Mapping[str, Any]) -> Piece:
    line = f"{name} = {ast.unparse(value)}"
    node = parsed(line).body[0]
    assert isinstance(node, ast.Assign)
    return Piece(name, node, [line], scope, file=str(scope.get("__file__") or ""))


def definition(name: str, scope: Mapping[str, Any]) -> ast.expr | None:
    """What the one statement at the top of a file, or of a notebook, that names it assigns."""
    file = str(scope.get("__file__") or "")
    cells = [cell for cell in linecache.cache if cell.startswith("<") or "ipykernel" in cell]
    found: list[ast.expr | None] = []
    for each in [file] if file.endswith(".py") else cells:
        try:
            tree = parsed("".join(linecache.getlines(each, dict(scope))))
        except SyntaxError:  # a cell with a magic command
            return None
        for statement in tree.body:
            pairs = [*_assigned(statement)]
            values = [value for target, value in pairs if target == name]
            stores = [n for n in _outside(statement) if _changes(n, name)]
            found += values if len(values) == len(stores) else [None] * len(stores)
        found += [None for n in ast.walk(tree) if isinstance(n, ast.Global) and name in n.names]
    return found[0] if len(found) == 1 else None


def _assigned(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        yield ast.unparse(statement.target), statement.value
    elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target, value = statement.targets[0], statement.value
        yield ast.unparse(target), value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            yield from zip(map(ast.unparse, target.elts), value.elts, strict=False)


def _outside(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run as the file is read."""
    yield node
    if not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda):
        for child in ast.iter_child_nodes(node):
            yield from _outside(child)


def _changes(node: ast.AST, name: str) -> bool:
    """Whether the name gets a value, or a part of it does."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name == name
    if isinstance(node, ast.alias):
        return (node.asname or node.name) in (name, "*")
    stores = not isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
    if isinstance(node, ast.Subscript | ast.Attribute) and stores:
        return name in loads(node)
    return isinstance(node, ast.Name) and node.id == name and stores


def _is_written(value: ast.AST) -> bool:
    """Whether nothing is computed: numbers, p / q of whole ones, and lists and arrays of them."""
    if isinstance(value, ast.Call):
        return ast.unparse(value.func) in _ARRAYS and all(map(_is_written, value.args))
    if isinstance(value, ast.BinOp):
        parts = value.left, value.right
        whole = all(isinstance(p, ast.Constant) and isinstance(p.value, int) for p in parts)
        return whole and isinstance(value.op, ast.Div)
    within = isinstance(value, (*_WRITTEN, ast.UnaryOp))
    return within and all(map(_is_written, ast.iter_child_nodes(value)))


def _is(value: Any, node: ast.expr, scope: Mapping[str, Any]) -> bool:
    """Whether the text, evaluated once more, has that value."""
    try:
        again = eval(compile(ast.Expression(node), "constant", "eval"), dict(scope))
        return type(again) is type(value) and constant(again) == constant(value)
    except Exception:  # of a user's text: any
        return False


def _has_float(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "fc"
    if isinstance(value, dict):
        return _has_float([*value, *value.values()])
    if isinstance(value, list | tuple | set | frozenset):
        return any(map(_has_float, value))
    return isinstance(value, float | complex | np.inexact)
