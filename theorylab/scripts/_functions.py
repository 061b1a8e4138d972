"""Methods of a script's few objects as functions of plain arrays, without classes.

A script makes one problem, one algorithm, one network and one metric. So what a method reads of
``self`` is a number with a name, what it calls of another object is a function, and a state is the
arrays in it.
"""

from __future__ import annotations

import abc
import ast
import copy
import inspect
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from theorylab.scripts._syntax import (
    ClassfulError,
    StateOf,
    named,
    names_in,
    pairs_of,
    renamed,
    stored,
)
from theorylab.scripts.text import constant, identifier

MISSING = object()


class Written(ast.NodeTransformer):
    """A text with names for what it reads of objects.

    all_: the ``Functions`` that it asks. scope: objects, states and expressions by the names that
    they have in the text. home: the class that the text stands in. kind: "row" where a function's
    answer is the values of its row, "state" where it is the next state, "first" the first one.
    """

    def __init__(self, all_: Functions, scope: Mapping[str, Any], home: str = "", kind: str = ""):
        self.all, self.scope, self.home, self.kind = all_, scope, home, kind

    def value(self, node: ast.AST) -> Any:
        """The object, state or number that a dotted name is, else MISSING."""
        if isinstance(node, ast.Name):
            found = self.scope.get(node.id, MISSING)
            return MISSING if isinstance(found, ast.expr) else found
        if isinstance(node, ast.Attribute):
            owner = self.value(node.value)
            if self.all.is_object(owner):
                return getattr(owner, node.attr, MISSING)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            owner = self.value(node.value)
            if isinstance(owner, dict) and node.slice.value in owner:
                return owner[node.slice.value]
        return MISSING

    def visit_Name(self, node: ast.Name) -> ast.expr:
        found = self.scope.get(node.id, MISSING)
        if isinstance(found, ast.expr):
            return copy.deepcopy(found)
        if found is not MISSING:
            raise ClassfulError(node.id)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        owner = self.value(node.value)
        if isinstance(owner, StateOf):
            owner.read = True
            if node.attr not in owner.fields:
                raise ClassfulError(node.attr)
            return copy.deepcopy(owner.fields[node.attr])
        found = self.value(node)
        if found is not MISSING:
            return self.all.number(owner, node.attr, found)
        if isinstance(owner, SimpleNamespace):  # of a dictionary, as known["L"].value
            return self.all.number(owner, ast.unparse(node.value).split("'")[-2],
                                   getattr(owner, node.attr))  # fmt: skip
        self.generic_visit(node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        at = node.value
        if isinstance(at, ast.Attribute) and at.attr == "memory":
            owner = self.value(at.value)
            if isinstance(owner, StateOf):
                owner.read = True
                if "memory" not in owner.fields:
                    return self._held(owner, node.slice)
        if ast.unparse(node.slice) in ("(..., None)", "..., None"):
            owner = self.value(at.value) if isinstance(at, ast.Attribute) else None
            if isinstance(owner, StateOf) and at.attr == "w" and "w column" in owner.fields:  # type: ignore[attr-defined]
                owner.read = True
                return copy.deepcopy(owner.fields["w column"])
        self.generic_visit(node)
        return node

    def visit_If(self, node: ast.If) -> Any:
        """Of a choice by the options alone what is chosen."""
        chosen = self._chosen(node.test)
        if chosen is None:
            self.generic_visit(node)
            return node
        body = list[ast.stmt]()
        for each in node.body if chosen else node.orelse:
            found = self.visit(each)
            body += found if isinstance(found, list) else [found]
        return body or [ast.Pass()]

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        chosen = self._chosen(node.test)
        if chosen is None:
            self.generic_visit(node)
            return node
        return self.visit(node.body if chosen else node.orelse)  # type: ignore[no-any-return]

    def _chosen(self, test: ast.expr) -> bool | None:
        found = self.visit(copy.deepcopy(test))
        if names_in([found]):
            return None
        return bool(eval(ast.unparse(found), {}))

    def _held(self, owner: StateOf, key: ast.expr) -> ast.expr:
        if not isinstance(key, ast.Constant) or key.value not in owner.memory:
            raise ClassfulError("memory")
        return copy.deepcopy(owner.memory[key.value])

    def visit_Yield(self, node: ast.Yield) -> ast.expr:
        assert node.value is not None
        return ast.Yield(self.row(node.value, labelled=True))

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        if self.kind == "row" and node.value is not None:
            return ast.Return(self.row(node.value))
        if self.kind == "state" and node.value is not None:
            return ast.Return(self.all.stepped(self, node.value))
        if self.kind == "first":
            return self.all.begin(self, node)
        self.generic_visit(node)
        return node

    def row(self, node: ast.expr, labelled: bool = False) -> ast.expr:
        """The values of a ``Row``, or a pair of its label and these."""
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Row":
            words = {word.arg: word.value for word in node.keywords}
            parts = dict(zip(("values", "at", "label"), node.args, strict=False)) | words
            values = self.visit(parts["values"])
            if not labelled:
                return values  # type: ignore[no-any-return]
            label = self.visit(parts.get("label", ast.Constant("")))
            return ast.Tuple([label, values], ast.Load())
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not labelled:
            owner = self.value(node.func.value)
            if self.all.is_object(owner):
                text, home = self.all.method(owner, node.func.attr)
                scope = {text.args.args[0].arg: owner}
                return self.all.called(text, scope, home, node, self, "row")
        raise ClassfulError("row")

    def visit_Call(self, node: ast.Call) -> ast.expr:
        func = node.func
        if isinstance(func, ast.Attribute):
            if ast.unparse(func.value) == "super()":
                owner = self.scope.get("self", MISSING)
                text, home = self.all.method(owner, func.attr, self.home)
                return self.all.called(text, {text.args.args[0].arg: owner}, home, node, self)
            owner = self.value(func.value)
            if isinstance(func.value, ast.Attribute) and func.value.attr == "memory":
                holder = self.value(func.value.value)
                if isinstance(holder, StateOf) and "memory" not in holder.fields:
                    holder.read = True
                    return self._held(holder, node.args[0])
            if self.all.is_object(owner):
                if (found := self.all.special(self, owner, func.attr, node)) is not None:
                    return found  # type: ignore[no-any-return]
                text, home = self.all.method(owner, func.attr)
                static = any("staticmethod" in ast.unparse(d) for d in text.decorator_list)
                scope = {} if static else {text.args.args[0].arg: owner}
                return self.all.called(text, scope, home, node, self)
        elif isinstance(func, ast.Name):
            told = self.value(func)
            if inspect.ismethod(told) and self.all.is_object(told.__self__):
                text, home = self.all.method(told.__self__, told.__name__)
                return self.all.called(text, {text.args.args[0].arg: told.__self__}, home, node,
                                       self)  # fmt: skip
            if func.id == "step_size" and self.all.is_object(self.value(node.args[0])):
                return self._step_size(node)
            given = [self.value(a) for a in (*node.args, *(w.value for w in node.keywords))]
            bound = any(isinstance(v, StateOf) or self.all.is_object(v) for v in given)
            if bound and func.id in self.all.plain:
                return self.all.called(self.all.plain[func.id], {}, "", node, self)
        self.generic_visit(node)
        return node

    def _step_size(self, node: ast.Call) -> ast.expr:
        owner, eta = self.value(node.args[0]), node.args[2] if len(node.args) > 2 else None
        if node.keywords or (eta and callable(self.value(eta))):
            raise ClassfulError("step_size")
        t = self.visit(node.args[1])
        if callable(owner.eta) and not eta:
            given = self.all.schedule(owner)
            name = given.args.args[0].arg
            made = Written(self.all, {name: t}).visit(copy.deepcopy(given.body))
        else:
            made = self.visit(eta) if eta else self.all.number(owner, "eta", owner.eta)
        decay = getattr(owner, "decay", 1.0)
        if decay == 1.0:
            return made  # type: ignore[no-any-return]
        fall = ast.BinOp(self.all.number(owner, "decay", decay), ast.Pow(), t)
        return ast.BinOp(made, ast.Mult(), fall)


class Functions(abc.ABC):
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

    @abc.abstractmethod
    def special(self, write: Written, owner: Any, name: str, call: ast.Call) -> Any:
        """A call of an object's method that has a form of its own; None of any other."""

    @abc.abstractmethod
    def schedule(self, owner: Any) -> ast.Lambda:
        """The step size of an algorithm as a function of t."""

    @abc.abstractmethod
    def begin(self, write: Written, node: ast.Return) -> ast.stmt:
        """The return of an algorithm's ``init``: the arrays of the first state."""

    @abc.abstractmethod
    def stepped(self, write: Written, node: ast.expr) -> ast.expr:
        """The state that a step returns, as its arrays."""

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
