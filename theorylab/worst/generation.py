"""Worst cases with the inequalities that matter: those that a solution breaks are added."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from theorylab.worst.program import Block, Floats, Name, Program
from theorylab.worst.solver import GAP, Solution, solve

ROUNDS = 12
LOOSE = 1e-5  # gap of the first solution, which only tells what to add
BROKEN = 1e-9  # of the largest number of the solution; more than this counts as broken


@dataclass(frozen=True)
class Solved:
    """A solution, the inequalities in use, and by how much it breaks the worst of the others."""

    names: list[Name]
    block: Block
    solution: Solution
    broken: float


def solved(
    program: Program, lift: float = 0.0, names: list[Name] | None = None, gap: float = GAP
) -> Solved:
    """The worst case; the dual of the inequalities in use is above it, whatever else holds.

    lift: the metric is <M + lift I, G>: what is left is room for rounding the multipliers.
    names: the inequalities in use; none is added.
    """
    M = program.M + lift * np.eye(program.size)
    if names is not None:
        block = program.block(names)
        return Solved(names, block, solve(block, M, program.level, gap=gap), 0.0)
    whole, use = program.block(program.pairs), [*program.always, *_neighbours(program)]
    loose = True
    for _ in range(ROUNDS):
        block = program.block(use)
        solution = solve(block, M, program.level, gap=LOOSE if loose else gap)
        left = whole.forms(solution.G) + whole.E @ solution.f - whole.b
        size = max(1.0, abs(solution.dual))
        room = (LOOSE if loose else max(BROKEN, 3 * solution.residual / size)) * size
        known = {*use}
        order = [k for k in np.argsort(-left) if left[k] > room]
        fresh = [program.pairs[k] for k in order if program.pairs[k] not in known]
        if not fresh and not loose:
            break
        loose = False
        use += fresh[: max(60, len(use))]
    return Solved(use, block, solution, max(0.0, float(left.max(initial=0))) / size)


def _neighbours(program: Program) -> list[Name]:
    """Pairs of successive points of a client, and pairs with x*, both ways."""
    made: dict[Name, None] = {}
    for i, used in enumerate(program.nodes):
        near = [*itertools.pairwise(used), *((used[0], a) for a in used[1:])]
        for a, b in near:
            made[("pair", i, a, b)] = made[("pair", i, b, a)] = None
    known = {*program.pairs}
    return [name for name in made if name in known]


def trace(solution: Solution) -> float:
    """tr G, by which a lift of the metric is divided."""
    return max(1e-12, float(np.einsum("wii->", solution.G).real))


__all__ = ["Floats", "Solved", "solved", "trace"]
