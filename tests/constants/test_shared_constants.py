"""Constants that are kept are those that would be computed anew, of the same network alone."""

import sys

import numpy as np
import pytest
from scipy.sparse import csr_array

from theorylab.constants import topology_constants
from theorylab.topologies import Topology, topology

MODULE = sys.modules["theorylab.constants.topology_constants"]


@pytest.fixture(autouse=True)
def kept(monkeypatch):
    monkeypatch.setattr(MODULE, "_KEPT", {})
    return MODULE._KEPT


def fresh(network, horizon, **options):
    MODULE._KEPT.clear()
    return dict(topology_constants(network, horizon, **options))


NETWORKS = [
    ("ring", {"weights": "metropolis"}),
    ("directed-ring", {}),
    ("one-peer-exponential", {}),
    ("complete", {}),
    ("random-out", {"degree": 2, "seed": 1}),
    ("edge-list", {"edges": [[0, 1], [1, 0]], "allow_disconnected": True}),
]


@pytest.mark.parametrize(("name", "options"), NETWORKS)
def test_a_later_horizon_gets_what_it_would_get_alone(name, options):
    network = topology(name, 6, **options)
    alone = [fresh(network, horizon) for horizon in (3, 11)]
    MODULE._KEPT.clear()
    assert [dict(topology_constants(network, horizon)) for horizon in (3, 11)] == alone


def test_pairs_of_a_periodic_network_are_computed_once_for_all_horizons(kept):
    for horizon in (3, 11, 40):
        topology_constants(topology("ring", 6), horizon)
    assert len(kept) == 2  # of the graph, and the pairs
    for horizon in (3, 11):
        topology_constants(topology("random-out", 6, degree=2), horizon)
    assert len(kept) == 6


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("random-out", 6, {"degree": 2, "seed": 0}), ("random-out", 6, {"degree": 2, "seed": 1})),
        (("random-out", 6, {"degree": 2}), ("random-out", 6, {"degree": 3})),
        (("ring", 6, {}), ("ring", 7, {})),
        (("ring", 6, {}), ("directed-ring", 6, {})),
        (("ring", 6, {"weights": "uniform"}), ("star", 6, {"weights": "uniform"})),
    ],
)
def test_networks_that_differ_in_any_option_share_nothing(one, other):
    networks = [topology(name, clients, **options) for name, clients, options in (one, other)]
    alone = [fresh(network, 9) for network in networks]
    MODULE._KEPT.clear()
    assert [dict(topology_constants(network, 9)) for network in networks] == alone
    assert alone[0] != alone[1]


def test_runs_and_dimensions_share_nothing():
    network = topology("random-out", 6, degree=2)
    ways = [{"run": 0}, {"run": 1}, {"dim": 5}]
    alone = [fresh(network, 9, **way) for way in ways]
    MODULE._KEPT.clear()
    assert [dict(topology_constants(network, 9, **way)) for way in ways] == alone
    assert alone[0] != alone[1]
    assert alone[0] != alone[2]


class Turned(Topology):
    """A user's class with a state that it does not describe, drawn or static."""

    name = "turned"

    def __init__(self, clients, period):
        self.share = 0.5
        super().__init__(clients, period=period, options={})

    def matrix(self, t, run=0):
        return self._build(t, run)

    def _build(self, t, run):
        eye = np.eye(self.clients)
        return csr_array((1 - self.share) * eye + self.share * np.roll(eye, 1, axis=0))


@pytest.mark.parametrize("period", [1, None])
def test_a_users_object_that_changes_gets_the_constants_of_what_it_is_now(period):
    network = Turned(4, period)
    before = dict(topology_constants(network, 6))
    network.share = 0.25
    after = dict(topology_constants(network, 6))
    assert after["p"].value == 0.25 != before["p"].value
    assert after == fresh(network, 6)
    assert "matrix" not in vars(network)


def test_a_users_subclass_does_not_share_with_its_base():
    base = type(topology("ring", 5))
    own = type("Own", (base,), {"uniform_out_degree": property(lambda self: False)})
    given, mine = base(5), own(5)
    assert topology_constants(given, 4)["uniform_out_degree"].value == 1
    assert topology_constants(mine, 4)["uniform_out_degree"].value == 0
