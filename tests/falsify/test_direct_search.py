"""All numbers together reach a top that no single number reaches, and leave what cannot move."""

import math

import pytest

from theorylab.falsify.direct_search import Ascents, ascent
from theorylab.falsify.population import Population

START = {"terms": 4, "name": "a", "a": 1.0, "b": 1.0, "place": {"c": 2.0}}


class Search:
    """A score over the decades of three numbers, in place of a statement."""

    def __init__(self, score):
        self.score, self.looks, self.population, self.frozen = score, [], Population(), False

    def going(self):
        return True

    def look(self, instance):
        self.looks.append(instance)
        return self.score(*(math.log10(v) for v in _numbers(instance)))

    def after(self, instance, how):
        assert how == "all numbers together"

    def is_frozen(self, instance):
        return self.frozen


def _numbers(instance):
    return instance["a"], instance["b"], instance["place"]["c"]


def ridge(a, b, c):
    """Along a = b it rises for four decades; across it falls eight times as steeply."""
    return -((a - 4) ** 2) / 4 - 2 * (a - b) ** 2 - (c - 1) ** 2 / 10


def capped(a, b, c):
    """It rises with a, with b twice as fast, and ends at a + b = 1."""
    return -1e6 if a + b > 1 else a + 2 * b


def top_of(search, instance=START):
    going = ascent(search, instance, search.look(instance))
    try:
        while True:
            next(going)
    except StopIteration as ended:
        return ended.value


def test_a_ridge_is_climbed_where_one_number_alone_stays_low():
    search = Search(ridge)
    reached = top_of(search)
    alone = [ridge(k / 10, 0, 1) for k in range(-60, 61)]
    assert reached > -0.5 > -3 > max(alone)
    assert len(search.looks) < 200


def test_it_goes_on_along_a_cap():
    assert top_of(Search(capped)) > 1.4  # 1 with no number but a


def test_counts_and_words_stay_as_they_are():
    search = Search(ridge)
    top_of(search)
    assert {(each["terms"], each["name"]) for each in search.looks} == {(4, "a")}
    assert START == {"terms": 4, "name": "a", "a": 1.0, "b": 1.0, "place": {"c": 2.0}}


def test_a_flat_score_is_left_soon():
    search = Search(lambda *_: -3.0)
    assert top_of(search) == -3.0
    assert len(search.looks) < 20


@pytest.mark.parametrize("frozen", [False, True])
def test_every_cell_is_ascended_once_and_again_where_it_became_better(frozen):
    search = Search(capped)
    search.frozen = frozen
    ascents = Ascents(search)
    assert not ascents.look()
    search.population.add(search.look(START), START, "noise")
    rounds = 0
    while ascents.look():
        rounds += 1
    assert rounds < 200
    assert (rounds > 5) is not frozen
    assert not ascents.look()
    search.population.add(5.0, {**START, "a": 1e9}, "noise")
    assert ascents.look() is not frozen


def test_a_top_between_two_steps_is_found():
    # .24 decades away in two numbers: a first step of half a decade is too far in either
    top = top_of(Search(lambda a, b, c: -20 * ((a - 0.24) ** 2 + (b + 0.24) ** 2)))
    assert top > -0.6 > -2.3


def test_a_sweep_moves_whole_and_constants_stay():
    search = Search(lambda *_: -3.0)
    run = {
        "problem": {"name": "quadratic", "L": 1.0},
        "topology": {"name": "ring"},
        "clients": 2,
        "rounds": 3,
        "sweep": {"parameter": "algorithm.eta", "values": [0.1, 0.2]},
        "constants": {"L": 2.0},
        "a": 1.0,
        "b": 1.0,
        "place": {"c": 2.0},
    }
    top_of(search, run)
    assert len(search.looks) > 5
    swept = [made["sweep"]["values"] for made in search.looks]
    assert any(values != [0.1, 0.2] for values in swept)
    assert all(more == pytest.approx(2 * less) for less, more in swept)
    assert all(made["constants"] == run["constants"] for made in search.looks)
