"""Sums over rounds as powers of one block, against the same sums in fractions."""

from fractions import Fraction

import mpmath
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from theorylab.experiments._deprl_moments import Block

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


@settings(deadline=None)
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
    room = found.room(rounds, 1, block.memory(rounds))
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
    once = found.room(1, 1, 0.0)
    assert once < gap <= found.room(rounds, 1, block.memory(rounds))


def test_memory_is_at_least_the_sum_of_the_norms_of_the_powers():
    random = np.random.Generator(np.random.Philox(3))
    for scale in (0.2, 0.9, 1.0):
        for _ in range(20):
            B = random.standard_normal((3, 3))
            B *= scale / np.abs(np.linalg.eigvals(B)).max()
            A = np.block([[B, np.ones((3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]])
            block = Block.of(A, np.zeros_like(A), np.eye(4), 0.0)
            for rounds in (1, 2, 7, 64):
                powers = [np.linalg.norm(np.linalg.matrix_power(B, k), 2) for k in range(rounds)]
                # capped where the powers stay bounded by 1 on average
                assert block.memory(rounds) >= min(sum(powers), rounds) * (1 - 1e-12)
    still = Block.of(np.eye(4), np.zeros((4, 4)), np.eye(4), 0.0)
    assert still.memory(1000) == 1000
    halved = Block.of(np.diag([0.5, 0.5, 0.5, 1.0]), np.zeros((4, 4)), np.eye(4), 0.0)
    assert 2 - 1e-12 <= halved.memory(10**9) <= 2
