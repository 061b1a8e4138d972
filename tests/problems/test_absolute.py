"""Weighted absolute values against fractions."""

from fractions import Fraction

import numpy as np

from theorylab.algorithms import SGP
from theorylab.falsify.moves import anywhere
from theorylab.problems import PROBLEMS, minimiser, minimiser_off, problem
from theorylab.runs import simulate
from theorylab.topologies import topology

CENTERS, WEIGHT = [0, 1, 5], [1, 2, 4]
POINTS = [Fraction(k, 4) for k in range(-16, 25)]  # the kinks among them


def absolute(weight=WEIGHT, centers=CENTERS):
    return problem("absolute", len(centers), centers=[[float(c)] for c in centers],
                   weight=list(map(float, weight)))  # fmt: skip


def test_losses_and_subgradients_are_the_fractions_that_they_are():
    p = absolute()
    x = np.tile(np.array(POINTS, float)[:, None, None], (1, 3, 1))
    losses, slopes = p.loss(x), p.gradient(x)[..., 0]
    for k, at in enumerate(POINTS):
        for i, (c, w) in enumerate(zip(CENTERS, WEIGHT, strict=True)):
            assert losses[k, i] == w * abs(at - c)
            assert slopes[k, i] == w * ((at > c) - (at < c))
    known = p.constants()
    assert known["L"].value == np.inf
    assert p.subgradient in known["L"].source
    assert (known["mu"].value, 4 <= known["B"].value < 4.01) == (0, True)


def test_weighted_medians_are_the_minimisers_and_two_of_them_are_none():
    p = absolute()
    star = p.constants()["f_star"]
    least = min(Fraction(sum(w * abs(b - c) for c, w in zip(CENTERS, WEIGHT, strict=True)), 3)
                for b in CENTERS)  # fmt: skip
    assert (minimiser(p).tolist(), minimiser_off(p)) == ([5.0], 0.0)
    assert star.lower <= least <= star.upper < star.lower + 1e-13
    many = absolute([1, 1], [0, 3])  # all of [0, 3]
    assert many.constants()["f_star"].lower <= Fraction(3, 2) <= many.constants()["f_star"].upper
    assert minimiser(many) is None
    assert minimiser(absolute([1, 1, 1], [0, 2, 2])).tolist() == [2.0]
    assert minimiser(absolute([1, 1], [2, 2])).tolist() == [2.0]


def test_a_run_goes_on_at_a_kink_and_a_search_begins_with_no_loss_of_this_kind():
    p = problem("absolute", 1, centers=[[1.0]])
    run = simulate(p, topology("complete", 1), SGP(0.5), rounds=4, runs=1, x0=2.0)
    assert run.final_x.item() == 1.0
    names = {"absolute", "hinge", "max-affine"}
    assert not names & {options["name"] for options in anywhere()}
    assert not any([*PROBLEMS[name].moves.starts(2, False)] for name in names)
