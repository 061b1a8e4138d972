"""Structural moves make instances that can be built, with every list of the right length."""

import json
from fractions import Fraction

import numpy as np
import pytest

from theorylab.algorithms import ALGORITHMS, DPSGD, step_size
from theorylab.falsify.instances import cycle, shape_of, started, with_clients, with_problem
from theorylab.falsify.structural_moves import drawn_move, schedules, structural
from theorylab.problems import problem
from theorylab.topologies import topology

PLAIN = {
    "problem": {"name": "quadratic", "H": [[[1.0]]] * 4, "c": [[0.0]] * 4},
    "topology": {"name": "ring"},
    "clients": 4,
    "rounds": 10,
    "algorithm": {"eta": 0.1, "local_steps": 2},
    "x0": 0.5,
}
HEADS = {
    **PLAIN,
    "problem": {
        "name": "coupled-quadratic",
        "A": [[[1.0]]] * 2,
        "B": [[[1.0]]] * 2,
        "C": [[[0.0]]] * 2,
        "a": [[1.0], [-1.0]],
        "b": [[0.0], [0.0]],
    },
    "clients": 2,
    "algorithm": {"eta_u": 0.1, "eta_v": 0.1, "steps_u": [1, 2]},
    "at": [1, 10],
}
WAVES = {**HEADS, "problem": {"name": "sin-sin", "A": [[1.0]], "B": [[2.0]], "c": [1.0, 2.0]}}


def built(instance):
    """The problem and the network of an instance, and its start beside the problem's shape."""
    options, network = dict(instance["problem"]), dict(instance["topology"])
    made = problem(options.pop("name"), instance["clients"], **options)
    topology(network.pop("name"), instance["clients"], **network)
    x0 = np.asarray(instance.get("x0", 0.0))
    np.broadcast_to(x0, (made.clients, made.dim))
    return made


@pytest.mark.parametrize("instance", [PLAIN, HEADS])
@pytest.mark.parametrize("clients", [None, 1, 3, 8])
def test_every_structural_move_is_another_instance_that_can_be_built(instance, clients):
    base = instance if clients is None else with_clients(instance, clients)
    refused, labels = [], []
    for label, made in structural(base):
        labels.append(label)
        assert made != base
        assert json.loads(json.dumps(made)) == made
        try:
            built(made)
        except ValueError as error:  # a hypercube of three, a draw that is not connected
            refused.append((label, str(error)))
    assert len(labels) > 60
    assert len(set(labels)) == len(labels)  # a label names one move
    assert len(refused) <= 8, refused
    assert not [r for r in refused if not r[0].startswith(("network", "clients"))], refused


def test_every_network_can_be_built_for_some_number_of_clients():
    missing, built_ones = set(), set()
    for clients in (1, 2, 3, 4, 8):
        for label, made in structural(with_clients(PLAIN, clients)):
            if label.startswith("network") and not label.endswith(", two clients"):
                kind = label.rpartition(" [")[0] or label
                options = dict(made["topology"])
                try:
                    topology(options.pop("name"), clients, **options)
                    built_ones.add(kind)
                except ValueError:
                    missing.add(kind)
    assert len(built_ones) > 15
    assert not missing - built_ones


def test_the_losses_stay_of_the_kind_that_the_algorithm_can_play():
    assert not shape_of(PLAIN).personal
    assert shape_of(HEADS).personal
    for base in (PLAIN, HEADS):
        for label, made in structural(base):
            if label.startswith(("loss", "noise")):
                assert shape_of(made).personal == shape_of(base).personal


def test_a_move_leaves_its_instance_as_it_was():
    before = json.dumps(HEADS)
    list(structural(HEADS))
    draw = np.random.Generator(np.random.Philox(0))
    for _ in range(20):
        drawn_move(HEADS, draw)
    assert json.dumps(HEADS) == before


@pytest.mark.parametrize("clients", [1, 2, 3, 7])
def test_lists_with_an_entry_a_client_follow_the_clients(clients):
    one = {**HEADS, "x0": [[1.0, 0.0], [0.0, 0.0]]}
    made = with_clients(one, clients)
    for key in "ABCab":
        assert len(made["problem"][key]) == clients
    assert made["problem"]["a"][0] == [1.0]
    assert len(made["x0"]) == len(made["algorithm"]["steps_u"]) == clients
    assert built(made).clients == clients


def test_a_matrix_that_all_clients_share_stays():
    two = {**WAVES, "problem": {**WAVES["problem"], "A": [[1.0, 0.0], [0.0, 2.0]]}}
    made = with_clients(two, 5)
    assert made["problem"]["A"] == two["problem"]["A"]
    assert made["problem"]["c"] == [1.0, 2.0, 1.0, 2.0, 1.0]


def test_noise_wrapped_around_losses_follows_too():
    noisy = {**PLAIN, "problem": {"name": "noisy", "base": PLAIN["problem"], "sigma": 1.0}}
    assert len(with_clients(noisy, 2)["problem"]["base"]["c"]) == 2
    quiet = dict(structural(noisy))["noise: none"]
    assert quiet["problem"] == PLAIN["problem"]


@pytest.mark.parametrize("stays", [1e-3, 0.5])
def test_a_cycle_is_a_permutation_with_self_loops(stays):
    made = topology("edge-list", 3, edges=cycle(3, stays)["edges"]).matrix(0).toarray()
    shift = np.roll(np.eye(3), 1, axis=0)
    assert np.allclose(made, stays * np.eye(3) + (1 - stays) * shift)
    edges = {**HEADS, "topology": {"name": "edge-list", "edges": cycle(2, stays)["edges"]}}
    assert with_clients(edges, 4)["topology"] == cycle(4, stays)


def test_a_start_that_does_not_fit_gets_the_shape_of_the_problem():
    made = with_problem({**PLAIN, "x0": [[3.0]] * 4}, {"name": "log-cosh", "dim": 2})
    assert made["x0"] == [[3.0, 3.0]] * 4
    assert started({**PLAIN, "x0": [2.0]})["x0"] == [2.0]


@pytest.mark.parametrize("instance", [{}, {"sweep": {}}])
def test_what_has_no_parts_has_no_structural_moves(instance):
    assert not list(structural(instance))


def test_losses_that_cannot_be_built_have_none():
    assert not list(structural({**PLAIN, "problem": {"name": "quadratic", "H": [[[1.0]]] * 3}}))
    assert "sgp" in ALGORITHMS


def test_a_wave_is_once_around_the_clients_and_zero_in_the_mean():
    for instance in (PLAIN, with_clients(HEADS, 3)):
        waves = [made for label, made in structural(instance) if label.endswith("on a wave")]
        assert len(waves) == 2  # of the centres, and of the starts
        for made in waves:
            x0, n = made["x0"], made["clients"]
            rows = x0 if isinstance(x0, list) and isinstance(x0[0], list) else None
            given = rows or made["problem"].get("c") or made["problem"]["a"]
            column = [row[0] for row in given]
            assert column == pytest.approx([np.cos(2 * np.pi * i / n) for i in range(n)])


def test_options_of_the_method_move_by_name_and_steps_do_not():
    options = {"eta": 0.1, "alpha": 0.5, "rho": 0.0, "local_steps": 5}
    made = dict(structural({**PLAIN, "algorithm": options}))
    assert made["option: alpha 0.0"]["algorithm"] == {**options, "alpha": 0.0}
    assert made["option: rho 0.01"]["algorithm"] == {**options, "rho": 0.01}
    assert made["option: local_steps 20"]["algorithm"] == {**options, "local_steps": 20}
    assert {"option: rho 0.0", "option: local_steps 5", "option: momentum 0.9"}.isdisjoint(made)
    heads = {"alpha": 0.5, "beta": 0.1, "tau": 2}  # deprl's alpha is a step size
    made = dict(structural({**HEADS, "algorithm": heads}))
    assert [label for label in made if label.startswith("option")] == [
        *("option: tau 1", "option: tau 5", "option: tau 20")
    ]
    whole = {**HEADS, "algorithm": {"alpha": 1, "beta": 0.1, "tau": 2}}
    assert not any(label.startswith("option: alpha") for label, _ in structural(whole))
    lists = dict(structural(HEADS))  # a list of counts stays
    assert not any(label.startswith("option") for label in lists)


@pytest.mark.parametrize("given", ["easy", None, {"L": 1.0}, 3])
def test_a_problem_that_is_no_loss_has_no_losses(given):
    draw = np.random.Generator(np.random.Philox(0))
    instance = {"problem": given, "clients": 2, "gap": 0.5}
    assert not any(label.startswith("loss") for label, _ in structural(instance))
    for _ in range(20):
        drawn_move(instance, draw)


def test_clients_can_be_made_alike_with_their_starts():
    unlike = {
        **PLAIN,
        "clients": 2,
        "problem": {"name": "quadratic", "H": [[[1.0]], [[4.0]]], "c": [[0.0], [7.0]]},
        "x0": [[3.0], [5.0]],
    }
    moved = dict(structural({**unlike, "topology": {"name": "complete"}}))
    last = moved["clients: all like the last"]
    assert last["problem"] == {"name": "quadratic", "H": [[[4.0]]] * 2, "c": [[7.0]] * 2}
    assert last["x0"] == [5.0]
    assert moved["clients: all like the first"]["problem"]["c"] == [[0.0]] * 2
    under = {"name": "noisy", "base": unlike["problem"], "sigma": 1.0}
    noisy = dict(structural({**unlike, "problem": under}))["clients: all like the first"]
    assert noisy["problem"]["base"]["c"] == [[0.0]] * 2


RUN = {
    "problem": {"name": "quadratic", "dim": 1},
    "topology": {"name": "complete"},
    "clients": 2,
    "rounds": 4,
    "algorithm": {"eta": 0.5, "momentum": 0.5},
}


def test_every_sequence_is_a_step_of_the_method_in_every_round():
    made = {label: one["algorithm"] for label, one in schedules(RUN)}
    steps = {
        label: [step_size(DPSGD(options["eta"]), t) for t in range(4)]
        for label, options in made.items()
    }
    half = Fraction(1, 2)
    assert steps == {
        "steps: eta falls as 1/t": [float(half / (1 + t)) for t in range(4)],
        "steps: eta falls as 1/sqrt t": pytest.approx([0.5 / (1 + t) ** 0.5 for t in range(4)]),
        "steps: eta is small in every other round": [0.5, 0.005, 0.5, 0.005],
        "steps: eta falls by half": [float(half / 2**t) for t in range(4)],
    }
    assert all(options["momentum"] == 0.5 for options in made.values())


def test_they_are_among_the_moves_of_a_run():
    labels = [label for label, _ in structural(RUN)]
    assert "steps: eta falls as 1/t" in labels


def test_a_step_that_is_a_sequence_already_stays():
    run = {**RUN, "algorithm": {"eta": "1/(1 + t)"}}
    assert not list(schedules(run))
