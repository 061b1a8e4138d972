"""Pairs and triples of the numbers of a check are moved at once."""

import numpy as np
import pytest

from theorylab.falsify.together import together

RUN = {
    "problem": {"name": "own", "share": 0.5, "seed": 3, "centers": [1.0, 2.0]},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 6,
    "at": [6],
    "algorithm": {"eta": 0.25, "delay": 1},
    "x0": 0.0,
    "constants": {"R": 9.0},
}


def drawn(seed=0, instance=RUN):
    return list(together(instance, np.random.Generator(np.random.Philox(seed))))


def moved(instance, at=()):
    """The paths at which an instance differs from the check."""
    found = []
    for key, value in instance.items():
        here = RUN
        for step in at:
            here = here[step]
        if isinstance(value, dict):
            found += moved(value, (*at, key))
        elif value != here[key]:
            found.append((*at, key))
    return found


@pytest.fixture(scope="module")
def all_of_them():
    return drawn()


def test_pairs_come_before_triples_and_more_rounds_first(all_of_them):
    counts = [label.count(",") + 1 for label, _ in all_of_them]
    assert counts == sorted(counts)
    assert set(counts) == {2, 3}
    pairs = [label for label, _ in all_of_them if label.count(",") == 1]
    longer = ["rounds +" in label or "fixed eta T +" in label for label in pairs]
    assert longer == sorted(longer, reverse=True)
    assert any(longer)


def test_what_is_no_number_of_the_run_stays(all_of_them):
    for _, made in all_of_them:
        assert made["constants"] == RUN["constants"]
        assert made["problem"]["seed"] == 3
        assert made["problem"]["centers"][1] == 2.0  # of a list the first moves alone
        assert made["rounds"] <= 3000
        assert len(moved(made)) >= 2


def test_a_count_stays_one_a_share_comes_near_1_first_and_what_is_0_becomes_a_number(all_of_them):
    made = dict(all_of_them)
    late = made["together: rounds +1, delay +1"]
    assert (late["rounds"], late["algorithm"]["delay"]) == (60, 10)
    assert type(late["algorithm"]["delay"]) is int
    near = next(one for label, one in made.items() if label.endswith("rounds +1, share +1"))
    assert near["problem"]["share"] == pytest.approx(0.95, rel=1e-15)
    beyond = next(one for label, one in made.items() if label.endswith("rounds +1, share +2"))
    assert beyond["problem"]["share"] == 50.0  # it may be no share
    away = next(one for label, one in made.items() if label.endswith("rounds +1, x0 +1"))
    assert away["x0"] == 10.0
    coupled = next(
        one for label, one in made.items() if label == "together: x0 +1, rounds at fixed eta T +1"
    )
    assert (coupled["rounds"], coupled["algorithm"]["eta"]) == (60, pytest.approx(0.025))


def test_the_first_number_of_a_list_is_named_by_its_option_and_place(all_of_them):
    made = dict(all_of_them)
    first = made["together: rounds +1, centers[0] +1"]
    assert first["problem"]["centers"] == [10.0, 2.0]
    assert not [label for label in made if ", 0 " in label or ": 0 " in label]


def test_the_order_is_a_function_of_the_draw():
    labels = [[label for label, _ in drawn(seed)] for seed in (1, 1, 2)]
    assert labels[0] == labels[1] != labels[2]
    assert sorted(labels[0]) == sorted(labels[2])


def test_an_experiment_has_its_numbers_moved():
    made = dict(drawn(0, {"place": {"step": 0.3}, "terms": 2}))
    assert made["together: step -1, terms +1"] == {
        "place": {"step": pytest.approx(0.03)},
        "terms": 20,
    }


def test_rounds_of_an_experiment_may_be_several():
    made = drawn(instance={"share": 0.25, "scale": 2.0, "rounds": [1, 10, 100]})
    assert {tuple(instance["rounds"]) for _, instance in made} > {(1, 10, 100)}
