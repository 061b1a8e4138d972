"""Is this certificate of decentralized subgradient descent true? Nothing in it is believed.

    python -I check_spectral.py FILE.json ...     PROVED or NOT PROVED for each; exit code 0 or 1

It is about x_i^{k+1} = sum_j W_ij x_j^k - alpha g_i^k, k = 0 .. K - 1, from x_i^0 = x^0, and g_i^k
is a subgradient of f_i at x_i^k. It claims alpha (f(x_av) - f(x*)) <= claim R^2, x_av the mean of
all x_i^k, k <= K, for every number of clients n, every dimension, all convex f_1, ..., f_n with
subgradients of norm at most B, |x^0 - x*| <= R, alpha^2 B^2 <= ratio R^2, and every symmetric W
with W 1 = 1 whose eigenvalues but for that of 1 are between ``low`` and ``high``.

Why. In units where R = alpha = 1 every vector of client i is its mean over the clients and a rest;
a mean over i of products is the product of means and the mean of products of rests: two forms. The
rests X^k of points and Y^k = W X^k meet sum_kl M_kl <Y^k - low X^k, high X^l - Y^l> >= 0 for every
positive semidefinite M, for (W - low)(high - W) is, and <X^k, Y^l> = <Y^k, X^l>, as W is symmetric.
The sum of multiplier * inequality, less alpha (f(x_av) - f(x*)), has no values of functions left.
"""

import json
import math
import sys
from fractions import Fraction
from typing import Any

KEYS = {"version", "kind", "rounds", "low", "high", "ratio", "distance", "bounded", "pairs"}
KEYS |= {"network", "symmetric", "claim", "about"}
DIGITS, LARGEST, SIZE = 400, 20, 8_000_000  # digits, rounds, characters of a file
WORK = 1_000_000  # sums of products, of 10 microseconds or less
SPENT: list[int] = []  # of WORK by the file that is read

Matrix = list[list[Any]]


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


class Runs:
    """Points and subgradients as (mean, rest) over the clients, nodes 0 .. K, then x_av and x*.

    Means are over x^0 - x*, then the subgradients of nodes 0 .. K and x_av; those at x* have mean
    0. Rests are over the subgradients of all nodes, then Y^1, ..., Y^{K-1}.
    """

    def __init__(self, K: int) -> None:
        sizes = K + 3, 2 * K + 2
        mean, rest = ([[Fraction(i == j) for j in range(m)] for i in range(m)] for m in sizes)
        nothing = tuple([Fraction(0)] * m for m in sizes)
        self.g = [*zip(mean[1:], rest, strict=False), (nothing[0], rest[K + 2])]
        self.x: list[Any] = [(mean[0], nothing[1])]
        self.X, self.Y = [nothing[1]], [nothing[1], *rest[K + 3 :]]
        for k in range(K):
            centre, _ = self.x[k]
            self.x.append((plus(centre, -1, self.g[k][0]), plus(self.Y[k], -1, self.g[k][1])))
            self.X.append(self.x[-1][1])
        total = nothing[0]
        for centre, _ in self.x:
            total = plus(total, Fraction(1, K + 1), centre)
        self.x += [(total, nothing[1]), nothing]
        self.forms = [[[Fraction(0)] * m for _ in range(m)] for m in sizes]

    def add(self, c: Any, u: Any, v: Any) -> None:
        """+= c times the mean over the clients of <u_i, v_i>."""
        for form, a, b in zip(self.forms, u, v, strict=True):
            add(form, c, a, b)


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
    need(set(c) == KEYS and version == (int, 1, "spectral"), "it is another kind")
    K, low, high = whole(c["rounds"], 1, LARGEST), rational(c["low"]), rational(c["high"])
    ratio, claim, tau = rational(c["ratio"], 0), rational(c["claim"]), rational(c["distance"], 0)
    runs, level = Runs(K), [Fraction(0)] * (K + 3)
    runs.add(tau, runs.x[0], runs.x[0])
    need(low <= high and len(c["bounded"]) == K + 3, "need low <= high, and a bound for each node")
    bounded = [rational(beta, 0) for beta in c["bounded"]]
    for beta, g in zip(bounded, runs.g, strict=True):
        runs.add(beta, g, g)
    need(tau + ratio * sum(bounded) <= claim, "the claim is too small")
    need(len(c["pairs"]) <= (K + 3) ** 2, "there are too many pairs")
    charge(len(c["pairs"]) * (2 * K + 2) + K**2 * (2 * K + 2))
    for share, a, b in c["pairs"]:  # f_a - f_b - <g_b, x_a - x_b> >= 0
        value, a, b = rational(share, 0), whole(a, 0, K + 2), whole(b, 0, K + 2)
        (xa, ya), (xb, yb) = runs.x[a], runs.x[b]
        runs.add(value, runs.g[b], (plus(xa, -1, xb), plus(ya, -1, yb)))
        level[a], level[b] = level[a] - value, level[b] + value
    need(level == [*[0] * (K + 1), 1, -1], "values of functions are left")
    M = [[rational(entry) for entry in row] for row in c["network"]]
    N = [[rational(entry) for entry in row] for row in c["symmetric"]]
    sizes = {len(M), len(N), *map(len, M), *map(len, N)}
    need(sizes <= {K - 1}, "the multipliers of the network have another size")
    need(not M or definite(M), "the multiplier of the network is not positive")
    rest = runs.forms[1]
    for k in range(1, K):
        for j in range(1, K):
            need(M[k - 1][j - 1] == M[j - 1][k - 1], "the multiplier of the network is lopsided")
            u, v = plus(runs.Y[k], -low, runs.X[k]), [high * s for s in runs.X[j]]
            add(rest, -M[k - 1][j - 1], u, plus(v, -1, runs.Y[j]))
            add(rest, N[k - 1][j - 1], runs.X[k], runs.Y[j])
            add(rest, -N[k - 1][j - 1], runs.Y[k], runs.X[j])
    need(all(map(definite, runs.forms)), "a form is not positive")
    return claim


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    need(len(dict(pairs)) == len(pairs), "a name comes twice")
    return dict(pairs)


def said(c: Any, claim: Fraction) -> str:
    """The theorem in words, from what was read."""
    return (
        f"every n, K = {c['rounds']}, every dimension, every f_i convex with subgradients of "
        f"norm at most B; |x^0 - x*| <= R, alpha^2 B^2 <= {c['ratio']} R^2; x = W x - alpha g on "
        f"every symmetric W with W 1 = 1 and all other eigenvalues from {c['low']} to {c['high']}: "
        f"alpha (f(x_av) - f*) <= {up(claim)} R^2, x_av the mean of all x_i^k, k <= K"
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
