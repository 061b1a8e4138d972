"""Where one cause acts alone, nothing else moves a client, and all can be built."""

import json

import numpy as np
import pytest

from theorylab.falsify.instances import last_seen, shape_of, with_rounds
from theorylab.falsify.single_cause_moves import causes
from theorylab.problems import problem

PLAIN = {
    "problem": {"name": "quadratic", "H": [[[1.0]]] * 3, "c": [[0.0]] * 3},
    "topology": {"name": "ring"},
    "clients": 3,
    "rounds": 11,
    "algorithm": {"eta": 0.1, "local_steps": 2},
    "at": [4, 10],
}
WAVES = {"name": "sin-sin", "dim_u": 1, "dim_v": 1, "seed": 1}
HEADS = {**PLAIN, "problem": WAVES, "algorithm": {"eta_u": 0.1, "eta_v": 0.1, "steps_u": 3}}


def made(instance):
    return dict(causes(instance, shape_of(instance)))


def gradients(instance):
    """Of every client's own loss at its start, without noise."""
    options = dict(instance["problem"])
    if options["name"] == "noisy":
        options = dict(options["base"])
    quiet = {k: v for k, v in options.items() if k not in ("noise", "length", "sigma_u", "sigma_v")}
    losses = problem(quiet.pop("name"), instance["clients"], **quiet)
    start = np.broadcast_to(np.asarray(instance["x0"], float), (losses.clients, losses.dim))
    return losses.gradient(np.array(start)[None])[0]


@pytest.mark.parametrize("instance", [PLAIN, HEADS])
def test_noise_alone_starts_where_no_client_has_a_gradient(instance):
    found = {k: v for k, v in made(instance).items() if k.startswith("alone: noise")}
    still = {k: v for k, v in found.items() if "bends" not in k}
    assert len(still) >= 8
    for one in still.values():
        assert not gradients(one).any()
    assert all(gradients(found[label]).any() for label in found if label not in still)


@pytest.mark.parametrize("instance", [PLAIN, HEADS])
def test_the_smallest_are_one_client_s_single_steps(instance):
    for label, one in made(instance).items():
        assert json.loads(json.dumps(one)) == one
        if label.endswith("smallest"):
            # what is looked at one round before the last: two rounds
            assert (one["clients"], one["rounds"], one["at"]) == (1, 2, [1])
            steps = [v for k, v in one["algorithm"].items() if not k.startswith("eta")]
            assert set(steps) == {1}
        elif label.endswith("of one round"):
            assert (one["clients"], one["rounds"]) == (1, 2)
            assert one["algorithm"] == instance["algorithm"]
        else:
            assert one["clients"] == 3
            assert one["rounds"] == 11


def test_what_is_as_small_as_can_be_has_no_smaller_one():
    one = {**PLAIN, "clients": 1, "rounds": 1, "at": [1], "algorithm": {"eta": 1.0}}
    one["topology"] = {"name": "complete"}
    labels = made({**one, "problem": {"name": "quadratic", "H": [[[1.0]]], "c": [[0.0]]}})
    assert labels
    assert not [label for label in labels if label.endswith("smallest")]


@pytest.mark.parametrize(
    ("rounds", "at", "asked", "want"),
    [
        (1001, [10, 1000], 6, (6, [5])),
        (1001, [10, 1000], 1, (2, [1])),
        (1001, [10, 1000], 5000, (5000, [10, 1000])),
        (40, [3, 40], 6, (6, [3, 6])),
        (40, [3], 1, (1, [1])),
        (2, [1], 1, (2, [1])),
    ],
)
def test_a_round_that_is_needed_after_what_is_looked_at_stays(rounds, at, asked, want):
    one = with_rounds({"rounds": rounds, "at": at}, asked)
    assert (one["rounds"], one["at"]) == want
    assert max(one["at"]) <= last_seen({"rounds": rounds, "at": at}, one["rounds"])
