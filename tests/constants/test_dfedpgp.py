"""The constants that DFedPGP's statements speak of, by hand on small instances."""

import numpy as np
import pytest

from theorylab.constants import Bench, dfedpgp_constants, paper_constants
from theorylab.problems import problem
from theorylab.topologies import topology

LOSSES = {
    "A": [[[1.0]], [[2.0]]], "B": [[[1.0]], [[0.5]]], "C": [[[0.3]], [[-0.2]]],
    "a": [[1.0], [-1.0]], "b": [[0.0], [2.0]], "sigma_u": 0.5,
}  # fmt: skip
START = np.array([[1.0, 0.5], [0.0, -1.0]])
OPTIONS = {"eta_u": 0.05, "eta_v": 0.1, "steps_u": 3, "steps_v": 2, "batch": "per-step"}


def bench(network=None, clients=2, losses=None, start=START, rounds=2, **options):
    made = problem("coupled-quadratic", clients, **(LOSSES if losses is None else losses))
    graph = dict(network or {"name": "directed-ring"})
    graph = topology(graph.pop("name"), clients, **graph)
    return Bench(made, graph, {**OPTIONS, **options}, start, rounds)


def test_the_numbers_of_a_small_instance_are_those_by_hand():
    known = dfedpgp_constants(bench())
    value = {name: k.value for name, k in known.items()}
    assert (value["n"], value["dfedpgp_K_u"], value["dfedpgp_K_v"]) == (2, 3, 2)
    assert (value["dfedpgp_eta_u"], value["dfedpgp_eta_v"]) == (0.05, 0.1)
    assert (value["dfedpgp_fresh"], value["dfedpgp_unit"]) == (1, 1)
    assert dfedpgp_constants(bench(batch="per-round"))["dfedpgp_fresh"].value == 0
    assert (value["dfedpgp_start_spread"], value["dfedpgp_start_size"]) == (0.25, 1.0)
    # scalar blocks: each L is the largest of them, exactly but for a few eps
    for name, want in {"L_u": 2.0, "L_v": 1.0, "L_uv": 0.3, "L_vu": 0.3, "sigma_u": 0.5}.items():
        assert value[f"dfedpgp_{name}"] == pytest.approx(want, rel=1e-14)
    # F(1/2, V): A x^2/2 + B y^2/2 + C x y with x = 1/2 - a, y = v - b
    x, y = np.array([-0.5, 1.5]), np.array([0.5, -3.0])
    A, B, C = np.array([1, 2]), np.array([1, 0.5]), np.array([0.3, -0.2])
    f = float((A * x**2 / 2 + B * y**2 / 2 + C * x * y).mean())
    start = known["dfedpgp_f_start"]
    assert start.how == "upper"
    assert start.lower <= f <= start.upper == start.value
    assert start.upper - start.lower <= 1e-13 * f


def test_the_paper_s_name_leads_to_them():
    assert paper_constants("dfedpgp", bench(), {"dfedpgp_L_u"}) == dfedpgp_constants(bench())


def test_14_proves_nothing_where_shares_are_below_one_over_the_degree():
    edges = [[0, 0, 0.75], [1, 1, 0.75], [0, 1, 0.25], [1, 0, 0.25]]
    known = dfedpgp_constants(bench({"name": "edge-list", "edges": edges}))
    assert known["C_dfedpgp"].how == "estimate"


@pytest.mark.parametrize(("self_loops", "how"), [(True, "upper"), (False, "estimate")])
def test_14_proves_nothing_where_its_lemma_does_not_apply(self_loops, how):
    edges = [[0, 1], [1, 0], [1, 2], [2, 1]]  # a path; without self-loops D = 2 and Delta = 2
    network = {"name": "edge-list", "edges": edges, "weights": "uniform", "self_loops": self_loops}
    known = dfedpgp_constants(bench(network, 3, {"dim_u": 1, "dim_v": 1}, np.zeros((3, 2))))
    assert {known[name].how for name in ("C_dfedpgp", "q_dfedpgp")} == {how}


def test_a_static_network_that_mixes_is_known_for_all_rounds_a_random_one_is_not():
    for static in ({"name": "directed-ring"}, {"name": "one-peer-exponential"}):
        near, far = (dfedpgp_constants(bench(static, rounds=T)) for T in (2, 10**12))
        for name in ("delta", "C", "q", "C_row", "q_row"):
            assert near[name].value == far[name].value
            assert not far[name].within
    never_mixes = {"name": "directed-ring", "self_loops": False}
    with pytest.raises(ValueError, match="a static or periodic network that mixes"):
        dfedpgp_constants(bench(never_mixes, rounds=10**6))
    network = {"name": "random-out", "degree": 1}
    with pytest.raises(ValueError, match="100001 rounds on random-out; need at most 100000"):
        dfedpgp_constants(bench(network, rounds=10**5 + 1))


def test_bad_instances_are_one_line():
    with pytest.raises(ValueError, match=r"steps_u is \(1, 2\); need one number of steps"):
        dfedpgp_constants(bench(steps_u=(1, 2)))
    whole = Bench(problem("log-cosh", 2), bench().topology, OPTIONS, np.zeros((2, 1)), 2)
    with pytest.raises(ValueError, match="dfedpgp: log-cosh has no personal part"):
        dfedpgp_constants(whole)


def test_what_a_printed_pair_asks_for_is_a_number_with_its_logarithm_beyond_float64():
    small = dfedpgp_constants(bench())
    C, q = (small[f"{name}_dfedpgp"].value for name in "Cq")
    assert small["dfedpgp_asked_eq14"].value == pytest.approx((C / (1 - q)) ** 2, rel=1e-9)
    # 1 - n D^(-Delta B) = 0 for two clients that both give half away
    assert small["dfedpgp_asked_sgp"].value == float("inf")
    far = dfedpgp_constants(bench(steps_u=2000))["dfedpgp_asked_eq14"]
    assert far.value == float("inf")
    assert far.log10 > 1000
