"""The program of a circulant network: Fourier blocks whose size does not depend on n.

Where every client does what the one before it does, one place further, the mean over the rotations
of a solution is one, too. Multipliers are then the same at all clients, inequalities are means over
them, and the Gram matrix falls into one block a frequency: with g(w) the Fourier transform over the
clients of a gradient, the mean of <p_i, q_i> is the sum over w of <p(w), q(w)>/n. The frequencies w
and n - w have the same block. At w = 0 the gradients at x* add up to 0, and x^0 - x* lives there
alone: so all blocks have as many vectors. Without x* there is nothing but gradients at every
frequency; of personal methods the two halves of gradients have blocks of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.worst.check_certificate import Row, Theorem
from theorylab.worst.generation import Solved
from theorylab.worst.program import Name, Program

_EACH = ("bounded", "floor")  # inequalities of one client


class Circulant(Program):
    """As ``Program``, of a theorem that ``is_circulant``."""

    def __init__(self, theorem: Theorem, inner: bool = False) -> None:
        self.owner = _owners(theorem)
        self.slot_of = {
            next(iter(node[2])): a
            for nodes in theorem.nodes
            for a, node in enumerate(nodes)
            if node[2]
        }
        super().__init__(theorem, inner)
        self.pairs = [name for name in self.pairs if name[1] == 0]

    def _always(self) -> list[Name]:
        return [name for name in super()._always() if name[0] not in _EACH or name[1] == 0]

    def _basis(self) -> tuple[list[int], dict[Any, int]]:
        if not self.theorem.convex:
            return [*self.nodes[0]], {("value", a): c for c, a in enumerate(self.nodes[0])}
        slots = [a for a in self.nodes[0] if a]
        return [0, *slots], {("value", a): c for c, a in enumerate(slots)}

    def scalars(self, name: Name) -> dict[Any, Any]:
        """As of a program, of the mean values of the clients' slots."""
        made: dict[Any, Any] = {}
        for k, v in self.form(name)[1].items():
            key = "value", self.slot_of.get(k, k)
            made[key] = made.get(key, 0) + v
        return {k: v for k, v in made.items() if v}

    def vectors(self, rows: Sequence[Row]) -> NDArray[Any]:
        """Fourier coefficients of rows that stand for all their rotations, (n // 2 + 1, N, d), or
        of both halves, twice as many."""
        n, halves = self.theorem.n, self.theorem.halves
        place = {a: c for c, a in enumerate(self.basis)}
        blocks = n // 2 + 1
        made = np.zeros((blocks * halves, len(rows), len(self.basis)), dtype=complex)
        waves = np.exp(2j * np.pi * np.outer(np.arange(blocks), np.arange(n)) / n)
        if not self.theorem.convex:
            for at, row in enumerate(rows):
                for k, v in row.items():
                    a, i = self.owner[k]
                    if a in place:
                        own = slice(k % halves * blocks, (k % halves + 1) * blocks)
                        made[own, at, place[a]] += float(v) * waves[:, i]
            return np.asarray(made / np.sqrt(n))
        for at, row in enumerate(rows):
            for k, v in row.items():
                if k == 0:
                    made[0, at, 0] += float(v) * n
                elif self.owner[k][0] == 0:  # at x*
                    made[1:, at, 0] += float(v) * waves[1:, self.owner[k][1]]
                elif self.owner[k][0] in place:
                    a, i = self.owner[k]
                    made[:, at, place[a]] += float(v) * waves[:, i]
        made[0, :, 0] /= np.sqrt(n)
        return np.asarray(made / np.sqrt(n))

    def spread(self, exact: dict[Name, Any]) -> dict[Name, Any]:
        """A client has an n-th of the multiplier of a mean over them."""
        made: dict[Name, Any] = {}
        for name, v in exact.items():
            if name[0] in ("pair", "cross", *_EACH):
                n = self.theorem.n
                made |= {(name[0], i, *name[2:]): v / n for i in range(n)}
            else:
                made[name] = v
        return made


def unfolded(program: Circulant, found: Solved) -> tuple[Program, Solved]:
    """The whole program, and the solution with the Gram matrix and the values of all clients.

    Of the frequencies w and n - w the block holds the sum, so that its real part is what counts.
    """
    theorem, folded = program.theorem, found.solution
    whole, n = Program(theorem, program.inner), theorem.n
    place = {a: c for c, a in enumerate(program.basis)}
    halves, stars = theorem.halves, theorem.convex
    at = [(0, -1) if stars and k == 0 else program.owner[k * halves] for k in whole.basis]
    slots, clients = np.array([place[a] for a, _ in at]), np.array([i for _, i in at])
    G = np.zeros((halves, len(at), len(at)))
    for number, block in enumerate(folded.G):
        half, w = divmod(number, n // 2 + 1)
        wave = np.exp(2j * np.pi * w * clients / n) / np.sqrt(n)
        for c, (a, i) in enumerate(at):
            if stars and a == 0:  # x^0 - x* lives at w = 0, what is at x* elsewhere
                wave[c] = (0 if w else 1) if i < 0 else (wave[c] if w else 0)
        G[half] += (np.outer(wave, wave.conj()) * block[np.ix_(slots, slots)]).real
    f = np.zeros(len(whole.columns))
    for (_, k), c in whole.columns.items():
        f[c] = folded.f[program.columns["value", program.slot_of[k]]]
    return whole, replace(found, solution=replace(folded, G=G, f=f))


def _owners(theorem: Theorem) -> dict[int, tuple[int, int]]:
    """Of every gradient of the basis its node's number and its client."""
    made: dict[int, tuple[int, int]] = {}
    for i, nodes in enumerate(theorem.nodes):
        for a, (_, g, _) in enumerate(nodes):
            if len(g) == 1 and g[next(iter(g))] == 1:
                for k in theorem.vectors[next(iter(g))]:
                    made.setdefault(k, (a, i))
    return made


def is_circulant(theorem: Theorem) -> bool:
    """Whether each client's points are those of the client before it, rotated by one, x^0 - x* and
    the gradients at x* are bounded, where there is an x*, and there is neither noise nor SAM."""
    n, first = theorem.n, int(theorem.convex)
    if theorem.errors:
        return False
    if n < 3 or (theorem.convex and not {"distance", "spread"} <= {*theorem.start}):
        return False
    owner, nodes = _owners(theorem), theorem.nodes
    if len({len(each) for each in nodes}) != 1 or any(len({*at}) != 1 for at in theorem.everywhere):
        return False
    number = {(*place, k % theorem.halves): k for k, place in owner.items()}

    def next_one(k: int) -> int:
        a, i = owner[k]
        return number[a, (i + 1) % n, k % theorem.halves]

    def turned(row: Row) -> Row:
        return {k if first and k == 0 else next_one(k): v for k, v in row.items()}

    def point(combination: Row) -> Row:
        (k,) = combination
        return theorem.vectors[k]

    def told(terms: Sequence[tuple[Any, Row]]) -> list[Any]:
        return sorted((c, sorted(row.items())) for c, row in terms)

    squares = [(c, point(row)) for c, row, _ in theorem.squares]
    try:
        return told(squares) == told([(c, turned(row)) for c, row in squares]) and all(
            turned(point(nodes[i][a][0])) == point(nodes[(i + 1) % n][a][0])
            for i in range(n)
            for a in range(first, len(nodes[0]))
        )
    except KeyError:  # a gradient that no other client has
        return False
