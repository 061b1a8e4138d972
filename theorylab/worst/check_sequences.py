"""Is this certificate of push-sum on every sequence of networks true? Nothing in it is believed.

    python -I check_sequences.py FILE.json ...     PROVED or NOT PROVED for each; exit code 0 or 1

It is about z^{t+1} = P(t) (z^t - eta g^t), w^{t+1} = P(t) w^t, g_i^t = grad f_i(z_i^t / w_i^t) from
z_i^0 = x^0 and w^0 = 1. It claims |mean z^T - x*|^2 <= claim for all f_1, ..., f_n with curvatures
between mu and L, in every dimension, with |x^0 - x*|^2 <= 1 and mean |grad f_i(x*)|^2 <= 1, and for
all P(0), P(1), ... whose columns sum to 1, with entries of at least ``least`` on ``support`` and 0
elsewhere; entry (i, j) is what i receives from j.

Why. x_i^{t+1} = sum_j R_ij (x_j^t - eta v_j g_j^t) with v_j = 1 / w_j and R_ij = P_ij w_j / sum_k
P_ik w_k, which have ranges. The sum of multiplier * inequality, less the metric, is a form S of the
vectors. It is convex in d = x_a - x_b; in |d|^2 its tangent at the middle of the ranges stands for
d. The form then is affine in each row of R and in each v_j, and is decided at the vertices alone.
``splits`` (t, i, j, at) cut the ranges of P(t)_ij; every piece has multipliers of its own.
"""

import itertools
import json
import math
import sys
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

KEYS = {"version", "kind", "clients", "class", "eta", "support", "least", "rounds", "splits"}
KEYS |= {"proofs", "claim", "about"}
DIGITS, SHORT, LARGEST, SIZE = 400, 100, 24, 8_000_000  # digits; vectors; characters of a file
WORK = 4_000_000  # sums of products; the proof for three clients and rounds takes over 1,600,000
SPENT: list[int] = []  # of WORK by the file that is read

Matrix = list[list[Any]]
Ranges = list[tuple[list[list[tuple[Any, ...]]], list[tuple[Any, Any]]]]


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


def only(given: Any, keys: set[str]) -> None:
    need(set(given) == keys, "there are other names than those of this kind")


def up(value: Fraction) -> str:
    """A decimal that is not below ``value``, or p/q where a float is too coarse."""
    if not 10**-300 < abs(value) < 10**300:
        return str(value)
    near = float(value)
    near = near if Fraction(near) >= value else math.nextafter(near, math.inf)
    return str(value) if value < 1 <= near else repr(near)


def plus(u: list[Any], c: Any, v: list[Any]) -> list[Any]:
    return [a + c * b for a, b in zip(u, v, strict=True)]


def add(S: Matrix, c: Any, u: list[Any], v: list[Any]) -> None:
    """S += the form c <u, v>."""
    for line, a, b in zip(S, u, v, strict=True):
        if a or b:
            line[:] = [s + (a * t + b * z) * c / 2 for s, t, z in zip(line, v, u, strict=True)]


def definite(S: Matrix) -> bool:
    """Whether S has positive leading minors, in integers (Bareiss)."""
    below, last = math.lcm(*(v.denominator for row in S for v in row)), 1
    charge(len(S) ** 4 * below.bit_length() // 5000)
    rows = [[int(v * below) for v in row] for row in S]
    for k, row in enumerate(rows):
        if row[k] <= 0:
            return False
        for i in range(k + 1, len(rows)):
            head = rows[i][k]
            rows[i] = [(row[k] * a - head * b) // last for a, b in zip(rows[i], row, strict=True)]
        last = row[k]
    return True


def corners(low: list[Any], high: list[Any]) -> list[tuple[Any, ...]]:
    """The vertices of low <= r <= high, sum r = 1: all but one entry are at an end."""
    charge(len(low) ** 2 * 2 ** len(low) // 2)
    made = set()
    for free in range(len(low)):
        ends = [
            (0,) if j == free else (a, b) for j, (a, b) in enumerate(zip(low, high, strict=True))
        ]
        for row in itertools.product(*ends):
            rest = 1 - sum(row)
            if low[free] <= rest <= high[free]:
                made.add((*row[:free], rest, *row[free + 1 :]))
    return sorted(made)


def ranges(support: Matrix, least: Any, rounds: int, cuts: list[Any]) -> Ranges:
    """Per round the vertices of each row of R and the ends of v_j; cuts: (t, i, j, at, up)."""
    n, made = len(support), Ranges()
    w = [(Fraction(1), Fraction(1))] * n
    for t in range(rounds - 1):  # what is sent last changes no mean
        most = [1 - least * (sum(column) - 1) for column in zip(*support, strict=True)]
        low = [[least * s for s in row] for row in support]
        high = [[s * m for s, m in zip(row, most, strict=True)] for row in support]
        for when, i, j, at, up in cuts:
            if when == t and up:
                low[i][j] = max(low[i][j], at)
            elif when == t:
                high[i][j] = min(high[i][j], at)
        for j in range(n):  # columns sum to 1
            ends = [(low[i][j], high[i][j]) for i in range(n)]
            for i in range(n):
                low[i][j] = max(ends[i][0], 1 - sum(b for k, (_, b) in enumerate(ends) if k != i))
                high[i][j] = min(ends[i][1], 1 - sum(a for k, (a, _) in enumerate(ends) if k != i))
        both = [(*low[i], *high[i]) for i in range(n)]
        need(all(row[j] <= row[n + j] for row in both for j in range(n)), "a piece is empty")
        rows = []
        for i in range(n):
            small = [a * w[j][0] for j, a in enumerate(low[i])]
            large = [b * w[j][1] for j, b in enumerate(high[i])]
            least_share = [a / (a + sum(large) - large[j]) if a else a for j, a in enumerate(small)]
            most_share = [b / (b + sum(small) - small[j]) if b else b for j, b in enumerate(large)]
            rows.append(corners(least_share, most_share))
            need(rows[-1], "a client receives nothing")
        made.append((rows, [(1 / b, 1 / a) for a, b in w]))
        sums = [
            tuple(sum(e[i][j] * w[j][k] for j in range(n)) for k, e in enumerate((low, high)))
            for i in range(n)
        ]
        w = [
            (
                max(a, n - sum(v for k, (_, v) in enumerate(sums) if k != i)),
                min(b, n - sum(v for k, (v, _) in enumerate(sums) if k != i)),
            )
            for i, (a, b) in enumerate(sums)
        ]
        need(all(a > 0 for a, _ in w), "a weight may be 0")
    return made


class Piece:
    """Points and forms of one piece. Vectors: x^0 - x*, n - 1 gradients at x*, then those of each
    round; a row of ``x[t]`` is the point of a client in round t, less x*."""

    def __init__(self, made: Ranges, n: int, rounds: int, eta: Any, mu: Any, L: Any) -> None:
        self.ranges, self.n, self.T, self.eta, self.mu, self.L = made, n, rounds, eta, mu, L
        size = n * (rounds + 1)
        unit = [[Fraction(i == j) for j in range(size)] for i in range(size)]
        self.start, self.stars, self.g = unit[0], unit[1:n], unit[n:]
        self.stars.append([-sum(column) for column in zip(*self.stars, strict=True)])
        self.mean = self.start
        for g in self.g:
            self.mean = plus(self.mean, -eta / n, g)
        middle = [
            (
                [[sum(v) / len(r) for v in zip(*r, strict=True)] for r in rows],
                [sum(e) / 2 for e in v],
            )
            for rows, v in made
        ]
        self.middle = self.points(middle)

    def points(self, at: Any) -> list[Matrix]:
        """The points of all rounds where R and v are those of ``at``."""
        x, made = [self.start] * self.n, [[self.start] * self.n]
        for t, (R, v) in enumerate(at):
            sent = [plus(x[j], -self.eta * v[j], self.g[t * self.n + j]) for j in range(self.n)]
            columns = list(zip(*sent, strict=True))
            x = [
                [sum(r * s for r, s in zip(row, c, strict=True) if r) for c in columns] for row in R
            ]
            made.append(x)
        return made

    def vertices(self) -> Iterator[list[Matrix]]:
        """The points at every vertex of the ranges."""
        count, size = 1, len(self.start)
        for rows, ends in self.ranges:
            count *= math.prod(len(row) for row in rows) * math.prod(len({*e}) for e in ends)
            charge(count * self.n * size * (size + self.T * self.n) // 8)
        per_round = [
            itertools.product(itertools.product(*rows), itertools.product(*({*e} for e in v)))
            for rows, v in self.ranges
        ]
        return (self.points(at) for at in itertools.product(*map(list, per_round)))

    def place(self, x: list[Matrix], i: int, a: int) -> tuple[list[Any], list[Any]]:
        """(point, gradient) of client i in round a - 1; a = 0: at x*."""
        if a == 0:
            return [0 * v for v in self.start], self.stars[i]
        return x[a - 1][i], self.g[(a - 1) * self.n + i]

    def pair(self, S: Matrix, c: Any, x: list[Matrix], i: int, a: int, b: int) -> None:
        """S += c (<g_b, d> + mu/2 |d|^2 + |g - mu d|^2 / 2(L - mu)), with |d|^2 at its tangent."""
        (xa, ga), (xb, gb) = self.place(x, i, a), self.place(x, i, b)
        d, g, gap = plus(xa, -1, xb), plus(ga, -1, gb), 2 * (self.L - self.mu)
        middle = plus(self.place(self.middle, i, a)[0], -1, self.place(self.middle, i, b)[0])
        square = c * (self.mu / 2 + self.mu**2 / gap)
        add(S, c, gb, d)
        add(S, c / gap, g, plus(g, -2 * self.mu, d))
        add(S, square, middle, plus([2 * v for v in d], -1, middle))


def proved(c: Any) -> Fraction:
    """The claim that the certificate ``c`` proves. Raises ValueError, or another, if it fails."""
    SPENT[:] = [0]
    try:
        return decided(c)
    finally:
        SPENT.clear()


def decided(c: Any) -> Fraction:
    """``proved``, without its end to the work."""
    version = type(c["version"]), c["version"], c["kind"]
    need(set(c) == KEYS and version == (int, 1, "sequences"), "it is another kind")
    only(c["class"], {"mu", "L"})
    texts = [*c["class"].values(), c["eta"], c["least"], *(at for *_, at in c["splits"])]
    need(max(map(len, texts)) <= SHORT, "a number is too long")
    n, rounds = whole(c["clients"], 1, LARGEST), whole(c["rounds"], 1, LARGEST)
    mu, L = (rational(c["class"][key], 0) for key in ("mu", "L"))
    eta, least, claim = rational(c["eta"], 0), rational(c["least"], 0), rational(c["claim"])
    support = [[whole(entry, 0, 1) for entry in row] for row in c["support"]]
    need(len(support) == n and all(len(row) == n for row in support), "the support is not n by n")
    degrees = [sum(column) for column in zip(*support, strict=True)]
    need(least > 0 and all(d and least * d <= 1 for d in degrees), "the class has no such networks")
    need(mu < L and n * (rounds + 1) <= LARGEST, "need mu < L, and few rounds")
    cuts = [
        (whole(t, 0, rounds), whole(i, 0, n - 1), whole(j, 0, n - 1), rational(at))
        for t, i, j, at in c["splits"]
    ]
    need(len(cuts) < 13 and len(c["proofs"]) == 2 ** len(cuts), "a piece has no proof")
    for ups, proof in zip(itertools.product((0, 1), repeat=len(cuts)), c["proofs"], strict=True):
        made = ranges(
            support, least, rounds, [(*cut, up) for cut, up in zip(cuts, ups, strict=True)]
        )
        piece, level = Piece(made, n, rounds, eta, mu, L), [[Fraction(0)] * (rounds + 1)] * n
        level = [[*row] for row in level]
        only(proof, {"distance", "spread", "pairs"})
        need(len(proof["pairs"]) <= n * (rounds + 1) ** 2, "there are too many pairs")
        tau, sigma = rational(proof["distance"], 0), rational(proof["spread"], 0)
        need(tau + sigma <= claim, "the claim is too small")
        shares: list[list[Any]] = [[] for _ in range(n)]
        for share, i, a, b in proof["pairs"]:
            shares[whole(i, 0, n - 1)].append(
                (rational(share, 0), whole(a, 0, rounds), whole(b, 0, rounds))
            )
            level[i][a] -= shares[i][-1][0]
            level[i][b] += shares[i][-1][0]
        need(not any(map(any, level)), "values of functions are left")
        size = n * (rounds + 1)
        always = [[Fraction(0)] * size for _ in range(size)]
        for weight, vector in (
            (tau, piece.start),
            (-1, piece.mean),
            *((sigma / n, s) for s in piece.stars),
        ):
            add(always, weight, vector, vector)
        known: dict[Any, Matrix] = {}
        for x in piece.vertices():
            S = always
            for i in range(n):
                key = i, *(tuple(row[i]) for row in x)
                if key not in known:
                    charge(len(shares[i]) * size * size // 4)
                    known[key] = [[Fraction(0)] * size for _ in range(size)]
                    for share, a, b in shares[i]:
                        piece.pair(known[key], share, x, i, a, b)
                S = [plus(u, 1, v) for u, v in zip(S, known[key], strict=True)]
            need(definite(S), "the form is not positive at a vertex")
    return claim


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    need(len(dict(pairs)) == len(pairs), "a name comes twice")
    return dict(pairs)


def said(c: Any, claim: Fraction) -> str:
    """The theorem in words, from what was read."""
    support = json.dumps(c["support"], separators=(",", ":"))
    return (
        f"n = {c['clients']}, T = {c['rounds']}, every dimension, every f_i of curvature "
        f"{c['class']['mu']} to {c['class']['L']}; |x^0 - x*| <= 1, mean |grad f_i(x*)|^2 <= 1; "
        f"push-sum of step {c['eta']}, {c['clients'] * c['rounds']} gradients, on every sequence "
        f"of column-stochastic networks with entries of at least {c['least']} on {support}: "
        f"|mean z^T - x*|^2 <= {up(claim)}"
    )


def main(paths: list[str]) -> int:
    good = bool(paths)
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read(SIZE + 1)
            need(len(text) <= SIZE, "the file is too long")
            c = json.loads(text, object_pairs_hook=once)
            told = said(c, proved(c))
        except Exception as error:
            good = False
            print(f"NOT PROVED: {path!a}: {str(error)[:200]!a}")
            continue
        print(f"PROVED: {path!a}: {told}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
