"""Within a search one problem is one object; a stranger's class is built anew every time."""

import json

import pytest

from theorylab.problems import Problem, Quadratic
from theorylab.topologies import Ring
from theorylab.verdicts.instance import built, parsed, sharing_problems

RUN = {
    "problem": {"name": "sin-sin", "seed": 1},
    "topology": {"name": "ring"},
    "clients": 4,
    "rounds": 3,
    "algorithm": {"eta_u": 0.1, "eta_v": 0.1, "steps_u": 1, "steps_v": 1},
}


def problem_of(**changed):
    return built("test", parsed("test", {**RUN, **changed}), "dfedalt").problem


def test_one_problem_is_one_object_within_and_another_one_outside():
    with sharing_problems():
        one = problem_of()
        assert problem_of(rounds=7, topology={"name": "complete"}) is one
        assert problem_of(clients=5) is not one
        assert problem_of(problem={"name": "sin-sin", "seed": 2}) is not one
        assert one.constants() == problem_of().constants()
    assert problem_of() is not one
    with sharing_problems():
        assert problem_of() is not one


def network_of(**changed):
    return built("test", parsed("test", {**RUN, **changed}), "dfedalt").topology


def test_one_network_is_one_object_within_and_another_one_outside():
    with sharing_problems():
        one = network_of()
        assert network_of(rounds=7, problem={"name": "sin-sin", "seed": 5}) is one
        assert network_of(clients=5) is not one
        assert network_of(topology={"name": "complete"}) is not one
        drawn = {"name": "random-out", "degree": 2, "seed": 1}
        assert network_of(topology=drawn) is network_of(topology=drawn)
        assert network_of(topology=drawn) is not network_of(topology={**drawn, "seed": 2})
    assert network_of() is not one


def test_a_file_that_changed_is_another_network(tmp_path):
    path = tmp_path / "net.json"
    chord = [[0, 1], [1, 2], [2, 3], [3, 0]]
    listed = {"topology": {"name": "edge-list", "path": str(path)}}
    with sharing_problems():
        path.write_text(json.dumps({"clients": 4, "edges": chord}))
        first = network_of(**listed)
        assert network_of(**listed) is first
        path.write_text(json.dumps({"clients": 4, "edges": [*chord, [0, 2]]}))
        assert network_of(**listed).matrix(0).nnz > first.matrix(0).nnz


@pytest.mark.usefixtures("registries")
def test_a_stranger_s_network_is_its_own_every_time():
    class Counting(Ring, name="test-counting-ring"):
        """It remembers what it was asked, as a stranger's may."""

    mine = {"topology": {"name": Counting.name}}
    with sharing_problems():
        assert network_of(**mine) is not network_of(**mine)


def test_what_cannot_be_built_is_refused_as_it_is_outside():
    with sharing_problems(), pytest.raises(ValueError, match="test: problem: sin-sin"):
        problem_of(problem={"name": "sin-sin", "seed": -1})


@pytest.mark.usefixtures("registries")
def test_a_stranger_s_problem_is_its_own_every_time():
    class Counting(Quadratic, name="test-counting"):
        """It remembers what it was asked, as a stranger's may."""

    assert issubclass(Counting, Problem)
    plain = {"problem": {"name": "test-counting", "dim": 2}}
    plain["algorithm"] = {"eta": 0.1}
    with sharing_problems():
        one, two = (built("t", parsed("t", {**RUN, **plain}), "sgp").problem for _ in range(2))
    assert one is not two
    within = {**plain, "problem": {"name": "noisy", "base": plain["problem"], "sigma": 1.0}}
    with sharing_problems():
        one, two = (built("t", parsed("t", {**RUN, **within}), "sgp").problem for _ in range(2))
    assert one is not two


def test_few_are_kept():
    with sharing_problems():
        first = problem_of()
        for seed in range(200):
            problem_of(problem={"name": "sin-sin", "seed": seed + 2})
        assert problem_of() is not first
