"""The norms of the debiased products against 60 digits."""

from itertools import pairwise

import mpmath
import numpy as np
import pytest
from scipy.sparse import csr_array

from theorylab.constants import _lag_norms, _products, _weight_table
from theorylab.constants._products import WeightTable, norms_by_lag
from theorylab.kernels import Mixing, get_threads, set_threads
from theorylab.kernels._lag_sums import COLUMNS, lag_sums
from theorylab.topologies import topology

EDGES = [[i, (i + 1) % 8] for i in range(8)] + [[0, 4], [0, 2], [3, 6]]


def test_norms_far_below_float_spacing_are_right_to_ten_digits(monkeypatch):
    monkeypatch.setattr(_weight_table, "SETTLED", 0.0)  # no start stands for another
    built, horizon, lag = topology("edge-list", 8, edges=EDGES), 400, 300
    lags = norms_by_lag(built, WeightTable(built, horizon, 0), horizon)
    with mpmath.workdps(80):
        A = mpmath.matrix(8, 8)
        P = built.matrix(0).toarray()
        for j in range(8):
            out = int(np.count_nonzero(P[:, j]))
            for i in range(8):
                A[i, j] = mpmath.mpf(int(P[i, j] > 0)) / out
        Phi, w = A**lag, mpmath.matrix([1] * 8)
        largest = mpmath.mpf(0)
        for t in range(horizon + 1):
            if t >= lag:
                for i in range(8):
                    row = [abs(Phi[i, j] / w[i] - mpmath.mpf(1) / 8) for j in range(8)]
                    largest = max(largest, mpmath.fsum(row))
            w = A * w
        assert largest < 1e-30  # products kept whole lose this: 1e-16 is their floor
        computed = lags.largest["row"][lag]
        assert abs(computed / largest - 1) < 1e-10
        # and within what `error` claims for the pair of this instance
        assert abs(computed / largest - 1) < lags.pairs("row", lags.largest["row"]).error(
            3.16, 0.7789
        )


def test_what_rounding_may_do_is_said_not_ignored():
    built = topology("ring", 4)
    lags = norms_by_lag(built, WeightTable(built, 10, 0), 10)
    pairs = lags.pairs("row", lags.largest["row"])
    assert 0 < pairs.error(2.0, 0.9) < 1e-10
    assert pairs.error(2.0, 1e-16) == np.inf


def test_weights_settle_and_later_starts_are_left_out():
    table = WeightTable(topology("edge-list", 8, edges=EDGES), 12_000, 0)
    assert 50 < table.settled < 300
    assert WeightTable(topology("ring", 8), 500, 0).settled == 0
    assert WeightTable(topology("random-out", 8), 50, 0).settled == 50


def test_the_contraction_is_that_of_the_mean_free_row_stochastic_products(monkeypatch):
    monkeypatch.setattr(_weight_table, "SETTLED", 0.0)  # no start stands for another
    monkeypatch.setattr(_products, "VANISHED", 1e-2)
    monkeypatch.setattr(_products, "DECAYED", 1e-2)
    built, n, horizon = topology("edge-list", 8, edges=EDGES), 8, 60
    lags = norms_by_lag(built, WeightTable(built, horizon, 0), horizon)
    H = len(lags.largest["row"]) - 1
    assert 3 < H < 40
    P, w = built.matrix(0).toarray(), [np.ones(n)]
    for _ in range(horizon):
        w.append(P @ w[-1])
    expected = {"row": 0.0, "spectral": 0.0}
    for s in range(horizon - H + 1):
        S = np.linalg.matrix_power(P, H) * w[s] / w[s + H][:, None]
        N = S - w[s] / n  # S 1 = 1 and w(s) is what S keeps
        expected["row"] = max(expected["row"], np.abs(N).sum(axis=1).max())
        expected["spectral"] = max(expected["spectral"], np.linalg.norm(N, 2))
    for norm, value in expected.items():
        # this oracle subtracts numbers near 1: 50 operations on each, against N of 1e-2
        assert abs(lags.contraction[norm] - value) < 50 * np.finfo(float).eps


def test_the_two_norm_is_found_behind_many_matrices_with_a_larger_bound():
    turn = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]) / 2
    large = np.zeros((4, 4))
    large[0, 0] = 1.5  # 2-norm 1.5; the 40 others have 2-norm 1 and the bound 2
    norms = _lag_norms.norms(np.array([turn] * 40 + [large]), 0.0)
    assert abs(norms["spectral"] - 1.5) < 1e-14
    assert abs(norms["row"] - 2) < 1e-14


@pytest.mark.parametrize("name", ["random-out", "two-sources", "directed-ring"])
def test_sums_over_a_few_columns_give_the_norms_of_whole_matrices(monkeypatch, name):
    built, horizon = topology(name, 40), 12
    whole = norms_by_lag(built, WeightTable(built, horizon, 0), horizon)
    monkeypatch.setattr(_products, "EXACT", 4)
    parts = norms_by_lag(built, WeightTable(built, horizon, 0), horizon)
    room = 40**2 * np.finfo(float).eps
    for norm in ("row", "entry"):
        np.testing.assert_allclose(parts.largest[norm], whole.largest[norm], rtol=room)
        assert parts.contraction[norm] == pytest.approx(whole.contraction[norm], rel=room)
    n_inf, two = parts.largest["row"], whole.largest["spectral"]
    assert np.all(two <= parts.largest["spectral"] * (1 + room))  # a bound, from the same sums:
    assert np.all(parts.largest["spectral"] <= np.sqrt(40) * np.minimum(two, n_inf) * (1 + room))


def test_the_sums_bound_the_two_norm_by_frobenius_and_by_rows_and_columns():
    draw = np.random.default_rng(3)
    for size in (1.0, 2.0**-600):  # whose squares vanish
        E, here, before = size * draw.normal(size=(9, 9)), *draw.uniform(0.5, 2, size=(2, 9))
        blocks = np.pad(E, ((0, 0), (0, 2 * COLUMNS - 9))).reshape(9, 2, -1).swapaxes(0, 1).copy()
        sums = lag_sums(None, blocks, here, before, 1 / size)
        found = _lag_norms.Sums(sums, before, 1 / size)
        M = E / here[:, None]
        for A, norms in ((M, found.of_M(0.0)), (M * before, found.of_N(0.0))):
            absolute = np.abs(A / size)
            ends = np.sqrt(absolute.sum(axis=0).max() * absolute.sum(axis=1).max())
            expected = min(np.sqrt((absolute**2).sum()), ends) * size
            assert norms["spectral"] == pytest.approx(expected, rel=1e-11)
            assert norms["row"] == pytest.approx(absolute.sum(axis=1).max() * size, rel=1e-14)
        assert found.entry() == np.abs(E).max()
        assert found.row() == pytest.approx(np.abs(E).sum(axis=1).max(), rel=1e-14)
        assert found.column() == pytest.approx(np.abs(E).sum(axis=0).max(), rel=1e-14)


@pytest.mark.filterwarnings("error")
def test_what_is_left_of_a_product_has_a_two_norm_down_to_denormal_numbers():
    n = 7
    nearly = Mixing(csr_array(np.full((n, n), (1 - 1e-15) / n) + 1e-15 * np.eye(n)))
    still = Mixing(csr_array(np.eye(n)))
    table = WeightTable(topology("complete", n), 30, 0)
    lags = list(_lag_norms.summed([nearly] * 21 + [still] * 9, table, 0, 30, two_norm=True))
    for before, sums in pairwise(lags):
        found = sums.of_M(0.0)
        assert found["row"] / np.sqrt(n) <= found["spectral"] <= np.sqrt(n) * found["row"]
        assert sums.entry() <= before.entry()
    assert 0 < lags[-1].entry() < 1e-308


def test_the_number_of_threads_is_what_it_was():
    before = get_threads()
    set_threads(3)
    try:
        built = topology("random-out", 150, degree=3)
        norms_by_lag(built, WeightTable(built, 6, 0), 6)
        assert get_threads() == 3
    finally:
        set_threads(before)
