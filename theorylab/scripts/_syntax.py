"""Small pieces of Python text, for scripts without classes: names, assignments, lines."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from theorylab.scripts._literals import constant
from theorylab.scripts.base import UnscriptedError
from theorylab.scripts.text import bare


class ClassfulError(Exception):
    """Something has no form without classes."""


@dataclass
class StateOf:
    """A state as the arrays in it: expressions by field, and those of its memory by key."""

    fields: dict[str, ast.expr]
    memory: dict[str, ast.expr] = field(default_factory=dict)
    read: bool = False


def named(name: str) -> ast.Name:
    """A name that is read."""
    return ast.Name(name, ast.Load())


def expression(text: str) -> ast.expr:
    """A text as an expression."""
    return ast.parse(text, mode="eval").body


def names_in(nodes: Iterable[ast.AST]) -> set[str]:
    """Every name that the nodes read or assign."""
    return {n.id for each in nodes for n in ast.walk(each) if isinstance(n, ast.Name)}


def stored(node: ast.AST) -> list[str]:
    """What a node assigns, once for each time, and its parameters."""
    found = [n.id for n in ast.walk(node) if isinstance(n, ast.Name)
             and isinstance(n.ctx, ast.Store)]  # fmt: skip
    return found + [n.arg for n in ast.walk(node) if isinstance(n, ast.arg)]


def renamed(node: Any, names: Mapping[str, str]) -> Any:
    """The node with other names."""
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            each.id = names.get(each.id, each.id)
        elif isinstance(each, ast.arg):
            each.arg = names.get(each.arg, each.arg)
    return node


def lines_of(statement: ast.stmt) -> list[str]:
    """Its text, without brackets around a row of values."""
    found = []
    for line in ast.unparse(ast.fix_missing_locations(statement)).splitlines():
        head, mark, rest = line.partition(" = " if "return (" not in line else "return ")
        found.append(f"{head}{mark}{bare(rest)}" if mark and "for " not in head else line)
    return found


def ordered(functions: dict[str, ast.FunctionDef]) -> list[str]:
    """Every function after those that it calls."""
    found: dict[str, None] = {}

    def put(name: str, open_: frozenset[str]) -> None:
        if name not in open_:
            for other in sorted(names_in([functions[name]]) & {*functions} - {name}):
                put(other, open_ | {name})
            found.setdefault(name)

    for name in functions:
        put(name, frozenset())
    return [*found]


def pairs_of(statement: ast.stmt) -> list[tuple[str, ast.expr]]:
    """The names and values of an assignment of names; [] of anything else."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return []
    target, value = statement.targets[0], statement.value
    pairs = [(target, value)]
    if isinstance(target, ast.Tuple):
        if not isinstance(value, ast.Tuple) or len(target.elts) != len(value.elts):
            return []
        pairs = list(zip(target.elts, value.elts, strict=True))
    if not all(isinstance(name, ast.Name) for name, _ in pairs):
        return []
    return [(ast.unparse(name), each) for name, each in pairs]


def assigned(names: Sequence[str], values: Sequence[ast.expr]) -> list[ast.stmt]:
    """One assignment; without those of a name to itself."""
    if len(names) > 1 and len(values) == 1:
        (value,) = values
        if not isinstance(value, ast.Tuple) or len(value.elts) != len(names):
            return ast.parse(f"{', '.join(names)} = {ast.unparse(value)}").body
        values = value.elts
    pairs = [(n, t) for n, v in zip(names, values, strict=True) if (t := ast.unparse(v)) != n]
    if not pairs:  # or none at all
        return []
    left, right = (", ".join(part) for part in zip(*pairs, strict=True))
    return ast.parse(f"{left} = {right}").body


def pruned(statement: ast.stmt, read: set[str]) -> ast.stmt | None:
    """The statement without what nobody reads."""
    pairs = pairs_of(statement)
    if not pairs:
        return statement
    kept = [(name, value) for name, value in pairs if name in read]
    if len(kept) == len(pairs):
        return statement
    if not kept:
        return None
    made = assigned([n for n, _ in kept], [v for _, v in kept])
    return made[0] if made else None


def state_text(value: Any) -> str:
    """What an object holds, as text."""
    return repr({k: v.tolist() if hasattr(v, "tolist") else v for k, v in vars(value).items()})


def constant_text(value: Any) -> str:
    """A number or array as a script writes it; "" of anything else."""
    try:
        return constant(value)
    except UnscriptedError:
        return ""


class Unweighted(ast.NodeTransformer):
    """Without divisions by weights that are 1."""

    def __init__(self, ones: set[str]) -> None:
        self.ones = ones

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        one = isinstance(node.right, ast.Name) and node.right.id in self.ones
        return node.left if one and isinstance(node.op, ast.Div) else node


class Watching(ast.NodeTransformer):
    """The metric's rows by names that note them."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        text = ast.unparse(node)
        return named(f"noted_{node.attr}") if text in ("metric.rows", "metric.last") else node
