"""The text of a user's own classes, with what they use of their file, so that it stands alone.

Only what is called is carried: of a class the methods that something in the script names. Constants
of a module become the numbers that they are. What a text reads of the world outside is refused.
"""

from __future__ import annotations

import ast
import pathlib
import types
from collections.abc import Container, Mapping
from typing import Any

import numpy as np

from theorylab import algorithms, experiments, metrics, problems, runs
from theorylab.scripts import stub
from theorylab.scripts._names_read import PURE, attributes, loads, outside
from theorylab.scripts._user_text import (
    Piece,
    check_world,
    constant_of,
    piece_of,
    registered,
    segment,
)
from theorylab.scripts.base import UnscriptedError
from theorylab.scripts.text import comment

_STANDS = {  # what of theorylab a text may use, and what stands for it
    algorithms.Algorithm: "Algorithm",
    algorithms.LocalStep: "LocalStep",
    algorithms.State: "State",
    algorithms.step_size: "step_size",
    experiments.Experiment: "Experiment",
    metrics.Metric: "Metric",
    problems.Problem: "Problem",
    runs.Expected: "Expected",
    runs.Observation: "Observation",
    runs.Row: "Row",
    **{each: name for name, each in vars(stub).items() if getattr(each, "__module__", "") ==
       stub.__name__},
}  # fmt: skip


class Bundle:
    """Classes and functions with all that they use. ``needed``: attributes that the script reads.
    bare: classes that are made without their constructor.

    Raises:
        UnscriptedError: one line, where a text cannot be had, or needs what no script carries.
    """

    def __init__(
        self, roots: Mapping[str, Any], needed: set[str], bare: Container[str] = ()
    ) -> None:
        self.needed, self.imports = {*needed}, dict[str, None]()
        self.pieces: dict[str, Piece] = {}
        # of theorylab's own files those of the classes that are asked for
        self.modules = {getattr(value, "__module__", "") for value in roots.values()}
        for name, value in roots.items():
            self._add(name, value, {}, name)
            self.pieces[name].bare = name in bare
        while True:
            before = len(self.needed), len(self.pieces)
            for piece in list(self.pieces.values()):
                self._follow(piece)
            if before == (len(self.needed), len(self.pieces)):
                break
        for piece in self.pieces.values():
            check_world(piece, piece.kept(self.needed))

    def lines(self, own: bool) -> list[str]:
        """The texts of the user (``own``), or of the stub, each after what it uses."""
        order: dict[str, None] = {}
        for name in self.pieces:
            self._before(name, order, set())
        made: list[str] = []
        for name in order:
            piece = self.pieces[name]
            if piece.own == own:
                made += [*([""] if made and not piece.literal else []), *self._written(piece)]
        return made

    @property
    def files(self) -> list[str]:
        """The files, or cells, of the user's texts, fit for a comment."""
        found = {piece.file: None for piece in self.pieces.values() if piece.own and piece.file}
        return [comment(pathlib.PurePath(file).name, 40) for file in found]

    @property
    def import_lines(self) -> list[str]:
        """The imports, the names of one module in one line."""
        several: dict[str, list[str]] = {}
        made = []
        for line in self.imports:
            if line.startswith("from "):
                module, _, name = line.removeprefix("from ").partition(" import ")
                several.setdefault(module, []).append(name)
            else:
                made.append(line)
        made += [f"from {module} import {', '.join(sorted(n))}" for module, n in several.items()]
        return sorted(made)

    @property
    def read(self) -> set[str]:
        """The attributes that the user's text reads."""
        own = [piece for piece in self.pieces.values() if piece.own]
        return set().union(*(attributes(n) for piece in own for n in piece.kept(self.needed)))

    @property
    def names(self) -> set[str]:
        """What the text defines or imports at its top."""
        return {*self.pieces, *(line.split()[-1] for line in self.imports)}

    def _before(self, name: str, order: dict[str, None], open_: set[str]) -> None:
        if name in order or name in open_ or name not in self.pieces:
            return
        for each in self.pieces[name].uses:
            self._before(each, order, {*open_, name})
        order[name] = None

    def _add(self, name: str, value: Any, scope: Mapping[str, Any], by: str) -> None:
        """What ``name`` means in ``scope``: another piece, or an import."""
        if isinstance(value, types.ModuleType):
            self._import_module(name, value, by)
            return
        known = _STANDS.get(value) if isinstance(value, type | types.FunctionType) else None
        if known is not None:
            self._put(known, _stub_piece(known))
            if name != known:
                self._put(name, Piece(name, None, [], {}, f"{name} = {known}", {known: None}))
            return
        if isinstance(value, type) or callable(value):
            module = getattr(value, "__module__", None) or ""
            root, named = module.partition(".")[0], str(getattr(value, "__name__", ""))
            numpy = root == "numpy" or isinstance(value, np.ufunc)
            if numpy and getattr(np, named, None) is value:
                self._import(f"from numpy import {named} as {name}")
                return
            told = outside(value)
            if told:
                raise UnscriptedError(f"{by} reads {told}, which lies outside of the instance")
            if root in PURE:
                self._import(f"from {module} import {named} as {name}")
                return
            if root == "theorylab" and module not in self.modules:
                raise UnscriptedError(
                    f"{by} uses theorylab's {comment(named, 40)}, which no script carries"
                )
            found = piece_of(value)
            self._put(found.name, found)
            if name != found.name:
                literal = f"{name} = {found.name}"
                self._put(name, Piece(name, None, [], {}, literal, {found.name: None}))
            return
        if isinstance(value, np.random.Generator | np.random.RandomState):
            raise UnscriptedError(f"{by} draws from the generator {comment(name, 40)} of its file")
        try:
            piece = constant_of(name, value, scope)
        except UnscriptedError as error:
            raise UnscriptedError(f"{by} uses {comment(name, 40)}: {error}") from None
        self._put(name, piece)
        if "Fraction(" in piece.literal:
            self._import("from fractions import Fraction")
        if "np." in piece.literal:
            self._import("import numpy as np")

    def _import_module(self, name: str, module: types.ModuleType, by: str) -> None:
        whole = module.__name__
        if whole.partition(".")[0] in PURE:
            self._import(f"import {whole} as {name}" if whole != name else f"import {whole}")
            return
        if outside(module):
            return  # what is read of it is told by name
        raise UnscriptedError(
            f"{by} uses the module {comment(whole, 40)}, which no script carries; need its "
            "functions imported by name"
            if not whole.startswith("theorylab")
            else f"{by} uses {comment(whole, 60)} by its module; need its names imported"
        )

    def _import(self, line: str) -> None:
        words = line.split()
        if words[-2] == "as" and words[-1] == words[-3]:
            line = " ".join(words[:-2])
        self.imports[line] = None

    def _put(self, name: str, piece: Piece) -> None:
        there = self.pieces.setdefault(name, piece)
        if there is not piece and (there.node is not piece.node or there.literal != piece.literal):
            raise UnscriptedError(f"two things of the files are called {comment(name, 40)}")

    def _follow(self, piece: Piece) -> None:
        """Add what the kept text of a piece names."""
        if piece.node is None:
            return
        parts: list[ast.AST] = [*piece.kept(self.needed)]
        if isinstance(piece.node, ast.ClassDef):
            parts += [*piece.node.bases, *piece.node.decorator_list]
        for part in parts:
            self.needed |= attributes(part)
            for name in loads(part):
                if name in piece.scope:
                    self._add(name, piece.scope[name], piece.scope, piece.name)
                    piece.uses[name] = None

    def _written(self, piece: Piece) -> list[str]:
        if piece.literal:
            return [piece.literal]
        node = piece.node
        assert node is not None
        if not isinstance(node, ast.ClassDef):
            return segment(node, piece.lines)
        bases = ", ".join(map(ast.unparse, node.bases))
        made = [f"@{ast.unparse(each)}" for each in node.decorator_list]
        made.append(f"class {node.name}{f'({bases})' if bases else ''}:")
        body = piece.kept(self.needed)
        if piece.own and "name" in self.needed and (name := registered(node)) is not None:
            made += [f"    name = {name!a}", ""]
        before = None
        for each in body:
            spaced = isinstance(each, ast.FunctionDef) or isinstance(before, ast.FunctionDef)
            made += [*([""] if before is not None and spaced else []), *segment(each, piece.lines)]
            before = each
        return made if body else [*made, "    pass"]


def _stub_piece(name: str) -> Piece:
    piece = piece_of(getattr(stub, name))
    piece.own = False
    return piece
