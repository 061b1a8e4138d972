import itertools
from fractions import Fraction

import numpy as np
import pytest

from theorylab.hypergradients import edge_law, patterns
from theorylab.hypergradients.edge_law import edge_covariance, is_redrawn, weigh
from theorylab.topologies import names, topology

EPS = np.finfo(float).eps
DRAWN = [
    ("random-out", 3, {"degree": 1}),
    ("random-out", 4, {"degree": 2}),
    ("random-out", 3, {"degree": 1, "self_loops": False}),
    ("random-out", 4, {"degree": 3, "weights": "metropolis"}),
    ("random-out", 3, {"degree": 0}),
    ("random-out", 4, {"degree": 1, "weights": "lazy"}),
    ("random-in", 3, {"degree": 1}),
    ("random-in", 4, {"degree": 2}),
    ("random-symmetric", 3, {"degree": 1}),
    ("random-symmetric", 4, {"degree": 1}),
    ("random-symmetric", 4, {"degree": 2}),
    ("random-symmetric", 5, {"degree": 1, "weights": "uniform"}),
    ("random-symmetric", 4, {"degree": 1, "weights": "lazy-metropolis"}),
    ("random-symmetric", 2, {"degree": 1}),
    ("random-symmetric", 4, {"degree": 2, "weights": "uniform", "self_loops": False}),
    ("erdos-renyi", 4, {"p": 0.375, "time_varying": True}),
    ("erdos-renyi", 3, {"p": 0.25, "time_varying": True, "weights": "uniform"}),
    ("erdos-renyi", 3, {"p": 0.5, "time_varying": True, "weights": "lazy"}),
]


def graphs(name, n, options):
    """(chance, set of directed edges without loops), by listing every client's choice."""
    everyone = range(n)
    if name == "erdos-renyi":
        p = Fraction(options["p"])
        pairs = list(itertools.combinations(everyone, 2))
        for there in itertools.product((0, 1), repeat=len(pairs)):
            chance, edges = Fraction(1), set()
            for (i, j), on in zip(pairs, there, strict=True):
                chance *= p if on else 1 - p
                edges |= {(i, j), (j, i)} if on else set()
            yield chance, edges
        return
    sets = [
        list(itertools.combinations([j for j in everyone if j != i], options["degree"]))
        for i in everyone
    ]
    for chosen in itertools.product(*sets):
        drew = {(i, j) for i, others in enumerate(chosen) for j in others}
        back = {(j, i) for i, j in drew}
        edges = {"random-out": drew, "random-in": back, "random-symmetric": drew | back}[name]
        yield Fraction(1, len(sets[0]) ** n), edges


def shares(name, n, options, edges):
    """P as Fractions, client by client; edges are (sender, receiver)."""
    P = [[Fraction(0)] * n for _ in range(n)]
    out = [sum(e[0] == i for e in edges) for i in range(n)]
    rule = options.get("weights", "metropolis" if name[:3] in ("erd",) else "uniform")
    if name == "random-symmetric":
        rule = options.get("weights", "metropolis")
    loops = options.get("self_loops", True)
    for i, j in edges:
        if name == "random-in":
            P[j][i] = Fraction(1, options["degree"] + 1)
        elif rule.endswith("metropolis"):
            P[j][i] = Fraction(1, 1 + max(out[i], out[j]))
        else:
            P[j][i] = Fraction(1, out[i] + loops)
    for i in range(n):
        if name == "random-in":
            P[i][i] = 1 - sum(P[i])
        else:
            P[i][i] = 1 - sum(P[j][i] for j in range(n))
    if rule.startswith("lazy"):
        P = [[(P[i][j] + (i == j)) / 2 for j in range(n)] for i in range(n)]
    return P


@pytest.mark.parametrize(("name", "n", "options"), DRAWN)
def test_mean_and_frequency_are_those_over_every_draw(name, n, options):
    law = edge_law(topology(name, n, **options))
    mean = [[Fraction(0)] * n for _ in range(n)]
    often = [[Fraction(i == j) for j in range(n)] for i in range(n)]
    for chance, edges in graphs(name, n, options):
        P = shares(name, n, options, edges)
        for i, j in itertools.product(range(n), repeat=2):
            mean[i][j] += chance * P[i][j]
            often[i][j] += chance * ((j, i) in edges)
    # finite sums of at most a few dozen positive terms, each rounded a few times
    assert np.abs(law.mean - np.array(mean, float)).max() <= 50 * EPS
    assert np.abs(law.frequency - np.array(often, float)).max() <= 4 * EPS


@pytest.mark.parametrize(("name", "n", "options"), DRAWN)
def test_the_covariance_of_edges_is_that_over_every_draw(name, n, options):
    first, second = np.zeros(n * n), np.zeros((n * n, n * n))
    for chance, edges in graphs(name, n, options):
        there = np.eye(n)
        for i, j in edges:
            there[j, i] = 1
        first += float(chance) * there.ravel()
        second += float(chance) * np.outer(there, there)
    wanted = (second - np.outer(first, first)).reshape(n, n, n, n).transpose(0, 2, 1, 3)
    found = edge_covariance(topology(name, n, **options)).toarray()
    assert np.abs(found - wanted.reshape(n * n, n * n)).max() <= 300 * EPS  # 256 draws


@pytest.mark.parametrize(("name", "n", "options"), DRAWN)
def test_patterns_list_the_draws_and_weigh_gives_their_matrices(name, n, options):
    built = topology(name, n, **options)
    chance, edges = patterns(built)
    assert abs(chance.sum() - 1) <= len(chance) * EPS
    table = {e.tobytes(): P for e, P in zip(edges, weigh(built, edges), strict=True)}
    for t in range(20):
        P = built.matrix(t).toarray()
        drawn = P > 0
        np.fill_diagonal(drawn, True)
        assert np.abs(table[drawn.tobytes()] - P).max() <= 4 * EPS


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("random-out", {"degree": 3}),
        ("random-in", {"degree": 3}),
        ("random-symmetric", {"degree": 4}),
        ("random-symmetric", {"degree": 3, "weights": "uniform"}),
        ("erdos-renyi", {"time_varying": True}),
    ],
)
def test_a_larger_network_averages_to_its_mean(name, options):
    n, rounds = 12, 2000
    built = topology(name, n, **options)
    seen = np.array([built.matrix(t).toarray() for t in range(rounds)])
    law = edge_law(built)
    error = np.maximum(seen.std(axis=0), 0.02) / np.sqrt(rounds)
    assert np.abs((seen.mean(axis=0) - law.mean) / error).max() < 5  # 144 entries, five errors
    columns = law.mean.sum(axis=0)
    assert np.abs(columns - 1).max() <= 100 * EPS


def test_every_drawn_network_of_the_registry_has_a_law():
    for name in names():
        if name in ("edge-list", "from-networkx", "hypercube", "networks"):
            continue
        options = {"time_varying": True} if name == "erdos-renyi" else {}
        built = topology(name, 4, **options)
        if built.period is None:
            assert is_redrawn(built)
            assert edge_law(built).source == "closed form"


def test_draws_without_weights_are_refused():
    lost = topology("erdos-renyi", 3, p=0.5, time_varying=True, weights="uniform", self_loops=False)
    with pytest.raises(ValueError, match=r"leaves a client no out-edge with probability 0\.25"):
        edge_law(lost)
    one_way = topology("random-out", 4, degree=2, weights="metropolis")
    with pytest.raises(ValueError, match="need edges both ways"):
        edge_law(one_way)
