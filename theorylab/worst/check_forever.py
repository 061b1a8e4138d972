"""Is this certificate of a rate for all T true? Nothing in it is believed.

    python -I check_forever.py FILE.json ...     PROVED or NOT PROVED for each; exit code 0 or 1

The file has one round of a method as rows over (state | gradients | received): where the clients
ask for gradients, what they send, the next state. received = P sent, one exchange after the other;
with push-sum weights w a row of a query is w_i times the point. It claims of all f_1, ..., f_n with
curvatures from mu to L, in every dimension: V falls by the factor ``rate`` in every round, and is
at least the squared distance of the mean models. V = eta' P eta, where eta are coordinates of the
difference of two runs; or with ``values`` (eta, g)' P (eta, g) + sum tau h, of a run and a fixed
point that it can reach. If ``reference``, the second run may stay at x*, where every grad f_i is 0,
or with ``spread`` has a mean square of 1. ``noise`` has mean 0, is independent between clients and
between queries, and E |e|^2 <= 1 in all; the inequality is one of expectations then.
"""

import hashlib
import itertools
import json
import math
import sys
from fractions import Fraction
from typing import Any

KEYS = {"version", "kind", "clients", "class", "owners", "rows", "networks", "weights", "quotient"}
KEYS |= {"span", "V", "multipliers", "values", "spread", "noise", "claim", "about"}
CLAIM = {"rate", "reference", "factor", "spread", "noise"}
LARGEST, DIGITS, LONGEST, SIZE = 128, 400, 20_000, 8_000_000
BITS, WORK = 400, 1_000_000  # of denominators; sums of products, of 10 microseconds or less
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


def only(given: Any, keys: set[str]) -> None:
    need(set(given) == keys, "there are other names than those of this kind")


def up(value: Fraction) -> str:
    """A decimal that is not below ``value``, or p/q where a float is too coarse."""
    if not 10**-300 < abs(value) < 10**300:
        return str(value)
    near = float(value)
    near = near if Fraction(near) >= value else math.nextafter(near, math.inf)
    return str(value) if value < 1 <= near else repr(near)


def matrix(rows: Any, height: int, width: int, least: int | None = None) -> Matrix:
    need(len(rows) == height <= LARGEST and width <= 3 * LARGEST, "a matrix is too large")
    need(all(len(row) == width for row in rows), "a matrix has another width")
    made = [[rational(entry, least) for entry in row] for row in rows]
    common(made, BITS)
    return made


def common(A: Matrix, bits: int) -> int:
    """The common denominator, of at most so many bits."""
    below = 1
    for denominator in {v.denominator for row in A for v in row}:
        below = math.lcm(below, denominator)
        need(below.bit_length() <= bits, "a denominator is too long")
    return below


def times(A: Matrix, B: Matrix) -> Matrix:
    columns = list(zip(*B, strict=True))
    charge(sum(map(bool, itertools.chain(*A))) * len(columns))
    return [[sum(a * b for a, b in zip(u, v, strict=True) if a) for v in columns] for u in A]


def turned(A: Matrix) -> Matrix:
    return [list(row) for row in zip(*A, strict=True)]


def joined(A: Matrix, B: Matrix) -> Matrix:
    return [[*a, *b] for a, b in zip(A, B, strict=True)]


def definite(S: Matrix) -> bool:
    """Whether S, but for rows of zeros, is symmetric and has positive leading minors (Bareiss)."""
    kept = [i for i, row in enumerate(S) if any(row)]
    below, last = common(S, LONGEST), 1
    charge(len(kept) ** 4 * below.bit_length() // 5000)
    need(turned(S) == S, "a form is not symmetric")
    rows = [[int(S[i][j] * below) for j in kept] for i in kept]
    for k, row in enumerate(rows):
        if row[k] <= 0:
            return False
        for i in range(k + 1, len(rows)):
            head = rows[i][k]
            rows[i] = [(row[k] * a - head * b) // last for a, b in zip(rows[i], row, strict=True)]
        last = row[k]
    return True


def networks(given: Any, n: int) -> list[list[Matrix]]:
    """Of every phase the matrix, or of a class the vertices (Birkhoff, on a face)."""
    if isinstance(given, list):
        need(0 < len(given) <= LARGEST, "there is no network")
        return [[matrix(P, n, n, 0)] for P in given]
    only(given, {"support", "least"})
    support, least, made = matrix(given["support"], n, n, 0), rational(given["least"], 0), []
    degrees = {*map(sum, support), *map(sum, turned(support))}
    need(all({*row} <= {0, 1} for row in support) and n < 8, "a support has entries 0 and 1")
    need(len(degrees) == 1 and least * max(degrees) <= 1, "the class has no such networks")
    charge(math.factorial(n) * n)
    for order in itertools.permutations(range(n)):
        if all(support[i][j] for i, j in enumerate(order)):
            rest = 1 - least * max(degrees)
            made.append([[least * s for s in row] for row in support])
            for i, j in enumerate(order):
                made[-1][i][j] += rest
    need(made, "the class has no such networks")
    return [made]


def slopes(weights: Any, phases: list[list[Matrix]], n: int) -> tuple[list[Matrix], int]:
    """(least and largest 1 / w_i, phase by phase, the first round from which they hold)."""
    if weights is None:
        return [[[Fraction(1)] * 2] * n for _ in phases], 0
    only(weights, {"limits", "width", "from"})
    limits = matrix(weights["limits"], len(phases), n, 0)
    width, first = rational(weights["width"], 0), whole(weights["from"], 0, 2000)
    need(width < 1 and first % len(phases) == 0, "the weights have no such range")
    now, below = turned([limits[0]]), [common(some[0], BITS) for some in phases]
    whole_rows = [
        [[(j, int(v * d)) for j, v in enumerate(row) if v] for row in some[0]]
        for d, some in zip(below, phases, strict=True)
    ]
    longest, rows = max(below).bit_length(), max(sum(map(len, P)) for P in whole_rows)
    charge(first * rows * (1 + first * longest // 4000) // 4)
    sums, under = [1] * n, 1
    for t in range(first):
        sums = [sum(v * sums[j] for j, v in row) for row in whole_rows[t % len(phases)]]
        under *= below[t % len(phases)]
    w = [[Fraction(v, under)] for v in sums]
    for k, some in enumerate(phases):
        need(len(some) == 1 and all(sum(p) == 1 for p in turned(some[0])), "P loses or makes mass")
        after = turned([limits[(k + 1) % len(phases)]])
        need(all(map(all, now)) and times(some[0], now) == after, "the weights have another limit")
        now = after
    for (a,), (b,) in zip(w, now, strict=True):
        need(abs(a - b) <= width * b, "the weights are not near their limit")
    return [[[1 / (v + v * width), 1 / (v - v * width)] for v in limit] for limit in limits], first


def through(A: Matrix, Q: Matrix) -> Matrix:
    """X where A = X Q; every row of Q has a 1 where the others have 0."""
    seen = [row.index(1) for row in Q]
    X = [[row[j] for j in seen] for row in A]
    need(times(X, Q) == A, "a row is no combination of those that it has to be one of")
    return X


def recursion(rows: Any, P: Matrix, n: int, m: int, q: int) -> list[Matrix]:
    """A, B, C, D: the clients ask at C y + D g and go on to A y + B g, over the network P."""
    known = [[Fraction(i == j) for j in range(m + q)] for i in range(m + q)]

    def over(some: Matrix) -> Matrix:
        need(not any(any(row[len(known) :]) for row in some), "what is sent is not known yet")
        return times([row[: len(known)] for row in some], known)

    for place in range(0, len(rows["sends"]), n):
        known += times(P, over(rows["sends"][place : place + n]))
    made = over(rows["after"]), over(rows["queries"])
    return [[row[cut] for row in each] for each in made for cut in (slice(m), slice(m, None))]


def plus(u: list[Any], c: Any, v: list[Any]) -> list[Any]:
    return [a + c * b for a, b in zip(u, v, strict=True)]


def add(S: Matrix, c: Any, u: list[Any], v: list[Any]) -> None:
    """S += the form c <u, v>."""
    for line, a, b in zip(S, u, v, strict=True):
        if a or b:
            line[:] = [s + (a * t + b * z) * c / 2 for s, t, z in zip(line, v, u, strict=True)]


def less(S: Matrix, told: Any, level: list[Any], mu: Any, L: Any, at: Any) -> None:
    """S -= c (f_a - f_b - <g_b, d> - mu/2 |d|^2 - |g - mu d|^2 / 2(L - mu)) for (c, a, b) told.

    at: (x, g) of every point, the first is x*, whose value is 0; d = x_a - x_b, g = g_a - g_b.
    ``level``: how much of each value there was; none may be left.
    """
    for c, a, b in ((rational(c, 0), whole(a, 0, 2), whole(b, 0, 2)) for c, a, b in told):
        d, g = plus(at[a][0], -1, at[b][0]), plus(at[a][1], -1, at[b][1])
        add(S, c, plus(at[b][1], mu / 2, d), d)
        add(S, c / (2 * (L - mu)), plus(g, -mu, d), plus(g, -mu, d))
        level[a], level[b] = level[a] - c, level[b] + c
    need(not any(level[1:]), "values of functions are left")


def forever(c: Any) -> str:
    """What the certificate ``c`` proves, in words. Raises ValueError, or another, if nothing."""
    SPENT[:] = [0]
    try:
        return theorem(c)
    finally:
        SPENT.clear()


def theorem(c: Any) -> str:
    """``forever``, without its end to the work."""
    version = type(c["version"]), c["version"], c["kind"]
    need(set(c) == KEYS and version == (int, 1, "forever"), "it is another kind")
    for name, keys in (("class", {"mu", "L"}), ("claim", CLAIM)):
        only(c[name], keys)
    only(c["rows"], {"queries", "sends", "after", "starts"})
    n, mu, L = whole(c["clients"], 1, LARGEST), *(rational(c["class"][k], 0) for k in ("mu", "L"))
    claim, owners = c["claim"], [whole(i, 0, n - 1) for i in c["owners"]]
    rate, phases, q = rational(claim["rate"], 0), networks(c["networks"], n), len(owners)
    need(mu < L and rate < 1, "need mu < L and a rate below 1")
    (ranges, first), m = slopes(c["weights"], phases, n), len(c["rows"]["after"])
    sizes = {"after": m, "queries": q, "sends": len(c["rows"]["sends"])}
    rows = {key: matrix(c["rows"][key], h, m + q + sizes["sends"]) for key, h in sizes.items()}
    late = [any(row[m + q :]) for row in rows["sends"] + rows["queries"]]
    need(isinstance(c["networks"], list) or not any(late), "V+ is not convex in the network")
    plain = matrix(c["rows"]["starts"], len(c["rows"]["starts"]), m)
    Q = matrix(c["quotient"], len(c["quotient"]), m)
    span = matrix(c["span"], len(c["span"]), len(Q))
    start = through(turned(times(Q, turned(plain))), span)[0]
    mean = times(through([[Fraction(j < n, n) for j in range(m)]], Q), turned(span))[0]
    spread, noise, values = (c[key] is not None for key in ("spread", "noise", "values"))
    parts = [len(span), q, (n - 1) * spread, q * noise, q * values]
    V = [matrix(P, parts[0] + parts[4], parts[0] + parts[4]) for P in c["V"]]
    tau = [rational(v, 0) for v in c["values"]["tau"]] if values else [0] * q
    if values:
        only(c["values"], {"tau", "above"})
        need(len(tau) == len(c["values"]["above"]) == q, "a query has no part in V")
    alone = len(phases) == len(phases[0]) == 1 and not (spread or noise or c["weights"])
    need(len(V) == len(c["multipliers"]) == len(phases) and (alone or not values), "no such V")
    gamma, nu = rational(c["spread"] or "0", 0), [rational(v, 0) for v in c["noise"] or []]
    need(len(nu) == parts[3] and claim["reference"] in (True, False), "there is no such noise")
    unit = iter([Fraction(i == j) for j in range(sum(parts))] for i in range(sum(parts)))
    eta, g, w, e, later = ([next(unit) for _ in range(size)] for size in parts)
    w += [[-sum(column) for column in zip(*w, strict=True)]] * spread
    given = [plus(g[j], 1, w[i]) if spread else g[j] for j, i in enumerate(owners)]
    given = [plus(a, 1, b) for a, b in zip(given, e, strict=True)] if noise else given
    for number, some in enumerate(phases):
        for P, told in zip(some, c["multipliers"][number], strict=True):
            charge(q * sum(parts) ** 2)
            need(len(told) == q, "a query has no multipliers")
            A, B, C, D = recursion(rows, P, n, m, q)
            if claim["reference"]:  # x* at all clients is a run of functions with gradients 0 there
                one = [[s if i % n == j else 0 for j in range(n)] for i, s in enumerate(plain[0])]
                here = [[int(i == j) for j in range(n)] for i in owners]
                if not c["weights"]:
                    one, here, P = [[sum(row)] for row in one], [[1]] * q, [[1]]
                need(plain[0][:n] == [1] * n, "x^0 = x* is not the start")
                need(times(A, one) == times(one, P) and times(C, one) == here, "x* does not stay")
            A = turned(through(turned(times(through(times(Q, A), Q), turned(span))), span))
            B = turned(through(turned(times(Q, B)), span))
            C = times(through(C, Q), turned(span))
            x, after = (times(joined(*pair), eta + given) for pair in ((C, D), (A, B)))
            now, then = eta + g * values, after + later
            last = times(joined(C, D), then) if values else x
            S, fall = (
                times(times(turned(row), V[k % len(V)]), row)
                for row, k in ((now, number), (then, number + 1))
            )
            S = [plus([rate * v for v in a], -1, b) for a, b in zip(S, fall, strict=True)]
            for j, i in enumerate(owners):
                at = [([0] * len(S),) * 2, (x[j], g[j]), (last[j], (later or g)[j])]
                low, high = mu * ranges[number][i][0], L * ranges[number][i][1]
                less(S, told[j], [0, rate * tau[j], -tau[j]], low, high, at[: 2 + values])
            for vector in w:
                add(S, gamma / n, vector, vector)
            behind = [{j for j, v in enumerate(row) if v} for row in D]
            for _ in range(q * noise):
                behind = [js.union(*(behind[j] for j in js)) for js in behind]
            for j, share in enumerate(nu):  # noise is orthogonal to what does not come after it
                place, later_on = sum(parts[:3]) + j, [i for i in range(q) if j in behind[i]]
                for b in {*range(len(S))} - {place, *(parts[0] + i for i in later_on)}:
                    S[place][b] = S[b][place] = Fraction(0)
                S[place][place] += share
            need(definite(S), "V does not fall by the rate")
            above = [[*row] for row in V[number]]
            add(above, -1, mean + [0] * parts[4], mean + [0] * parts[4])
            for j in range(q * values):
                at = [([0] * len(above),) * 2, (x[j][: len(above)], g[j][: len(above)])]
                less(above, c["values"]["above"][j], [0, tau[j]], mu, L, at)
            need(definite(above), "V is below the distance of the mean models")
    need(claim["reference"] or not (spread or noise or claim["factor"]), "nothing to compare with")
    other = "a fixed point" if values else "another run"
    said = f"V of a run and {other}{', without noise,' if noise else ''} falls by the factor "
    said += f"{up(rate)} in every round from round {first} on"
    model, ratio = "E |xbar^T - x*|^2" if noise else "|xbar^T - x*|^2", up(rate)
    if claim["factor"] is not None:
        need(first == 0 and len(plain) == 1 and not values, "V of the start is not known")
        size = sum(a * b for a, b in zip(times([start], V[0])[0], start, strict=True))
        need(size <= rational(claim["factor"]), "V of the start is above the factor")
        said += f"; {model} <= {up(rational(claim['factor']))} ({ratio})^T |x^0 - x*|^2"
    elif spread or noise:
        said += f"; {model} <= ({ratio})^(T - {first}) V, of round {first} and x*,"
    for key, share in (("spread", gamma), ("noise", sum(nu, Fraction(0)))):
        need((claim[key] is None) == (c[key] is None), f"{key} is not claimed as it is proved")
        if claim[key] is not None:
            floor = rational(claim[key])
            need(share <= (1 - rate) * floor, f"the floor of {key} is above its claim")
            said += f" + {up(floor)} {FLOORS[key]}"
    if " <= " in said and not spread and n > 1:
        said += " where grad f_i(x*) = 0 for every i"
    return f"{about(c, n, q)}: {said}{NOISE if noise else ''}"


FLOORS = {"spread": "(mean |grad f_i(x*)|^2)", "noise": "sigma^2"}
NOISE = "; noise e has mean 0, is independent between clients and between queries, and E |e|^2 <= "
NOISE += "sigma^2 in all"


def about(c: Any, n: int, q: int) -> str:
    """Of what the theorem speaks, from the file's parts that were read."""
    network = json.dumps(c["networks"], separators=(",", ":")).replace('"', "")
    method = json.dumps([c["owners"], c["rows"], c["networks"], c["weights"]], sort_keys=True)
    kind = "network" if isinstance(c["networks"], list) else "every doubly stochastic network of"
    told = f"n = {n}, all T, every dimension, every f_i of curvature {c['class']['mu']} to "
    told += f"{c['class']['L']}, {q} gradients a round, "
    told += f"{kind} {network}, " if len(network) < 200 else ""
    return f"{told}recursion of the file (SHA-256 {hashlib.sha256(method.encode()).hexdigest()})"


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    need(len(dict(pairs)) == len(pairs), "a name comes twice")
    return dict(pairs)


def main(paths: list[str]) -> int:
    good = bool(paths)
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read(SIZE + 1)
            need(len(text) <= SIZE, "the file is too long")
            said = forever(json.loads(text, object_pairs_hook=once))
        except Exception as error:
            good = False
            print(f"NOT PROVED: {path!a}: {str(error)[:200]!a}")
            continue
        print(f"PROVED: {path!a}: {said}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
