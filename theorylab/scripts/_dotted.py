"""What a text reads of objects by dots, as numbers, functions and arrays with names."""

from __future__ import annotations

import ast
import copy
import inspect
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, Protocol

from theorylab.scripts._syntax import ClassfulError, StateOf, names_in

MISSING = object()


class Functions(Protocol):
    """What ``Written`` asks for; ``_functions`` and ``_states`` say what each is."""

    plain: dict[str, ast.FunctionDef]

    def is_object(self, value: Any) -> bool: ...
    def number(self, owner: Any, key: str, value: Any) -> ast.expr: ...
    def method(self, owner: Any, name: str, above: str = "") -> tuple[ast.FunctionDef, str]: ...
    def called(
        self, node: ast.FunctionDef, scope: dict[str, Any], home: str, call: ast.Call,
        write: Written, kind: str = "",
    ) -> ast.expr: ...  # fmt: skip
    def special(self, write: Written, owner: Any, name: str, call: ast.Call) -> Any: ...
    def schedule(self, owner: Any) -> ast.Lambda: ...
    def begin(self, write: Written, node: ast.Return) -> ast.stmt: ...
    def stepped(self, write: Written, node: ast.expr) -> ast.expr: ...


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
