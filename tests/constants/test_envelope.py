import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from theorylab.constants._certified_matrix import exact_matrix
from theorylab.constants._envelope import _PASSES, hull, smallest_envelope
from theorylab.constants._powers import Powers
from theorylab.constants._recurrence import Recurrence
from theorylab.constants._slow import SlowEnvelope

heights = st.lists(st.floats(1e-6, 10), min_size=2, max_size=12)


@given(heights, st.floats(0, 0.9), st.integers(0, 1))
def test_no_q_on_a_fine_grid_does_better(values, q_min, first):
    m = np.array(values)
    lags = np.arange(first, first + len(m), dtype=float)
    C, q = smallest_envelope(lags, m, q_min)
    assert q_min <= q < 1
    assert np.all(m <= C * q**lags * (1 + 1e-13))  # 12 powers and a logarithm, each to 1e-15
    grid = np.linspace(max(q_min, 1e-9), 1, 20_000, endpoint=False)
    best = ((m / grid[:, None] ** lags).max(axis=1) / (1 - grid)).min()
    assert C / (1 - q) <= best * (1 + 1e-12)


def test_a_geometric_sequence_is_its_own_envelope():
    lags = np.arange(50.0)
    C, q = smallest_envelope(lags, 3 * 0.8**lags)
    assert abs(q - 0.8) < 1e-12
    assert abs(C - 3) < 1e-10


def test_one_lag_alone_is_balanced_at_l_over_l_plus_one():
    C, q = smallest_envelope(np.array([3.0]), np.array([2.0]))
    assert q == 3 / 4  # d/dq of q^-3 / (1 - q)
    assert abs(C - 2 / (3 / 4) ** 3) < 1e-14


def test_nothing_beyond_lag_zero_needs_no_q():
    assert smallest_envelope(np.arange(3.0), np.array([2.0, 0, 0])) == (2.0, 0.0)
    assert smallest_envelope(np.arange(3.0), np.zeros(3)) == (0.0, 0.0)
    assert smallest_envelope(np.arange(3.0), np.array([2.0, 0, 0]), 0.5) == (2.0, 0.5)


@given(st.lists(st.floats(-30, 30), min_size=1, max_size=60), st.booleans())
def test_a_hull_has_no_point_above_it_and_bends_down_at_every_corner(logs, bent):
    lags = np.arange(len(logs), dtype=float)
    y = np.array(logs) - (0.5 * lags**2 if bent else 0.0)
    x, tops = hull(lags, np.exp(y))
    assert x[0] == 0
    assert x[-1] == lags[-1]
    assert np.all(np.log(np.exp(y)) <= np.interp(lags, x, tops) + 1e-9)
    slopes = np.diff(tops) / np.diff(x)
    assert np.all(np.diff(slopes) <= 1e-12 * (1 + np.abs(slopes[1:])))


def test_a_hull_that_is_peeled_slowly_ends_one_by_one():
    # every pass over all points finds one more that is none of its corners
    lags = np.arange(4.0 * _PASSES)
    y = -np.sqrt(lags)
    assert list(hull(lags, np.exp(y))[0]) == [0.0, lags[-1]]
    falling = -(lags**1.5) / 100
    assert len(hull(lags, np.exp(falling))[0]) == len(lags)
    steps = np.where(lags % 2 == 0, falling, falling - 1)
    x, _ = hull(lags, np.exp(steps))
    assert set(x) <= {*lags[::2], lags[-1]}
    assert len(x) > _PASSES


def test_a_pair_does_not_depend_on_which_lags_were_asked_for_before():
    P = exact_matrix(csr_array([[0.5, 0.2, 0.1], [0.3, 0.5, 0.1], [0.2, 0.3, 0.8]]))
    first, later = (SlowEnvelope(Recurrence(Powers(P), 0.6), 3, P.rule) for _ in range(2))
    later("least")
    for norm, (C, q) in first("all").items():
        assert later("all")[norm] == (C, q)
        assert C.value > 1.3 or norm == "entry"  # M at lag 0 and pi: more than 1, which M(0, 0) has
