"""Derivatives of terms: the slope of a number in a vector, backward through what made it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from theorylab.formulas.term import (
    COMPARED,
    FormulaError,
    Term,
    applied,
    constant,
    is_constant,
    joined,
    product,
    spread,
    summed,
)

_JUMPS = ("where", "sign", *COMPARED)
_Rule = Callable[[Term, Term], list[Term]]


def ordered(*outputs: Term) -> list[Term]:
    """All terms that the outputs are made of, each after its own parts."""
    seen: dict[int, Term] = {}
    waiting: list[tuple[Term, bool]] = [(each, False) for each in reversed(outputs)]
    while waiting:
        node, ready = waiting.pop()
        if ready:
            seen.setdefault(id(node), node)
        elif id(node) not in seen:
            waiting.append((node, True))
            waiting.extend((a, False) for a in reversed(node.args))
    return list(seen.values())


def merged(*outputs: Term) -> list[Term]:
    """The same outputs with one term where several say the same."""
    known: dict[tuple[Any, ...], Term] = {}
    one: dict[int, Term] = {}
    for node in ordered(*outputs):
        args = [one[id(a)] for a in node.args]
        key = node.op, node.shape, repr(node.option), *map(id, args)
        one[id(node)] = known.setdefault(key, Term(node.op, args, node.shape, node.option))
    return [one[id(each)] for each in outputs]


def slope(output: Term, x: str = "x", dim: int = 1) -> Term:
    """The gradient of a number in the vector that is called ``x``, of ``dim`` entries.

    At a tie of a kink (a maximum of equals, the absolute value of 0) it is that of one side, see
    ``tied``.
    """
    nodes = ordered(output)
    moves = {id(node) for node in nodes if node.op == "input" and node.option == x}
    for node in nodes:
        if any(id(a) in moves for a in node.args):
            moves.add(id(node))
    pulls: dict[int, list[tuple[Any, Term]]] = {id(output): [(None, constant(1.0, ()))]}
    whole = constant(0.0, (dim,))
    for node in reversed(nodes):
        if id(node) not in moves or id(node) not in pulls:
            continue
        g = _gathered(pulls.pop(id(node)), node)
        if node.op == "input":
            whole = g
            continue
        if node.op == "index" and None in node.option:
            if any(isinstance(part, int) for part in node.option):
                raise FormulaError("an index with numbers and None has no derivative here")
            back = tuple(0 if part is None else part for part in node.option)
            pulls.setdefault(id(node.args[0]), []).append((None, g[back]))
            continue
        if node.op == "index":
            pulls.setdefault(id(node.args[0]), []).append((node.option, g))
            continue
        args, parts = _of_logarithm(node, g) or (node.args, _parts(node, g))
        for a, part in zip(args, parts, strict=True):
            if id(a) in moves:
                pulls.setdefault(id(a), []).append((None, _shaped(part, a)))
    return whole


def _gathered(pulls: list[tuple[Any, Term]], node: Term) -> Term:
    """The sum of what pulls at a term, and at its pieces."""
    dense = [g for key, g in pulls if key is None]
    total = dense[0] if dense else constant(0.0, node.shape)
    for g in dense[1:]:
        total = total + g
    pieces = [(key, g) for key, g in pulls if key is not None]
    if not pieces:
        return total
    if len(node.shape) != 1:
        raise FormulaError("an entry of a matrix of values has no derivative here")
    spans: list[tuple[int, int, Term]] = []
    for key, g in pieces:
        (part,) = key
        if isinstance(part, int):
            spans.append((part, part + 1, g[None]))
        elif part.step == 1:
            spans.append((part.start, part.stop, g))
        else:
            raise FormulaError("a slice with steps has no derivative here")
    ends = sorted({0, node.shape[0], *(p for a, b, _ in spans for p in (a, b))})
    cut: list[Term] = []
    for a, b in itertools.pairwise(ends):
        here = total[a:b]
        for first, last, g in spans:
            if first <= a and b <= last:
                here = here + g[a - first : b - first]
        cut.append(here)
    return joined(cut)


def _shaped(g: Term, a: Term) -> Term:
    """The pull at an operand that was spread over a larger shape, summed over what it was spread
    over."""
    if g.shape == a.shape:
        return g
    extra = len(g.shape) - len(a.shape)
    if extra < 0:
        return spread(g, a.shape)
    if extra:
        g = summed(g, tuple(range(extra)))
    for k, size in enumerate(a.shape):
        if size == 1 and g.shape[k] != 1:
            kept = summed(g, k)
            key = (*(slice(None) for _ in a.shape[:k]), None)
            g = kept[key] if kept.op != "const" else constant(kept.option, a.shape)
    return spread(g, a.shape)


def _half(y: Term) -> Term:
    """1 / (1 + exp(-y))."""
    made: Term = (applied("tanh", y / 2) + 1) / 2
    return made


def _of_logarithm(node: Term, g: Term) -> tuple[tuple[Term, ...], list[Term]] | None:
    """Of log(cosh y), log(1 + exp y) and log1p(exp y) in y itself: a slope with bounds, where that
    of the logarithm times that of what is in it has none."""
    if node.op not in ("log", "log1p"):
        return None
    (inner,) = node.args
    if node.op == "log" and inner.op == "cosh":
        return inner.args, [g * applied("tanh", inner.args[0])]
    if node.op == "log" and inner.op == "add":
        one, inner = sorted(inner.args, key=lambda a: a.op == "exp")
        if not (is_constant(one) and one.option == 1):
            return None
    elif node.op == "log":
        return None
    return (inner.args, [g * _half(inner.args[0])]) if inner.op == "exp" else None


def _parts(node: Term, g: Term) -> list[Term]:
    rule = _RULES.get(node.op)
    if rule is None:
        raise FormulaError(f"np.{node.op} has no derivative here")
    return rule(node, g)


def _power(node: Term, g: Term) -> list[Term]:
    a, k = node.args
    if not is_constant(k):
        raise FormulaError("a power has a derivative here where its exponent is a number")
    return [g * (a ** (k.option - 1) * k.option), k]


def _product(node: Term, g: Term) -> list[Term]:
    A, b = node.args
    if len(A.shape) == 2 and len(b.shape) == 1:
        return [g[:, None] * b[None, :], product(A.T, g)]
    if len(A.shape) == 1:
        return [product(b, g), A[:, None] * g[None, :]]
    return [product(g, b.T), product(A.T, g)]


def _joins(node: Term, g: Term) -> list[Term]:
    parts, first = [], 0
    for a in node.args:
        parts.append(g[first : first + a.shape[0]])
        first += a.shape[0]
    return parts


def _picked(node: Term, g: Term) -> list[Term]:
    """Of the larger, or the smaller, of two; the first of equals."""
    a, b = node.args
    first = applied("less_equal", b, a) if node.op == "maximum" else applied("less_equal", a, b)
    return [g * applied("where", first, 1.0, 0.0), g * applied("where", first, 0.0, 1.0)]


_RULES: dict[str, _Rule] = {
    "add": lambda node, g: [g, g],
    "subtract": lambda node, g: [g, -g],
    "negative": lambda node, g: [-g],
    "multiply": lambda node, g: [g * node.args[1], g * node.args[0]],
    "divide": lambda node, g: [g / node.args[1], -(g * node) / node.args[1]],
    "power": _power,
    "absolute": lambda node, g: [g * applied("sign", node.args[0])],
    "sign": lambda node, g: [constant(0.0, node.shape)],
    "exp": lambda node, g: [g * node],
    "log": lambda node, g: [g / node.args[0]],
    "log1p": lambda node, g: [g / (node.args[0] + 1)],
    "sqrt": lambda node, g: [g / (node * 2)],
    "sin": lambda node, g: [g * applied("cos", node.args[0])],
    "cos": lambda node, g: [-(g * applied("sin", node.args[0]))],
    "sinh": lambda node, g: [g * applied("cosh", node.args[0])],
    "cosh": lambda node, g: [g * applied("sinh", node.args[0])],
    "tanh": lambda node, g: [g * applied("bell", node.args[0])],
    "bell": lambda node, g: [g * (node * applied("tanh", node.args[0])) * -2],
    "logaddexp": lambda node, g: [
        g * _half(node.args[0] - node.args[1]),
        g * _half(node.args[1] - node.args[0]),
    ],
    "maximum": _picked,
    "minimum": _picked,
    "where": lambda node, g: [
        node.args[0],
        applied("where", node.args[0], g, 0.0),
        applied("where", node.args[0], 0.0, g),
    ],
    "less": lambda node, g: [constant(0.0, a.shape) for a in node.args],
    "less_equal": lambda node, g: [constant(0.0, a.shape) for a in node.args],
    "sum": lambda node, g: [_unsummed(node, g)],
    "full": lambda node, g: [g],
    "matmul": _product,
    "concatenate": _joins,
}


def _unsummed(node: Term, g: Term) -> Term:
    """Every entry that was summed is pulled alike."""
    (a,) = node.args
    if is_constant(g) or not node.shape:
        return spread(g, a.shape)
    rank = len(a.shape)
    return spread(g[tuple(None if k - rank in node.option else slice(None) for k in range(rank))],
                  a.shape)  # fmt: skip


def kinks(*outputs: Term) -> list[Term]:
    """Terms whose zero is a kink: what an absolute value, a maximum or a comparison turns at."""
    made = []
    for node in ordered(*outputs):
        if node.op in ("absolute", "sign"):
            made.append(node.args[0])
        elif node.op in ("maximum", "minimum", *COMPARED):
            made.append(node.args[0] - node.args[1])
    return made


def tied(output: Term) -> Term:
    """The same but where there is a tie: of it the other side."""
    other: dict[int, Term] = {}
    for node in ordered(output):
        args = [other[id(a)] for a in node.args]
        made = Term(COMPARED.get(node.op, node.op), args, node.shape, node.option)
        if node.op == "sign":
            one = constant(1.0, node.shape)
            made = applied("where", applied("less", 0.0, args[0]), one, -1.0)
        other[id(node)] = made
    return other[id(output)]


def moving(output: Term) -> dict[int, str]:
    """The operations of what changes with the model, by the ids of their terms."""
    moves: dict[int, str] = {}
    for node in ordered(output):
        if node.option == "x" or any(id(a) in moves for a in node.args):
            moves[id(node)] = node.op
    return moves


def jump(value: Term, gradient: Term, given: bool) -> str | None:
    """Why a gradient, or the loss itself, may jump; None where neither does.

    ``given``: the gradient is the author's, which says how branches that move meet.
    """
    of_gradient, of_loss = moving(gradient).values(), moving(value)
    for op in _JUMPS:
        if op in of_gradient:
            need = "a gradient of np.clip, np.minimum and np.maximum"
            return f"its gradient has np.{op}, and may jump; need {need}"
    for node in ordered(value):
        met = given and any(id(a) in of_loss for a in node.args[1:])
        if id(node) in of_loss and node.op in ("where", "sign") and not met:
            return f"it has np.{node.op}, which no slope shows, and may jump"
    return None
