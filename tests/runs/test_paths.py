"""An option by its path: what changes, what does not, and what is said of a path to nowhere."""

import copy

import pytest

from theorylab.runs.paths import near, put

INSTANCE = {"algorithm": {"eta": 0.1, "tau": 2}, "rounds": [1, 10], "x0": 0.0, "sweep": {"set": {}}}


@pytest.mark.parametrize(
    ("path", "value", "after"),
    [
        ("x0", 3.0, {"x0": 3.0}),
        ("new", "word", {"new": "word"}),
        ("algorithm.eta", None, {"algorithm": {"eta": None, "tau": 2}}),
        ("algorithm.new", [1], {"algorithm": {"eta": 0.1, "tau": 2, "new": [1]}}),
        ("rounds.1", 7, {"rounds": [1, 7]}),
        ("algorithm.tau", 2.6, {"algorithm": {"eta": 0.1, "tau": 2.6}}),
        ("sweep.set.eta", "1/T", {"sweep": {"set": {"eta": "1/T"}}}),
    ],
)
def test_what_stands_at_the_path_is_set_and_nothing_else(path, value, after):
    instance = copy.deepcopy(INSTANCE)
    put("here", instance, path, value)
    assert instance == {**INSTANCE, **after}


def test_an_integer_stays_one_only_where_that_is_asked_for():
    instance = copy.deepcopy(INSTANCE)
    put("here", instance, "algorithm.tau", 2.6, whole=True)
    put("here", instance, "x0", 2.6, whole=True)
    assert (instance["algorithm"]["tau"], instance["x0"]) == (3, 2.6)


@pytest.mark.parametrize(
    ("path", "need"),
    [
        ("nothing.tau", "need one of algorithm, rounds, x0, sweep"),
        ("algoritm.tau", r"need one of .* \(did you mean algorithm\?\)"),
        ("algorithm.nothing.tau", "need one of eta, tau"),
        ("sweep.set.eta.tau", "need none"),
        ("rounds.2", r"need a place 0 \.\. 1"),
        ("rounds.first", r"need a place 0 \.\. 1"),
        ("algorithm.eta.value", "need a path to what is there, 0.1"),
    ],
)
def test_a_path_to_nowhere_is_one_line_and_changes_nothing(path, need):
    instance = copy.deepcopy(INSTANCE)
    with pytest.raises(ValueError, match=rf"^here: the instance has no '{path}'; {need}"):
        put("here", instance, path, 1)
    assert instance == INSTANCE


def test_a_name_that_is_nearly_right_is_guessed():
    assert near("momentom", ["momentum", "ring"]) == (
        "one of momentum, ring (did you mean momentum?)"
    )
    assert near("x", ["momentum"]) == "one of momentum"
    assert near("x", []) == "none"
