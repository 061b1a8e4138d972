import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

from theorylab.constants import PAIRS, consensus, graph_constants, mixing, topology_constants
from theorylab.known import How, Known
from theorylab.symbols import BY_NAME
from theorylab.topologies import Topology, topology

EPS = np.finfo(float).eps
NAMES = {
    *("clients", "max_out_degree", "p", "self_loops", "uniform_out_degree", "window"),
    *("doubly_stochastic", "diameter", "delta", "C", "q", "C_row", "q_row"),
    *("C_entry", "q_entry", "C_least", "q_least"),
    *("lambda2", "spectral_gap", "sigma2"),
    *("C_sgp", "q_sgp", "gap_sgp", "q_remark", "gap_remark"),
    *("C_deprl", "q_deprl", "gap_deprl", "deprl_head_step_cap", "deprl_step_cap"),
    *("deprl_log10_step_cap", "deprl_rounds", "deprl_log10_rounds"),
}


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("directed-ring", {}),
        ("one-peer-exponential", {}),
        ("random-out", {"degree": 2}),
        ("erdos-renyi", {"time_varying": True}),
    ],
)
def test_every_constant_is_there_with_its_source(name, options):
    found = topology_constants(topology(name, 6, **options), 20)
    assert set(found) == NAMES
    assert all(known.source for known in found.values())


def test_the_network_symbols_of_the_statements_are_found():
    found = topology_constants(topology("ring", 4), 10)
    network = {"window", "delta", "C", "q", "self_loops", "uniform_out_degree"}
    assert network <= set(found) & set(BY_NAME)


def test_a_periodic_topology_has_the_spectrum_of_its_period():
    found = topology_constants(topology("one-peer-exponential", 8), 20)
    assert found["lambda2"].value < 1e-14  # the product is 11^T/8; LAPACK leaves n eps
    assert found["lambda2"].source.startswith("of the product over one period of 3 rounds")
    assert (found["window"].value, found["diameter"].value) == (3, 3)


def test_a_drawn_topology_has_the_spectrum_of_its_mean():
    n, k = 9, 2
    found = topology_constants(topology("random-out", n, degree=k), 10)
    exact = Fraction(1, k + 1) - Fraction(k, (k + 1) * (n - 1))  # diagonal less off-diagonal
    # a symmetric eigenvalue and a singular value: n eps and a small factor
    assert abs(found["lambda2"].value - exact) <= 8 * n * EPS
    assert abs(found["sigma2"].value - exact) <= 8 * n * EPS
    assert found["spectral_gap"].value == 1 - found["lambda2"].value
    assert found["lambda2"].source.startswith("of E[P], closed form of random-out")

    drawn = topology("erdos-renyi", 6, time_varying=True)
    found = topology_constants(drawn, 12, run=3)
    mean = np.mean([drawn.matrix(t, 3).toarray() for t in range(12)], axis=0)
    moduli = np.sort(np.abs(np.linalg.eigvals(mean)))
    assert abs(found["lambda2"].value - moduli[-2]) <= 64 * 6 * EPS
    assert "mean of P(t) over rounds 0..11 of run 3" in found["lambda2"].source
    assert found["lambda2"].how is found["sigma2"].how is How.ESTIMATE


def test_an_enclosure_keeps_its_ends_under_its_label():
    edges = [[0, 1], [1, 0], [0, 0], [1, 1], [1, 2], [2, 2]]  # 0 and 1 leak into 2
    found = topology_constants(topology("edge-list", 3, edges=edges, allow_disconnected=True), 4)
    second, gap = found["lambda2"], found["spectral_gap"]
    truth = 5 / 6  # [[1/2, 1/3], [1/2, 1/3]] has trace 5/6 and determinant 0
    assert (second.how, gap.how) == (How.UPPER, How.LOWER)
    assert second.lower <= truth <= second.upper
    assert gap.lower <= 1 - truth <= gap.upper
    assert second.upper - second.lower <= 64 * EPS


@pytest.mark.parametrize(
    ("of_the_mean", "expected"),
    [
        (Known(0.4, How.UPPER, "made up", None, 0.4), (1.0, How.UPPER, 0.0, How.LOWER)),
        (Known(0.9, How.UPPER, "made up", 0.2, 0.9), (1.0, How.UPPER, 0.0, How.LOWER)),
        (Known(0.5, How.UPPER, "made up", 0.4999, 0.5), (0.5, How.ESTIMATE, 0.5, How.ESTIMATE)),
    ],
)
def test_a_bound_for_a_sample_is_none_for_the_mean(monkeypatch, of_the_mean, expected):
    monkeypatch.setattr(mixing, "lambda2", lambda P: of_the_mean)
    seed = round(1000 * of_the_mean.value)  # another network each time: constants are kept
    found = topology_constants(topology("erdos-renyi", 7, time_varying=True, seed=seed), 3)
    second, gap = found["lambda2"], found["spectral_gap"]
    assert (second.value, second.how, gap.value, gap.how) == expected
    assert second.lower is gap.upper is None
    assert found["sigma2"].how is How.ESTIMATE


def test_a_printed_formula_whose_assumption_fails_proves_nothing():
    # neighbours only, weight 1/2: bipartite, so it never mixes, and both formulas say q < 1
    edges = [[i, (i + step) % 6] for i in range(6) for step in (1, 5)]
    ring = topology("edge-list", 6, edges=edges, self_loops=False)
    found = topology_constants(ring, 30)
    assert found["lambda2"].value == 1
    assert found["q_sgp"].value < 1
    assert found["q_deprl"].value < 1
    for name in ("C_sgp", "q_sgp", "q_remark", "C_deprl", "q_deprl", "deprl_log10_rounds"):
        assert found[name].how is How.ESTIMATE, name
        assert "self-loops, which fails here: proves nothing" in found[name].source
    several = topology_constants(topology("one-peer-exponential", 8), 20)["C_deprl"]
    assert several.how is How.ESTIMATE
    assert "a strongly connected graph in every round, which fails" in several.source
    uneven = topology_constants(topology("random-out", 8, degree=3), 20)["C_deprl"]
    assert "it needs doubly stochastic P" in uneven.source
    assert topology_constants(topology("ring", 8), 20)["C_deprl"].how is How.UPPER


def test_the_diameter_of_the_printed_formula_is_safe_if_windows_differ():
    drawn = topology_constants(topology("random-out", 8, degree=2), 30)
    assert "Delta = n - 1 = 7, since the windows' graphs differ" in drawn["C_sgp"].source
    assert drawn["diameter"].value < 7
    assert f"Delta B={7 * int(drawn['window'].value)}, " in drawn["C_sgp"].source
    static = topology_constants(topology("directed-ring", 8), 30)
    assert "Delta =" not in static["C_sgp"].source


def test_the_printed_formula_is_no_bound_for_smaller_weights_than_its_own():
    lazy = topology_constants(topology("directed-ring", 8, weights="lazy"), 30)
    assert lazy["C_sgp"].how is How.ESTIMATE
    assert "proves nothing" in lazy["C_sgp"].source
    assert lazy["uniform_out_degree"].value == 0
    assert lazy["p"].value == 0.25
    hub = topology_constants(topology("star", 100), 5)  # its diagonal rounds to below 1/D
    assert 0 < 0.01 - hub["p"].value < 100 * EPS
    assert hub["C_sgp"].how is How.UPPER
    even = topology_constants(topology("directed-ring", 8), 30)
    assert even["C_sgp"].how is How.UPPER
    assert even["uniform_out_degree"].value == 1


@pytest.mark.parametrize("name", ["directed-ring", "directed-exponential", "star", "random-out"])
def test_the_printed_formula_is_above_the_tight_pair(name):
    options = {"degree": 2} if name == "random-out" else {"weights": "uniform"}
    found = topology_constants(topology(name, 6, **options), 25)
    tight = found["C"].value / (1 - found["q"].value)
    assert found["C_sgp"].log10 - found["gap_sgp"].log10 > math.log10(tight)


def test_a_disconnected_topology_has_no_finite_network_constants():
    apart = topology("edge-list", 3, edges=[[0, 1], [1, 0]], allow_disconnected=True)
    found = topology_constants(apart, 10)
    for name in ("window", "diameter", "C", "q", "C_row", "q_row", "C_sgp", "q_sgp"):
        assert found[name].value == math.inf
        assert "client 2" in found[name].source or "not connected" in found[name].source
    assert found["lambda2"].value == 1


def test_a_drawn_topology_has_the_constants_of_its_run():
    built = topology("random-out", 6, degree=1)
    first, second = (topology_constants(built, 20, run) for run in (0, 1))
    assert first["delta"].value != second["delta"].value
    assert "run 1" in second["delta"].source
    assert "run 1" in second["C"].source


def test_a_row_stochastic_network_is_refused():
    with pytest.raises(ValueError, match="random-in: its rows sum to 1, its columns do not; need"):
        topology_constants(topology("random-in", 8, degree=2), horizon=10)


class SwitchedOnce(Topology):
    """A user's class that describes itself badly: the round of the switch is not said."""

    def __init__(self, clients, at):
        self.at = at
        super().__init__(clients, period=None, options={})

    def _build(self, t, run):
        n = self.clients
        stays = np.eye(n)
        moves = (stays + np.roll(stays, 1, axis=0)) / 2
        return csr_array(stays if t == self.at else moves)


def test_networks_that_differ_in_one_round_do_not_share_what_is_kept():
    # rounds 0 and 9 are the same in both, and so is the description
    one, other = (topology_constants(SwitchedOnce(3, at), 9) for at in (4, 20))
    assert (one["window"].value, other["window"].value) == (2, 1)


def test_what_is_kept_cannot_be_changed_from_outside():
    network = topology("ring", 5)
    first = topology_constants(network, 10)
    kept = dict(first)
    first["q"] = first.pop("C")
    assert topology_constants(network, 10) == kept


def test_the_pairs_are_what_the_graph_s_constants_leave_out():
    network = topology("ring", 6, weights="metropolis")
    every, graph = topology_constants(network, 3), graph_constants(network, 3)
    assert set(every) - set(graph) == set(PAIRS)
    assert {name: every[name] for name in graph} == graph


def test_constants_of_the_graph_compute_no_envelope(monkeypatch):
    def refused(*_):
        raise AssertionError("an envelope was computed")

    monkeypatch.setattr(consensus, "envelope", refused)
    network = topology("path", 64, weights="metropolis")
    assert graph_constants(network, 1)["lambda2"].value < 1
    with pytest.raises(AssertionError, match="envelope"):
        topology_constants(network, 1)
