"""Methods with personal parts, and left sides that are squares, as their own code tells them."""

import importlib.util
import pathlib
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from theorylab.algorithms import Algorithm, algorithm
from theorylab.known import How, Known
from theorylab.metrics import metric
from theorylab.topologies import topology
from theorylab.worst import NotLinearError, record

HERE = pathlib.Path(__file__).parent
spec = importlib.util.spec_from_file_location("plain_recursions", HERE / "plain.py")
plain = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plain)

ETA_U, ETA_V = Fraction(1, 10), Fraction(1, 5)


def alternating(P, rounds, K_v, K_u):
    """(queries, mean models) of DFedPGP's Algorithm 1; entry 2k is the shared half of gradient k,
    2k + 1 the personal one."""
    n = len(P)
    u, v, w = [{} for _ in range(n)], [{} for _ in range(n)], [Fraction(1)] * n
    queries, averages = [], [{}]

    def ask(i):
        queries.append((i, plain.add((1 / w[i], u[i]), (1, v[i]))))
        return len(queries) - 1

    for _ in range(rounds):
        for _ in range(K_v):
            asked = [ask(i) for i in range(n)]
            v = [plain.add((1, v[i]), (-ETA_V, {2 * asked[i] + 1: 1})) for i in range(n)]
        for _ in range(K_u):
            asked = [ask(i) for i in range(n)]
            u = [plain.add((1, u[i]), (-ETA_U, {2 * asked[i]: 1})) for i in range(n)]
        u = [plain.add(*((P[i][j], u[j]) for j in range(n))) for i in range(n)]
        w = [sum(P[i][j] * w[j] for j in range(n)) for i in range(n)]
        averages.append(plain.add(*((Fraction(1, n), row) for row in u)))
    return queries, averages


def personal(**options):
    return algorithm("dfedpgp", eta_u=0.1, eta_v=0.2, batch="per-step", **options)


def test_a_method_with_personal_parts_tells_both_halves_of_its_queries():
    chord = topology("edge-list", 3, edges=plain.EDGES, weights="uniform")
    made = record(personal(steps_u=2, steps_v=2), chord, 3)
    queries, averages = alternating(plain.CHORD, 3, 2, 2)
    assert made.personal
    assert list(made.queries) == queries
    assert list(made.averages) == averages


def test_a_left_side_is_recorded_from_the_metric_that_measures_it():
    """(1/T) sum_t 2 eta_u K_u |mean_i grad_u F_i(ubar, v_i^+)|^2 + eta_v K_v/n sum_i |grad_v F_i
    (ubar, v_i)|^2: round 0 of two, n = 2."""
    kind = metric("dfedpgp.weighted_stationarity")
    method = personal(steps_u=1, steps_v=3)
    made = record(method, topology("directed-ring", 2), 2, measure=lambda s: kind(s, {}))
    asked = 2 * 2 * (3 + 1)  # by the method
    place, heads = asked, asked + 2
    mean = {2 * place: Fraction(1), 2 * place + 2: Fraction(1)}
    assert made.squares[0] == (2 * ETA_U / 4 / 2, mean)
    for i in range(2):
        head = {2 * (heads + i) + 1: Fraction(1)}
        assert made.squares[1 + i] == (ETA_V * 3 / 2 / 2, head)
    assert made.places == (place, heads, place + 4, heads + 4)
    # round 1 looks at ubar^1 with v^2, all of which the queries before tell
    shared = {k: v for k, v in made.queries[place + 4][1].items() if k % 2 == 0}
    assert shared == made.averages[1]


@pytest.mark.parametrize("L", [3.0**0.5, 5.0**0.5, 7.0**0.5, 11.0**0.5])
def test_a_weight_with_a_root_in_it_is_recorded_to_its_rounding(L):
    """L^2/(n T) |phi_i - phibar|^2 of round 1, phi_i - phibar = -beta sum_j (P_ij - 1/n) g_j."""
    method = algorithm("deprl", alpha=0.25, beta=0.5, tau=1)
    known = {"deprl_L": Known(L, How.EXACT, "of a test")}
    kind = metric("deprl.measure_each")
    made = record(method, topology("path", 3), 2, measure=lambda s: kind(s, known))
    apart = [c for c, row in made.squares if len(row) > 1 and sum(row.values()) == 0]
    largest = [max(abs(p - Fraction(1, 3)) for p in row) for row in made.P[0]]
    L2, beta = Fraction(L) ** 2, Fraction(1, 2)
    exact = [L2 * (beta * m) ** 2 / 3 / 2 for m in largest if m]
    assert len(apart) == len(exact) > 0
    for c, weight in zip(apart, exact, strict=True):
        assert abs(c - weight) < weight / 2**46  # the room that who compares it gives it


class Clipped(Algorithm):
    """A personal part whose step is clipped."""

    name = "clipped-heads"

    def options(self):
        return {}

    def init(self, x0, problem=None):
        return personal().init(x0, problem)

    def step(self, state, net):
        point = np.concatenate([state.x, state.v], axis=2)
        g = net.problem.partial_gradient(point, net.sample(state.t, 0), "v")
        return replace(state, t=state.t + 1, v=state.v - np.clip(g, -1, 1))


def test_a_personal_step_that_is_not_linear_is_refused():
    with pytest.raises(NotLinearError, match="clipped-heads is not linear: query 2"):
        record(Clipped(), topology("complete", 2), 2)
