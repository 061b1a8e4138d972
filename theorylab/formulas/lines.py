"""Terms as straight lines of Python: a graph is walked once, and its function called many times.

The lines are made of names that this module counts up (``i0``, ``k0``, ``t0``), of the operations
of terms, and of axes and keys that are whole numbers: no text of a user is in them. What a name
stands for, a library's function, a number or an input, is bound beside them, so that the lines of
one graph serve every library and all data.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from theorylab.formulas.slope import merged, ordered
from theorylab.formulas.term import ELEMENTWISE, Shape, Term
from theorylab.formulas.values import Arrays

_LONGEST = 400  # characters of an expression: Python's own parser nests no deeper than 200


def bound(
    outputs: Sequence[Term], names: Sequence[str], known: Mapping[str, Any], library: Arrays
) -> Callable[..., tuple[Any, ...]]:
    """The outputs as a function of the inputs called ``names``, in this order.

    What is made of the inputs in ``known`` alone is computed here, once.
    """
    numbers = frozenset(name for name, value in known.items() if not hasattr(value, "shape"))
    before, after = _planned(tuple(outputs), tuple(names), numbers)
    values = before.function(library, ())(*(known[name] for name in before.inputs))
    plain = (float(v) if isinstance(v, np.float64) else v for v in values)  # adapts to float32
    return after.function(library, plain)


@functools.lru_cache(maxsize=256)
def _planned(
    outputs: tuple[Term, ...], names: tuple[str, ...], numbers: frozenset[str]
) -> tuple[_Lines, _Lines]:
    """(what is made of the other inputs alone, what is left), for every library."""
    outputs = tuple(merged(*outputs))
    nodes, moves = ordered(*outputs), set[int]()
    for node in nodes:
        mine = node.op == "input" and node.option in names
        if mine or any(id(a) in moves for a in node.args):
            moves.add(id(node))
    still = [node for node in nodes if id(node) not in moves]
    left = [node for node in nodes if id(node) in moves]
    used = {id(node) for node in (*outputs, *(a for node in left for a in node.args))}
    first = [node for node in still if id(node) in used]
    before = _Lines([node.option for node in still if node.op == "input"], numbers)
    before.write(still, first)
    after = _Lines(names, frozenset())
    for node in first:
        after.texts[id(node)] = after.name("given")
        after.shapes[id(node)] = before.shapes[id(node)]
    after.write(left, outputs)
    return before, after


def computed(outputs: Sequence[Term], given: Mapping[str, Any], library: Arrays) -> Sequence[Any]:
    """The values of the outputs, where the inputs have those of ``given``."""
    return bound(outputs, (), given, library)()


class _Lines:
    """texts: of each term computed so far. shapes: its own, None of a bare number: a term that is
    one number everywhere may have less than its term's shape. names: what each stands for."""

    def __init__(self, inputs: Sequence[str], numbers: frozenset[str]) -> None:
        self.inputs = {name: f"i{k}" for k, name in enumerate(inputs)}
        self.numbers = numbers
        self.texts: dict[int, str] = {}
        self.shapes: dict[int, Shape | None] = {}
        self.names: dict[str, tuple[str, Any]] = {}
        self.lines: list[str] = []

    def name(self, what: str, value: Any = None) -> str:
        """Of a "given" value, a "number", "zeros" of a shape, or a "function" by its own name."""
        made = value if what == "function" else f"k{len(self.names)}"
        self.names.setdefault(made, (what, value))
        return str(made)

    def write(self, nodes: Sequence[Term], outputs: Sequence[Term]) -> None:
        uses: dict[int, int] = {}
        for node in (*(a for n in nodes for a in n.args), *outputs):
            uses[id(node)] = uses.get(id(node), 0) + 1
        for node in nodes:
            text, self.shapes[id(node)] = self._text(node)
            again = uses.get(id(node), 0) > 1 and node.op not in ("input", "const")
            if again or len(text) > _LONGEST:
                self.lines.append(f"    t{len(self.lines)} = {text}")
                text = f"t{len(self.lines) - 1}"
            self.texts[id(node)] = text
        made = "".join(f"{self.texts[id(each)]}, " for each in outputs)
        head = f"def lines({', '.join(self.inputs.values())}):"
        whole = "\n".join([head, *self.lines, f"    return ({made})"])
        self.code = compile(whole, "<a formula's lines>", "exec")

    def function(self, library: Arrays, given: Iterable[Any]) -> Callable[..., tuple[Any, ...]]:
        values = iter(given)
        made: dict[str, Any] = {}
        for name, (what, value) in self.names.items():
            if what == "given":
                made[name] = next(values)
            elif what == "function":
                made[name] = getattr(library, value)
            else:
                made[name] = getattr(library, what)(value)
        exec(self.code, made)
        lines: Callable[..., tuple[Any, ...]] = made["lines"]
        return lines

    def _text(self, node: Term) -> tuple[str, Shape | None]:
        if node.op == "const":
            return self.name("number", node.option), None
        if node.op == "input":
            number = node.option in self.numbers
            return self.inputs[node.option], None if number else node.shape
        shapes = [self.shapes[id(a)] for a in node.args]
        rank = len(node.shape)
        if node.op in ELEMENTWISE:
            given = ", ".join(self._padded(a, rank) for a in node.args)
            there = [shape for shape in shapes if shape is not None]
            shape = np.broadcast_shapes(*there, (1,) * rank) if there else None
            return f"{self.name('function', node.op)}({given})", shape
        if node.op == "index" and shapes[0] is None:
            return self.texts[id(node.args[0])], None  # a number that None spread
        if node.op == "full":
            return self._whole(node.args[0], node.shape), node.shape
        args = [
            self.texts[id(a)] if shape == a.shape else self._whole(a, a.shape)
            for a, shape in zip(node.args, shapes, strict=True)
        ]
        if node.op == "index":
            text = f"{args[0]}[..., {', '.join(map(_key, node.option))}]"
            packed = any(isinstance(part, slice) for part in node.option) and rank == 1
            return f"{self.name('function', 'solid')}({text})" if packed else text, node.shape
        if node.op == "transpose":
            return f"{args[0]}.swapaxes(-1, -2)", node.shape
        if node.op == "sum":
            axes = tuple(map(int, node.option))
            return f"{self.name('function', 'sum')}({args[0]}, {axes})", node.shape
        if node.op == "matmul":
            return _product(args, [len(a.shape) for a in node.args]), node.shape
        assert node.op == "concatenate", node.op
        return f"{self.name('function', 'joined')}([{', '.join(args)}])", node.shape

    def _padded(self, a: Term, rank: int) -> str:
        """With axes of length 1 in front of the shape of one client, as many as it lacks."""
        text, shape = self.texts[id(a)], self.shapes[id(a)]
        if shape is None or len(shape) == rank:
            return text
        lacks = ["None"] * (rank - len(shape))
        return f"{text}[..., {', '.join([*lacks, *(':' for _ in shape)])}]"

    def _whole(self, a: Term, shape: Shape) -> str:
        """Spread over a shape."""
        add, zeros = self.name("function", "add"), self.name("zeros", shape)
        return f"{add}({self._padded(a, len(shape))}, {zeros})"


def _product(args: Sequence[str], ranks: Sequence[int]) -> str:
    a, b = args
    if ranks[1] == 1:
        return f"({a} @ {b}[..., None])[..., 0]"
    if ranks[0] == 1:
        return f"({a}[..., None, :] @ {b})[..., 0, :]"
    return f"({a} @ {b})"


def _key(part: Any) -> str:
    if part is None:
        return "None"
    if isinstance(part, slice):
        ends = (part.start, part.stop, part.step)
        return ":".join("" if end is None else str(operator.index(end)) for end in ends)
    return str(operator.index(part))
