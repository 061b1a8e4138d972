from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theorylab.strategies import (
    column_stochastic,
    doubly_stochastic,
    metropolis,
    periodic_sequences,
    to_csr,
)
from theorylab.topologies import check_column_stochastic, unreachable


def columns(P):
    return [sum(row[j] for row in P) for j in range(len(P))]


def rows(P):
    return [sum(row) for row in P]


@given(column_stochastic(exact=True))
def test_columns_sum_to_one_exactly_with_every_self_loop(P):
    assert columns(P) == [1] * len(P)
    assert all(P[i][i] > 0 for i in range(len(P)))
    assert all(isinstance(v, Fraction) and v >= 0 for row in P for v in row)
    assert unreachable(to_csr(P)) is None


@given(column_stochastic(exact=True, connected=False, self_loops=False))
def test_without_the_promises_columns_still_sum_to_one(P):
    assert columns(P) == [1] * len(P)


def test_without_the_promises_they_are_broken_by_some_draw(searched):
    loose = column_stochastic(4, exact=True, connected=False, self_loops=False)
    assert searched(loose, lambda P: unreachable(to_csr(P)) is not None)
    assert searched(loose, lambda P: any(P[i][i] == 0 for i in range(4)))
    assert searched(column_stochastic(3, exact=True), lambda P: len(set(rows(P))) == 3)


@given(st.one_of(doubly_stochastic(exact=True), metropolis(exact=True)))
def test_doubly_stochastic_is_exact_in_rows_and_columns(P):
    assert rows(P) == columns(P) == [1] * len(P)
    assert all(P[i][i] > 0 for i in range(len(P)))
    assert unreachable(to_csr(P)) is None


@given(metropolis(exact=True))
def test_metropolis_is_symmetric(P):
    assert all(P[i][j] == P[j][i] for i in range(len(P)) for j in range(len(P)))


def test_some_birkhoff_draw_is_not_symmetric(searched):
    P = searched(doubly_stochastic(3, exact=True), lambda P: P[0][1] != P[1][0])
    assert rows(P) == [1, 1, 1]


@given(st.one_of(column_stochastic(), doubly_stochastic(), metropolis()))
def test_floats_pass_the_check_of_every_mixing_matrix(P):
    check_column_stochastic(P, "drawn")
    assert P.has_sorted_indices
    assert np.all(P.data > 0)  # no stored zeros


@given(column_stochastic(exact=True))
def test_a_float_is_its_fraction_rounded_once(P):
    made = to_csr(P).toarray()
    assert all(made[i, j] == float(v) for i, row in enumerate(P) for j, v in enumerate(row))


@given(st.integers(1, 4), st.integers(1, 3), st.data())
def test_a_periodic_sequence_repeats_what_it_was_given(n, period, data):
    kind = data.draw(st.sampled_from(["column", "doubly", "metropolis"]))
    made = data.draw(periodic_sequences(n, period=period, matrices=kind))
    assert (made.clients, made.period) == (n, period)
    for t in range(2 * period):
        P = made.matrix(t)
        assert np.array_equal(P.toarray(), made.matrix(t + period).toarray())
        assert made.exact[t % period] == [[Fraction(v) for v in r] for r in P.toarray().tolist()]
        if kind != "column":
            assert np.abs(P.sum(axis=1) - 1).max() <= n * np.finfo(float).eps


def test_phases_may_differ(searched):
    made = searched(
        periodic_sequences(3, period=2),
        lambda s: (s.matrix(0).toarray() != s.matrix(1).toarray()).any(),
    )
    assert made.period == 2


def test_matrices_shrink_to_the_plain_ring(smallest):
    P = smallest(column_stochastic(exact=True), lambda P: len(P) >= 3)
    half = Fraction(1, 2)
    assert [[half, 0, half], [half, half, 0], [0, half, half]] == P


def test_an_unknown_kind_of_matrix_is_named(searched):
    with pytest.raises(ValueError, match="matrices is 'row'; need one of column, doubly"):
        searched(periodic_sequences(2, matrices="row"), lambda s: True)
