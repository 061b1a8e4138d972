"""The largest norms of a stack are those of exact matrices, to the rounding that is promised."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb_mat, ctx

from theorylab import _core
from theorylab.kernels._matrix_norms import largest_norms


def promised(n):
    return n**2 * 2.0**-53 + 2.0**-51


def exact_square(M):
    """||M||_2^2: the largest eigenvalue of M M^T, in balls."""
    with ctx.workprec(400):
        A = arb_mat(M.tolist())
        middle = (A * A.transpose()).mid()  # what products of float64 at 400 bits leave is 2^-300
        ends = [(float(v.real.lower()), float(v.real.upper())) for v in middle.eig(multiple=True)]
    return max(ends, key=lambda end: end[1])


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 9, 17])
@pytest.mark.parametrize("scale", [1.0, 1e-240, 1e240])
def test_the_two_norm_is_that_of_balls(n, scale):
    M = np.random.default_rng(n).standard_normal((3, n, n))
    expected = np.sqrt(max(exact_square(each)[1] for each in M))
    assert largest_norms(M * scale)[1] == pytest.approx(expected * scale, rel=promised(n) + 1e-15)


@pytest.mark.parametrize("gap", [0.0, 1e-14, 1e-9, 1e-3, 1.0])
@pytest.mark.parametrize("largest", [1, 2, 7])
def test_equal_and_nearly_equal_singular_values_are_told_apart(gap, largest):
    values = np.array([3.0] * largest + [3.0 * (1 - gap)] * (12 - largest))
    M = np.diag(values)[np.random.default_rng(5).permutation(12)]  # its entries are exact
    assert largest_norms(M[None])[1] == pytest.approx(3, rel=promised(12))


@pytest.mark.parametrize("n", [5, 8, 40, 131])
def test_the_row_norm_is_the_largest_sum(n):
    M = np.random.default_rng(n).standard_normal((4, n, n))
    row, two = largest_norms(M, np.inf)
    sums = [sum(map(abs, map(Fraction, line))) for line in M.reshape(-1, n).tolist()]
    assert row == pytest.approx(float(max(sums)), rel=n * 2.0**-53)
    assert two == np.inf


def test_one_of_many_counts_and_what_is_known_is_not_looked_for():
    turn = np.array([[1, 1], [1, -1]]) / np.sqrt(2)  # the bounds of the many are larger
    M = np.array([turn] * 40 + [np.diag([1.25, 0.0])])
    assert largest_norms(M)[1] == pytest.approx(1.25, rel=promised(2))
    assert largest_norms(M, 1.5)[1] == 1.5
    assert largest_norms(M * 1e-200, 1.5)[1] == 1.5
    assert largest_norms(M, np.nextafter(1.25, 0))[1] == pytest.approx(1.25, rel=promised(2))


def test_instruction_sets_agree_to_the_bit_and_a_stack_with_its_parts():
    M = np.random.default_rng(2).standard_normal((30, 11, 11))
    isa, told = _core.isa(), set()
    try:
        for name in _core.usable_isas().split(", "):
            _core.use_isa(name)
            told.add(largest_norms(M))
            each = [largest_norms(M[k : k + 1]) for k in range(len(M))]
            told.add(tuple(max(sizes) for sizes in zip(*each, strict=True)))
    finally:
        _core.use_isa(isa)
    assert len(told) == 1


@pytest.mark.parametrize("entry", [np.inf, -np.inf, np.nan])
def test_what_is_not_finite_has_no_finite_norm(entry):
    M = np.ones((2, 3, 3))
    M[1, 2, 0] = entry
    assert not np.isfinite(largest_norms(M)).any()


def test_nothing_but_zeros_has_the_norm_0():
    assert largest_norms(np.zeros((2, 3, 3))) == (0, 0)
    assert largest_norms(np.zeros((0, 3, 3)), 2.0) == (0, 2)


@pytest.mark.parametrize(
    ("M", "known", "text"),
    [(np.ones((2, 3)), 0, "shape"), (np.ones((2, 3, 2)), 0, "shape"), (np.ones((2, 0, 0)), 0, "sh"),
     (np.ones((2, 3, 3)), -1, "known"), (np.ones((2, 3, 3)), np.nan, "known")],
)  # fmt: skip
def test_bad_input_is_refused(M, known, text):
    with pytest.raises(ValueError, match=text):
        largest_norms(M, known)


def test_no_array_is_converted():
    for M in (np.ones((1, 2, 2), np.float32), np.ones((1, 3, 2, 2))[:, ::2][0]):
        with pytest.raises(TypeError):
            largest_norms(M)
    with pytest.raises(ValueError, match="entries"):
        _core.matrix_norms(np.ones(5), 2, 0.0)
