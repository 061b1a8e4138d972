"""A script of theorylab's own, played on balls instead of floats.

``played`` runs the text with ``numpy_of_balls.NUMPY`` for NumPy. Every number with a point in it is
the float that Python reads, exactly, for that is what the engine computed with; or what ``reading``
says that was meant by it. The quotient of two whole numbers is exact, too: an entry written as
1 / 3 is a third, where the engine has the float64 next to it. pi is no float, but around pi.

Only text that ``script`` wrote is played, in a namespace without imports, files or names of Python
that reach them.
"""

from __future__ import annotations

import ast
import builtins
import functools
import itertools
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

from flint import arb

from theorylab.scripts.arrays_of_balls import Balls, ball, over, power
from theorylab.scripts.balls import (
    MOST_WORK,
    SHORT,
    Ball,
    UndecidedError,
    UnenclosedError,
    Work,
    bits_of_balls,
    larger,
    smaller,
)
from theorylab.scripts.numpy_of_balls import NUMPY
from theorylab.scripts.recorded import Tape
from theorylab.scripts.turns import loops

_SAME = (
    *("abs", "all", "any", "bool", "dict", "divmod", "enumerate", "int", "len", "list", "map"),
    *("range", "reversed", "set", "sorted", "str", "sum", "tuple", "zip"),
    *("__build_class__", "__import__", "isinstance", "object", "property", "staticmethod", "super"),
    *("callable", "iter", "next", "filter", "slice", "repr"),
    *("ValueError", "TypeError", "NotImplementedError", "RuntimeError", "classmethod"),
)
_MATH = dict(
    comb=math.comb, prod=math.prod,
    **{name: getattr(NUMPY, name) for name in ("sqrt", "exp", "log", "sin", "cos", "tanh")},
)  # fmt: skip


def played(
    text: str,
    bits: int,
    work: int = MOST_WORK,
    *,
    longest: int = SHORT,
    reading: Callable[[float], Any] = ball,
    intervals: bool = False,
) -> dict[str, Any]:
    """The names of a script after it has run on balls of ``bits`` bits; nothing is printed.

    Args:
        work: how many operations of 128 bits may be done, of more bits fewer; a loop of known
            length that would take many more is refused after its first turns.
        longest: bits of a fraction, which is a ball from there on. reading: the number that a
            literal with a point stands for. intervals: whether loops may be played on intervals of
            float64, see ``turns``; ``Work.taken`` says whether one was.

    Raises:
        UnenclosedError: a comparison stays undecided, the balls have no such function, or the
            script takes too many operations.
    """
    before, Work.longest = bits_of_balls(bits), longest
    Work.left = int(work * (128 / bits) ** 0.25)
    try:
        found = _namespace()
        tree = _Exact(found, reading).visit(ast.parse(text))
        for place, turns in loops(tree).items() if intervals else ():
            found[f"_turns{place}"] = functools.partial(turns.play, found, _counted)
            tree.body[place] = ast.parse(f"_turns{place}()").body[0]
        code = compile(tree, "script", "exec")
        Work.played, Work.asked, Work.taken = True, False, False
        exec(code, found)
    except UnenclosedError:
        raise
    except ZeroDivisionError:
        raise UndecidedError("the balls divide by what may be 0 (a singular system)") from None
    except Exception as error:  # of a user's text: any
        line = next(iter(str(error).splitlines()), type(error).__name__)
        raise UnenclosedError(f"the script has a step that balls do not know ({line})") from error
    finally:
        bits_of_balls(before)
        Work.left, Work.longest, Work.played = MOST_WORK, SHORT, False
    return found


def _namespace() -> dict[str, Any]:
    plain = {name: getattr(builtins, name) for name in _SAME}
    shown = {"max": _most(larger), "min": _most(smaller), "float": ball}
    shown |= {name: _of_kind(name) for name in ("type", "hasattr", "getattr")}
    numpy, plainly = ({**each, "pi": Ball(arb.pi())} for each in (vars(NUMPY), _MATH))
    return {
        "__builtins__": {**plain, **shown}, "__name__": "__main__",
        "np": SimpleNamespace(**numpy), "math": SimpleNamespace(**plainly),
        "itertools": itertools, "Fraction": Fraction, "dataclass": dataclass,
        "field": field, "replace": replace, "SimpleNamespace": SimpleNamespace,
        "_over": over, "_power": power, "_counted": _counted, "_changed": _changed,
    }  # fmt: skip


def _counted(turns: Iterable[Any]) -> Iterator[Any]:
    count, before = len(turns) if isinstance(turns, Sized) else 0, Work.left
    for turn, each in enumerate(turns):
        if turn in _PRICED:
            Work.priced((before - Work.left) / turn * (count - turn))
        Work.done(1)
        yield each


def _changed(operation: str, x: Any, y: Any) -> Any:
    """What x is after an assignment such as ``x += y``, which may change an array or a list."""
    if not isinstance(x, Ball | int | str | tuple):
        Tape.refuses_change()
    return _IN_PLACE[operation](x, y)


_IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.iadd, "Sub": operator.isub, "Mult": operator.imul, "MatMult": operator.imatmul,
    "FloorDiv": operator.ifloordiv, "Mod": operator.imod, "LShift": operator.ilshift,
    "RShift": operator.irshift, "BitOr": operator.ior, "BitXor": operator.ixor,
    "BitAnd": operator.iand,
}  # fmt: skip
_NAMED = {"__init__", "__post_init__", "__new__", "__call__", "__name__"}
_PRICED = {4 << k for k in range(20)}  # turns of a loop after which the rest of it is priced


def _most(pick: Any) -> Any:
    def of(*parts: Any) -> Any:
        first, *rest = parts if len(parts) > 1 else parts[0]
        for each in rest:
            first = pick(first, each)
        return first

    return of


def _of_kind(name: str) -> Callable[..., Any]:
    plain = getattr(builtins, name)

    def asked(x: Any, *rest: Any) -> Any:
        found = plain(x, *rest)
        if isinstance(x, Ball | Balls):
            raise UnenclosedError(f"the script asks for {name} of a number, which balls have not")
        return found

    return asked


class _Exact(ast.NodeTransformer):
    """Floats as balls, exact quotients and powers, no imports and no print."""

    def __init__(self, names: dict[str, Any], reading: Callable[[float], Any]) -> None:
        self.names, self.reading = names, reading

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if not isinstance(node.value, float):
            return node
        name = f"_c{len(self.names)}"
        self.names[name] = self.reading(node.value)
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if node.attr.startswith("__") and node.attr not in _NAMED:
            raise UnenclosedError(f"the script reads {node.attr}, which is another one of balls")
        self.generic_visit(node)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        name = {ast.Div: "_over", ast.Pow: "_power"}.get(type(node.op))
        if name is None:
            return node
        return self._of(name, node.left, node.right)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        """A default of a dataclass is made anew for each: a ball has no hash, and so it may not
        stand there itself."""
        self.generic_visit(node)
        if any("dataclass" in ast.unparse(each) for each in node.decorator_list):
            for each in node.body:
                if isinstance(each, ast.AnnAssign) and isinstance(each.value, ast.Name):
                    text = f"field(default_factory=lambda: {each.value.id})"
                    made = ast.parse(text, mode="eval").body
                    each.value = ast.fix_missing_locations(ast.copy_location(made, each.value))
        return node

    def _of(self, name: str, *parts: ast.expr) -> ast.expr:
        call = ast.Call(ast.Name(name, ast.Load()), [*parts], [])
        return ast.fix_missing_locations(ast.copy_location(call, parts[-1]))

    def visit_For(self, node: ast.For) -> ast.stmt:
        self.generic_visit(node)
        node.iter = self._of("_counted", node.iter)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self.generic_visit(node)
        node.iter = self._of("_counted", node.iter)
        return node

    def visit_While(self, node: ast.While) -> ast.stmt:
        self.generic_visit(node)
        turn = ast.parse("while [None for _ in _counted((0,))]: pass").body[0]
        assert isinstance(turn, ast.While)
        both = ast.BoolOp(ast.And(), [turn.test, node.test])
        node.test = ast.copy_location(both, node.test)
        return ast.fix_missing_locations(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        self.generic_visit(node)
        if isinstance(node.op, ast.Div | ast.Pow):
            raise UnenclosedError("the script divides in place")
        if not isinstance(node.target, ast.Name):
            return node
        before = ast.Name(node.target.id, ast.Load())
        value = self._of("_changed", ast.Constant(type(node.op).__name__), before, node.value)
        return ast.copy_location(ast.Assign([node.target], value), node)

    def visit_Try(self, node: ast.Try) -> ast.stmt:
        raise UnenclosedError("the script catches errors, and what balls leave open is one")

    def visit_Import(self, node: ast.Import) -> None:
        return None

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        return None

    def visit_Expr(self, node: ast.Expr) -> ast.stmt | None:
        called = node.value.func if isinstance(node.value, ast.Call) else None
        if isinstance(called, ast.Name) and called.id == "print":
            return None
        self.generic_visit(node)
        return node
