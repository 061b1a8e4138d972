"""Exact expectations of DePRL's left sides against the listing of every draw and closed forms."""

import itertools
import math

import numpy as np
import pytest

from theorylab.constants import Bench, deprl_instance_constants
from theorylab.metrics import measured as measured_by
from theorylab.metrics import metric
from theorylab.verdicts.instance import built, parsed

A, B, a, b, s_u, s_v = 1.0, 2.0, [1.0, -2.0], [0.5, 3.0], 0.7, 0.9
P = [[0.7, 0.3], [0.3, 0.7]]
PAIR = {
    "problem": {
        "name": "coupled-quadratic",
        "A": [[[A]]] * 2,
        "B": [[[B]]] * 2,
        "C": [[[0.4]]] * 2,
        "a": [[v] for v in a],
        "b": [[v] for v in b],
        "sigma_u": s_u,
        "sigma_v": s_v,
        "noise": "rademacher",
    },
    "topology": {
        "name": "edge-list",
        "edges": [[j, i, P[i][j]] for i in range(2) for j in range(2)],
    },
    "clients": 2,
    "algorithm": {"alpha": 0.1, "beta": 0.2, "tau": 2},
    "rounds": 2,
    "x0": 0.7,
}


def measured(signs, rounds):
    """(1/K) sum M(k) for one sequence of signs: 2 workers, 2 head steps and one step of phi."""
    phi, theta, total, draw = [0.7] * 2, [0.7] * 2, 0.0, iter(signs)
    for _ in range(rounds):
        new, half = [], []
        for i in range(2):
            t = theta[i]
            for _ in range(2):
                t -= 0.1 * (B * (t - b[i]) + 0.4 * (phi[i] - a[i]) + s_v * next(draw))
            g = A * (phi[i] - a[i]) + 0.4 * (t - b[i]) + s_u * next(draw)
            new.append(t)
            half.append(phi[i] - 0.2 * g)
        bar = sum(phi) / 2
        G = sum(A * (bar - a[i]) + 0.4 * (new[i] - b[i]) for i in range(2)) / 2
        H = sum(B * (theta[i] - b[i]) + 0.4 * (bar - a[i]) for i in range(2)) / 2
        total += G**2 + 0.1 * 2 / 0.2 * H**2 + sum((v - bar) ** 2 for v in phi) / 2
        phi, theta = [sum(P[i][j] * half[j] for j in range(2)) for i in range(2)], new
    return total / rounds


def rows(column, at, law="moments", **changes):
    s = built("here", parsed("here", {**PAIR, "rounds": at[-1], "law": law, **changes}), "deprl")
    bench = Bench(s.problem, s.topology, s.algorithm.options(), s.start, s.rounds)
    known = deprl_instance_constants(bench)
    return measured_by(metric(f"deprl.{column}"), s, known, law=law, rounds=at).rows


def test_expectations_are_means_over_all_draws():
    for law in ("moments", "enumerated"):
        for row, rounds in zip(rows("measure", [1, 2], law), (1, 2), strict=True):
            every = itertools.product((-1, 1), repeat=6 * rounds)
            values = [measured(signs, rounds) for signs in every]
            # a mean of 4096 numbers, each of some dozen roundings
            assert float(row.values[0]) == pytest.approx(math.fsum(values) / len(values), rel=1e-12)


@pytest.mark.parametrize("noise", ["gaussian", "two-point", "coordinate"])
def test_the_other_laws_have_the_same_second_moments(noise):
    other = {**PAIR["problem"], "noise": noise}
    (one,), (two,) = rows("measure_each", [2]), rows("measure_each", [2], problem=other)
    assert one.values[0] == two.values[0]


def test_many_rounds_are_the_sum_of_single_ones():
    rounds = list(range(1, 40))
    found = rows("measure", rounds)
    values = [float(row.values[0]) * k for row, k in zip(found, rounds, strict=True)]
    steps = np.diff(values)
    # E M(k) tends to its stationary value and never turns negative
    assert (steps > 0).all()
    assert abs(steps[-1] - steps[-2]) < 1e-2 * steps[0]


def test_a_walk_without_curvature_has_its_closed_form():
    # complete average, A = 1e-12, sigma_u = 1: phibar is a walk of variance beta^2/N a round, and
    # what M sees of it is 0 up to 1e-24; a pair that keeps all (P near I) spreads by beta^2 k/2.
    keeps = [[0, 0, 1 - 2**-40], [1, 1, 1 - 2**-40], [0, 1, 2**-40], [1, 0, 2**-40]]
    options = {
        "problem": {
            "name": "coupled-quadratic",
            "A": [[[1e-12]]] * 2,
            "B": [[[1.0]]] * 2,
            "C": [[[0.0]]] * 2,
            "a": [[0.0]] * 2,
            "b": [[0.0]] * 2,
            "sigma_u": 1.0,
        },
        "topology": {"name": "edge-list", "edges": keeps},
        "clients": 2,
        "algorithm": {"alpha": 0.1, "beta": 0.5},
        "x0": 0.0,
    }
    (row,) = rows("measure", [1000], **options)
    # mean over k < K of beta^2 k / 2; 2^-40 and 1e-12 change it by less than K times as much
    assert float(row.values[0]) == pytest.approx(0.25 * 999 / 4, rel=1e-8)


@pytest.mark.parametrize("law", ["moments", "exact"])
def test_the_distance_is_a_plain_loop_s(law):
    # two workers, P = ((.75, .25), (.25, .75)), no noise: phi_i as in lines 8 and 9
    edges = [[0, 0, 0.75], [1, 1, 0.75], [0, 1, 0.25], [1, 0, 0.25]]
    problem = {
        "name": "coupled-quadratic",
        **{"A": [[[1.0]], [[3.0]]], "B": [[[1.0]]] * 2, "C": [[[0.0]]] * 2},
        **{"a": [[1.0], [-1.0]], "b": [[0.0]] * 2},
    }
    run = {"problem": problem, "algorithm": {"alpha": 0.1, "beta": 0.1}, "x0": 0.0}
    run["topology"] = {"name": "edge-list", "edges": edges}
    phi, total, wanted = [0.0, 0.0], 0.0, []
    for k in range(7):
        total += (phi[0] - phi[1]) ** 2 / 4  # ((x - (x+y)/2)^2 + (y - (x+y)/2)^2) / 2
        wanted.append(total / (k + 1))
        half = [phi[0] - 0.1 * (phi[0] - 1), phi[1] - 0.1 * 3 * (phi[1] + 1)]
        phi = [0.75 * half[0] + 0.25 * half[1], 0.25 * half[0] + 0.75 * half[1]]
    found = rows("distance", [1, 7], law, **run)
    assert [float(r.values[0]) for r in found] == pytest.approx([wanted[0], wanted[6]], rel=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"algorithm": {"alpha": 1.0, "beta": 1.0, "momentum": 0.5}}, "momentum is 0.5; need 0"),
        ({"algorithm": {"alpha": 1.0, "beta": 1.0, "tau": [1, 2]}}, "one number of steps"),
        ({"problem": {"name": "sin-sin"}}, "gradients of sin-sin are not affine; need law"),
        ({"problem": {"coupling": 1.0}}, "problem has no name"),
        ({"problem": {"name": "log-cosh", "dim": 2}}, "no personal part"),
    ],
)
def test_bad_options_are_one_line(change, message):
    with pytest.raises(ValueError, match=message) as error:
        rows("measure", [2], **change)
    assert "\n" not in str(error.value)


def test_rounds_that_expand_are_refused_in_one_line():
    quadratic = {
        **{"name": "coupled-quadratic", "A": [[[1e4]], [[1e4]]], "B": [[[1.0]], [[1.0]]]},
        **{"C": [[[0.0]], [[0.0]]], "a": [[1.0], [-2.5]], "b": [[1.0], [-2.0]], "sigma_u": 1.0},
    }
    steps = {"tau": 4, "alpha": 1 / (4 * math.sqrt(1e7)), "beta": math.sqrt(2e-7)}
    with pytest.raises(ValueError, match=r"^moments: those of 10000000 rounds leave float64"):
        rows("measure", [10**7], problem=quadratic, algorithm=steps)
