"""A loop whose turns all do the same: one is written down, and played on intervals of float64.

A script's rounds are millions of operations, and Arb's numbers take a microsecond for each. Most
such loops do the same in every turn with the numbers that the turn before has left. So two turns
are played in balls, the third is played on ``Recorded`` numbers, which give a ``Tape``, and
``kernels._intervals`` plays this as often as the loop asks. Its intervals enclose what the balls
enclose: the state enters by floats rounded outward, and so does every constant. They are wider, and
what they leave open is left to the balls.

A loop is taken only where a turn can do nothing else: it is one of the script's own, not of a
function; it assigns names, calls NumPy or functions of the script that do no more, and does not
read the loop's variable. A comparison of numbers, an array that is changed in place, or a number
that is counted along is found while a turn is written down, and then the loop is played in balls.
So it is where a turn leaves two names for one array: what is written to one later is in both.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb

from theorylab.kernels._intervals import repeated
from theorylab.scripts.arrays_of_balls import Balls
from theorylab.scripts.balls import FAST, Ball, Work
from theorylab.scripts.recorded import Tape

LEAST = 16  # turns: fewer are played as they are
_BEFORE = 2  # turns after which every name has the kind of number that it stays
_PLAIN = {
    *("range", "len", "abs", "min", "max", "sum", "float", "int", "zip", "enumerate", "tuple"),
    *("_over", "_power", "_counted", "_changed"),
}
_METHODS = {
    *("mean", "sum", "max", "min", "reshape", "ravel", "flatten", "transpose", "swapaxes"),
    *("squeeze", "repeat", "copy", "dot", "trace", "diagonal", "prod", "cumsum"),
}
_IN_PLACE = {"put_along_axis"}
_STATEMENTS = (ast.Assign, ast.AugAssign, ast.For, ast.Return, ast.If, ast.Pass)


@dataclass(frozen=True)
class Turns:
    """A loop of a script. assigned: the names that a turn assigns."""

    variable: str
    count: Any
    turn: Any
    assigned: tuple[str, ...]

    def play(self, names: dict[str, Any], counted: Callable[..., Iterator[Any]]) -> None:
        """All turns, most of them on intervals where that can be."""
        turns = eval(self.count, names)
        taped = len(turns) >= LEAST
        for names[self.variable] in counted(turns[:_BEFORE] if taped else turns):
            exec(self.turn, names)
        if not taped:
            return
        rest = turns[_BEFORE:]
        before = {name: names[name] for name in self.assigned if name in names}
        left = self._on_intervals(names, before, len(rest))
        names |= before
        if left is not None:
            Work.taken = True
            names |= left | {self.variable: rest[-1]}
            return
        for names[self.variable] in counted(rest):
            exec(self.turn, names)

    def _on_intervals(
        self, names: dict[str, Any], before: dict[str, Any], turns: int
    ) -> dict[str, Any] | None:
        """What that many turns leave; None where the balls have to say it. ``names`` may have
        anything then."""
        if any(isinstance(x, Iterator) for x in names.values()):
            return None  # a turn may take from it
        state = {name: x for name, x in before.items() if type(x) in (Ball, Balls)}
        tape, known = Tape(), set(names)
        Tape.open = True
        try:
            names |= {name: _entered(tape, x) for name, x in state.items()}
            exec(self.turn, names)
            if any(not _same(x, names[name]) for name, x in before.items() if name not in state):
                return None
            if set(names) > known or _shared(names, state):
                return None
            after = [slot for name, x in state.items() for slot in _slots(tape, x, names[name])]
            steps, slots = tape.steps, [*map(tape.placed, after)]
        except Exception:  # no tape has it: the balls say what it is
            return None
        finally:
            Tape.open = False
        Work.done(turns * len(steps) // FAST)
        left = repeated(steps, slots, turns, np.array([*tape.state, *tape.constants]))
        if left is None:
            return None
        numbers = iter([arb(low).union(arb(high)) for low, high in left.tolist()])
        return {name: _filled(x, numbers) for name, x in state.items()}


def loops(tree: ast.Module) -> dict[int, Turns]:
    """The loops that may be taken, by their place among the statements of a script."""
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    nested = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
    if len(nested) > len(functions) or any(isinstance(n, ast.ClassDef) for n in ast.walk(tree)):
        return {}
    given = {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}.union(_stored(tree.body))
    if given & (_PLAIN | {"np", "math", *functions}) or any(f.decorator_list for f in nested):
        return {}  # a name that is called may be another function
    return {
        place: _turns(node)
        for place, node in enumerate(tree.body)
        if isinstance(node, ast.For) and _may_be_taken(node, functions)
    }


def _may_be_taken(loop: ast.For, functions: dict[str, ast.FunctionDef]) -> bool:
    """See the head of this file."""
    ranged = ast.unparse(loop.iter).startswith("_counted(range(")
    if not isinstance(loop.target, ast.Name) or not ranged or loop.orelse:
        return False
    reads = _names(loop.body).union(*map(_free, functions.values()))
    return loop.target.id not in reads and _does_no_more(loop.body, functions, set())


def _names(body: Iterable[ast.AST]) -> set[str]:
    return {n.id for each in body for n in ast.walk(each) if isinstance(n, ast.Name)}


def _stored(body: Iterable[ast.AST]) -> dict[str, None]:
    found = [n for each in body for n in ast.walk(each) if isinstance(n, ast.Name)]
    return dict.fromkeys(n.id for n in found if isinstance(n.ctx, ast.Store))


def _free(function: ast.FunctionDef) -> set[str]:
    """Names that a function may read of the script."""
    given = function.args
    own = {each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
    return _names(function.body) - own


def _does_no_more(
    body: Iterable[ast.stmt], functions: dict[str, ast.FunctionDef], seen: set[str]
) -> bool:
    for node in (node for each in body for node in ast.walk(each)):
        if isinstance(node, ast.stmt) and not isinstance(node, _STATEMENTS):
            return False
        if isinstance(node, ast.keyword) and node.arg in ("out", None):
            return False
        if isinstance(node, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom):
            return False
        stored = isinstance(getattr(node, "ctx", None), ast.Store)
        if stored and not isinstance(node, ast.Name | ast.Tuple):
            return False
        if isinstance(node, ast.Call) and not _known(node.func, functions, seen):
            return False
    return True


def _known(called: ast.expr, functions: dict[str, ast.FunctionDef], seen: set[str]) -> bool:
    if isinstance(called, ast.Name):
        if called.id in functions and called.id not in seen:
            return _does_no_more(functions[called.id].body, functions, seen | {called.id})
        return called.id in _PLAIN or called.id in seen
    if not isinstance(called, ast.Attribute) or called.attr in _IN_PLACE:
        return False
    return called.attr in _METHODS or ast.unparse(called.value) in ("np", "np.linalg", "math")


def _turns(loop: ast.For) -> Turns:
    assert isinstance(loop.target, ast.Name)
    assert isinstance(loop.iter, ast.Call)
    return Turns(
        loop.target.id,
        compile(ast.Expression(loop.iter.args[0]), "script", "eval"),
        compile(ast.Module(loop.body, []), "script", "exec"),
        tuple(_stored(loop.body)),
    )


def _entered(tape: Tape, value: Any) -> Any:
    if type(value) is Ball:
        return Ball(tape.enters(value.x))
    entered = np.empty(value.shape, object)
    entered.ravel()[:] = [tape.enters(x) for x in value.raw.ravel()]
    return Balls(entered)


def _slots(tape: Tape, before: Any, value: Any) -> list[int]:
    """Of a name after the turn; ValueError where it is no number of the same shape."""
    if type(value) is not type(before) or value.shape != before.shape:
        raise ValueError("another kind of number, or another shape")
    numbers = [value.x] if type(value) is Ball else value.raw.ravel().tolist()
    return [tape.slot(x) for x in numbers]


def _filled(before: Any, numbers: Iterator[Any]) -> Any:
    if type(before) is Ball:
        return Ball(next(numbers))
    filled = np.empty(before.shape, object)
    filled.ravel()[:] = [next(numbers) for _ in range(before.size)]
    return Balls(filled)


def _shared(names: dict[str, Any], state: Iterable[str]) -> bool:
    """Whether an array of the state lies where another one that has a name does."""
    arrays = {name: x.raw for name, x in names.items() if type(x) is Balls}
    return any(
        name != other and np.may_share_memory(arrays[name], raw)
        for name in arrays.keys() & set(state)
        for other, raw in arrays.items()
    )


def _same(before: Any, after: Any) -> bool:
    """Of what is no number: whether the turn has left it as it was."""
    return type(before) is type(after) and isinstance(before, int | str) and before == after
