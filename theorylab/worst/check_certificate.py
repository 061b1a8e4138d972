"""Is this certificate of a worst case true? The standard library is enough; nothing is believed.

    python -I check_certificate.py FILE.json ...     PROVED or NOT PROVED for each; exit code 0 or 1

The file states a theorem: in every dimension, for all f_1, ..., f_n of the class and every start
that meets the conditions, the method given by its recursion has metric <= claim. xbar^t are the
file's averages; B bounds gradients where one is asked, by the method or by the metric, and
``heterogeneity`` where the metric or the start looks at f, so that either holds of more runs than
those of functions that meet it everywhere. It adds
multipliers >= 0 of inequalities that all such runs meet. They prove the theorem where the sum of
multiplier * inequality, less the metric, is a positive semidefinite form of the vectors, has no
values of functions left, and has constants that add up to at most the claim. All three are decided
here in integers, of forms that are made here. What is not understood is NOT PROVED.
"""

import hashlib
import json
import math
import sys
from fractions import Fraction
from typing import Any

KEYS = {"version", "kind", "clients", "class", "start", "metric", "method", "queries", "averages"}
KEYS |= {"claim", "denominator", "multipliers", "about"}  # nothing reads what the file is about
METHOD = {"P", "eta", "alpha", "local_steps", "rounds"}
METRICS = {
    "distance": "|xbar^T - x*|^2",
    "gap": "f(xbar^T) - f*",
    "gap-of-mean": "f(mean of xbar^t, t < T) - f*",
    "gradient": "|grad f(xbar^T)|^2",
    "mean-gradient": "mean of |grad f(xbar^t)|^2, t < T",
    "least-gradient": "least |grad f(xbar^t)|^2, t < T",
}
STARTS = {
    "distance": "|x^0 - x*|",
    "gap": "f(x^0) - f*",
    "spread": "root mean |grad f_i(x*)|^2",
}
PLACES = {"pair": 3, "bounded": 2, "above": 1, "least": 1, "heterogeneity": 1}  # numbers after it
PLACES |= {"distance": 0, "gap": 0, "spread": 0}
LARGEST, MOST = 400, 10_000  # gradients; multipliers
DIGITS, BITS, LONGEST = 400, 4_000, 20_000  # of a number; of a denominator; of their multiple
PLAYED, PRODUCTS, SIZE = 400_000, 20_000_000, 8_000_000  # sums; products; characters of a file
SHORT, WORK = 100, 1_000_000  # digits of a class; sums of products, of 10 microseconds or less
SPENT: list[int] = []  # of WORK by the file that is read

Row = dict[int, Any]  # coefficients by number


def need(true: object, why: str) -> None:
    if not true:
        raise ValueError(why)


def rational(text: Any, least: int | None = None) -> Fraction:
    """The rational that "p/q" or "p" spells."""
    need(isinstance(text, str) and len(text) <= DIGITS and text.isascii(), "a number is no p/q")
    above, _, below = text.partition("/")
    need(above.lstrip("-").isdigit() and (below or "1").isdigit(), "a number is no p/q")
    value = Fraction(int(above), int(below or "1"))
    need(least is None or value >= least, "a number is too small")
    return value


def whole(value: Any, least: int, most: int) -> int:
    need(type(value) is int and least <= value <= most, "an integer is not in its range")
    return int(value)


def charge(work: int) -> None:
    """Count work before it is done, that of a whole file where one is read."""
    need(sum(SPENT) + work <= WORK, "the certificate is too large: it takes too much work")
    SPENT[:] = [sum(SPENT) + work] if SPENT else []


def up(value: Fraction) -> str:
    """A decimal that is not below ``value``, or p/q where a float is too coarse."""
    if not 10**-300 < abs(value) < 10**300:
        return str(value)
    near = float(value)
    near = near if Fraction(near) >= value else math.nextafter(near, math.inf)
    return str(value) if value < 1 <= near else repr(near)


def add(total: Row, c: Any, row: Row) -> None:
    """total += c * row."""
    charge(len(row))
    for k, v in row.items():
        total[k] = total.get(k, 0) + c * v
        need(total[k].denominator.bit_length() <= BITS, "a denominator is too long")
        if not total[k]:
            del total[k]


def plus(*parts: tuple[Any, Row]) -> Row:
    """The sum of c * row over (c, row)."""
    total: Row = {}
    for c, row in parts:
        add(total, c, row)
    return total


def short(values: Any) -> Fraction:
    """The sum, of a short denominator."""
    total = Fraction(0)
    for value in values:
        total += value
        need(total.denominator.bit_length() <= BITS, "a denominator is too long")
    return total


def played(method: Any, n: int, P: Any) -> tuple[list[tuple[int, Row]], list[Row]]:
    """Queries and averages of local steps with momentum, then push-sum: of (P, eta, K, alpha)."""
    eta, alpha = rational(method["eta"], 0), rational(method["alpha"], 0)
    rounds, steps = whole(method["rounds"], 1, LARGEST), whole(method["local_steps"], 1, LARGEST)
    need(rounds * steps * n <= LARGEST, "there are too many gradients")
    sent = max(sum(map(bool, to)) for now in P for to in now)
    need(sent * n * n * rounds**2 * steps <= PLAYED, "the recursion is too long")
    x: list[Row] = [{} for _ in range(n)]
    w, share, averages = [Fraction(1)] * n, Fraction(1, n), []
    queries: list[tuple[int, Row]] = []
    for t in range(rounds):
        averages.append(plus(*((share, row) for row in x)))
        v: list[Row] = [{} for _ in range(n)]
        for _ in range(steps):
            for i in range(n):
                v[i] = plus((alpha, v[i]), (1, {len(queries): Fraction(1)}))
                queries.append((i, plus((1 / w[i], x[i]))))
                x[i] = plus((1, x[i]), (-eta, v[i]))
        now = P[t % len(P)]
        x = [plus(*((p, row) for p, row in zip(to, x, strict=True) if p)) for to in now]
        w = [short(p * m for p, m in zip(to, w, strict=True)) for to in now]
    return queries, [*averages, plus(*((share, row) for row in x))]


def recursion(c: Any, n: int) -> tuple[list[tuple[int, Row]], list[Row]]:
    """(client, row over earlier gradients) of every query, and the rows of the averages.

    Query k asks client i_k for a gradient at x^0 + sum_j row_k[j] (gradient j) over j < k.
    """
    if c["method"] is not None:
        need(set(c["method"]) == METHOD, "there are other names than those of a method")
        need(c["queries"] == c["averages"] == [], "there are two methods")
        P = [[[rational(v, 0) for v in to] for to in now] for now in c["method"]["P"]]
        for now in P:
            need(len(now) == n and all(len(to) == n for to in now), "P is not n times n")
            need(
                all(short(from_) == 1 for from_ in zip(*now, strict=True)), "P loses or makes mass"
            )
        return played(c["method"], n, P)
    need(max(len(c["queries"]), len(c["averages"])) <= LARGEST, "there are too many gradients")
    for k, (_, row) in enumerate(c["queries"]):
        need(type(row) is list and len(row) <= k, "a query uses a gradient that is not known yet")
    for row in c["averages"]:
        need(type(row) is list and len(row) <= len(c["queries"]), "an average is of the future")
    rows = [row for _, row in c["queries"]] + c["averages"]
    rows = [plus(*((1, {j: rational(v)}) for j, v in enumerate(row))) for row in rows]
    clients, averages = [whole(i, 0, n - 1) for i, _ in c["queries"]], rows[len(c["queries"]) :]
    need(len(averages) > 1 and not averages[0], "the averages are not x^0 and at least one more")
    return list(zip(clients, rows, strict=False)), averages


class Theorem:
    """What the file claims, made anew: points, gradients and values of every client.

    ``vectors`` are rows over a basis: 0 is x^0 - x*, each other one a gradient, a new one for each
    point that a client is asked at. Of a smooth class equal points share theirs, values always do.
    A node is (point, gradient, value): combinations {number of vector: c}, {number of value: c}.
    """

    def __init__(self, c: Any) -> None:
        version = type(c["version"]), c["version"], c["kind"]
        need(version == (int, 1, "finite"), "this checker reads version 1, finite T")
        n = self.n = whole(c["clients"], 1, LARGEST)
        self.L: Any
        names = ("mu", "L", "B", "heterogeneity")
        need(set(c["class"]) == {*names}, f"a class has {', '.join(names)}")
        mu, L, B, apart = (c["class"][key] for key in names)
        need(all(v is None or len(v) <= SHORT for v in (mu, L)), "mu or L is too long")
        self.mu, self.L = rational(mu), None if L is None else rational(L)
        self.B: Any = None if B is None else rational(B, 0)
        self.apart: Any = None if apart is None else rational(apart, 0)
        self.convex = self.mu >= 0
        need(self.convex if self.L is None else -self.L <= self.mu < self.L, "need -L <= mu < L")
        self.start = {key: rational(value, 0) for key, value in c["start"].items()}
        self.metric, stars = c["metric"], {"distance", "spread"}
        need({*self.start} <= {*STARTS} and self.metric in METRICS, "a start or metric is unknown")
        need(self.convex or not stars & {self.metric, *self.start}, "x* is of convex classes alone")
        self.size, self.values = 1, 0
        self.known: dict[Any, int] = {}
        self.level: dict[Any, Row] = {}
        self.vectors: list[Row] = []
        self.queried: list[Row] = []
        self.everywhere: list[list[int]] = []
        self.first = self.vector(self.row({}))
        self.nodes: list[list[tuple[Row, Row, Row]]] = [[] for _ in range(n)]
        for i in range(n if self.convex else 0):  # x* comes first; the gradients there sum to 0
            last = plus(*((-1, nodes[0][1]) for nodes in self.nodes[:i]))
            self.nodes[i].append(({}, self.fresh() if i < n - 1 else last, {}))
        queries, averages = self.rows = recursion(c, n)
        for i, row in queries:
            self.queried.append(self.nodes[i][self.node(i, self.row(row))][1])
        T = self.rounds = len(averages) - 1
        mean = plus(*((Fraction(1, T), row) for row in averages[:T]))
        one = {"gap": averages[T:], "gradient": averages[T:], "distance": [], "gap-of-mean": [mean]}
        asked = list(one.get(self.metric, averages[:T]))
        asked += [row for _, row in queries] if n == 1 and not self.convex else []  # f_1 is f
        for row in [*asked, *([{}] if "gap" in self.start else [])]:
            self.everywhere.append([self.node(i, self.row(row)) for i in range(n)])
        self.last = self.vector(self.row(averages[T]))

    def vector(self, row: Row) -> Row:
        self.vectors.append(row)
        return {len(self.vectors) - 1: 1}

    def fresh(self) -> Row:
        self.size += 1
        need(self.size <= LARGEST, "there are too many gradients")
        return self.vector({self.size - 1: Fraction(1)})

    def row(self, coefficients: Row) -> Row:
        """x^0 + sum c_j (gradient of query j) over the basis; without x*, x^0 is the origin."""
        base = {0: Fraction(1)} if self.convex else {}
        gradients = ((c, self.vectors[k]) for j, c in coefficients.items() for k in self.queried[j])
        return plus((1, base), *gradients)

    def node(self, i: int, x: Row) -> int:
        """The number of the point x among those of client i; a new one where it has none."""
        key = i, tuple(sorted(x.items()))
        if self.L is None or key not in self.known:
            if key not in self.level:
                self.level[key], self.values = {self.values: 1}, self.values + 1
            self.nodes[i].append((self.vector(x), self.fresh(), self.level[key]))
            self.known[key] = len(self.nodes[i]) - 1
        return self.known[key]

    def mean(self, j: int) -> tuple[list[Row], Row, Row]:
        """All gradients, their mean, and f = (1/n) sum_i f_i at place j, where all are asked."""
        at = [self.nodes[i][a] for i, a in enumerate(self.everywhere[j])]
        share = Fraction(1, self.n)
        gradient, value = (plus(*((share, node[k]) for node in at)) for k in (1, 2))
        return [node[1] for node in at], gradient, value

    def inequality(self, name: Any, *at: Any) -> tuple[list[tuple[Any, Row, Row]], Row, Any]:
        """(terms, values, constant): sum c <p, q> over the terms (c, p, q) + values <= constant."""
        need(name in PLACES and (name in self.start or name not in STARTS), "no such inequality")
        need(
            len(at) == PLACES[name] and all(type(j) is int and j >= 0 for j in at), "no such place"
        )
        share, square = Fraction(1, self.n), self.start.get(name, Fraction(0)) ** 2
        if name == "pair":  # f_a >= f_b + <g_b, d> + mu/2 |d|^2 + |g_a - g_b - mu d|^2 / 2(L - mu)
            i, a, b = at
            (xa, ga, fa), (xb, gb, fb) = self.nodes[i][a], self.nodes[i][b]
            d = plus((1, xa), (-1, xb))
            apart = plus((1, ga), (-1, gb), (-self.mu, d))
            terms = [(1, plus((1, gb), (self.mu / 2, d)), d)]
            terms += [] if self.L is None else [(1 / (2 * (self.L - self.mu)), apart, apart)]
            return terms, plus((1, fb), (-1, fa)), 0
        if name == "bounded":
            i, a = at
            need(self.B is not None, "gradients are not bounded")
            return [(1, self.nodes[i][a][1], self.nodes[i][a][1])], {}, self.B * self.B
        if name == "distance":
            return [(1, self.first, self.first)], {}, square
        if name == "spread":
            return [(share, nodes[0][1], nodes[0][1]) for nodes in self.nodes], {}, square
        if name == "gap":
            return [], self.mean(len(self.everywhere) - 1)[2], self.start[name]
        (j,) = at
        each, gradient, value = self.mean(j)
        if name == "above":  # f* = 0 <= f(x - grad f/L) <= f - |grad f|^2/2L
            need(not self.convex and self.L is not None, "a convex class has x*")
            return [(1 / (2 * self.L), gradient, gradient)], plus((-1, value)), 0
        if name == "least":
            need(self.metric == "least-gradient" and j < self.rounds, "there is no such place")
            return [(-1, gradient, gradient)], {-1: 1}, 0
        need(self.apart is not None, "heterogeneity has no bound")
        return [*((share, g, g) for g in each), (-1, gradient, gradient)], {}, self.apart**2

    def measured(self) -> tuple[list[tuple[Any, Row, Row]], Row]:
        """(terms, values) of the metric; value -1 is the least of the squared gradients."""
        if self.metric == "distance":
            return [(1, self.last, self.last)], {}
        if self.metric in ("gap", "gap-of-mean", "least-gradient"):
            return [], {-1: 1} if self.metric == "least-gradient" else self.mean(0)[2]
        T = self.rounds if self.metric == "mean-gradient" else 1
        return [(Fraction(1, T), g, g) for g in (self.mean(t)[1] for t in range(T))], {}


def definite(vectors: list[Row], size: int, table: dict[tuple[int, int], Any]) -> bool:
    """Whether sum table[u, v] <vector u, vector v> is a positive semidefinite form of the basis."""
    below = 1
    for v in (v for row in (*vectors, {0: Fraction(1)}) for v in row.values()):
        below = math.lcm(below, v.denominator)
        need(below.bit_length() <= LONGEST, "the denominators are too long")
    under = math.lcm(*{c.denominator for c in table.values()})
    rows = [[(k, int(v * below)) for k, v in row.items()] for row in vectors]
    work = size * sum(map(len, rows)) + size**3 // 3 + sum(len(rows[v]) for _, v in table)
    need(work * (1 + below.bit_length() // 2000) <= PRODUCTS, "the certificate is too large")
    weighted = [[0] * size for _ in vectors]
    for (u, v), c in table.items():
        for k, x in rows[v]:
            weighted[u][k] += int(c * under) * x
    S = [[0] * size for _ in range(size)]
    for row, line in zip(rows, weighted, strict=True):
        for k, x in row:
            S[k] = [s + x * y for s, y in zip(S[k], line, strict=True)]
    S = [[S[i][j] + S[j][i] for j in range(size)] for i in range(size)]
    kept = [i for i in range(size) if any(S[i])]
    if not all(S[i][i] > 0 for i in kept):
        return False
    half = {i: (S[i][i].bit_length() + 1) // 2 for i in kept}  # a congruence: diagonals near 1
    most = max([60, *half.values()])
    S = [[S[i][j] << 2 * most - half[i] - half[j] for j in kept] for i in kept]
    return any(dominated(S, 2 * most, 2.0**-k) for k in (46, 40, 34))


def dominated(S: list[list[int]], bits: int, less: float) -> bool:
    """Whether S / 2^bits - R R^T is diagonally dominant, where R R^T is near S / 2^bits - less I.

    Both parts of S are positive semidefinite then. R comes from floats, the rest from integers.
    """
    size, one = len(S), 1 << bits
    R: list[list[float]] = []
    for i in range(size):
        row: list[float] = []
        for j in range(i + 1):
            rest = S[i][j] / one - sum(map(float.__mul__, row, R[j] if j < i else row))
            if j == i and rest <= less:
                return False
            row.append(rest / R[j][j] if j < i else math.sqrt(rest - less))
        R.append(row)
    factor = [[round(v * 2**52) for v in row] for row in R]
    left = [[0] * size for _ in range(size)]
    for i in range(size):
        for j in range(i + 1):
            product = sum(map(int.__mul__, factor[i], factor[j]))
            left[i][j] = left[j][i] = S[i][j] - (product << bits - 104)
    return all(2 * line[i] >= sum(map(abs, line)) for i, line in enumerate(left))


def proved(c: Any) -> Theorem:
    """The theorem that the certificate ``c`` proves. Raises ValueError, or another, if not."""
    SPENT[:] = [0]
    try:
        return decided(c)
    finally:
        SPENT.clear()


def decided(c: Any) -> Theorem:
    """``proved``, without its end to the work."""
    need(set(c) == KEYS, "the file has other parts than a certificate of this version")
    theorem, claim = Theorem(c), rational(c["claim"])
    below = whole(c["denominator"], 1, 2**BITS)
    need(len(c["multipliers"]) <= MOST, "there are too many multipliers")
    parts = [(-below, *theorem.measured(), 0)]
    need(
        len({tuple(name) for _, *name in c["multipliers"]}) == len(c["multipliers"]), "one is twice"
    )
    for y, name, *at in c["multipliers"]:
        parts.append((whole(y, 0, 2**512), *theorem.inequality(name, *at)))
    table: dict[tuple[int, int], Any] = {}
    values: Row = {}
    for y, terms, level, _ in parts:
        add(values, y, level)
        for c_, p, q in terms:
            charge(2 * len(p) * len(q))
            for u, a in p.items():
                for v, b in q.items():
                    table[u, v] = table.get((u, v), 0) + y * (c_ * a * b)
    need(not values, "values of functions are left")
    need(sum(y * most for y, *_, most in parts) <= claim * below, "the claim is too small")
    need(definite(theorem.vectors, theorem.size, table), "the form is not positive semidefinite")
    return theorem


def read(text: str) -> Any:
    """The content of a file; no name may come twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        need(len(dict(pairs)) == len(pairs), "a name comes twice")
        return dict(pairs)

    need(len(text) <= SIZE, "the file is too long")
    return json.loads(text, object_pairs_hook=once)


def said(theorem: Theorem, c: Any) -> str:
    """The theorem in words, from what was read."""
    kind = "every dimension, every f_i "
    kind += "convex" if theorem.L is None else f"of curvature {theorem.mu} to {theorem.L}"
    kind += (
        "" if theorem.L is not None or not theorem.mu else f", of curvature at least {theorem.mu}"
    )
    if theorem.B is not None:
        kind += f", gradients of norm at most {theorem.B} where they are asked"
    if theorem.apart is not None:
        kind += f", mean |grad f_i - grad f|^2 <= {theorem.apart**2} at every point asked"
    start = ", ".join(f"{STARTS[name]} <= {most}" for name, most in sorted(theorem.start.items()))
    queries, averages = theorem.rows
    by = "the recursion of the file"
    if c["method"] is not None:
        eta, alpha, K = (c["method"][key] for key in ("eta", "alpha", "local_steps"))
        by = f"push-sum of x / w after {K} local steps of length {eta}, momentum {alpha}"
        P = json.dumps(c["method"]["P"], separators=(",", ":")).replace('"', "")
        by += f", networks {P} in turn" if len(P) < 200 else ""
    parts = [
        [[i, sorted(row.items())] for i, row in queries],
        [sorted(r.items()) for r in averages],
    ]
    digest = hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()
    return (
        f"n = {theorem.n}, T = {theorem.rounds}, {kind}; {start}; {len(queries)} gradients by {by} "
        f"(SHA-256 of its rows {digest}): {METRICS[theorem.metric]} <= {up(rational(c['claim']))}"
    )


def main(paths: list[str]) -> int:
    good = bool(paths)
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                c = read(file.read(SIZE + 1))
            told = said(proved(c), c)
        except Exception as error:
            good = False
            print(f"NOT PROVED: {path!a}: {str(error)[:200]!a}")
            continue
        print(f"PROVED: {path!a}: {told}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
