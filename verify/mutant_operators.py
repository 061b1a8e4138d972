"""Small faults for ``mutants.py``: what can be changed in a module, and where the change is seen.

A mutant is a module with one node of its syntax tree replaced. Strings, type annotations,
decorators, assertions, f-strings and what ``raise`` says are left alone: they are text, or say how
a class is made, or the change is none.
"""

from __future__ import annotations

import ast
import copy
import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from mutant_texts import texts

_COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
}
_OPPOSITE = {
    **{"min": "max", "max": "min", "any": "all", "all": "any"},
    **{"minimum": "maximum", "maximum": "minimum"},
}
_WIDTH = 120  # of a line in a difference
_LEFT_ALONE = (ast.JoinedStr, ast.Assert, ast.Import, ast.ImportFrom)


@dataclass(frozen=True)
class Site:
    """One change: of node ``number`` (in the order of ``ast.walk``), by which operator."""

    number: int
    operator: str
    replacement: ast.AST


@dataclass(frozen=True)
class Mutant:
    """``source``: the changed module. ``change``: its lines before and after, as ast writes them.

    ``anchors``: the numbers of the statements that a test must run to see the change; ``names``:
    where they are empty, the names through which the rest of the code sees it. ``text``: that the
    change is seen in a text alone, as ``mutant_texts.py`` says.
    """

    source: str
    change: str
    operator: str
    anchors: tuple[int, ...]
    names: tuple[str, ...]
    text: bool


def sites(source: str) -> list[Site]:
    """Every change that the operators know, in the order of the tree."""
    tree = ast.parse(source)
    numbers = {node: k for k, node in enumerate(ast.walk(tree))}
    return [
        Site(numbers[node], operator, replacement)
        for node in _open_to_change(tree)
        for operator, replacement in _changes(node)
    ]


def planted(source: str, site: Site) -> Mutant:
    """The module with that one change."""
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    anchors, names = _where(tree, nodes, nodes[site.number])
    text = nodes[site.number] in texts(tree)
    before = ast.unparse(tree)
    changed = _Replaced(nodes[site.number], copy.deepcopy(site.replacement)).visit(tree)
    after = ast.unparse(ast.fix_missing_locations(changed))
    return Mutant(after + "\n", _difference(before, after), site.operator, anchors, names, text)


def _difference(before: str, after: str) -> str:
    """The lines that differ, as a diff; of long ones the part around the difference."""
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm=""))
    told = [(line[0], line[1:].strip()) for line in lines[2:] if line[0] in "+-"]
    first = 0
    if len(told) == 2:
        pairs = enumerate(zip(*(line for _, line in told), strict=False))
        same = next((k for k, (old, new) in pairs if old != new), 0)
        first = max(0, same - _WIDTH // 2)
    head = "..." if first else ""
    return "\n".join(f"{sign} {head}{line[first : first + _WIDTH]}" for sign, line in told)


def recording(source: str, where: str) -> tuple[str, dict[str, set[int]]]:
    """The module calling ``seen("where:number")`` before each statement of a function.

    Also, for every name in it, the statements of functions that use the name.
    """
    tree = ast.parse(source)
    numbers = {node: k for k, node in enumerate(ast.walk(tree))}
    users: dict[str, set[int]] = {}
    inside = [s for s in numbers if isinstance(s, ast.stmt) and _function_of(tree, s) is not None]
    for statement in inside:
        for node in ast.walk(statement):
            for field in ("id", "attr", "arg"):
                name = getattr(node, field, None)
                if isinstance(name, str):
                    users.setdefault(name, set()).add(numbers[statement])
    kept = set(inside)
    for node in list(numbers):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and kept.intersection(block):
                block[:] = [new for s in block for new in (*_probe(s, where, numbers), s)]
    importing = ast.parse("from _mutants_seen import seen as __seen__").body
    first = 1 + max((k for k, s in enumerate(tree.body) if _is_header(s)), default=-1)
    tree.body[first:first] = importing
    return ast.unparse(ast.fix_missing_locations(tree)), users


def _probe(statement: ast.stmt, where: str, numbers: dict[ast.AST, int]) -> list[ast.stmt]:
    if _is_text(statement) or isinstance(statement, ast.Global | ast.Nonlocal):
        return []
    call = ast.Call(ast.Name("__seen__", ast.Load()), [], [])
    call.args.append(ast.Constant(f"{where}:{numbers[statement]}"))
    return [ast.Expr(call)]


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_header(node: ast.stmt) -> bool:
    return _is_text(node) or (isinstance(node, ast.ImportFrom) and node.module == "__future__")


def _open_to_change(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, _LEFT_ALONE) or _is_text(node):
        return
    yield node
    closed: list[ast.AST | None] = []
    match node:
        case ast.Raise():
            return
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            closed = [node.returns, *node.decorator_list]
        case ast.ClassDef():
            closed = [*node.decorator_list]
        case ast.AnnAssign() | ast.arg():
            closed = [node.annotation]
    for child in ast.iter_child_nodes(node):
        if child not in closed:
            yield from _open_to_change(child)


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.Compare():
            for k, op in enumerate(node.ops):
                for other in _COMPARED[type(op)]:
                    ops = [*node.ops[:k], other(), *node.ops[k + 1 :]]
                    yield "comparison", ast.Compare(node.left, ops, node.comparators)
        case ast.Constant(value=bool()):
            yield "True/False", ast.Constant(not node.value)
        case ast.Constant(value=int() | float() as value):
            tenth = value / 10 if isinstance(value, float) else value // 10
            for new in dict.fromkeys((value * 10, tenth, value + 1)):
                if new != value:
                    yield "constant", ast.Constant(new)
        case ast.BinOp() if type(node.op) in _ARITHMETIC and not _has_text(node):
            other_way = _ARITHMETIC[type(node.op)]()
            yield "arithmetic", ast.BinOp(node.left, other_way, node.right)
        case ast.UnaryOp(op=ast.Not()):
            yield "not", node.operand
        case ast.UnaryOp(op=ast.USub()):
            yield "arithmetic", node.operand
        case ast.BoolOp():
            joined = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield "and/or", ast.BoolOp(joined, node.values)
        case ast.Call(func=ast.Name(id=name)) if name in _OPPOSITE:
            called = ast.Name(_OPPOSITE[name], ast.Load())
            yield "min/max", ast.Call(called, node.args, node.keywords)
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in _OPPOSITE:
            method = ast.Attribute(owner, _OPPOSITE[name], ast.Load())
            yield "min/max", ast.Call(method, node.args, node.keywords)
        case ast.Return(value=ast.expr()) if not isinstance(node.value, ast.Constant):
            yield "return", ast.Return(ast.Constant(None))
        case ast.Expr() | ast.AugAssign() | ast.Raise() | ast.Delete() | ast.Break():
            yield "dropped", ast.Pass()
        case ast.Continue():
            yield "dropped", ast.Pass()
        case ast.Assign() if not any(isinstance(t, ast.Name | ast.Tuple) for t in node.targets):
            yield "dropped", ast.Pass()
    match node:
        case ast.If() | ast.While() | ast.IfExp() if not isinstance(node.test, ast.UnaryOp):
            opposite = copy.copy(node)
            opposite.test = ast.UnaryOp(ast.Not(), node.test)
            yield "not", opposite
        case ast.comprehension() if node.ifs and not isinstance(node.ifs[0], ast.UnaryOp):
            filters = [ast.UnaryOp(ast.Not(), node.ifs[0]), *node.ifs[1:]]
            yield "not", ast.comprehension(node.target, node.iter, filters, node.is_async)


def _has_text(node: ast.AST) -> bool:
    """Whether a string is joined: its arithmetic has no other operator."""
    if isinstance(node, ast.BinOp):
        return _has_text(node.left) or _has_text(node.right)
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _parents(tree: ast.AST) -> dict[ast.AST, ast.AST]:
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


def _function_of(tree: ast.AST, node: ast.AST) -> ast.AST | None:
    """The innermost function whose body holds ``node``: defaults are no part of a body."""
    parents = _parents(tree)
    while node in parents:
        above = parents[node]
        if isinstance(above, ast.FunctionDef | ast.AsyncFunctionDef) and node in above.body:
            return above
        node = above
    return None


def _where(
    tree: ast.AST, nodes: list[ast.AST], node: ast.AST
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    parents = _parents(tree)
    numbers = {n: k for k, n in enumerate(nodes)}
    statement = node
    while not isinstance(statement, ast.stmt):
        statement = parents[statement]
    if isinstance(statement, ast.FunctionDef) and statement is not node:  # a default
        return tuple(numbers[inner] for inner in statement.body), (statement.name,)
    names: list[str] = []
    above: ast.AST | None = statement
    while above is not None:
        match above:
            case ast.ClassDef() | ast.FunctionDef():
                names.append(above.name)
            case ast.Assign() | ast.AnnAssign():
                targets = above.targets if isinstance(above, ast.Assign) else [above.target]
                names += [n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)]
        above = parents.get(above)
    if _function_of(tree, statement) is not None:
        return (numbers[statement],), tuple(names)
    return (), tuple(names)


class _Replaced(ast.NodeTransformer):
    def __init__(self, node: ast.AST, replacement: ast.AST) -> None:
        self.node, self.replacement = node, replacement

    def visit(self, node: ast.AST) -> ast.AST:
        return self.replacement if node is self.node else self.generic_visit(node)
