"""Numbers at the top of a user's file: as they are written there, or computed as it was read."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from theorylab.scripts._literals import constant
from theorylab.scripts._pieces import Piece, parsed
from theorylab.scripts._scope import loads
from theorylab.scripts.base import UnscriptedError

COMPUTED = "  # computed as the file was read"  # a float, whatever decimal it prints
_ARRAYS = {"np.array", "np.asarray", "np.arange", "np.ones", "np.zeros", "np.eye", "np.full"}
_WRITTEN = (ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.expr_context, ast.unaryop)


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
