"""A sweep as data: what moves, what follows, and one line for what is wrong."""

import pytest

from theorylab.verdicts.sweep import Sweep

INSTANCE = {
    "problem": {"name": "log-cosh", "L_u": 2.0},
    "clients": 3,
    "rounds": [1],
    "algorithm": {"tau": 2, "eta": 0.5},
    "corollary": True,
}


def at(value, instance=None, **sweep):
    given = {"parameter": "clients", "values": [2, 4, 8], **sweep}
    made, rest = Sweep.of("here", {**(instance or INSTANCE), "sweep": given})
    return made.at("here", rest, value)


def test_the_parameter_moves_alone_and_the_instance_stays_as_it_was():
    assert at(8) == {**INSTANCE, "clients": 8}
    assert INSTANCE["clients"] == 3
    assert at(5, parameter="algorithm.tau")["algorithm"] == {"tau": 5, "eta": 0.5}
    assert at(7, parameter="rounds.0")["rounds"] == [7]


def test_others_follow_and_what_is_an_integer_stays_one():
    sets = {"rounds.0": "1e4*(clients/2)**8", "algorithm.eta": "1/(tau*sqrt(rounds))"}
    made = at(4, set=sets)
    assert made["rounds"] == [2560000]
    assert type(made["rounds"][0]) is int
    assert made["algorithm"]["eta"] == 1 / (2 * 1600.0)
    assert at(4, set={"algorithm.tau": "clients/3"})["algorithm"]["tau"] == 1


def test_the_order_of_what_follows_does_not_matter():
    sets = {"rounds.0": "clients**2", "algorithm.eta": "rounds + 1", "problem.L_u": "eta/tau"}
    back = dict(reversed(sets.items()))
    assert at(4, set=sets) == at(4, set=back)
    assert at(4, set=sets)["problem"]["L_u"] == 8.5


def test_a_name_of_its_own_only_serves_the_others():
    made = at(100, parameter="K", set={"rounds.0": "K", "algorithm.eta": "K**-.5"})
    assert made == {**INSTANCE, "rounds": [100], "algorithm": {"tau": 2, "eta": 0.1}}


def test_a_word_that_two_options_share_needs_its_path():
    twice = {**INSTANCE, "topology": {"tau": 9.0}}
    with pytest.raises(ValueError, match="'tau' is no number"):
        at(4, twice, set={"algorithm.eta": "tau"})
    made = at(4, twice, set={"algorithm.eta": "topology.tau*algorithm.tau"})
    assert made["algorithm"]["eta"] == 18.0


@pytest.mark.parametrize(
    ("sweep", "line"),
    [
        ({"values": [1, 2]}, "at least 3 numbers > 0"),
        ({"values": [1, 2, 2]}, "rising or falling"),
        ({"values": [0, 1, 2]}, "> 0"),
        ({"values": [1.0, 2.0, float("inf")]}, "> 0"),
        ({"values": [1, 2, "3"]}, "sweep: values.2"),
        ({"values": [1, 2, True]}, "sweep: values.2"),
        ({"window": 2}, "window is 2; need 0, or 3 .. 3"),
        ({"window": 4}, "window is 4"),
        ({"follow": 2.0}, "follow: extra inputs"),
        ({"set": {"rounds.0": 5}}, "set.rounds.0"),
        ({"set": {"rounds.0": "import os"}}, "set.rounds.0: 'import os' is no arithmetic"),
        ({"set": {"rounds.0": "rounds"}}, "set.rounds.0: .*'rounds' is no number"),
        ({"set": {"rounds.1": "1"}}, "the instance has no 'rounds.1'"),
        ({"set": {"nothing.tau": "1"}}, "the instance has no 'nothing.tau'"),
        ({"parameter": "nothing.tau"}, "the instance has no 'nothing.tau'"),
        ({"parameter": "clients.tau"}, "the instance has no 'clients.tau'"),
        ({"set": {"algorithm.tau": "eta", "algorithm.eta": "tau"}}, "'(eta|tau)' is no number"),
    ],
)
def test_a_mistake_is_one_line_that_says_where(sweep, line):
    with pytest.raises(ValueError, match=line) as caught:
        at(4, **sweep)
    assert str(caught.value).startswith("here: ")
    assert "\n" not in str(caught.value)


def test_an_instance_without_a_sweep_says_so():
    with pytest.raises(ValueError, match=r"here: no sweep came; need \{parameter, values\}"):
        Sweep.of("here", INSTANCE)
