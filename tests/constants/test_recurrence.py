"""What the tail of a slow network leaves open of its weights, against weights in fractions.

Two eigenvalues of three clients turn slowly, by .4 of their gap a round, so that a weight that was
looked at stays on one side of n pi, and a later one comes to the other side.
"""

from fractions import Fraction

import numpy as np
from scipy.sparse import csr_array

from theorylab.constants._certified_matrix import exact_matrix
from theorylab.constants._powers import Powers
from theorylab.constants._recurrence import Recurrence

UNIT = 2**12  # of the entries
SHARES, TURN = (24, 20, 20), 16  # of a gap 1/64
ROUNDING = Fraction(1, 2**48)  # of weights of size 1, as float64 holds them


def turning():
    """A column-stochastic matrix of three clients, all entries positive, times ``UNIT``."""
    P = [[SHARES[i] + (UNIT - 64) * (i == j) for j in range(3)] for i in range(3)]
    for j in range(3):
        P[(j + 1) % 3][j] += TURN
        P[(j - 1) % 3][j] -= TURN
    return P


def two_blocks(P, share=Fraction(1, 2**13)):
    """Two of them that exchange a share: slower than both, but alike starts do not see it."""
    part = [[share if i // 3 != j // 3 else 1 - share for j in range(6)] for i in range(6)]
    return [[part[i][j] * P[i % 3][j % 3] / UNIT for j in range(6)] for i in range(6)]


def slow_part(P, first, rounds):
    """w(t) - n pi and n pi of the three clients, in fractions, t = first, ..., first + rounds."""
    others = [((i + 1) % 3, (i + 2) % 3) for i in range(3)]
    pi = [(UNIT - P[a][a]) * (UNIT - P[b][b]) - P[a][b] * P[b][a] for a, b in others]
    level = [Fraction(3 * p, sum(pi)) for p in pi]
    assert all(sum(P[i][j] * level[j] for j in range(3)) == UNIT * level[i] for i in range(3))
    w, found = [1, 1, 1], []
    for t in range(first + rounds + 1):
        if t >= first:
            found.append([Fraction(w[i], UNIT**t) - level[i] for i in range(3)])
        w = [sum(P[i][j] * w[j] for j in range(3)) for i in range(3)]
    return found, level


def recurrence(P, second):
    return Recurrence(Powers(exact_matrix(csr_array(np.array(P, float)))), second)


def test_no_weight_is_beyond_the_ends_that_a_lag_is_looked_at_with():
    P = turning()
    norms = recurrence(np.array(P) / UNIT, 0.9999)  # a gap that the first tail has
    assert norms.tail.step == 0
    y, _ = slow_part(P, 0, 400)
    assert 2 * norms.tail.last + 4 < len(y) / 4
    for lag in (0, norms.tail.last):
        for ends, sign in zip((ends[0] for ends in norms._ends), (-1, 1), strict=True):
            end = [Fraction(float(v)) for v in ends[min(lag, len(ends) - 1)]]
            for later in y[lag:]:
                assert all(sign * (later[i] - end[i]) <= ROUNDING for i in range(3))


def test_a_later_weight_is_between_one_looked_at_and_n_pi_up_to_the_offset():
    P = turning()
    tail = recurrence(two_blocks(P), 1 - 2.0**-13).tail
    assert tail.step == 1
    y, level = slow_part(P, tail.last, 300)
    for later in y:
        for i in range(3):
            room = Fraction(tail.offset) * level[i] + ROUNDING
            assert min(y[0][i], 0) - room <= later[i] <= max(y[0][i], 0) + room
