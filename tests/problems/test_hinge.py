"""The hinge loss against fractions: values, the side taken at a margin of 1, minima at kinks."""

from fractions import Fraction

import numpy as np
import pytest

from theorylab.problems import minimiser, minimiser_off, problem

ROWS = [[2, 1], [-1, Fraction(1, 2)]]  # of two clients, d = 1
POINTS = [Fraction(k, 4) for k in range(-16, 25)]  # the kinks among them


def hinge(reg=Fraction(1, 4)):
    rows = [[[float(a)] for a in client] for client in ROWS]
    return problem("hinge", 2, rows=rows, reg=float(reg))


def test_losses_and_subgradients_are_the_fractions_that_they_are():
    p = hinge()
    x = np.tile(np.array(POINTS, float)[:, None, None], (1, 2, 1))
    losses, slopes = p.loss(x), p.gradient(x)[..., 0]
    for k, at in enumerate(POINTS):
        for i, rows in enumerate(ROWS):
            loss = sum(max(Fraction(0), 1 - a * at) for a in rows) / 2 + at * at / 8
            slope = at / 4 - sum(Fraction(a) for a in rows if a * at < 1) / 2
            assert (Fraction(losses[k, i]), Fraction(slopes[k, i])) == (loss, slope)
    known = p.constants()
    assert (known["L"].value, known["mu"].value, known["B"].value) == (np.inf, 0.25, np.inf)
    assert p.subgradient in known["L"].source


@pytest.mark.parametrize("reg", [Fraction(1, 4), Fraction(2), Fraction(1, 8)])
def test_the_minimum_is_at_a_kink_or_where_a_piece_is_level(reg):
    def value(x):
        return sum(max(Fraction(0), 1 - a * x) for row in ROWS for a in row) / 4 + reg * x * x / 2

    flat = [row for client in ROWS for row in client]
    places = [1 / Fraction(a) for a in flat]
    for mask in range(16):  # r x = mean of the rows that count
        places.append(sum(Fraction(a) for k, a in enumerate(flat) if mask >> k & 1) / 4 / reg)
    least, best = min((value(x), x) for x in places)
    p = hinge(reg)
    star = p.constants()["f_star"]
    assert star.lower <= least <= star.upper < star.lower + 1e-12
    assert abs(Fraction(minimiser(p)[0]) - best) <= minimiser_off(p) < 2e-6


def test_without_a_regulariser_it_has_a_floor_alone():
    p = hinge(Fraction(0))
    assert (p.constants()["f_star"].value, minimiser(p)) == (0.0, None)
    assert 1.5 <= p.constants()["B"].value < 1.51
