"""Rounds of Algorithm 1 against plain loops over every sign, and against the algorithm itself."""

import itertools
import math

import numpy as np
import pytest

from theorylab.algorithms import Context, algorithm
from theorylab.experiments import experiment
from theorylab.experiments._alternating_instance import AlternatingInstance
from theorylab.runs import initial_models

A, B, C, a, b = 1.0, 2.0, 0.4, [1.0, -2.0], [0.5, 3.0]
W = [[0.75, 0.25], [0.25, 0.75]]
U0, V0, SU, SV = [0.7, -0.1], [0.2, 0.4], 0.7, 0.9
ETA_U, ETA_V = 0.1, 0.2
PAIR = {
    "problem": {
        "name": "coupled-quadratic",
        "A": [[[A]]] * 2,
        "B": [[[B]]] * 2,
        "C": [[[C]]] * 2,
        "a": [[x] for x in a],
        "b": [[x] for x in b],
        "sigma_u": SU,
        "sigma_v": SV,
        "noise": "rademacher",
    },
    "topology": {"name": "edge-list", "edges": [[0, 0, 0.75], [1, 1, 0.75], [0, 1, 0.25],
                                                [1, 0, 0.25]]},
    "clients": 2,
    "algorithm": {"eta_u": ETA_U, "eta_v": ETA_V, "steps_u": 2, "steps_v": 1, "rho": 0.3},
    "rounds": 2,
    "x0": [[U0[0], V0[0]], [U0[1], V0[1]]],
}  # fmt: skip
RHO = 0.3


def grad_u(i, u, v):
    return A * (u - a[i]) + C * (v - b[i])


def grad_v(i, u, v):
    return B * (v - b[i]) + C * (u - a[i])


def F(u, v):
    total = 0.0
    for i in range(2):
        x, y = u - a[i], v[i] - b[i]
        total += A / 2 * x * x + B / 2 * y * y + C * x * y
    return total / 2


def one_round(u, v, draw, per_round):
    """(all u^{t,k}, v^{t+1}, u^{t+1}) for one sequence of signs."""
    path, heads = [list(u)], []
    held = {i: (next(draw), next(draw)) for i in range(2)} if per_round else None
    for i in range(2):
        s = held[i][1] if per_round else next(draw)
        heads.append(v[i] - ETA_V * (grad_v(i, u[i], v[i]) + SV * s))
    for _ in range(2):
        now = []
        for i in range(2):
            s = held[i][0] if per_round else next(draw)
            x = path[-1][i]
            g = grad_u(i, x, heads[i]) + SU * s
            up = x + RHO * math.copysign(1, g)
            now.append(x - ETA_U * (grad_u(i, up, heads[i]) + SU * s))
        path.append(now)
    after = [sum(W[i][j] * path[-1][j] for j in range(2)) for i in range(2)]
    return path, heads, after


def averages(per_round):
    """Means over all signs of what the columns hold, at t = 0 and t = 1."""
    bits = 4 if per_round else 6
    found = []
    for signs in itertools.product((-1, 1), repeat=2 * bits):
        draw, u, v = iter(signs), U0, V0
        for t in range(2):
            path, heads, after = one_round(u, v, draw, per_round)
            bar, new = sum(u) / 2, sum(after) / 2
            mean_g = [sum(grad_u(j, x, heads[j]) for j in range(2)) / 2 for x in (*u, bar)]
            found.append(
                (
                    t,
                    *(sum((p[i] - u[i]) ** 2 for i in range(2)) / 2 for p in path[:2]),
                    (mean_g[0] ** 2 + mean_g[1] ** 2) / 2,
                    sum((x - bar) ** 2 for x in u) / 2,
                    mean_g[2] ** 2,
                    sum(grad_v(i, u[i], v[i]) ** 2 for i in range(2)) / 2,
                    F(new, heads) - F(bar, v),
                    (heads[0] - v[0]) ** 2,
                )
            )
            u, v = after, heads
    table = np.array(found)
    return [table[table[:, 0] == t][:, 1:].mean(axis=0) for t in range(2)]


@pytest.mark.parametrize("batch", ["per-step", "per-round"])
def test_every_column_is_the_mean_over_all_signs(batch):
    data = {**PAIR, "algorithm": {**PAIR["algorithm"], "batch": batch}}
    made, by_hand = experiment("alternating-rounds", **data), averages(batch == "per-round")

    def rows(column):
        return made.observe(column, range(1), 0).rows

    close = {"rel": 1e-11, "abs": 1e-14}  # means over 4096 outcomes of numbers near 1
    for t, (still, moved, G, spread, du, dv, descent, head) in enumerate(by_hand):
        drift = [r for r in rows("drift") if r.label.startswith(f"t={t}")]
        assert [r.values[0] for r in drift] == pytest.approx([still, moved], **close)
        assert drift[0].at["dfedalt_G"] == pytest.approx(G, **close)
        assert rows("spread")[t].values[0] == pytest.approx(spread, **close)
        assert rows("spread_sum")[t].values[0] == pytest.approx(2 * spread, **close)
        row = rows("descent")[t]
        assert row.values[0] == pytest.approx(descent, **close)
        assert row.at["dfedalt_Delta_u"] == pytest.approx(du, **close)
        assert row.at["dfedalt_Delta_v"] == pytest.approx(dv, **close)
        assert row.at["dfedalt_spread"] == pytest.approx(spread, **close)
        assert rows("head_drift_last")[2 * t].values[0] == pytest.approx(head, **close)
        assert rows("head_drift")[2 * t].values[0] == 0  # K_v - 1 = 0 steps
    assert rows("spread")[1].at["dfedalt_G_past"] == pytest.approx(by_hand[0][2], **close)


def test_a_round_is_the_algorithm_s():
    problem = {"name": "sin-sin", "dim_u": 2, "dim_v": 2, "seed": 3}
    steps = {"eta_u": 0.1, "eta_v": 0.2, "steps_u": 3, "steps_v": 2, "rho": 0.3}
    at = AlternatingInstance("here", problem, {"name": "ring"}, 4, steps, 0.5)
    method = algorithm("dfedsalt", **steps)
    state = method.init(initial_models(at.problem, 1, 0.5), at.problem)
    for p in at.play(3):
        context = Context(at.problem, at.topology.matrix(0), 0, np.zeros(1, np.int64))
        state = method.step(state, context)
        # the same sums in another order
        assert p.after == pytest.approx(state.x, rel=1e-13)
        assert p.vs[-1] == pytest.approx(state.v, rel=1e-13)


def test_the_largest_gradient_before_is_kept():
    problem = {**PAIR["problem"], "sigma_u": 0.0, "sigma_v": 0.0}
    made = experiment("alternating-rounds", **{**PAIR, "problem": problem, "rounds": 5})
    rows = made.observe("spread", range(1), 0).rows
    seen = [row.at["dfedalt_G"] for row in rows]
    assert [row.at["dfedalt_G_past"] for row in rows] == [max([0, *seen[:t]]) for t in range(5)]


def test_constants_of_the_pair():
    known = experiment("alternating-rounds", **PAIR).constants()
    assert known["dfedalt_lambda"].value == pytest.approx(0.5, rel=1e-13)
    assert known["dfedalt_start_spread"].value == pytest.approx(0.16)
    assert known["dfedalt_F_start"].value == pytest.approx(F(0.3, V0))
    assert known["dfedalt_fresh"].value == known["dfedalt_definition"].value == 1
    assert math.isinf(known["dfedalt_delta"].value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rounds": 0}, "rounds is 0"),
        ({"at": [2]}, "need rounds from 0 to 1"),
        ({"algorithm": {"eta": 1}}, "option 'eta'"),
        ({"algorithm": {"eta_u": 0}}, "eta_u is 0"),
        ({"algorithm": {"steps_u": 1.5}}, "steps_u is 1.5"),
        ({"algorithm": {"rho": -1}}, "rho is -1"),
        ({"algorithm": {"batch": "all"}}, "batch is 'all'"),
        ({"topology": {"name": "random-out", "degree": 1}}, "need one W"),
        ({"problem": {"name": "log-cosh"}}, "no personal part"),
        ({"problem": {}}, "problem has no name"),
    ],
)
def test_a_wrong_option_is_one_line(change, message):
    with pytest.raises(ValueError, match=message) as error:
        experiment("alternating-rounds", **{**PAIR, **change})
    assert "\n" not in str(error.value)


def test_too_many_signs_are_refused():
    with pytest.raises(ValueError, match="60 signs"):
        experiment("alternating-rounds", **{**PAIR, "rounds": 10}).observe("drift", range(1), 0)


SCALAR = {
    "problem": {"name": "rippled", "r": 0.0, "a": [[0.0]] * 2, "b": [[0.0]] * 2},
    "topology": {"name": "complete"},
    "clients": 2,
    "algorithm": {"eta_u": 0.1, "eta_v": 0.1},
}


@pytest.mark.parametrize("part", ["u", "v"])
def test_a_step_below_an_ulp_is_not_taken_for_a_drift(part):
    # 1 - .6 * 2^-53 rounds to 1 - 2^-53: the step in floats is 1.7 times the true one
    steps = {"eta_u": 0.6 * 2.0**-53, "eta_v": 0.6 * 2.0**-53, "steps_u": 2}
    made = experiment("alternating-rounds", **{**SCALAR, "algorithm": steps, "x0": 1.0})
    rows = made.observe("drift" if part == "u" else "head_drift_last", range(1), 0).rows
    true = (0.6 * 2.0**-53) ** 2
    assert rows[-1].values[0] > 2 * true  # what the lemmas' factor 2 would not forgive
    assert rows[-1].values[0] - rows[-1].rounding <= true


def test_a_gradient_whose_square_is_no_float_is_one_line():
    # the head's gradient is 1e-170, its square 0; eta = 1e19 would make the drift 1e-302
    problem = {**SCALAR["problem"], "B": 1e-20}
    data = {**SCALAR, "problem": problem, "algorithm": {"eta_v": 1e19}, "x0": [0.0, 1e-150]}
    with pytest.raises(ValueError, match=r"numbers leave float64 \(underflow"):
        experiment("alternating-rounds", **data).observe("head_drift_last", range(1), 0)


@pytest.mark.parametrize("column", ["head_drift", "drift", "spread", "descent"])
def test_an_overflow_is_one_line(column):
    steps = {"eta_u": 1e90, "eta_v": 1e90, "steps_u": 5, "steps_v": 5}
    data = {**SCALAR, "algorithm": steps, "x0": [[1.0, 1.0], [2.0, 1.0]], "rounds": 2}
    with pytest.raises(ValueError, match=r"numbers leave float64|rounding may grow"):
        experiment("alternating-rounds", **data).observe(column, range(1), 0)


def test_diversity_with_own_points_is_an_upper_bound_where_it_depends_on_u():
    sine = {**SCALAR, "problem": {"name": "sin-sin", "dim_u": 1, "dim_v": 1}}
    for data, how in ((SCALAR, "exact"), (sine, "upper")):
        known = experiment("alternating-rounds", **data).constants()
        assert known["dfedalt_delta"].how == how
        assert known["dfedalt_delta_one"].how == "exact"
