"""Terms as straight lines of Python: a graph is walked once, and its function called many times.

The lines are made of names that this module counts up (``i0``, ``k0``, ``t0``), of the operations
of terms, and of axes and keys that are whole numbers: no text of a user is in them. What a name
stands for, a library's function, a number or an input, is bound beside them.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from types import CodeType
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
    outputs = merged(*outputs)
    nodes, moves = ordered(*outputs), set[int]()
    for node in nodes:
        if node.op == "input" and node.option in names or any(id(a) in moves for a in node.args):
            moves.add(id(node))
    numbers = {name for name, value in known.items() if not hasattr(value, "shape")}
    still = [node for node in nodes if id(node) not in moves]
    used = {id(a) for node in nodes if id(node) in moves for a in node.args}
    used |= {id(each) for each in outputs}
    first = [node for node in still if id(node) in used]
    given = [node.option for node in still if node.op == "input"]
    before = _Lines(given, numbers)
    values = before.function(still, first, library)(*(known[name] for name in given))
    after = _Lines(names, set())
    for node, value in zip(first, values, strict=True):
        plain = float(value) if isinstance(value, np.float64) else value  # adapts to float32
        after.texts[id(node)] = after.name("k", plain)
        after.shapes[id(node)] = before.shapes[id(node)]
    return after.function([n for n in nodes if id(n) in moves], outputs, library)


def computed(outputs: Sequence[Term], given: Mapping[str, Any], library: Arrays) -> Sequence[Any]:
    """The values of the outputs, where the inputs have those of ``given``."""
    return bound(outputs, (), given, library)()


class _Lines:
    """texts: of each term computed so far. shapes: its own, None of a bare number: a term that is
    one number everywhere may have less than its term's shape."""

    def __init__(self, inputs: Sequence[str], numbers: set[str]) -> None:
        self.inputs = {name: f"i{k}" for k, name in enumerate(inputs)}
        self.numbers = numbers
        self.texts: dict[int, str] = {}
        self.shapes: dict[int, Shape | None] = {}
        self.names: dict[str, Any] = {}
        self.lines: list[str] = []

    def name(self, letter: str, value: Any) -> str:
        made = f"{letter}{len(self.names)}"
        self.names[made] = value
        return made

    def function(
        self, nodes: Sequence[Term], outputs: Sequence[Term], library: Arrays
    ) -> Callable[..., tuple[Any, ...]]:
        uses: dict[int, int] = {}
        for node in (*(a for n in nodes for a in n.args), *outputs):
            uses[id(node)] = uses.get(id(node), 0) + 1
        for node in nodes:
            if node.op == "const":
                self.texts[id(node)] = self.name("k", library.number(node.option))
                self.shapes[id(node)] = None
                continue
            text, self.shapes[id(node)] = self._text(node, library)
            if uses.get(id(node), 0) > 1 and node.op != "input" or len(text) > _LONGEST:
                self.lines.append(f"    t{len(self.lines)} = {text}")
                text = f"t{len(self.lines) - 1}"
            self.texts[id(node)] = text
        made = "".join(f"{self.texts[id(each)]}, " for each in outputs)
        head = f"def lines({', '.join(self.inputs.values())}):"
        exec(_compiled("\n".join([head, *self.lines, f"    return ({made})"])), self.names)
        made_function: Callable[..., tuple[Any, ...]] = self.names["lines"]
        return made_function

    def _text(self, node: Term, library: Arrays) -> tuple[str, Shape | None]:
        if node.op == "input":
            number = node.option in self.numbers
            return self.inputs[node.option], None if number else node.shape
        shapes = [self.shapes[id(a)] for a in node.args]
        rank = len(node.shape)
        if node.op in ELEMENTWISE:
            self.names.setdefault(node.op, getattr(library, node.op))
            args = ", ".join(self._padded(a, rank) for a in node.args)
            there = [shape for shape in shapes if shape is not None]
            return f"{node.op}({args})", self._spread(there, rank) if there else None
        if node.op == "index" and shapes[0] is None:
            return self.texts[id(node.args[0])], None  # a number that None spread
        if node.op == "full":
            return self._whole(node.args[0], node.shape, library), node.shape
        args = [
            self.texts[id(a)] if shape == a.shape else self._whole(a, a.shape, library)
            for a, shape in zip(node.args, shapes, strict=True)
        ]
        if node.op == "index":
            text = f"{args[0]}[..., {', '.join(map(_key, node.option))}]"
            if any(isinstance(part, slice) for part in node.option) and rank == 1:
                self.names.setdefault("solid", library.solid)
                text = f"solid({text})"
            return text, node.shape
        if node.op == "transpose":
            return f"{args[0]}.swapaxes(-1, -2)", node.shape
        if node.op == "sum":
            self.names.setdefault("sum", library.sum)
            return f"sum({args[0]}, {tuple(map(int, node.option))!r})", node.shape
        if node.op == "matmul":
            return _product(*args, *(len(a.shape) for a in node.args)), node.shape
        assert node.op == "concatenate", node.op
        self.names.setdefault("joined", library.joined)
        return f"joined([{', '.join(args)}])", node.shape

    def _padded(self, a: Term, rank: int) -> str:
        """With axes of length 1 in front of the shape of one client, as many as it lacks."""
        text, shape = self.texts[id(a)], self.shapes[id(a)]
        if shape is None or len(shape) == rank:
            return text
        lacks = ["None"] * (rank - len(shape))
        return f"{text}[..., {', '.join([*lacks, *(':' for _ in shape)])}]"

    def _whole(self, a: Term, shape: Shape, library: Arrays) -> str:
        """Spread over a shape."""
        self.names.setdefault("add", library.add)
        zeros = self.name("k", library.zeros(shape))
        return f"add({self._padded(a, len(shape))}, {zeros})"

    @staticmethod
    def _spread(shapes: Sequence[Shape], rank: int) -> Shape:
        return np.broadcast_shapes(*shapes, (1,) * rank)


@functools.lru_cache(maxsize=1024)
def _compiled(text: str) -> CodeType:
    return compile(text, "<a formula's lines>", "exec")


def _product(a: str, b: str, rank: int, other: int) -> str:
    if other == 1:
        return f"({a} @ {b}[..., None])[..., 0]"
    if rank == 1:
        return f"({a}[..., None, :] @ {b})[..., 0, :]"
    return f"({a} @ {b})"


def _key(part: Any) -> str:
    if part is None:
        return "None"
    if isinstance(part, slice):
        ends = (part.start, part.stop, part.step)
        return ":".join("" if end is None else str(operator.index(end)) for end in ends)
    return str(operator.index(part))
