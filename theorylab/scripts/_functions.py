"""Methods of a script's few objects as functions of plain arrays, without classes.

A script makes one problem, one algorithm, one network and one metric. So what a method reads of
``self`` is a number with a name, what it calls of another object is a function, and a state is the
arrays in it.
"""

from __future__ import annotations

import ast
import copy
import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from theorylab.scripts._dotted import MISSING, Written
from theorylab.scripts._dotted import Functions as Asked
from theorylab.scripts._literals import constant
from theorylab.scripts._syntax import (
    ClassfulError,
    StateOf,
    named,
    names_in,
    pairs_of,
    renamed,
    stored,
)
from theorylab.scripts.text import identifier


class Functions(Asked):
    """The functions and numbers that lines ask for, from the classes of ``texts``.

    objects: what the lines made, by name, before the first round. Raises ClassfulError where the
    text needs its classes.
    """

    def __init__(self, texts: ast.Module, objects: Mapping[str, Any], taken: set[str]) -> None:
        self.classes = {n.name: n for n in texts.body if isinstance(n, ast.ClassDef)}
        self.plain = {n.name: n for n in texts.body if isinstance(n, ast.FunctionDef)}
        self.objects = dict(objects)
        self.made: dict[tuple[Any, ...], ast.FunctionDef] = {}
        self.extra: dict[str, list[str]] = {}  # the state's arrays that a function reads
        self.numbers: dict[str, str] = {}
        self.of: dict[tuple[int, str], str] = {}
        self.variables: set[str] = set()  # of the rounds: the state's arrays, and t
        self.given: dict[tuple[int, str], ast.expr] = {}
        methods = [m for c in self.classes.values() for m in c.body
                   if isinstance(m, ast.FunctionDef) and m.name != "__init__"]  # fmt: skip
        self.local = {n for m in (*methods, *self.plain.values()) for n in self._locals(m)}
        self.taken = taken | self.local | {"t"}

    def _locals(self, node: ast.FunctionDef) -> set[str]:
        skipped = {id(s) for s in node.body if _aliases(s, node)}
        return {n for s in (node.args, *node.body) if id(s) not in skipped for n in stored(s)}

    def is_object(self, value: Any) -> bool:
        return any(value is each for each in self.objects.values())

    def fresh(self, name: str) -> str:
        """A name that nothing else has."""
        found = identifier(name, self.taken)
        self.taken.add(found)
        return found

    def number(self, owner: Any, key: str, value: Any) -> ast.expr:
        """A number of an object, by its name or as it is."""
        if (id(owner), key) in self.given:
            return copy.deepcopy(self.given[id(owner), key])
        if value is None or isinstance(value, bool | str | int):
            return ast.Constant(value)
        if not isinstance(value, float | np.ndarray | np.generic | list | tuple):
            raise ClassfulError(key)
        if (id(owner), key) not in self.of:
            name, text = key.strip("_"), constant(value)
            if self.numbers.get(name) != text or name in self.local:
                name = self.fresh(name)
                self.numbers[name] = text
            self.of[id(owner), key] = name
        return named(self.of[id(owner), key])

    def method(self, owner: Any, name: str, above: str = "") -> tuple[ast.FunctionDef, str]:
        """The text of a method, and its class. above: after that class in the order of bases."""
        order = [c.__name__ for c in type(owner).__mro__]
        order = order[order.index(above) + 1 :] if above else order
        for each in order:
            for node in self.classes[each].body if each in self.classes else ():
                if isinstance(node, ast.FunctionDef) and node.name == name:
                    return node, each
        raise ClassfulError(name)

    def body(
        self, node: ast.FunctionDef, scope: Mapping[str, Any], home: str, kind: str = ""
    ) -> list[ast.stmt]:
        """The statements of a function, where ``scope`` says what its parameters are."""
        node = copy.deepcopy(node)
        states = any(isinstance(v, StateOf) for v in scope.values())
        clash = {n: self.fresh(f"{n}_next") for n in sorted(set(stored(node)) & self.variables)
                 if states and n not in scope}  # fmt: skip
        node, scope, kept = renamed(node, clash), dict(scope), list[ast.stmt]()
        for each in node.body:
            if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant):
                continue
            if kind == "first" and ast.unparse(each).partition(" = ")[2].startswith("super().init"):
                scope[stored(each)[0]] = StateOf({"x": named("x0"), "z": named("x0")})
                continue
            if _aliases(each, node):
                alias, source = pairs_of(each)[0]
                found = Written(self, scope, home).value(source)
                if found is not MISSING:
                    plain = not (isinstance(found, StateOf) or self.is_object(found)
                                 or inspect.ismethod(found))  # fmt: skip
                    write = Written(self, scope, home)
                    scope[alias] = write.visit(source) if plain else found
                    continue
            kept.append(each)
        write = Written(self, scope, home, kind)
        made = ast.Module([], [])
        for each in kept:
            found = write.visit(each)
            made.body += found if isinstance(found, list) else [found]
            if isinstance(made.body[-1], ast.Return):
                break
        *rest, last = made.body
        if rest and isinstance(last, ast.Return) and isinstance(last.value, ast.Name):
            before = rest[-1]
            if isinstance(before, ast.Assign) and ast.unparse(before.targets[0]) == last.value.id:
                made.body = [*rest[:-1], ast.Return(before.value)]
        return [ast.fix_missing_locations(each) for each in made.body]

    def called(
        self, node: ast.FunctionDef, scope: dict[str, Any], home: str, call: ast.Call,
        write: Written, kind: str = "",
    ) -> ast.expr:  # fmt: skip
        """A call of the function that ``node`` is without its objects and states."""
        free = [a.arg for a in node.args.args if a.arg not in scope]
        bound, left = dict(scope), list[ast.expr]()
        if any(isinstance(a, ast.Starred) for a in call.args) or len(call.args) > len(free):
            raise ClassfulError(node.name)
        for name, value in zip(free, call.args, strict=False):
            found = write.value(value)
            if isinstance(found, StateOf) or self.is_object(found):
                bound[name] = found
            else:
                left.append(write.visit(value))
        words = []
        for word in call.keywords:
            found = write.value(word.value)
            if word.arg is not None and (isinstance(found, StateOf) or self.is_object(found)):
                bound[word.arg] = found
            else:
                words.append(ast.keyword(word.arg, write.visit(word.value)))
        key = (id(node), kind, *(f"{k} {id(v)}" for k, v in bound.items()))
        if key not in self.made:
            made = ast.FunctionDef(node.name, copy.deepcopy(node.args), [], [])
            self.made[key] = made  # before its body, which may call it
            made.name = identifier(node.name, {f.name for f in self.made.values() if f is not made}
                                   | (self.taken - {node.name}))  # fmt: skip
            self._fill(made, node, bound, home, kind)
        made = self.made[key]
        states = [named(name) for name in self.extra.get(made.name, [])]
        return ast.Call(named(made.name), [*states, *left], words)

    def _fill(
        self, made: ast.FunctionDef, node: ast.FunctionDef, bound: dict[str, Any], home: str,
        kind: str,
    ) -> None:  # fmt: skip
        if (
            node.args.vararg
            or node.args.kwarg
            or any("method" not in ast.unparse(d) for d in node.decorator_list)
        ):
            raise ClassfulError(node.name)
        body = self.body(node, bound, home, kind)
        used, args = names_in(body), made.args
        first = len(args.args) - len(args.defaults)
        pairs = [(a, args.defaults[k - first] if k >= first else None)
                 for k, a in enumerate(args.args) if a.arg not in bound]  # fmt: skip
        extra = [v for v in sorted(self.variables) if v in used and v not in
                 {a.arg for a, _ in pairs} | set(stored(ast.Module(body, [])))]  # fmt: skip
        self.extra[made.name] = extra
        args.args = [*map(ast.arg, extra), *(a for a, _ in pairs)]
        args.defaults = [d for _, d in pairs if d is not None]
        for each in (*args.args, *args.kwonlyargs):
            each.annotation = None
        kept = [(a, d) for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True)
                if a.arg not in bound]  # fmt: skip
        args.kwonlyargs, args.kw_defaults = [a for a, _ in kept], [d for _, d in kept]
        made.body = body


def _aliases(statement: ast.stmt, node: ast.FunctionDef) -> bool:
    """Whether it gives another name to what is read by dots, and the name stays so."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target, value = statement.targets[0], statement.value
    chain = isinstance(value, ast.Attribute | ast.Subscript)
    while isinstance(value, ast.Attribute | ast.Subscript):
        value = value.value
    return (chain and isinstance(target, ast.Name) and isinstance(value, ast.Name)
            and stored(node).count(target.id) == 1)  # fmt: skip
