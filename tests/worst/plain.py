"""Linear methods written out in rationals, on vectors of gradients: what a recording has to be."""

from fractions import Fraction


def add(*parts):
    """The sum of c * row over (c, row), rows as {query: coefficient}."""
    total = {}
    for c, row in parts:
        for k, v in row.items():
            total[k] = total.get(k, 0) + c * v
    return {k: v for k, v in total.items() if v}


def push_sum(P, eta, rounds, steps=1, alpha=Fraction(0)):
    """(queries, averages) of local heavy ball steps and push-sum over the matrix P."""
    n = len(P)
    x, w = [{} for _ in range(n)], [Fraction(1)] * n
    queries, averages = [], [{}]
    for _ in range(rounds):
        v = [{} for _ in range(n)]
        for _ in range(steps):
            for i in range(n):
                queries.append((i, add((1 / w[i], x[i]))))
                v[i] = add((alpha, v[i]), (Fraction(1), {len(queries) - 1: Fraction(1)}))
                x[i] = add((Fraction(1), x[i]), (-eta, v[i]))
        x = [add(*((P[i][j], x[j]) for j in range(n))) for i in range(n)]
        w = [sum(P[i][j] * w[j] for j in range(n)) for i in range(n)]
        averages.append(add(*((Fraction(1, n), row) for row in x)))
    return queries, averages


RING = [
    [Fraction(1, 2), Fraction(0), Fraction(1, 2)],
    [Fraction(1, 2), Fraction(1, 2), Fraction(0)],
    [Fraction(0), Fraction(1, 2), Fraction(1, 2)],
]
CHORD = [
    [Fraction(1, 3), Fraction(0), Fraction(1, 2)],
    [Fraction(1, 3), Fraction(1, 2), Fraction(0)],
    [Fraction(1, 3), Fraction(1, 2), Fraction(1, 2)],
]
EDGES = [[0, 0], [1, 1], [2, 2], [0, 1], [1, 2], [2, 0], [0, 2]]  # of CHORD, uniform weights
