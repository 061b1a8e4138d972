"""Python text of scripts without classes: names, assignments, and the lines that are read."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from theorylab.scripts.base import UnscriptedError
from theorylab.scripts.text import bare, constant, wrapped

_SHAPES = "Models are (R, n, d): R runs, n clients, d coordinates."


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


@dataclass
class Program:
    """source, module: the texts of a script with classes, and these read. lines: the lines that
    ``out`` comes from, for their comments; functions, numbers: what ``out`` may ask for."""

    source: list[str]
    module: ast.Module
    lines: list[str]
    out: list[ast.stmt]
    functions: Mapping[str, ast.FunctionDef]
    numbers: Mapping[str, str]


def kept_lines(program: Program) -> tuple[list[str], list[str]]:
    """(texts, lines) of what is read on the way to ``measured``."""
    pieces: dict[str, ast.stmt] = {}
    for each in program.module.body:
        if isinstance(each, ast.ClassDef | ast.FunctionDef):
            pieces[each.name] = each
        elif isinstance(each, ast.Assign):
            pieces |= dict.fromkeys(stored(each), each)
    used = _read(program, pieces)
    _without_x0(program)
    functions = {name: each for name, each in program.functions.items() if name in used}
    files = [line for line in program.source if line.startswith("# From ")]
    texts = [*_imports(program, used), "", *(f"{line} {_SHAPES}" for line in files or ["#"])]
    for each in program.module.body:
        if any(piece is each and name in used for name, piece in pieces.items()):
            above = [each.lineno, *(d.lineno for d in getattr(each, "decorator_list", []))]
            texts += program.source[min(above) - 1 : each.end_lineno]
            texts += [] if isinstance(each, ast.Assign) else [""]
    texts += [""] if texts[-1] and not texts[-1].startswith("#") else []
    for name in ordered(functions):
        texts += [*(part for line in lines_of(functions[name]) for part in wrapped(line)), ""]
    numbers = {name: text for name, text in program.numbers.items() if name in used}
    short = [name for name, text in numbers.items() if "(" not in text]
    lines = [f"{', '.join(short)} = {', '.join(map(numbers.__getitem__, short))}"] if short else []
    lines += [f"{name} = {text}" for name, text in numbers.items() if name not in short]
    for each in program.out:
        lines += [*_comments(program, each), *lines_of(each)]
    return texts, lines


def _read(program: Program, pieces: Mapping[str, ast.stmt]) -> set[str]:
    """The names that are used, once what nobody reads is gone."""
    while True:
        used, before = names_in(program.out), set[str]()
        while used != before:
            before = set(used)
            for named in (program.functions, pieces):
                used |= names_in(each for name, each in named.items() if name in used)
        every = [*program.out, *(f for name, f in program.functions.items() if name in used)]
        read = {n.id for s in every for n in ast.walk(s) if isinstance(n, ast.Name)
                and isinstance(n.ctx, ast.Load)} | {"measured"}  # fmt: skip
        kept = [found for s in program.out if (found := pruned(s, read)) is not None]
        if [*map(id, kept)] == [*map(id, program.out)]:
            return used
        program.out = kept


def _imports(program: Program, used: set[str]) -> list[str]:
    found = []
    for each in program.module.body:
        if isinstance(each, ast.Import | ast.ImportFrom):
            each.names = [a for a in each.names if (a.asname or a.name) in used]
            found += [ast.unparse(each)] if each.names else []
    return found


def _without_x0(program: Program) -> None:
    """One name for the start where nothing else reads the other."""
    every = [*program.out, *program.functions.values()]
    reads = [n for s in every for n in ast.walk(s) if isinstance(n, ast.Name)
             and n.id == "x0" and isinstance(n.ctx, ast.Load)]  # fmt: skip
    for each in program.out:
        pairs = pairs_of(each)
        if len(reads) == len(pairs) == 1 and pairs[0][1] is reads[0]:
            starts = [s for s in program.out if "x0" in stored(s)]
            renamed(ast.Module(starts, []), {"x0": pairs[0][0]})
            program.out.remove(each)
            return


def _comments(program: Program, each: ast.stmt) -> list[str]:
    """The comment over a line, where it has one."""
    at, found = getattr(each, "place", 0) - 1, list[str]()
    while at > 0 and program.lines[at - 1].startswith("#"):
        at -= 1
        found.insert(0, program.lines[at])
    return found
