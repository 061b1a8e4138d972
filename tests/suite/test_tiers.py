"""Which tests a tier has follows from names, costs and the tree's draw alone."""

import json
from types import SimpleNamespace

import pytest
from theorylab_suite import costs, tiers, tree

DRAW = "0123456789ab"
KNOWN = costs.Costs(
    functions={"tests/a.py::test_some": 0.4, "tests/a.py::test_dear": 30.0}
    | {f"tests/b.py::test_turn{k}": 5.0 for k in range(40)}
    | {"tests/a.py::test_more": 0.1},
    fixtures={"tests/c.py::record": 8.0, "tests/c.py::quick": 1.5},
)


class Item(SimpleNamespace):
    """What the tiers ask of an item."""

    def __init__(self, nodeid, *marks, fixtures=()):
        super().__init__(nodeid=nodeid, marks=set(marks), fixturenames=fixtures)

    def get_closest_marker(self, name):
        return name if name in self.marks else None

    __hash__ = object.__hash__


def items(name, count, **more):
    return [Item(f"{name}[{k}]", **more) for k in range(count)]


CHEAP = items("tests/a.py::test_cheap", 50)
SOME = items("tests/a.py::test_some", 9)
TURNS = [item for k in range(40) for item in items(f"tests/b.py::test_turn{k}", 3)]


def daily(every, draw=DRAW):
    return tiers.daily(every, draw, KNOWN)


def test_a_cheap_function_runs_whole_and_a_dearer_one_with_few_parameters():
    more = items("tests/a.py::test_more", 9)
    kept = daily([*CHEAP, *SOME, *more])
    assert set(CHEAP) < set(kept)
    assert len(set(kept) & set(more)) == 2
    assert len(set(kept) & set(SOME)) == 1


def test_what_is_new_runs_whole():
    new = items("tests/e.py::test_new", 30)
    assert daily(new) == new


def test_the_dear_ones_take_turns_within_their_budget():
    kept = daily(TURNS)
    functions = {costs.function_of(item.nodeid) for item in kept}
    assert len(kept) == len(functions) == tiers.TURNS // 5


def test_a_function_dearer_than_the_whole_budget_has_its_turn():
    dear = items("tests/a.py::test_dear", 2)
    trees = [f"{k:012x}" for k in range(400)]
    share = sum(bool(set(daily([*TURNS, *dear], draw)) & set(dear)) for draw in trees) / len(trees)
    assert 0.01 < share < 0.3


def test_each_of_those_that_take_turns_is_met_by_some_tree():
    met = {item.nodeid for k in range(300) for item in daily(TURNS, f"{k:012x}")}
    assert met == {item.nodeid for item in TURNS}


def test_tests_that_share_a_dear_fixture_take_their_turn_together():
    alike = [Item(f"tests/c.py::test_{k}", fixtures=("record",)) for k in range(5)]
    counts = {len(set(daily([*TURNS, *alike], f"{k:04x}")) & set(alike)) for k in range(60)}
    assert counts == {0, 5}
    other = [Item(f"tests/c.py::test_{k}", fixtures=("quick",)) for k in range(5)]
    assert all(set(other) < set(daily([*TURNS, *other], f"{k:04x}")) for k in range(60))


def test_one_tree_has_one_selection_whatever_the_order():
    every = [*CHEAP, *SOME, *TURNS]
    assert set(daily(every)) == set(daily(every[::-1]))
    assert {i.nodeid for i in daily(SOME)} != {i.nodeid for i in daily(SOME, "ab01")}


def test_the_dearest_file_comes_first_and_no_file_is_torn():
    files = [item.nodeid.partition("::")[0] for item in daily([*CHEAP, *TURNS, *SOME])]
    assert files == ["tests/b.py"] * files.count("tests/b.py") + ["tests/a.py"] * 51


def test_slow_tests_are_in_no_tier_but_their_own():
    slow = [Item(f"tests/a.py::test_slow[{k}]", "slow") for k in range(600)]
    every = [*CHEAP, *slow]
    for tier in ("daily", "full", tiers.USUAL):
        assert tiers.chosen(every, tier, DRAW) == CHEAP, tier
    assert tiers.chosen(every, "slow", DRAW) == slow
    few = tiers.chosen(every, "slow", DRAW, 60)
    assert 2 <= len(few) <= 25
    assert few != tiers.chosen(every, "slow", "ab01", 60)
    assert tiers.chosen(every, tiers.NAMED, DRAW) == every


def test_what_hypothesis_draws_has_a_tier_of_its_own():
    drawn = [Item("tests/a.py::test_drawn", "hypothesis")]
    assert tiers.chosen([*CHEAP, *drawn], "random", DRAW) == drawn


def test_a_tier_that_is_none_chooses_nothing():
    with pytest.raises(KeyError):
        tiers.chosen(CHEAP, None, DRAW)


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"tier": "weekly"}, "--tier is 'weekly'; need daily, full, slow, random"),
        ({"draw": "my-tree"}, "--draw is 'my-tree'; need 4 to 64 hex digits, as printed"),
        ({"sample": 0}, "--sample is 0; need at least 1"),
    ],
)
def test_a_word_that_is_none_is_one_line(given, line):
    option = SimpleNamespace(**{"tier": "daily", "draw": None, "sample": 1} | given)
    with pytest.raises(pytest.UsageError) as caught:
        tiers.settle(SimpleNamespace(option=option))
    assert str(caught.value) == line


@pytest.mark.parametrize("text", ["{", "[]", '{"functions": {"a": -1}, "fixtures": {}}', "{}"])
def test_costs_that_are_none_are_refused_in_one_line(text, tmp_path):
    path = tmp_path / "costs.json"
    path.write_text(text)
    with pytest.raises(pytest.UsageError, match="no costs of tests") as caught:
        costs.Costs.read(path)
    assert "\n" not in str(caught.value)


def test_the_kept_costs_are_of_functions_that_are_there():
    known = json.loads(costs.FILE.read_text())
    files = {name.partition("::")[0] for part in known.values() for name in part}
    assert [name for name in sorted(files) if not (tree.ROOT / name).exists()] == []
    assert len(known["functions"]) > 300
