"""The semidefinite program of a worst case, in floats, from the forms of the certificate's checker.

Maximise metric(G, f) over Gram matrices G of the basis and values f that meet the inequalities. The
forms come from ``check_certificate.Theorem``, so that a proof is about the program that was solved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.worst.check_certificate import Row, Theorem, plus

Floats = NDArray[np.float64]
Name = tuple[Any, ...]  # of an inequality, with its places
Form = tuple[list[tuple[Any, Row, Row]], Row, Any]


@dataclass(frozen=True)
class Block:
    """Inequalities in floats: sum of coef <p, q> over the terms of each, + E f <= b.

    The Gram matrix is W diagonal blocks, (W, d, d), Hermitian; W is 1 unless there is a symmetry.
    vectors: (W, N, d), the p and q by number in every block. con, coef, p, q: (terms,).
    E: (m, values). b: (m,). equal: (m,), which are equalities.
    """

    vectors: NDArray[Any]
    con: NDArray[np.int64]
    coef: Floats
    p: NDArray[np.int64]
    q: NDArray[np.int64]
    E: Floats
    b: Floats
    equal: NDArray[np.bool_]

    def adjoint(self, y: Floats) -> NDArray[Any]:
        """sum y_c A_c, (W, d, d)."""
        left = self.vectors[:, self.p] * (self.coef * y[self.con])[:, None]
        made = np.swapaxes(self.vectors[:, self.q].conj(), 1, 2) @ left
        return (made + np.swapaxes(made.conj(), 1, 2)) / 2

    def forms(self, X: NDArray[Any]) -> Floats:
        """<A_c, X> of every inequality, (m,), for X (W, d, d)."""
        product = (self.vectors @ X)[:, self.p] * self.vectors[:, self.q].conj()
        each = self.coef * product.sum(axis=(0, 2)).real
        return np.bincount(self.con, each, len(self.b)).astype(np.float64)


class Program:
    """The program of a theorem.

    Attributes:
        theorem: points, gradients, values, exact. size: basis vectors that are in use, d.
        free: whether x^0 - x* has no bound of its own: its products are scalars then.
        inner: every f_i >= f* besides, |grad f_i|^2/2L <= f_i - f*. The functions through a
            solution are >= f* then; a certificate cannot use it.
        always: inequalities other than pairs. pairs: all pairs of nodes in use.
        M, level: the metric, <M, G> + level f.
    """

    def __init__(self, theorem: Theorem, inner: bool = False) -> None:
        self.theorem, self.inner = theorem, inner
        self._forms: dict[Name, Form] = {}
        self.nodes = self._used()
        self.free = theorem.convex and "distance" not in theorem.start and theorem.mu == 0
        if self.free and theorem.metric == "distance":
            raise ValueError("metric distance needs the condition distance of the start")
        self.always = self._always()
        self.pairs = [
            ("pair", i, a, b)
            for i, used in enumerate(self.nodes)
            for a in used
            for b in used
            if a != b
        ]
        if theorem.blocks:
            once = [(i, a, b) for _, i, a, b in self.pairs if a < b]
            self.pairs += [("cross", *at) for at in once if len(theorem.moved(*at)) == 1]
        self.basis, self.columns = self._basis()
        self.always += self._answers()
        self.size = len(self.basis)
        M = self.block([("metric",)])
        self.M, self.level = M.adjoint(np.ones(1)), M.E[0]

    def form(self, name: Name) -> Form:
        """Terms, values and constant of an inequality, exact; of ("metric",) the metric's."""
        if name not in self._forms:
            if name == ("metric",):
                self._forms[name] = (*self.theorem.measured(), 0)
            elif name[0] == "floor":
                _, g, level = self.theorem.nodes[name[1]][name[2]]
                terms = [(1 / (2 * self.theorem.L), g, g)]
                self._forms[name] = (terms, plus((-1, level)), 0)
            else:
                self._forms[name] = self.theorem.inequality(*name)
        return self._forms[name]

    def row(self, combination: Row) -> Row:
        """A combination of vectors over the basis."""
        return plus(*((c, self.theorem.vectors[k]) for k, c in combination.items()))

    def _used(self) -> list[list[int]]:
        """Nodes whose gradients or values matter, a client: a last gradient that moves nothing that
        is measured is left out."""
        theorem = self.theorem
        owner = {
            next(iter(node[1])): (i, a)
            for i, nodes in enumerate(theorem.nodes)
            for a, node in enumerate(nodes)
            if len(node[1]) == 1 and not (theorem.convex and a == 0)
        }
        by_basis = {k: place for g, place in owner.items() for k in theorem.vectors[g]}
        for e, g, _ in theorem.errors.values():
            if g:
                by_basis[self._own(e)] = by_basis[self._own(g)]
        used: set[tuple[int, int]] = set()
        waiting = [(i, a) for at in theorem.everywhere for i, a in enumerate(at)]
        rows = [self.row(theorem.last)] if theorem.metric == "distance" else []
        rows += [self.row(row) for _, row, _ in theorem.squares]
        while waiting or rows:
            if waiting:
                place = waiting.pop()
                if place not in used:
                    used.add(place)
                    rows.append(self.row(theorem.nodes[place[0]][place[1]][0]))
            else:
                waiting += [by_basis[k] for k in rows.pop() if k in by_basis]
        stars = {(i, 0) for i in range(theorem.n)} if theorem.convex else set()
        return [sorted(a for j, a in used | stars if j == i) for i in range(theorem.n)]

    def _always(self) -> list[Name]:
        theorem = self.theorem
        names: list[Name] = [(key,) for key in theorem.start]
        places = range(len(theorem.everywhere))
        if theorem.apart is not None:
            names += [("heterogeneity", j) for j in places]
        if not theorem.convex:
            names += [("above", j) for j in places]
        if theorem.blocks:
            names += [("heads", j) for j in places]
        if theorem.metric == "least-gradient":
            names += [("least", t) for t in range(theorem.rounds)]
        if self.inner:
            names += [("floor", i, a) for i, used in enumerate(self.nodes) for a in used]
        if theorem.B is not None:
            names += [("bounded", i, a) for i, used in enumerate(self.nodes) for a in used]
        return names

    def _answers(self) -> list[Name]:
        """Of every noise in use its size, and what came before it, to which it is orthogonal; of
        every ascent its radius and its side."""
        theorem, made = self.theorem, list[Name]()
        for k, (e, g, _) in theorem.errors.items():
            if self._own(e) // theorem.halves in self.basis:
                spaces = [(h,) for h in range(theorem.halves)] if theorem.halves > 1 else [()]
                names = ("error", "along") if g else ("error",)
                made += [(name, k, *space) for name in names for space in spaces]
                past = () if g else self.basis
                made += [("past", k, b) for b in past if theorem.born[b] <= k]
        return made

    def _own(self, vector: Row) -> int:
        """The number in the basis of what is one vector of it."""
        return int(min(self.theorem.vectors[next(iter(vector))]))

    def _basis(self) -> tuple[list[int], dict[Any, int]]:
        """Basis vectors in use, and the columns of the free scalars: values, then products."""
        rows: set[int] = set()
        values: set[int] = set()
        for name in [("metric",), *self.always]:
            terms, level, _ = self.form(name)
            values.update(level)
            for _, p, q in terms:
                rows.update(self.row(p), self.row(q))
        for i, used in enumerate(self.nodes):
            for a in used:
                x, g, level = self.theorem.nodes[i][a]
                rows.update(self.row(x), self.row(g))
                values.update(level)
        halves = self.theorem.halves
        basis = sorted({k // halves for k in (rows - {0} if self.free else rows)})
        columns: dict[Any, int] = {("value", k): c for c, k in enumerate(sorted(values))}
        if self.free:
            columns |= {("product", k): len(columns) + c for c, k in enumerate(basis)}
        return basis, columns

    def scalars(self, name: Name) -> dict[Any, Any]:
        """Coefficients of the free scalars in an inequality, exact: values, and products of a free
        x^0 - x* with a basis vector."""
        terms, level, _ = self.form(name)
        made: dict[Any, Any] = {("value", k): v for k, v in level.items()}
        for c, p, q in terms if self.free else ():
            rp, rq = self.row(p), self.row(q)
            if 0 in rp and 0 in rq:
                raise ValueError("the square of a free x^0 - x* is in a form")
            for mine, other in ((rp, rq), (rq, rp)):
                for k, v in other.items() if 0 in mine else ():
                    made["product", k] = made.get(("product", k), 0) + c * mine[0] * v
        return {k: v for k, v in made.items() if v}

    def block(self, names: Sequence[Name]) -> Block:
        """The inequalities ``names`` in floats."""
        numbers: dict[tuple[tuple[int, Any], ...], int] = {}
        rows: list[tuple[Row, int]] = []
        con, coef, left, right = [], [], [], []
        E, b = np.zeros((len(names), len(self.columns))), np.zeros(len(names))

        def number(combination: Row) -> int:
            key = tuple(sorted(combination.items()))
            if key not in numbers:
                numbers[key] = len(numbers)
                rows.append((self.row(combination), numbers[key]))
            return numbers[key]

        for c, name in enumerate(names):
            terms, _, most = self.form(name)
            b[c] = float(most)
            for key, v in self.scalars(name).items():
                E[c, self.columns[key]] = float(v)
            for k, p, q in terms:
                if p and q:
                    con.append(c)
                    coef.append(float(k))
                    left.append(number(p))
                    right.append(number(q))
        vectors = self.vectors([row for row, _ in rows])
        ints = [np.array(a, dtype=np.int64) for a in (con, left, right)]
        equal = np.array([name[0] == "past" for name in names], dtype=bool)
        return Block(vectors, ints[0], np.array(coef, dtype=float), ints[1], ints[2], E, b, equal)

    def vectors(self, rows: Sequence[Row]) -> NDArray[Any]:
        """Rows over the basis in the coordinates of the Gram matrices, (W, N, d): one, or one of
        the shared and one of the personal halves."""
        place, halves = {k: c for c, k in enumerate(self.basis)}, self.theorem.halves
        made = np.zeros((halves, len(rows), self.size))
        for at, row in enumerate(rows):
            for k, v in row.items():
                if k // halves in place:
                    made[k % halves, at, place[k // halves]] = float(v)
        return made

    def spread(self, exact: dict[Name, Any]) -> dict[Name, Any]:
        """Multipliers of the theorem's inequalities, from those of the program's."""
        return exact
