import json

import pytest

from theorylab.topologies import Networks, topology

PULL = {"name": "random-in", "degree": 2, "seed": 4}


def test_each_network_is_the_topology_of_its_name_and_options():
    made = topology("networks", 5, of={"pull": PULL, "push": "directed-ring"})
    assert list(made.networks) == ["pull", "push"]
    alone = topology("random-in", 5, degree=2, seed=4)
    assert (made.networks["pull"].matrix(3) != alone.matrix(3)).nnz == 0
    assert made.networks["push"].describe() == topology("directed-ring", 5).describe()
    assert not made.column_stochastic


def test_a_description_builds_it_again():
    made = topology("networks", 5, of={"pull": PULL, "push": "directed-ring"})
    again = topology(**json.loads(json.dumps(made.describe())))
    assert again.describe() == made.describe()


def test_the_period_is_that_of_all_together():
    of = {"a": "one-peer-exponential", "b": "ring"}
    assert topology("networks", 8, of=of).period == 3
    assert topology("networks", 8, of={**of, "c": PULL}).period is None
    both = Networks(8, of={"a": topology("ring", 8), "b": "complete"})
    assert (both.period, both.column_stochastic) == (1, True)


def test_there_is_no_matrix_of_all():
    with pytest.raises(ValueError, match="there are a, b; need one of them by its name"):
        topology("networks", 4, of={"a": "ring", "b": "ring"}).matrix(0)


@pytest.mark.parametrize(
    ("of", "error", "message"),
    [
        ({}, ValueError, "of is empty"),
        ("ring", TypeError, "of is 'ring'; need {name: topology}"),
        ({"a b": "ring"}, ValueError, "'a b' is no name"),
        ({"a": 3}, ValueError, "a is 3; need a topology's name"),
        ({"a": {"degree": 3}}, ValueError, "need a topology's name"),
        ({"a": "rings"}, ValueError, "networks: a: topology: no"),
        ({"a": {"name": "ring", "clients": 5}}, ValueError, "a has 5 clients; need 4"),
        ({"a": {"name": "networks", "of": {"b": "ring"}}}, ValueError, "networks of its own"),
    ],
)
def test_what_is_no_network_is_told_in_one_line(of, error, message):
    with pytest.raises(error, match=message) as caught:
        topology("networks", 4, of=of)
    assert "\n" not in str(caught.value)
