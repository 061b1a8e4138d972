"""Ends of spectra are enclosed: characteristic polynomials in exact fractions count the roots."""

from fractions import Fraction

import numpy as np
import pytest

from theorylab.known import How
from theorylab.problems import problem


def signs_of_leading_minors(H, shift):
    """How many eigenvalues of H are below ``shift``: the negative pivots of H - shift (Sylvester),
    in exact fractions."""
    d = len(H)
    A = [[Fraction(float(H[i][j])) - (shift if i == j else 0) for j in range(d)] for i in range(d)]
    below = 0
    for k in range(d):
        assert A[k][k] != 0
        below += A[k][k] < 0
        for i in range(k + 1, d):
            share = A[i][k] / A[k][k]
            A[i] = [a - share * b for a, b in zip(A[i], A[k], strict=True)]
    return below


@pytest.mark.parametrize("seed", range(6))
def test_the_spectrum_that_was_drawn_ends_within_its_enclosure(seed):
    drawn = problem("quadratic", 1, dim=4, mu=0.1, L=2.0, seed=seed)
    found = drawn.constants()
    for name, value in (("L", 2.0), ("mu", 0.1)):
        known = found[name]
        assert (known.value, known.how) == (value, How.EXACT)
        assert known.asked == (Fraction(repr(value)),) * 2
        assert known.source.startswith("as asked for; ")
        assert known.lower <= value <= known.upper
        assert known.upper - known.lower < 1e-13
    (H,) = drawn.hessians.tolist()
    assert signs_of_leading_minors(H, Fraction(found["L"].upper)) == 4
    assert signs_of_leading_minors(H, Fraction(found["L"].lower)) == 3
    assert signs_of_leading_minors(H, Fraction(found["mu"].lower)) == 0
    assert signs_of_leading_minors(H, Fraction(found["mu"].upper)) == 1


def test_what_was_not_asked_for_is_enclosed_as_it_came_out():
    made = problem("quadratic", 3, dim=3, mu=0.1, L=2.0, seed=1)
    mu = made.constants()["mu"]  # of the mean of H, which nobody asked for
    exact = [
        [sum(Fraction(float(H[i][j])) for H in made.hessians) / 3 for j in range(3)]
        for i in range(3)
    ]
    assert mu.asked is None
    assert mu.lower < mu.value < mu.upper
    for end, below in ((mu.lower, 0), (mu.upper, 1)):
        A = [[exact[i][j] - (Fraction(end) if i == j else 0) for j in range(3)] for i in range(3)]
        assert sum(pivot < 0 for pivot in pivots(A)) == below


def pivots(A):
    found = []
    while A:
        (first, *rest) = A
        found.append(first[0])
        A = [[a - row[0] / first[0] * b for a, b in zip(row, first, strict=True)][1:]
             for row in rest]  # fmt: skip
    return found


def test_a_large_L_of_one_client_is_no_mu_in_one_dimension():
    assert problem("quadratic", 1, dim=1, mu=0.1, L=2.0).constants()["mu"].value == 2.0


def test_entries_of_diagonal_matrices_are_the_numbers_that_were_typed():
    made = problem("quadratic", 3, H=[[[0.1, 0.0], [0.0, 10.0]]] * 3, c=[[0.0, 0.0]] * 3)
    found = made.constants()
    assert found["L"].asked == (10, 10)
    assert found["mu"].asked == (Fraction(1, 10),) * 2
    assert found["L"].lower is None


def test_two_equal_eigenvalues_are_enclosed_too():
    # eigenvalues 0 (twice) and 3; H of rank one, so that vectors to 0 are arbitrary
    made = problem("quadratic", 2, H=[np.ones((3, 3)), 2 * np.eye(3)], c=np.zeros((2, 3)))
    L = made.constants()["L"]
    assert L.lower <= 3 <= L.upper
    assert L.upper - L.lower < 1e-13
