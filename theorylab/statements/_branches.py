"""What an expression with branches is where its numbers are intervals of rationals.

A step of .1 and L = 10 have eta L = 1, but the float64 numbers next to them do not. So a floor, a
condition or a root of what may be negative is decided with the rationals, before anything rounds.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import sympy as sp
from sympy.logic.boolalg import Boolean

from theorylab.exact import Span
from theorylab.statements._enclosed import BRANCHES, Ball, enclosed

BITS = (192, 1024, 8192)  # of balls, one after the other, until a sign is known
_MOST = 64  # expressions that one may be
_EDGES = (sp.Pow, sp.log)

Spans = Mapping[sp.Symbol, Span]


def resolved(
    expr: sp.Expr, spans: Spans, *, as_run: bool = False, edges: bool = False
) -> list[sp.Expr]:
    """The expressions without branches that ``expr`` is with its symbols in their ``spans``: one,
    or where these leave a branch open one for each way that it may go.

    Args:
        as_run: as of ``enclosed``. edges: an argument of a root, a logarithm or a quotient that is
        0, or may be, is replaced by 0, and by the largest that it may be.

    Raises NotImplementedError where the branches are not known, or too many.
    """
    kinds = (*BRANCHES, *(_EDGES if edges else ()))
    done: list[sp.Expr] = []
    waiting: list[tuple[sp.Expr, frozenset[sp.Basic]]] = [(expr, frozenset())]
    while waiting:
        if len(done) + len(waiting) > _MOST:
            raise NotImplementedError("too many ways that branches may go")
        whole, settled = waiting.pop()
        node = _ready(whole, kinds, settled)
        if node is None:
            done.append(whole)
            continue
        for way in _ways(node, spans, as_run):
            same = way == node
            waiting.append((whole if same else whole.xreplace({node: way}), settled | {node}))
    return [*dict.fromkeys(done)]


def side_of(left: sp.Expr, right: sp.Expr, spans: Spans, *, as_run: bool = False) -> int | None:
    """The sign of left - right: 0 where 8192 bits of rationals show no difference, None where the
    spans leave it open. Raises NotImplementedError where no ball is known."""
    points = all(spans[s][0] == spans[s][1] for s in (left.free_symbols | right.free_symbols))
    for bits in BITS:
        away = _ball(left, spans, bits, as_run) - _ball(right, spans, bits, as_run)
        if away > 0 or away < 0:
            return 1 if away > 0 else -1
        if not points:
            return 0 if away == 0 else None
    return 0


def _ball(expr: sp.Expr, spans: Spans, bits: int, as_run: bool) -> Ball:
    if not expr.free_symbols <= set(spans):  # the index of a sum
        raise NotImplementedError("a branch inside of a sum")
    found = enclosed(expr, spans, bits, as_run=as_run)
    if found is None:
        raise NotImplementedError(f"no ball of {expr}")
    return found


@functools.lru_cache(maxsize=4096)  # the places of a claim have other numbers, and one expression
def _ready(whole: sp.Expr, kinds: tuple[Any, ...], settled: frozenset[sp.Basic]) -> sp.Basic | None:
    """A branch that has no open one in what decides it; None where none is left."""

    def is_open(part: sp.Basic) -> bool:
        return any(_is_branch(each, kinds) and each not in settled for each in part.atoms(*kinds))

    for node in sp.postorder_traversal(whole):
        if isinstance(node, kinds) and _is_branch(node, kinds) and node not in settled:
            parts = [c for _, c in node.args] if isinstance(node, sp.Piecewise) else node.args
            if not any(is_open(part) for part in parts):
                return node
    return None


def _is_branch(node: sp.Basic, kinds: tuple[Any, ...]) -> bool:
    if isinstance(node, sp.Pow):
        exponent = node.exp
        return not node.base.is_number and not (exponent.is_integer and exponent.is_positive)
    return isinstance(node, kinds)


def _ways(node: Any, spans: Spans, as_run: bool) -> list[sp.Expr]:
    if isinstance(node, sp.Piecewise):
        return _cases(node, spans, as_run)
    if isinstance(node, sp.Mod):
        number, by = node.args
        return [number - by * sp.floor(number / by)]
    if isinstance(node, sp.frac):
        return [node.args[0] - sp.floor(node.args[0])]
    if isinstance(node, sp.floor | sp.ceiling):
        return _whole(node, spans, as_run)
    if isinstance(node, _EDGES):
        return _at_edge(node, spans, as_run)
    if not isinstance(node, sp.sign | sp.Heaviside):
        raise NotImplementedError(f"no branches of {node}")
    here = side_of(node.args[0], sp.S.Zero, spans, as_run=as_run)
    at_zero = node.args[1] if isinstance(node, sp.Heaviside) else sp.S.Zero
    below = sp.S.Zero if isinstance(node, sp.Heaviside) else sp.S.NegativeOne
    ways = {-1: below, 0: at_zero, 1: sp.S.One}
    return [*ways.values()] if here is None else [ways[here]]


def _whole(node: Any, spans: Spans, as_run: bool) -> list[sp.Expr]:
    ball = _ball(node.args[0], spans, BITS[0], as_run)
    nearest = (ball.mid() + 0.5).floor().unique_fmpz()
    if nearest is None or not ball.rad() < 0.25:
        raise NotImplementedError(f"no integer near {node}")
    near = sp.Integer(int(nearest))
    here = side_of(node.args[0], near, spans, as_run=as_run)
    if isinstance(node, sp.floor):
        return [near - 1, near] if here is None else [near - (here < 0)]
    return [near, near + 1] if here is None else [near + (here > 0)]


def _at_edge(node: Any, spans: Spans, as_run: bool) -> list[sp.Expr]:
    """A power or a logarithm, with 0 in the place of what is 0."""
    inside = node.args[0]
    if not inside.free_symbols <= set(spans):
        return [node]
    here = side_of(inside, sp.S.Zero, spans, as_run=as_run)
    if here == 0:
        return [node.func(sp.S.Zero, *node.args[1:])]
    if here is not None:
        return [node]
    top, power = _ball(inside, spans, BITS[0], as_run).upper().man_exp()
    largest = sp.Integer(int(top)) * sp.Integer(2) ** int(power)
    return [node.func(each, *node.args[1:]) for each in (sp.S.Zero, largest)]


def _cases(node: sp.Piecewise, spans: Spans, as_run: bool) -> list[sp.Expr]:
    ways = []
    for value, condition in node.args:
        truth = _truth(condition, spans, as_run)
        if truth is not False:
            ways.append(value)
        if truth:
            return ways
    return [*ways, sp.nan]


def _truth(condition: Boolean, spans: Spans, as_run: bool) -> bool | None:
    if condition in (sp.true, sp.false):
        return bool(condition)
    if isinstance(condition, sp.Not):
        inner = _truth(condition.args[0], spans, as_run)
        return None if inner is None else not inner
    if isinstance(condition, sp.And | sp.Or):
        told = {_truth(each, spans, as_run) for each in condition.args}
        decides = isinstance(condition, sp.Or)
        if decides in told:
            return decides
        return None if None in told else not decides
    if not isinstance(condition, tuple(_TRUE)):
        raise NotImplementedError(f"no truth of {condition}")
    relation: Any = condition
    here = side_of(relation.lhs, relation.rhs, spans, as_run=as_run)
    return None if here is None else here in _TRUE[relation.func]


_TRUE: Mapping[Any, tuple[int, ...]] = {
    sp.Eq: (0,),
    sp.Ne: (-1, 1),
    sp.StrictLessThan: (-1,),
    sp.LessThan: (-1, 0),
    sp.StrictGreaterThan: (1,),
    sp.GreaterThan: (0, 1),
}
