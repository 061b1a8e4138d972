"""Is this certificate of a worst case true? The standard library is enough; nothing is believed.

    python -I check_certificate.py FILE.json ...     PROVED or NOT PROVED for each; exit code 0 or 1

The theorem is of all f_1, ..., f_n of a class, in every dimension, from one x^0 at all clients. The
file has multipliers >= 0 of inequalities that all such runs meet. They prove it where the sum of
multiplier * inequality, less what is measured, is a positive semidefinite form of the vectors, has
no values of functions left, and has constants of at most the claim. That is decided in integers, of
forms that are made here. What is not understood is NOT PROVED. There are four kinds.

finite: metric <= claim after T rounds of a recursion: rows, or local steps and push-sum. B bounds
gradients asked or measured, and at x*; heterogeneity is met where the metric and the start look at
f. Noise of query k, of mean 0 given all queries before it, is orthogonal to what these tell: noise,
gradients where none but they are used, subgradients. (-1 - k, [rho]) is any e of SAM along g_k, of
personal parts any e_u along the half g_u and any e_v along g_v, each of at most rho.
Personal parts: points are (u, v_i) in a product of two spaces, of which clients share u; entries 2k
and 2k + 1 of a row are the halves of gradient k, and of a basis even and odd elements are in one
space each. Every F_i is jointly L-smooth ("joint"), or grad_u and grad_v are each L-Lipschitz in u
and in v ("blocks"). A file's own metric is a sum of c |row|^2; at its places, numbers of queries,
all clients are asked in turn with one u, and f and the heterogeneity are looked at.
forever: a round has rows over (state | gradients | received = P sent); with weights w a row of a
query is w_i times the point. V = eta' P eta, state = span eta, of the difference of two runs (with
values: (eta, g)' P (eta, g) + tau (f - f*), of a run and a fixed point) falls by the factor claim,
and is at least the squared distance of the mean models. V+ is convex in a network that enters once.
sequences: x_i^{t+1} = sum_j R_ij (x_j^t - eta v_j g_j^t) are the z / w of push-sum, where v = 1/w
and R_ij = P_ij w_j / w_i^+. With the tangent of |x_a - x_b|^2 at a middle of the ranges of R and v
the form is affine in each row of R and each v_j. Splits (t, i, j, at) cut the range of P_ij.
spectral: means over the clients and rests have a form each. Rests X^k and Y^k = W X^k have <X^k,
Y^l> = <Y^k, X^l> and, M >= 0, sum_kl M_kl <Y^k - low X^k, high X^l - Y^l> >= 0.
"""

import hashlib
import itertools
import json
import math
import re
import sys
from fractions import Fraction
from operator import mul
from typing import Any

KEYS = "version kind clients class start metric method claim denominator multipliers proof about"
METRICS = {
    "distance": "|xbar^T - x*|^2",
    "gap": "f(xbar^T) - f*",
    "gap-of-mean": "f(mean of xbar^t, t < T) - f*",
    "gradient": "|grad f(xbar^T)|^2",
    "mean-gradient": "mean of |grad f(xbar^t)|^2, t < T",
    "least-gradient": "least |grad f(xbar^t)|^2, t < T",
    "squares": "the file's sum of weighted squares of combinations of gradients",
}
STARTS = {"distance": "|x^0 - x*|", "gap": "f(x^0) - f*", "spread": "root mean |grad f_i(x*)|^2"}
PLACES = {"pair": 3, "cross": 3, "bounded": 2, "past": 2, **dict.fromkeys(STARTS, 0)}
PLACES |= dict.fromkeys(("above", "heads", "least", "heterogeneity", "error", "along"), 1)
NOISE = "; noise e has mean 0, is independent between clients and between queries, and E |e|^2 "
NOISE += "<= sigma^2 in all"
LARGEST, MOST, ROUNDS, SHORT = 400, 10_000, 20, 100  # gradients; multipliers; of spectra; digits
DIGITS, BITS, LONGEST = 400, 8_000, 20_000  # of a number; of a sum; of a common denominator
SIZE, WORK = 8_000_000, 700_000  # characters of a file; steps of 10 microseconds or less
LEFT = [math.inf]  # of WORK for the file that is read

Row = dict[Any, Any]  # coefficients by number
Terms = list[tuple[Any, Row, Row]]  # (c, p, q): c <p, q>
Held = tuple[Terms, Row, Any]  # sum c <p, q> over the terms + values <= constant
Told = tuple[str, dict[str, Any]]  # a theorem in words, and numbers of it that no file has


def need(true: object, why: str) -> None:
    if not true:
        raise ValueError(why)


def rational(text: Any, least: int | None = None, digits: int = DIGITS) -> Fraction:
    """The rational that "p/q" or "p" spells."""
    good = isinstance(text, str) and re.fullmatch("-?[0-9]+(/[0-9]+)?", text[: digits + 1])
    need(good and len(text) <= digits, "a number is no p/q, or too long")
    value = Fraction(text)
    need(least is None or value >= least, "a number is too small")
    return value


def whole(value: Any, least: int, most: int) -> int:
    need(type(value) is int and least <= value <= most, "an integer is not in its range")
    return int(value)


def parts(given: Any, names: str) -> list[Any]:
    """What has these names; there are no others."""
    good = type(given) is dict and {*given} == {*names.split()}
    need(good, f"there are other names than {names}")
    return [given[name] for name in names.split()]


def charge(work: float) -> None:
    """Count work before it is done."""
    LEFT[0] -= work
    need(LEFT[0] >= 0, "the certificate is too large: it takes too much work")


def up(value: Fraction) -> str:
    """A decimal that is not below ``value``, or p/q where a float is too coarse."""
    if not 10**-300 < abs(value) < 10**300:
        return str(value)
    near = float(value)
    near = near if Fraction(near) >= value else math.nextafter(near, math.inf)
    return str(value) if value < 1 <= near else repr(near)


def bits(value: Any) -> int:
    """Of both parts of a rational."""
    return int(value.numerator.bit_length() + value.denominator.bit_length())


def plus(*of: tuple[Any, Row]) -> Row:
    """The sum of c * row over (c, row)."""
    total: Row = {}
    for c, row in of:
        for k, v in row.items():
            total[k] = total.get(k, 0) + c * v
            size = bits(total[k])
            charge(1 + size // 200)
            need(size <= BITS, "a number is too long")
    return {k: v for k, v in total.items() if v}


def over(row: Row, known: list[Row]) -> Row:
    """sum row_k known_k."""
    need(max(row, default=0) < len(known), "a row uses what is not known yet")
    return plus(*((v, known[k]) for k, v in row.items()))


def mean(rows: list[Row]) -> Row:
    return plus(*((Fraction(1, len(rows)), row) for row in rows))


def sparse(row: Any, longest: int = 3 * LARGEST, least: int | None = None) -> Row:
    need(type(row) is list and len(row) <= longest, "a row is none, or uses what is not known yet")
    charge(len(row))
    return {k: v for k, v in enumerate(rational(v, least) for v in row) if v}


def matrix(rows: Any, n: int) -> list[Row]:
    need(len(rows) == n and all(len(row) == n for row in rows), "a matrix is not n by n")
    return [sparse(row, n, 0) for row in rows]


def lossless(P: list[Row]) -> None:
    one = dict.fromkeys(range(len(P)), 1)
    need(plus(*((1, row) for row in P)) == one, "P loses or makes mass")


def common(values: Any) -> int:
    """The common denominator."""
    below = 1
    for d in {v.denominator for v in values}:
        below = math.lcm(below, d)
        need(below.bit_length() <= LONGEST, "the denominators are too long")
    return below


def table(sums: Any) -> Row:
    """{(u, v): c} of the form sum y * terms over (y, terms, values, ...); no values are left."""
    need(not plus(*((y, level) for y, _, level, *_ in sums)), "values of functions are left")
    each = ((y * c, p, q) for y, terms, *_ in sums for c, p, q in terms)
    return plus(*((c, {(u, v): p[u] * q[v] for u in p for v in q}) for c, p, q in each))


def definite(vectors: list[Row], size: int, form: Row, apart: Any = ()) -> bool:
    """Whether sum form[u, v] <vector u, vector v> is positive semidefinite over the basis.

    apart: pairs (i, j) of the basis that are orthogonal.
    """
    numbers = [v for row in vectors for v in row.values()]
    below, under = common(numbers), common(form.values())
    rows = [[(k, int(v * below)) for k, v in row.items()] for row in vectors]
    work = size * sum(map(len, rows)) + size**3 // 3 + sum(len(rows[v]) for _, v in form)
    wide = (below * under).bit_length() + max(map(bits, (*numbers, *form.values())), default=0)
    charge(work * (1 + wide // 1000) ** 2 // 40)
    weighted, S = [[0] * size for _ in rows], [[0] * size for _ in range(size)]
    for (u, v), c in form.items():
        for k, x in rows[v]:
            weighted[u][k] += int(c * under) * x
    for row, line in zip(rows, weighted, strict=True):
        for k, x in row:
            S[k] = [s + x * y for s, y in zip(S[k], line, strict=True)]
    S = [[S[i][j] + S[j][i] for j in range(size)] for i in range(size)]
    for i, j in apart:
        S[i][j] = S[j][i] = 0
    kept = [i for i in range(size) if any(S[i])]
    return factored([[S[i][j] for j in kept] for i in kept])


def factored(S: list[list[int]], bits: int = 100) -> bool:
    """Whether S is R R' + E in integers, E diagonally dominant: both are semidefinite then.

    A congruence first makes the diagonal of S about 4^bits; rounded down, an entry is off by less
    than 1. An entry of R is a quotient; E has its remainder, which is less than the largest of R.
    """
    half, R = [(S[i][i].bit_length() + 1) // 2 for i in range(len(S))], list[list[int]]()
    lift = len(S) * (2 << bits)  # of the diagonal: at least what a row of E has beside it
    for i, row in enumerate(S):
        line: list[int] = []
        for j in range(i + 1):
            entry = (row[j] << 2 * bits) >> half[i] + half[j]
            rest = entry - sum(map(mul, line, R[j] if j < i else line))
            if j == i and rest <= lift:
                return False
            line.append(rest // R[j][j] if j < i else math.isqrt(rest - lift))
        R.append(line)
    return True


def played(method: Any, n: int) -> tuple[list[tuple[int, Row]], list[Row]]:
    """Queries (client, row over earlier gradients) and averages of a method, x^0 left out."""
    if "P" not in method:
        own = " personal squares places" * ("squares" in method)
        asked, means, *_ = parts(method, "queries averages" + own)
        halves = 1 + (own != "" and method["personal"] is not None)
        need(max(len(asked), len(means)) <= LARGEST, "there are too many gradients")
        rows = [(whole(i, -k, n - 1), sparse(row, k * halves)) for k, (i, row) in enumerate(asked)]
        need(all(i >= 0 or {*row} <= {0} for i, row in rows), "an ascent has one radius")
        averages = [sparse(row, len(rows) * halves) for row in means]
        good = len(averages) > 1 and not averages[0]
        need(good, "the averages are not x^0 and at least one more")
        return rows, averages
    P, eta, alpha, K, T = parts(method, "P eta alpha local_steps rounds")
    P, eta, alpha = [matrix(now, n) for now in P], rational(eta, 0), rational(alpha, 0)
    K, T = whole(K, 1, LARGEST), whole(T, 1, LARGEST)
    need(K * T * n <= LARGEST, "there are too many gradients")
    for now in P:
        lossless(now)
    x, w, queries, averages = [Row()] * n, [{0: Fraction(1)}] * n, list[Any](), [Row()]
    for t in range(T):
        v = [Row()] * n
        for _, i in itertools.product(range(K), range(n)):
            v[i] = plus((alpha, v[i]), (1, {len(queries): Fraction(1)}))
            queries.append((i, plus((1 / w[i][0], x[i]))))
            x[i] = plus((1, x[i]), (-eta, v[i]))
        x, w = ([over(to, a) for to in P[t % len(P)]] for a in (x, w))
        averages.append(mean(x))
    return queries, averages


class Theorem:
    """Of what the file speaks: points, gradients and values of every client.

    ``vectors`` are rows over a basis: first x^0 - x*, then gradients, a new one for each point that
    a client is asked at. Of a smooth class equal points share theirs, values always do.
    A node is (point, gradient, value): combinations {number of vector: c}, {number of value: c}.
    """

    def __init__(self, c: Any, n: int = 0) -> None:
        version, kind, clients, functions, start, self.metric, method, *_ = parts(c, KEYS)
        need((type(version), version) == (int, 2), "this checker reads version 2")
        n = self.n = n or whole(clients, 1, LARGEST)
        mu, L, *sizes = parts(functions, "mu L B heterogeneity noise")
        self.mu, self.L = rational(mu, None, SHORT), L and rational(L, None, SHORT)
        limits: Any = (None if v is None else rational(v, 0) for v in sizes)
        self.B, self.apart, self.noise = limits
        need(self.noise is None or kind == "finite", "there is noise at finite T alone")
        self.convex, self.square = self.mu >= 0, None if self.B is None else self.B**2
        need(self.convex if self.L is None else -self.L <= self.mu < self.L, "need -L <= mu < L")
        self.start = {key: rational(value, 0) for key, value in start.items()}
        need({*start} <= {*STARTS} and self.metric in METRICS, "a start or metric is unknown")
        stars = {"distance", "spread"} & {self.metric, *start}
        need(self.convex or not stars, "x* is of convex classes alone")
        own = kind == "finite" and "squares" in method
        need(own == (self.metric == "squares"), "a file's own metric is called squares")
        personal = method["personal"] if own else None
        need(personal in (None, "joint", "blocks"), "personal parts of no such class")
        self.halves, self.blocks = 1 + (personal is not None), personal == "blocks"
        bare = not self.convex and self.mu == -self.L and self.B is self.noise is None
        need(bare or self.halves == 1, "personal parts need another class")
        self.curves: list[tuple[Any, Any]] = [(self.mu, self.L)] * n
        self.values, self.known, self.level = 0, dict[Any, int](), dict[Any, Row]()
        self.vectors, self.middle, self.known_parts = list[Row](), Row(), dict[Any, Row]()
        self.size, self.born = self.halves, [0] * self.halves  # born: queries answered before
        self.first = self.vector({0: Fraction(1)} if self.convex else {})
        self.basis, self.errors = [self.first], dict[int, tuple[Row, Row, Any]]()
        self.everywhere, self.squares = list[list[int]](), Terms()
        self.nodes: list[list[tuple[Row, Row, Row]]] = [[] for _ in range(n)]
        for i in range(n if self.convex else 0):  # x* comes first; the gradients there sum to 0
            last = plus(*((-1, nodes[0][1]) for nodes in self.nodes[:i]))
            self.nodes[i].append(({}, self.fresh() if i < n - 1 else last, {}))
        if kind == "finite":
            self.meet(method, *played(method, n))

    def meet(self, method: Any, queries: list[tuple[int, Row]], averages: list[Row]) -> None:
        """Ask the queries, then all clients where the metric and the start look at f."""
        self.queried, at = list[Row](), list[int]()
        for k, (i, row) in enumerate(queries):
            at.append(self.node(i, self.row(row)) if i >= 0 else -1)
            g = self.nodes[i][at[-1]][1] if i >= 0 else self.fresh(k)
            if i < 0:
                self.errors[k] = g, self.queried[-1 - i], row.get(0, 0)
            elif self.noise is not None:
                self.errors[k] = self.fresh(k + 1), {}, self.noise
                g = plus((1, g), (1, self.errors[k][0]))
            self.queried.append(g)
        T = self.rounds = len(averages) - 1
        one = {"gap": averages[T:], "gradient": averages[T:], "distance": [], "squares": []}
        looked = [*(one | {"gap-of-mean": [mean(averages[:T])]}).get(self.metric, averages[:T])]
        if self.metric == "squares":
            squares, places = method["squares"], method["places"]
            need(squares and len(squares) <= MOST and len(places) <= LARGEST, "there is no metric")
            for c, row in squares:
                made = self.vector(self.moves(sparse(row)))
                self.squares.append((rational(c, 0), made, made))
            for k in places:
                of = queries[whole(k, 0, len(queries) - self.n) :][: self.n]
                need([i for i, _ in of] == [*range(self.n)], "a place does not ask all clients")
                shared = [self.half(row, 0) for _, row in of]
                need(all(row == shared[0] for row in shared), "a place has several points")
                self.everywhere.append(at[k : k + self.n])
        if self.n == 1 and not self.convex:  # f_1 is f
            looked += [row for i, row in queries if i >= 0]
        for row in [*looked, *([{}] if "gap" in self.start else [])]:
            self.everywhere.append([self.node(i, self.row(row)) for i in range(self.n)])
        self.last = self.vector(self.row(averages[T]))

    def vector(self, row: Row) -> Row:
        self.vectors.append(row)
        return {len(self.vectors) - 1: 1}

    def fresh(self, born: int = 0) -> Row:
        self.born += [born] * self.halves
        self.size += self.halves
        need(self.size <= self.halves * LARGEST, "there are too many gradients")
        new = range(self.size - self.halves, self.size)
        self.basis.append(self.vector(dict.fromkeys(new, Fraction(1))))
        return self.basis[-1]

    def half(self, row: Row, which: int) -> Row:
        """The part of a row of the basis, or of the file, in one space."""
        return {k: v for k, v in row.items() if k % self.halves == which}

    def part(self, of: Row, *which: int) -> Row:
        """A combination of vectors in some of the spaces."""
        if len(which) == self.halves:
            return of
        for k, h in itertools.product(of, which):
            if (k, h) not in self.known_parts:
                self.known_parts[k, h] = self.vector(self.half(self.vectors[k], h))
        return plus(*((v, self.known_parts[k, h]) for k, v in of.items() for h in which))

    def moves(self, coefficients: Row) -> Row:
        """sum c_j (gradient of query j, or half of one) over the basis."""
        each = [(c, *divmod(j, self.halves)) for j, c in coefficients.items()]
        need(all(j < len(self.queried) for _, j, _ in each), "there is no such query")
        of = ((c, k, h) for c, j, h in each for k in self.queried[j])
        return plus(*((c, self.half(self.vectors[k], h)) for c, k, h in of))

    def row(self, coefficients: Row) -> Row:
        """x^0 + sum c_j (gradient of query j) over the basis; without x*, x^0 is the origin."""
        return plus((1, self.vectors[0]), (1, self.moves(coefficients)))

    def node(self, i: int, x: Row) -> int:
        """The number of the point x among those of client i; a new one where it has none."""
        key = i, tuple(sorted(x.items()))
        if self.L is None or key not in self.known:
            if key not in self.level:
                self.level[key], self.values = {self.values: 1}, self.values + 1
            born = max((self.born[b] for b in x), default=0)
            born = born if self.L else len(self.queried)  # which subgradient may be chosen late
            self.nodes[i].append((self.vector(x), self.fresh(born), self.level[key]))
            self.known[key] = len(self.nodes[i]) - 1
        return self.known[key]

    def mean(self, j: int) -> tuple[list[Row], Row, Row]:
        """All shared gradients, their mean, and f = (1/n) sum_i f_i, where all are asked."""
        at = [self.nodes[i][a] for i, a in enumerate(self.everywhere[j])]
        each = [self.part(node[1], 0) for node in at]
        return each, mean(each), mean([node[2] for node in at])

    def moved(self, i: int, a: int, b: int) -> list[int]:
        """In which halves client i's point moves from one node to another."""
        row = over(plus((1, self.nodes[i][a][0]), (-1, self.nodes[i][b][0])), self.vectors)
        return [h for h in range(self.halves) if self.half(row, h)]

    def inequality(self, name: Any, *at: Any) -> Held:
        """The inequality of that name at these places: (terms, values, constant)."""
        need(name in (self.start if name in STARTS else PLACES), "no such inequality")
        need(self.blocks or name not in ("cross", "heads"), "no such inequality")
        many = PLACES[name] + (self.halves > 1 and name in ("error", "along"))
        need(len(at) == many and all(type(j) is int and j >= 0 for j in at), "no such place")
        if name == "pair":
            return self.of_pair(*at)
        if name == "cross":
            return self.of_cross(*at)
        if name == "bounded":  # |g|^2 <= B^2
            need(self.square is not None, "gradients are not bounded")
            g = self.nodes[at[0]][at[1]][1]
            return [(1, g, g)], {}, self.square
        if name in ("error", "along", "past"):
            return self.of_error(name, *at)
        return self.of_start(name) if name in STARTS else self.of_all(name, *at)

    def of_pair(self, i: int, a: int, b: int) -> Held:
        """f_a >= f_b + <g_b, d> + mu/2 |d|^2 + |g_a - g_b - mu d|^2 / 2(L - mu), d = x_a - x_b.

        Of blocks, in the spaces in which d moves: the Hessian there is at most L, or 2 L of both.
        """
        (xa, ga, fa), (xb, gb, fb) = self.nodes[i][a], self.nodes[i][b]
        (mu, L), among = self.curves[i], [*range(self.halves)]
        if self.blocks:
            among = self.moved(i, a, b)
            need(among, "both halves move, or none")
            mu, L = -self.L * len(among), self.L * len(among)
        d, g = (self.part(plus((1, p), (-1, q)), *among) for p, q in ((xa, xb), (ga, gb)))
        s = 0 if L is None else 1 / (2 * (L - mu))
        off = plus((1, d), *((-v, {self.middle.get(k, k): 1}) for k, v in d.items()))
        apart = plus((1, g), (-mu, d))
        terms = [(1, plus((1, self.part(gb, *among)), (mu / 2, d)), d)]
        terms += [(s, apart, apart)] if s else []
        terms += [(-mu / 2 - mu * mu * s, off, off)] if off else []  # |d|^2 less its tangent
        return terms, plus((1, fb), (-1, fa)), 0

    def of_cross(self, i: int, a: int, b: int) -> Held:
        """Where one half of the point moves by d, the other of the gradient does by <= L |d|."""
        (xa, ga, _), (xb, gb, _), among = self.nodes[i][a], self.nodes[i][b], self.moved(i, a, b)
        need(len(among) == 1, "both halves move, or none")
        d, g = plus((1, xa), (-1, xb)), self.part(plus((1, ga), (-1, gb)), 1 - among[0])
        return [(1, g, g), (-(self.L**2), d, d)], {}, 0

    def of_error(self, name: str, k: int, b: int = 0) -> Held:
        """|e| <= size; <e, g> >= 0 of SAM, in space b; of noise <e, what its query knew> = 0."""
        e, g, size = self.errors[k]
        if name != "past":
            need(b < self.halves, "no such place")
            e, g = self.part(e, b), self.part(g, b)
            return ([(1, e, e)], {}, size**2) if name == "error" else ([(-1, e, g)], {}, 0)
        need(not g and self.born[b] <= k, "it is not of the past")
        return [(1, e, self.basis[b])], {}, 0

    def of_start(self, name: str) -> Held:
        """f(x^0) - f*, |x^0 - x*| or the root of the mean |grad f_i(x*)|^2 is at most its size."""
        if name == "gap":
            return [], self.mean(-1)[2], self.start[name]
        each = [self.first] if name == "distance" else [nodes[0][1] for nodes in self.nodes]
        return [(Fraction(1, len(each)), g, g) for g in each], {}, self.start[name] ** 2

    def of_all(self, name: str, j: int) -> Held:
        """Where all are asked: f* = 0 <= f(x - grad f/L) <= f - |grad f|^2/2L, and more where each
        client moves its own v_i; value -1 <= |grad f|^2; mean |grad f_i|^2 - |grad f|^2 <= size.
        """
        each, gradient, value = self.mean(j)
        if name == "least":
            need(self.metric == "least-gradient" and j < self.rounds, "there is no such place")
            return [(-1, gradient, gradient)], {-1: 1}, 0
        if name == "heterogeneity":
            need(self.apart is not None, "heterogeneity has no bound")
            share = Fraction(1, self.n)
            return [*((share, g, g) for g in each), (-1, gradient, gradient)], {}, self.apart**2
        need(not self.convex and self.L is not None, "a convex class has x*")
        s, own = 1 / (2 * self.L), [self.nodes[i][a][1] for i, a in enumerate(self.everywhere[j])]
        terms = [(s, gradient, gradient)] if name == "above" else []
        if name == "heads" or (self.halves > 1 and not self.blocks):
            terms += [(s / self.n, g, g) for g in (self.part(g, 1) for g in own)]
        return terms, plus((-1, value)), 0

    def measured(self) -> tuple[Terms, Row]:
        """(terms, values) of the metric; value -1 is the least of the squared gradients."""
        if self.metric in ("distance", "squares"):
            return self.squares or [(1, self.last, self.last)], {}
        if self.metric in ("gap", "gap-of-mean", "least-gradient"):
            return [], {-1: 1} if self.metric == "least-gradient" else self.mean(0)[2]
        T = self.rounds if self.metric == "mean-gradient" else 1
        return [(Fraction(1, T), g, g) for g in (self.mean(t)[1] for t in range(T))], {}

    def summed(self, told: Any, *more: Any) -> list[Any]:
        """(multiplier, terms, values, constant) of the inequalities that are told, and ``more``."""
        need(len(told) <= MOST, "there are too many multipliers")
        need(len({tuple(name) for _, *name in told}) == len(told), "one is twice")
        least = {"past": -(2**512)}  # an equality
        signed = ((whole(y, least.get(name[0], 0), 2**512), name) for y, *name in told)
        return [*more, *((y, *self.inequality(*name)) for y, name in signed)]

    def bounded(self, c: Any, told: Any, terms: Any = ()) -> Row:
        """The form of sum multiplier * inequality - metric; its constants are at most the claim."""
        below = whole(c["denominator"], 1, 2**4000)
        sums = self.summed(told, (-below, *self.measured(), 0), (below, terms, {}, 0))
        most = sum(y * constant for y, *_, constant in sums)
        need(most <= rational(c["claim"]) * below, "the claim is too small")
        return table(sums)

    def said(self, c: Any, rounds: str, by: str, what: str) -> str:
        """The theorem in words, from what was read."""
        kind = f"of curvature {self.mu} to {self.L}"
        if self.L is None:
            kind = f"convex, of curvature at least {self.mu}" if self.mu else "convex"
        if self.B is not None:
            kind += f", gradients at most {self.B} in norm where they are asked or measured"
            kind += ", and at x*" * self.convex
        if self.halves > 1:
            kind = f"with grad_u and grad_v {self.L}-Lipschitz in u and in v, F_i of (u, v_i)"
            kind = kind if self.blocks else f"(u, v_i) -> F_i jointly {self.L}-smooth"
        if self.apart is not None:
            kind += ", mean |grad{0} {1}_i - grad{0} {1}|^2 <= {2} {3}".format(
                *(("", "f") if self.halves == 1 else ("_u", "F")), self.apart**2,
                "at every point asked" if self.halves == 1 else "where F is looked at",
            )  # fmt: skip
        if self.noise is not None:
            kind += f", noise e of mean 0 given all queries before it, E |e|^2 <= {self.noise**2}"
        start = "".join(f", {STARTS[name]} <= {most}" for name, most in sorted(self.start.items()))
        digest = hashlib.sha256(json.dumps(c["method"], sort_keys=True).encode()).hexdigest()
        of = f"n = {self.n}, {rounds}, every dimension, every f_i {kind}; one x^0 at all clients"
        return f"{of}{start}; {by} (SHA-256 of the method {digest}): {what}"


def shown(before: str, value: Any) -> str:
    """A part of the file for the line, where it is short."""
    text = json.dumps(value, separators=(",", ":")).replace('"', "")
    return f"{before} {text}" if len(text) < 200 else ""


def finite(c: Any) -> Told:
    theorem, method = Theorem(c), c["method"]
    form, h = theorem.bounded(c, c["multipliers"]), theorem.halves
    need(c["proof"] is None, "there is another proof")
    for which in range(h):  # each half has a form of its own: they are orthogonal
        half = [{k // h: v for k, v in x.items() if k % h == which} for x in theorem.vectors]
        good = definite(half, theorem.size // h, form)
        need(good, "the form is not positive semidefinite")
    by = "the recursion of the file"
    if "P" in method:
        by = "push-sum of x / w after {local_steps} local steps of length {eta}, momentum {alpha}"
        by = by.format(**method) + shown(", networks in turn", method["P"])
    radii = [str(size) for _, g, size in theorem.errors.values() if g]
    by = f"{len(theorem.queried) - len(radii)} gradients by {by}"
    if radii:
        by += f", {len(radii)} ascents e of SAM along g{', in u and in v alone' * (h > 1)}"
        by += ", <e, g> >= 0, "
        by += f"|e| <= {' or '.join(sorted({*radii}))}"
    by += ", in expectation" if theorem.noise is not None else ""
    what = f"{METRICS[c['metric']]} <= {up(rational(c['claim']))}"
    return theorem.said(c, f"T = {theorem.rounds}", by, what), {}


def networks(given: Any, n: int) -> list[list[list[Row]]]:
    """Of every phase the matrix, or of a class the vertices (Birkhoff, on a face)."""
    if isinstance(given, list):
        need(0 < len(given) <= LARGEST, "there is no network")
        return [[matrix(P, n)] for P in given]
    support, least = parts(given, "support least")
    support, least, made = matrix(support, n), rational(least, 0), list[list[Row]]()
    need(n < 8 and all({*row.values()} <= {1} for row in support), "a support has entries 0 and 1")
    degree, ones = len(support[0]), plus(*((1, row) for row in support))
    regular = {*map(len, support), *ones.values()} == {degree}
    need(regular and least * degree <= 1, "the class has no such networks")
    for order in itertools.permutations(range(n)):
        charge(n)
        pairs = [*zip(order, support, strict=True)]
        if all(j in row for j, row in pairs):
            made.append([plus((least, row), (1 - least * degree, {j: 1})) for j, row in pairs])
    need(made, "the class has no such networks")
    return [made]


def slopes(weights: Any, phases: Any, n: int) -> tuple[list[list[tuple[Any, Any]]], int]:
    """(least and largest 1 / w_i, phase by phase, the first round from which they hold).

    A share of the limit below w, or a multiple above, stays so: no entry of P is negative.
    """
    if weights is None:
        return [[(Fraction(1), Fraction(1))] * n for _ in phases], 0
    limits, width, begin = parts(weights, "limit width from")
    limit, width = [{0: rational(v, 0)} for v in limits], rational(width, 0)
    good = len(limit) == n and width < 1 and whole(begin, 0, 2000) % len(phases) == 0
    need(good and all(len(some) == 1 for some in phases), "the weights have no such range")
    w, now, made = [{0: Fraction(1)}] * n, limit, []
    for t in range(begin):
        w = [over(to, w) for to in phases[t % len(phases)][0]]
    for (P,) in phases:
        lossless(P)
        made.append([(1 / (v[0] * (1 + width)), 1 / (v[0] * (1 - width))) for v in now])
        now = [over(to, now) for to in P]
    need(now == limit, "the weights have another limit")
    near = all(abs(a[0] - b[0]) <= width * b[0] for a, b in zip(w, limit, strict=True))
    need(near, "the weights are not near their limit")
    return made, begin


class Rounds:
    """A recursion of rounds: rows over (state | gradients | received = P sent), and networks.

    Of n clients, q queries and m vectors of state. ranges: of 1 / w_i, phase by phase.
    """

    def __init__(self, method: Any, n: int) -> None:
        names = "owners queries sends after starts networks weights"
        owners, *rows, starts, graph, self.weights = parts(method, names)
        self.queries, self.sends, self.after = ([sparse(row) for row in some] for some in rows)
        self.n, self.q, self.m = n, len(owners), len(self.after)
        need(max(map(len, (owners, *rows, starts))) <= LARGEST, "there are too many rows")
        need(len(self.queries) == self.q, "there is no such noise, or the rows are of another size")
        self.owners = [whole(i, 0, n - 1) for i in owners]
        first = (sparse(row, self.m) for row in starts)
        self.starts = [[{0: row[i]} if i in row else {} for i in range(self.m)] for row in first]
        self.phases = networks(graph, n)
        self.ranges, self.first = slopes(self.weights, self.phases, n)
        late = any(k >= self.m + self.q for row in self.sends + self.queries for k in row)
        need(isinstance(graph, list) or not late, "V+ is not convex in the network")

    def advanced(self, P: list[Row], known: list[Row]) -> tuple[list[Row], list[Row]]:
        """(points of the queries, next state) of a round; known: the state, then the gradients."""
        for place in range(0, len(self.sends), self.n):
            sent = [over(row, known) for row in self.sends[place : place + self.n]]
            known = [*known, *(over(to, sent) for to in P)]
        return [over(row, known) for row in self.queries], [over(row, known) for row in self.after]

    def stays(self) -> bool:
        """Whether x* at all clients is a run, where all gradients there are 0."""
        first, n = self.starts[0], self.n
        one = [{j if self.weights else 0: Fraction(1)} for j in range(n)]  # times w_j, if any

        def held(x: list[Row]) -> list[Row]:
            return [plus((v.get(0, 0), x[i % n])) for i, v in enumerate(first)]

        def kept(P: list[Row]) -> bool:
            sent = [over(to, one) for to in P] if self.weights else one
            there = [one[i] for i in self.owners], held(sent)
            return self.advanced(P, [*held(one), *[Row()] * self.q]) == there

        return first[:n] == [{0: 1}] * n and all(kept(P) for some in self.phases for P in some)


class Fall(Theorem):
    """One round: eta, gradients, gradients at x*, noise and later gradients are the basis.

    now, then: of what V is a form, before and after it. orthogonal: pairs of the basis.
    """

    def __init__(self, c: Any, of: Rounds, number: int, P: list[Row], U: Any, E: Any) -> None:
        super().__init__(c)
        kinds = (c["proof"][name] is not None for name in ("values", "spread", "noise"))
        values, spread, noise = kinds
        self.w = [nodes[0][1] for nodes in self.nodes] if spread else [Row()] * of.n
        sizes = len(E), of.q, of.q * noise, of.q * values
        self.eta, g, e, later = ([self.fresh() for _ in range(size)] for size in sizes)
        self.e, self.state = e or [Row()] * of.q, [over(row, self.eta) for row in U]
        each = zip(g, of.owners, self.e, strict=True)
        given = [plus((1, a), (1, self.w[i]), (1, b)) for a, i, b in each]
        x, y = of.advanced(P, [*self.state, *given])
        last = of.advanced(P, [*y, *later])[0] if values else []
        behind = [{j for j in range(of.q) if self.e[j].keys() & row.keys()} for row in x]
        self.orthogonal = list[tuple[int, int]]()
        for _ in e:
            behind = [js.union(*(behind[j] for j in js)) for js in behind]
        for j, row in enumerate(e):  # noise is orthogonal to what does not come after it
            after = {b for a in range(of.q) if j in behind[a] for b in g[a]} | row.keys()
            self.orthogonal += [(k, b) for k in row for b in range(self.size) if b not in after]
        self.now = self.eta + g * values
        self.then = [self.vector(row) for row in within(y, U, E)] + later
        self.nodes = [[({}, {}, {}), (self.vector(x[j]), g[j], {j: 1})] for j in range(of.q)]
        for j, (row, slope) in enumerate(zip(last, later, strict=True)):
            self.nodes[j].append((self.vector(row), slope, {~j: 1}))
        ends = (of.ranges[number][i] for i in of.owners)
        self.curves = [(self.mu * low, self.L * high) for low, high in ends]
        self.center = self.vector(mean(self.state[: of.n]))


def within(y: list[Row], U: list[Row], E: list[Row]) -> list[Row]:
    """eta of a state y = U eta."""
    eta = [over(row, y) for row in E]
    need([over(row, eta) for row in U] == y, "a state is no combination of those of the span")
    return eta


def square(V: list[Row], c: Any, vectors: list[Row]) -> Terms:
    return [(c * v, vectors[a], vectors[b]) for a, row in enumerate(V) for b, v in row.items()]


def forever(c: Any) -> Told:
    head, rate, below = Theorem(c), rational(c["claim"], 0), whole(c["denominator"], 1, 2**4000)
    need(head.L and head.convex and not head.start, "the class is another")
    need(head.B is head.apart is None, "the class is another")
    need(c["metric"] == "distance" and rate < 1, "need a rate below 1")
    n, of = head.n, Rounds(c["method"], head.n)
    forms, U, E, values, spread, noise = parts(c["proof"], "V span coordinates values spread noise")
    U, E, *V = ([sparse(row) for row in some] for some in (U, E, *forms))
    need(max(map(len, (U, E, *V))) <= LARGEST, "there are too many rows")
    tau, above = parts(values, "tau above") if values is not None else (["0"] * of.q, [])
    nu = ["0"] * of.q if noise is None else noise
    tau, nu = ([rational(v, 0) for v in some] for some in (tau, nu))
    gamma, alone = rational(spread or "0", 0), len(of.phases) == len(of.phases[0]) == 1
    good = values is None or (alone and spread is noise is of.weights is None)
    need(good and len(V) == len(of.phases) and len(tau) == of.q, "no such V")
    need(len(nu) == of.q, "there is no such noise, or the rows are of another size")
    start = [within(y, U, E) for y in of.starts]
    for number, (some, told) in enumerate(zip(of.phases, c["multipliers"], strict=True)):
        for P, each in zip(some, told, strict=True):
            F = Fall(c, of, number, P, U, E)
            fall = square(V[number], rate, F.now) + square(V[(number + 1) % len(V)], -1, F.then)
            fall += [(gamma / n, row, row) for row in F.w]
            fall += [(v, row, row) for v, row in zip(nu, F.e, strict=True)]
            level = {j: rate * v for j, v in enumerate(tau)} | {~j: -v for j, v in enumerate(tau)}
            form = table(F.summed(each, (below, fall, level)))
            need(definite(F.vectors, F.size, form, F.orthogonal), "V does not fall by the rate")
            least = [*square(V[number], 1, F.now), (-1, F.center, F.center)]
            form = table(F.summed(above, (below, least, dict(enumerate(tau)))))
            need(definite(F.vectors, F.size, form), "V is below the distance of the mean models")
    stays, floor = of.stays(), spread is not None or noise is not None
    need(stays or not floor, "x* does not stay: there is nothing to compare with")
    numbers: dict[str, Any] = {"first": of.first, "factor": None, "spread": None, "noise": None}
    said = f"V of a run and {'another run' if values is None else 'a fixed point that it reaches'}"
    said += (
        f"{'' if noise is None else ', without noise,'} falls by the factor {up(rate)} in every "
    )
    said += f"round from round {of.first} on"
    model = f"; {'' if noise is None else 'E '}|xbar^T - x*|^2 <= "
    if stays and of.first == 0 and len(start) == 1 and values is None:
        numbers["factor"] = table([(1, square(V[0], 1, start[0]), {})]).get((0, 0), 0)
        said += f"{model}{up(numbers['factor'])} ({up(rate)})^T |x^0 - x*|^2"
    elif floor:
        said += f"{model}({up(rate)})^(T - {of.first}) V, of round {of.first} and x*,"
    if spread is not None:
        numbers["spread"] = gamma / (1 - rate)
        said += f" + {up(numbers['spread'])} (mean |grad f_i(x*)|^2)"
    if noise is not None:
        numbers["noise"] = sum(nu) / (1 - rate)
        said += f" + {up(numbers['noise'])} sigma^2"
    only = model in said and spread is None and n > 1
    said += " where grad f_i(x*) = 0 for every i" * only + NOISE * (noise is not None)
    graph = c["method"]["networks"]
    by = "network" if isinstance(graph, list) else "every doubly stochastic network of"
    by = f"{of.q} gradients a round by the recursion of the file{shown(', ' + by, graph)}"
    return head.said(c, "all T", by, said), numbers


def corners(low: list[Any], high: list[Any]) -> list[Row]:
    """The vertices of low <= r <= high, sum r = 1: all but one entry are at an end."""
    charge(len(low) ** 2 * 2 ** len(low) // 2 * (1 + max(map(bits, (*low, *high))) // 200))
    made = set()
    for free in range(len(low)):
        ends = [{a, b} for a, b in zip(low, high, strict=True)]
        for row in itertools.product(*ends[:free], {Fraction(0)}, *ends[free + 1 :]):
            if low[free] <= 1 - sum(row) <= high[free]:
                made.add((*row[:free], 1 - sum(row), *row[free + 1 :]))
    need(made, "a client receives nothing")
    return [{j: v for j, v in enumerate(row) if v} for row in sorted(made)]


def tight(total: int, low: Any, high: Any) -> tuple[list[Any], list[Any]]:
    """The ends of entries that have this sum."""
    least = [max(a, total - sum(high) + b) for a, b in zip(low, high, strict=True)]
    most = [min(b, total - sum(low) + a) for a, b in zip(low, high, strict=True)]
    need(all(a <= b for a, b in zip(least, most, strict=True)), "a piece is empty")
    return least, most


def ranges(support: Any, least: Any, rounds: int, cuts: list[Any]) -> list[Any]:
    """Per round the vertices of each row of R and the ends of v_j; cuts: (t, i, j, at, up)."""
    n = len(support)
    made, w = list[Any](), ([Fraction(1)] * n, [Fraction(1)] * n)
    for t in range(rounds - 1):  # what is sent last changes no mean
        low, high = [[least * s for s in row] for row in support], [[*row] for row in support]
        for _, i, j, at, above in (cut for cut in cuts if cut[0] == t):
            low[i][j] = max(low[i][j], at) if above else low[i][j]
            high[i][j] = high[i][j] if above else min(high[i][j], at)
        columns = [tight(1, *([row[j] for row in e] for e in (low, high))) for j in range(n)]
        ends = [[[column[k][i] for column in columns] for i in range(n)] for k in (0, 1)]
        rows = []
        for i in range(n):  # R_ij is largest where P_ij w_j is, and all else of its row is least
            a, b = ([*map(mul, ends[k][i], w[k])] for k in (0, 1))
            small = [v / (v + sum(b) - u) if v else v for v, u in zip(a, b, strict=True)]
            large = [u / (u + sum(a) - v) if u else u for v, u in zip(a, b, strict=True)]
            rows.append(corners(small, large))
        made.append((rows, [{1 / b, 1 / a} for a, b in zip(*w, strict=True)]))
        w = tight(n, *([sum(map(mul, row, w[k])) for row in ends[k]] for k in (0, 1)))
        need(all(a > 0 for a in w[0]), "a weight may be 0")
    return made


def points(at: Any, n: int, eta: Any) -> list[list[Row]]:
    """The rows of z / w in rounds 0, 1, ..., where R and v are those of ``at``."""
    x = [[{0: Fraction(1)}] * n]
    for t, (R, v) in enumerate(at, 1):
        sent = [plus((1, x[-1][j]), (-eta * v[j], {n * t + j: 1})) for j in range(n)]
        x.append([over(row, sent) for row in R])
    return x


def piece(c: Any, made: list[Any], T: int, eta: Any) -> Theorem:
    """The theorem whose points are those of the middles; the vertices' are to come."""
    F, middle = Theorem(c), []
    g = [[F.fresh() for _ in range(F.n)] for _ in range(T)]
    for rows, v in made:
        middle.append(([mean(r) for r in rows], [sum(ends) / len(ends) for ends in v]))
    for t, rows in enumerate(points(middle, F.n, eta)):
        for i, row in enumerate(rows):
            x, m = F.vector(row), F.vector(row)
            F.nodes[i].append((x, g[t][i], {(t, i): 1}))
            F.middle[next(iter(x))] = next(iter(m))
    F.last = F.vector(plus((1, F.first), *((-eta / F.n, row) for each in g for row in each)))
    return F


def vertices(F: Theorem, made: list[Any], eta: Any) -> Any:
    """Put the points of every vertex of the ranges in their places, one vertex after the other."""
    charge(20 * math.prod(len(e) for rows, v in made for e in (*rows, *v)))
    each = [list(itertools.product(*rows, *v)) for rows, v in made]
    for at in itertools.product(*each):
        told = [(ends[: F.n], ends[F.n :]) for ends in at]
        for t, rows in enumerate(points(told, F.n, eta), 1):
            for nodes, row in zip(F.nodes, rows, strict=True):
                F.vectors[next(iter(nodes[t][0]))] = row
        yield at


def sequences(c: Any) -> Told:
    support, least, eta, T, splits = parts(c["method"], "support least eta rounds splits")
    head, T = Theorem(c), whole(T, 1, 24)
    n, (eta, least) = head.n, (rational(v, 0, SHORT) for v in (eta, least))
    need(head.L and head.B is head.apart is None, "the class is another")
    need(c["metric"] == "distance" and "gap" not in head.start, "the metric or start is another")
    need(c["proof"] is None and n * (T + 1) <= 24, "there is another proof, or there are too many")
    support = [[whole(entry, 0, 1) for entry in row] for row in support]
    need(len(support) == n and all(len(row) == n for row in support), "the support is not n by n")
    degrees = [sum(column) for column in zip(*support, strict=True)]
    need(least > 0 and all(d and least * d <= 1 for d in degrees), "the class has no such networks")
    ends, cuts = (T - 1, n - 1, n - 1), list[Any]()
    for *place, at in splits:
        place = [whole(k, 0, most) for k, most in zip(place, ends, strict=True)]
        cuts.append((*place, rational(at, 0, SHORT)))
    need(len(cuts) < 13 and len(c["multipliers"]) == 2 ** len(cuts), "a piece has no proof")
    each = itertools.product((0, 1), repeat=len(cuts))
    for ups, told in zip(each, c["multipliers"], strict=True):
        made = ranges(support, least, T, [(*cut, up) for cut, up in zip(cuts, ups, strict=True)])
        F = piece(c, made, T, eta)
        form = F.bounded(c, told)
        for _ in vertices(F, made, eta):
            need(definite(F.vectors, F.size, form), "the form is not positive at a vertex")
    by = f"{n * T} gradients by push-sum of step {eta} on every sequence of column-stochastic "
    by += f"networks with entries of at least {least} on {json.dumps(support)}"
    what = f"{METRICS['distance']} <= {up(rational(c['claim']))}"
    return head.said(c, f"T = {T}", by, what), {}


class Runs(Theorem):
    """Subgradient descent, as means over the clients (basis ``means``) and rests."""

    def __init__(self, c: Any) -> None:
        super().__init__(c, 1)
        K, low, high, ratio = parts(c["method"], "rounds low high ratio")
        K, self.low, self.high = whole(K, 1, ROUNDS), rational(low), rational(high)
        self.square, self.rounds, self.everywhere = rational(ratio, 0), K, [[K + 2]]
        means, rests, Y = ([self.fresh() for _ in range(k)] for k in (K + 2, K + 3, K - 1))
        self.means, self.Y, self.X, x = {*range(K + 3)}, [{}, *Y], [Row()], [self.first]
        for k in range(K):
            x.append(plus((1, x[k]), (-1, means[k])))
            self.X.append(plus((1, self.Y[k]), (-1, rests[k])))
        x.append(mean(x))
        x = [plus((1, a), (1, b)) for a, b in zip(x, [*self.X, {}], strict=True)]
        g = [plus((1, a), (1, b)) for a, b in zip(means, rests, strict=False)]
        nodes = [(self.vector(a), b, {k: 1}) for k, (a, b) in enumerate(zip(x, g, strict=True))]
        self.nodes = [[({}, rests[K + 2], {}), *nodes]]

    def network(self, M: Any, N: Any) -> Terms:
        """What W adds to the rests: less M of what is not negative, and N of what is 0."""
        terms: Terms = []
        for k, j in itertools.product(range(1, self.rounds), repeat=2):
            m, n, X, Y = M[k - 1][j - 1], N[k - 1][j - 1], self.X, self.Y
            other = plus((self.high, X[j]), (-1, Y[j]))
            terms.append((-m, plus((1, Y[k]), (-self.low, X[k])), other))
            terms += [(n, X[k], Y[j]), (-n, Y[k], X[j])]
        return terms


def spectral(c: Any) -> Told:
    F, claim = Runs(c), rational(c["claim"])
    need(c["clients"] is F.L is F.B is F.apart is None and F.mu == 0, "the class is another")
    need(F.start == {"distance": 1} and c["metric"] == "gap", "the start or metric is another")
    need(F.low <= F.high, "need low <= high")
    given, size = parts(c["proof"], "network symmetric"), F.rounds - 1
    M, N = ([[rational(v) for v in row] for row in some] for some in given)
    sizes: Any = (M, N, *M, *N)
    good = {*map(len, sizes)} <= {size}
    need(good, "the multipliers of the network have another size")
    need([[*row] for row in zip(*M, strict=True)] == M, "the multiplier of the network is lopsided")
    form = {(k, j): v for k, row in enumerate(M) for j, v in enumerate(row)}
    good = definite([{k: 1} for k in range(size)], size, form)
    need(good, "the multiplier of the network is not positive")
    form = F.bounded(c, c["multipliers"], F.network(M, N))
    apart = itertools.product(F.means, {*range(F.size)} - F.means)
    need(definite(F.vectors, F.size, form, apart), "a form is not positive")
    return (
        f"every n, K = {F.rounds}, every dimension, every f_i convex with subgradients of norm at "
        f"most B; one x^0 at all clients, |x^0 - x*| <= R, alpha^2 B^2 <= {F.square} R^2; x = W x "
        f"- alpha g on every symmetric W with W 1 = 1 and all other eigenvalues from {F.low} to "
        f"{F.high}: alpha (f(x_av) - f*) <= {up(claim)} R^2, x_av the mean of all x_i^k, k <= K"
    ), {}


KINDS = {"finite": finite, "forever": forever, "sequences": sequences, "spectral": spectral}


def decided(c: Any) -> Told:
    """The theorem that the certificate ``c`` proves. Raises ValueError, or another, if none."""
    LEFT[0] = WORK
    try:
        return KINDS[c["kind"]](c)
    finally:
        LEFT[0] = math.inf


def proved(c: Any) -> str:
    """In words, what ``decided`` has."""
    return decided(c)[0]


def read(text: str) -> Any:
    """The content of a file; no name may come twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        need(len(dict(pairs)) == len(pairs), "a name comes twice")
        return dict(pairs)

    need(len(text) <= SIZE, "the file is too long")
    return json.loads(text, object_pairs_hook=once)


def main(paths: list[str]) -> int:
    good = bool(paths)
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                told = f"PROVED: {path!a}: {proved(read(file.read(SIZE + 1)))}"
        except Exception as error:
            good, told = False, f"NOT PROVED: {path!a}: {str(error)[:200]!a}"
        print(told)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
