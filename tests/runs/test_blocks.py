"""Sums over rounds as powers of one block, against the same sums in fractions."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theorylab.runs.blocks import Block

N = 3
SPREAD = [[Fraction(int(i == j)) - Fraction(1, N) for j in range(N)] for i in range(N)]
EQUAL = [[Fraction(1, N)] * N for _ in range(N)]
LAZY = [[Fraction(1, 2) + Fraction(1, 6) if i == j else Fraction(1, 6) for j in range(N)]
        for i in range(N)]  # fmt: skip
thirds = st.integers(-9, 9).map(lambda k: Fraction(k, 3))


def product(A, y):
    return [sum(a * b for a, b in zip(row, y, strict=True)) for row in A]


def floats(A):
    return np.array([[float(entry) for entry in row] for row in A])


@given(
    P=st.sampled_from([EQUAL, LAZY]),
    rate=st.sampled_from([Fraction(1, 7000), Fraction(1, 3), Fraction(5, 3)]),
    center=st.sampled_from([Fraction(0), Fraction(3), Fraction(10**9, 3)]),
    start=st.lists(thirds, min_size=N, max_size=N),
    measured=st.sampled_from(["spread", "gradient"]),
    rounds=st.integers(1, 300),
)
def test_a_sum_is_right_to_its_room_also_where_everything_cancels(
    P, rate, center, start, measured, rounds
):
    # x <- P (x - rate (x - center)), with y = (x, 1)
    A = [[(1 - rate) * p for p in row] + [rate * center * sum(row)] for row in P]
    A.append([Fraction(0)] * N + [Fraction(1)])
    if measured == "spread":
        D = [[*row, Fraction(0)] for row in SPREAD]
    else:
        D = [[Fraction(int(i == j)) for j in range(N)] + [-center] for i in range(N)]
    y, exact = [*start, Fraction(1)], Fraction(0)
    for _ in range(rounds):
        exact += sum(d * d for d in product(D, y))
        y = product(A, y)
    far = floats(D)
    block = Block.of(floats(A), np.zeros((N + 1, N + 1)), far.T @ far, 0.0)
    found = block.times(rounds).value(np.array([float(v) for v in [*start, Fraction(1)]]))
    room = found.room(rounds, 1, block.times(rounds).echo(block))
    assert abs(Fraction(found.value) - exact) <= Fraction(room)
    # and no wider than some rounds' worth of rounding of the squares of what is subtracted
    largest = max(*map(abs, start), center, 1)
    assert room <= 1e-10 * rounds * float(largest) ** 2


def test_a_slow_mode_carries_its_rounding_as_long_as_it_remembers():
    # x <- x - rate (x - 1) from 2: sum of (1 - rate)^(2t), t < T; 1 - rate is off by 2^-54 or less
    rounds, rate = 4_000_000, 1e-7
    A = np.array([[1 - rate, rate], [0.0, 1.0]])
    D = np.array([[1.0, -1.0]])
    block = Block.of(A, np.zeros((2, 2)), D.T @ D, 0.0)
    found = block.times(rounds).value(np.array([2.0, 1.0]))
    with mpmath.workdps(60):
        kept = (1 - mpmath.mpf(rate)) ** 2
        exact = (1 - kept**rounds) / (1 - kept)
        gap = abs(found.value - exact)
    once = found.room(1, 1, 1.0)
    assert once < gap <= found.room(rounds, 1, block.times(rounds).echo(block))


def test_the_echo_of_a_form_is_how_long_it_sees_what_was_added():
    none = np.zeros((4, 4))
    halved = Block.of(np.diag([0.5, 0.5, 0.5, 1.0]), none, np.eye(4), 0.0)
    assert halved.times(10**9).echo(halved) == pytest.approx(4 / 3, rel=1e-14)
    # the mean stays for ever, but a spread does not see it
    lazy = np.block([[floats(LAZY), np.zeros((3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]])
    D = floats([[*row, Fraction(0)] for row in SPREAD])
    apart = Block.of(lazy, none, D.T @ D, 0.0)
    assert apart.times(10**6).echo(apart) == pytest.approx(4 / 3, rel=1e-9)  # second eigenvalue 1/2
    mean = np.array([[1 / 3, 1 / 3, 1 / 3, 0.0]])
    seen = Block.of(lazy, none, mean.T @ mean, 0.0)
    assert seen.times(1000).echo(seen) == pytest.approx(1000, rel=1e-9)
