"""The pool keeps the best of all, and the best of every structure and term."""

import numpy as np

from theorylab.falsify.population import KEPT, Population, structure


def instance(name, k=0.0, **more):
    return {"problem": {"name": name, "k": k}, "topology": {"name": "ring"}, "clients": 2, **more}


def test_instances_tight_in_one_term_do_not_crowd_out_the_others():
    pool = Population()
    assert pool.add(-9.0, instance("quadratic"), "noise")
    for k in range(3 * KEPT):
        pool.add(-1.0 - k / 100, instance("quadratic", float(k)), "drift")
    assert len(pool.best) == KEPT
    assert all(member.cell[0] == "drift" for member in pool.best)
    assert [member.score for member in pool.ranked()] == [-1.0, -9.0]
    draw = np.random.Generator(np.random.Philox(0))
    drawn = [pool.drawn(draw) for _ in range(200)]
    assert drawn.count(instance("quadratic")) > 5


def test_the_best_of_every_term_comes_before_the_second_of_any():
    pool = Population()
    for score, name, term in ((-1, "a", "x"), (-2, "b", "x"), (-3, "c", "y"), (-4, "d", "x")):
        pool.add(score, instance(name), term)
    assert [member.score for member in pool.ranked()] == [-1, -3, -2, -4]


def test_a_cell_keeps_its_best():
    pool = Population()
    assert pool.add(-2.0, instance("a", 1.0), "x")
    assert not pool.add(-3.0, instance("a", 2.0), "x")
    assert pool.add(-1.0, instance("a", 3.0), "x")
    assert len(pool.ranked()) == 1


def test_an_empty_pool_has_no_parent():
    assert Population().drawn(np.random.Generator(np.random.Philox(0))) is None


def test_structure_is_all_but_the_numbers():
    plain = instance("a")
    assert structure(plain) == structure(instance("a", 5.0))
    for other in (
        instance("b"),
        {**plain, "topology": {"name": "star"}},
        {**plain, "clients": 1},
        {**plain, "x0": [[0.0], [1.0]]},
        {**plain, "problem": {"name": "a", "sigma": 1.0}},
        {**plain, "law": "enumerated"},
    ):
        assert structure(plain) != structure(other)


def test_the_best_of_every_word_of_the_algorithm_comes_before_the_second_of_any():
    pool = Population()
    for score, name, batch in ((-1, "a", "step"), (-2, "b", "step"), (-3, "c", "round")):
        pool.add(score, instance(name, algorithm={"batch": batch}), "x")
    assert [member.score for member in pool.ranked()] == [-1, -3, -2]
