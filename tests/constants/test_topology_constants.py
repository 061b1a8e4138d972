import math

import pytest

from theorylab.constants import topology_constants
from theorylab.known import How
from theorylab.symbols import BY_NAME
from theorylab.topologies import topology

ALWAYS = {
    *("clients", "max_out_degree", "p_min", "self_loops", "uniform_out_degree", "window"),
    *("doubly_stochastic", "diameter", "delta", "C", "q", "C_row", "q_row"),
    *("C_sgp", "q_sgp", "gap_sgp"),
}
SPECTRUM = {"lambda2", "spectral_gap", "sigma2"}


@pytest.mark.parametrize(
    ("name", "options", "keys"),
    [
        ("directed-ring", {}, ALWAYS | SPECTRUM),
        ("one-peer-exponential", {}, ALWAYS | SPECTRUM),
        ("random-out", {"degree": 2}, ALWAYS),
    ],
)
def test_every_constant_is_there_with_its_source(name, options, keys):
    found = topology_constants(topology(name, 6, **options), 20)
    assert set(found) == keys
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
    assert lazy["p_min"].value == 0.25
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
