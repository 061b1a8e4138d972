"""Structural moves and ladders of instances that are no run's."""

import json

import numpy as np
import pytest

from theorylab.experiments import experiment
from theorylab.falsify.ladders import climbed, is_count, ladders
from theorylab.falsify.structural_moves import drawn_move, structural
from theorylab.statements import BUILT_IN

PLACE = {
    "problem": {"clients": 3, "dim": 1, "hyper": 1},
    "network": {"name": "sto-u"},
    "step": 0.3,
    "variant": "4b",
}
MATRICES = {"clients": 4, "topology": {"name": "ring"}}


def built(name, instance):
    try:
        experiment(name, **instance)
    except (ValueError, TypeError, KeyError):
        return False
    return True


@pytest.mark.parametrize(
    ("name", "instance", "least"),
    [
        ("network-matrices", MATRICES, 12),
        ("pdbo-stationary", PLACE, 50),
        ("sgp-recovers", {"clients": 3, "network": {"name": "complete"}}, 12),
        ("hgp-second-moment", {"place": PLACE, "terms": [10]}, 40),
        ("hgp-error", {"clients": 2, "alpha": 0.9, "beta": 0.1, "terms": [1, 2]}, 12),
    ],
)
def test_most_moves_of_an_experiment_make_another_one(name, instance, least):
    before = json.dumps(instance)
    found = list(structural(instance))
    assert json.dumps(instance) == before
    assert len({label for label, _ in found}) == len(found)
    assert all(made != instance for _, made in found)
    assert sum(built(name, made) for _, made in found) >= least


def test_a_network_is_made_for_the_clients_beside_it():
    for instance, n in ((MATRICES, 4), (PLACE, 3)):
        made = dict(structural(instance))["network: nobody hears anybody"]
        network = made.get("network", made.get("topology"))
        assert network["edges"] == [[i, i] for i in range(n)]


@pytest.mark.parametrize("n", [2, 3, 24])
def test_networks_of_edges_keep_sums(n):
    found = dict(structural({"clients": n, "topology": {"name": "ring"}}))
    for label in ("a hub", "a chain", "nobody hears anybody", "few self-loops"):
        assert built("network-matrices", found[f"network: {label}"]), label


def test_the_smallest_instance_has_defaults_for_its_numbers():
    given = {"clients": 2, "dim": 2, "eta_A": 0.9, "terms": [1, 2], "network": {"name": "sto-d"}}
    made = dict(structural(given))["plain, size 1, complete"]
    assert made == {"clients": 1, "dim": 1, "network": {"name": "complete"}}


def test_losses_of_drawn_points_are_moved_like_those_of_a_run():
    given = {"problem": {"name": "log-cosh", "dim": 1}, "clients": 3}
    assert dict(structural(given))["loss: pinwheel, as it is"]["problem"] == {"name": "pinwheel"}


def test_a_drawn_move_is_one_of_them():
    generator = np.random.Generator(np.random.Philox(0))
    every = [made for _, made in structural(PLACE)]
    drawn = [drawn_move(PLACE, generator) for _ in range(50)]
    assert all(made in every for made in drawn if made is not None)
    assert sum(made is not None for made in drawn) > 20


def test_every_number_of_an_experiment_is_a_ladder_and_what_a_share_leaves_to_1():
    given = {"terms": [1, 4], "alpha": 0.75, "place": {"step": 2.0, "seed": 3}, "law": "exact"}
    assert ladders(given) == ["terms", "alpha", "1 - alpha", "place.step"]
    assert climbed("terms", given, 1.0)["terms"] == [10, 40]
    assert climbed("1 - alpha", given, 1.0)["alpha"] == pytest.approx(0.975, rel=1e-15)
    assert climbed("place.step", given, -2.0)["place"]["step"] == pytest.approx(0.02, rel=1e-15)
    assert climbed("terms", {"terms": [1]}, -3.0) is None
    assert climbed("nowhere", given, 1.0) is None
    assert [name for name in ladders(given) if is_count(name)] == ["terms"]


def test_checks_of_every_experiment_can_be_moved():
    for statement in BUILT_IN.values():
        if statement.experiment in ("", "printed-table", "method-accuracy", "pdbo-accuracy"):
            continue
        for version in statement.versions.values():
            alone = [c for c in version.checks if "sweep" not in c.instance] or version.checks
            for check in alone[:1]:
                instance = json.loads(json.dumps(check.instance))
                moved = [made for _, made in structural(instance) if made != instance]
                assert moved or not instance, (statement.id, check.name)
