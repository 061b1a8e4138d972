"""How far the gradients of clients are from their mean: what they have in common cancels.

A gradient is a sum of terms of the model, each times a coefficient. Where such a term and its
coefficient are those of every client, it is in no difference of two of them. What is left is
enclosed over all of R^d, one u for all clients and a v for each.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from theorylab.formulas.boxes import Box, box
from theorylab.formulas.formula import Formula
from theorylab.formulas.pencil import ATOM, SUMS, parted
from theorylab.formulas.slope import ordered
from theorylab.formulas.term import Term
from theorylab.known import EPS

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Gap:
    """grad_u f_i - mean_j grad_u f_j.

    size: (n,), a bound of its norm at all u and v; inf where none is known.
    fixed: it is one vector for each client, whatever u and v are.
    endless: it has no bound, by proof.
    """

    size: Floats
    fixed: bool = False
    endless: bool = False


def gap_of(formula: Formula, d_u: int, clients: int) -> Gap:
    """Of the gradient in the first d_u coordinates, u; d_u = d: of all of it."""
    if clients == 1:
        return Gap(np.zeros(1), True)
    data = {name: np.asarray(formula.data[name]) for name in formula.each}
    unlike = {name for name, values in data.items() if (values != values[:1]).any()}
    rest, atoms = _parted(formula.retraced(d_u, formula.plain)[1])
    boxes = _boxes(formula, d_u, atoms)
    alike = {name for name, atom in atoms.items() if not _has(atom, {*unlike, "v"})}
    none = np.full(clients, np.inf)
    if not _is_alike(rest, alike, unlike):
        return Gap(none, endless=_parts(formula, d_u, rest, atoms, boxes))
    held = boxes | {name: _nothing(atoms[name]) for name in alike}
    left = formula.over(box(np.zeros(formula.dim)), rest, **held)[0]
    low, high = (np.broadcast_to(end[0], (clients, d_u)) for end in (left.low, left.high))
    fixed = alike == atoms.keys()
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        return Gap(none, fixed, not fixed and _parts(formula, d_u, rest, atoms, boxes))
    ends = [(1 - 1 / clients) * (own - (others.sum(0) - others) / (clients - 1))
            for own, others in ((low, high), (high, low))]  # fmt: skip
    sizes = np.maximum(np.abs(low), np.abs(high)).sum(0)
    room = (clients + 5) * EPS * sizes  # n + 5 roundings, each of EPS / 2 of numbers of that size
    entries = np.maximum(*map(np.abs, ends)) + room
    return Gap(np.sqrt((entries**2).sum(1)) * (1 + (d_u + 4) * EPS), fixed)


def is_endless(formula: Formula, slopes: Term | None = None) -> bool:
    """Whether a gradient, or other ``slopes`` (k,) of a model x, have no bound, by proof: they are
    linear in x but for terms with bounds."""
    rest, atoms = _parted(formula.gradient if slopes is None else slopes)
    boxes = _boxes(formula, formula.dim, atoms)
    return any((slope.low > 0).any() or (slope.high < 0).any()
               for _, slope in _slopes(formula, rest, atoms, boxes))  # fmt: skip


def _parted(gradient: Term) -> tuple[Term, dict[str, Term]]:
    """The gradient with inputs in the place of terms of the model, and these by name."""
    (rest,), atoms = parted([gradient], ("u", "v", "x"))
    return rest, {f"{ATOM}{k}": atom for k, atom in enumerate(atoms)}


def _boxes(formula: Formula, d_u: int, atoms: dict[str, Term]) -> dict[str, Box]:
    whole = box(np.zeros(formula.dim)) + Box(-np.inf, np.inf)
    model = {"u": whole[None, None, :d_u], "v": whole[None, None, d_u:]}  # run and client in front
    return dict(zip(atoms, formula.over(whole, *atoms.values(), **model), strict=True))


def _nothing(atom: Term) -> Box:
    return box(np.zeros((1, 1, *atom.shape)))


def _has(node: Term, names: Collection[str]) -> bool:
    return any(each.op == "input" and each.option in names for each in ordered(node))


def _is_alike(rest: Term, held: Collection[str], unlike: Collection[str]) -> bool:
    """Whether what of ``rest`` changes with the ``held`` inputs is the same for all clients."""
    moves: dict[int, bool] = {}
    apart: dict[int, bool] = {}
    fine: dict[int, bool] = {}
    for node in ordered(rest):
        named = node.option if node.op == "input" else None
        moves[id(node)] = named in held or any(moves[id(a)] for a in node.args)
        apart[id(node)] = named in unlike or any(apart[id(a)] for a in node.args)
        fine[id(node)] = not (moves[id(node)] and apart[id(node)]) or (
            all(fine[id(a)] for a in node.args)
            and (node.op in SUMS or not any(apart[id(a)] for a in node.args if not moves[id(a)]))
        )  # a product has one factor that moves
    return fine[id(rest)]


def _slopes(
    formula: Formula, rest: Term, atoms: dict[str, Term], boxes: dict[str, Box]
) -> list[tuple[str, Box]]:
    """(part of the model, slope (n, k)) in each coordinate of what is linear in it; none where what
    is not linear has no bound."""
    linear = [name for name, atom in atoms.items() if atom.op == "input"]
    others = [each for name, each in boxes.items() if name not in linear]
    if not all(np.isfinite(each.size).all() for each in others):
        return []
    still, zero = {name: _nothing(atom) for name, atom in atoms.items()}, box(np.zeros(formula.dim))
    origin = formula.over(zero, rest, **still)[0][0]
    made = []
    for name in linear:
        for unit in np.eye(atoms[name].shape[0])[:, None, None]:
            moved = formula.over(zero, rest, **still | {name: box(unit)})[0][0]
            made.append((atoms[name].option, moved - origin))
    return made


def _parts(
    formula: Formula, d_u: int, rest: Term, atoms: dict[str, Term], boxes: dict[str, Box]
) -> bool:
    """Whether clients' gradients part without limit: as a v does, or as the slopes in u differ."""
    for part, slope in _slopes(formula, rest, atoms, boxes):
        gap = slope if part == "v" else slope - slope[:1]
        if (gap.low > 0).any() or (gap.high < 0).any():
            return True
    return False
