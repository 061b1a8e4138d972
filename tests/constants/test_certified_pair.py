import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, arb_mat, ctx
from hypothesis import given
from hypothesis import strategies as st

from theorylab.constants import _certified_pair, certified_constants
from theorylab.constants._certified_matrix import ExactSequence, above, below
from theorylab.constants._certified_norms import row_norm, two_norm
from theorylab.known import How
from theorylab.topologies import topology

SEQUENCES = [
    ("star", 5, 40, {"weights": "uniform"}),
    ("edge-list", 4, 60, {"edges": [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]]}),
    ("one-peer-exponential", 6, 12, {}),
    ("directed-ring", 4, 30, {}),
    ("random-out", 5, 9, {"degree": 1, "seed": 3}),
]


def exact(name, P):
    """P in fractions: every weight here is 1 / out-degree."""
    dense = P.toarray()
    degree = (dense > 0).sum(axis=0)
    n = len(dense)
    return [[Fraction(int(dense[i, j] > 0), int(degree[j])) for j in range(n)] for i in range(n)]


def times(A, B):
    rows, columns = range(len(A)), range(len(B[0]))
    return [[sum(a * B[k][j] for k, a in enumerate(A[i]) if a) for j in columns] for i in rows]


def products(name, n, horizon, options):
    """(t - s, M(t, s), w(t)) for all 0 <= s <= t <= horizon, in fractions."""
    sequence = topology(name, n, **options)
    P = [exact(name, sequence.matrix(t)) for t in range(horizon)]
    w = [[[Fraction(1)] for _ in range(n)]]
    for t in range(horizon):
        w.append(times(P[t], w[-1]))
    for s in range(horizon + 1):
        Phi = [[Fraction(int(i == j)) for j in range(n)] for i in range(n)]
        for t in range(s, horizon + 1):
            if t > s:
                Phi = times(P[t - 1], Phi)
            M = [[v / w[t][i][0] - Fraction(1, n) for v in Phi[i]] for i in range(n)]
            yield t - s, M, w[t]


def floats(A):
    """Correctly rounded: A is exact."""
    return np.array([[float(v) for v in row] for row in A])


@pytest.mark.parametrize(("name", "n", "horizon", "options"), SEQUENCES)
def test_delta_and_the_envelopes_hold_in_exact_fractions(name, n, horizon, options):
    known = certified_constants(topology(name, n, **options), horizon)
    assert all(k.how is How.CERTIFIED for k in known.values())
    q, C = Fraction(known["q_row"].upper), Fraction(known["C_row"].upper)
    spectral_q, spectral_C = known["q"].upper, known["C"].upper
    floor, attained, spectral = Fraction(2), Fraction(0), 0.0
    for lag, M, w in products(name, n, horizon, options):
        floor = min(floor, *(v[0] for v in w))
        row = max(sum(abs(v) for v in line) for line in M)
        assert row <= C * q**lag  # exact: no tolerance
        attained = max(attained, row / q**lag) if q or not lag else attained
        two = np.linalg.norm(floats(M), 2)
        # LAPACK: a few n eps of the norm
        assert two <= spectral_C * spectral_q**lag * (1 + 16 * n * np.finfo(float).eps)
        if spectral_q:
            spectral = max(spectral, two / spectral_q**lag)
    assert Fraction(known["delta"].lower) <= floor <= Fraction(known["delta"].upper)
    assert known["delta"].upper - known["delta"].lower <= 2 * math.ulp(1.0)
    assert Fraction(known["C_row"].lower) <= attained
    if spectral_q:
        # lags times the rounding of q^lag, and LAPACK
        slack = (horizon + 16 * n) * np.finfo(float).eps
        assert known["C"].lower <= spectral * (1 + slack)


@pytest.mark.parametrize("horizon", [1, 2])
def test_delta_looks_at_the_last_round(horizon):
    # star of 4: the hub gives 1/4 to each, a leaf half to the hub; then w(1) = (7/4, 3/4, ...)
    delta = certified_constants(topology("star", 4, weights="uniform"), horizon)["delta"]
    assert Fraction(delta.lower) <= Fraction(3, 4) <= Fraction(delta.upper)


def test_the_enclosure_of_C_is_narrow():
    for name, n, horizon, options in SEQUENCES:
        known = certified_constants(topology(name, n, **options), horizon)
        for C in (known["C"], known["C_row"]):
            # at most SETTLED = 1e-9 and its multiples (1 + e W), W <= n
            assert C.upper - C.lower <= 4 * n * 1e-9 * C.upper


def test_later_starts_are_covered_by_a_factor_and_not_forgotten(monkeypatch):
    # So that one start stands for others whose weights differ a lot: the factor has to be there.
    monkeypatch.setattr(_certified_pair, "SETTLED", 10.0)
    covered = []
    for name, n, options in (
        ("star", 5, {"weights": "uniform"}),
        ("edge-list", 4, {"edges": [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]]}),
    ):
        horizon = 12
        sequence = ExactSequence(topology(name, n, **options), 0)
        with ctx.workprec(256):
            weights = _certified_pair.Weights(sequence, horizon, 1)
            weights.settle(horizon)
            assert weights.settled == 0
            heights = _certified_pair._heights(sequence, weights, 1, horizon)["row"]
            alone = [
                row_norm(_certified_pair._debiased(product, weights.at(lag)))
                for lag, product in _certified_pair._products(sequence, 0, horizon)
            ]
        for lag, M, _ in products(name, n, horizon, options):
            row = max(sum(abs(v) for v in line) for line in M)
            assert row <= Fraction(above(heights.ends[lag][1]))
            covered.append(row > Fraction(above(alone[lag])))
    assert any(covered)  # without the factor it would be too small


@given(st.fractions(max_denominator=10**25), st.fractions(0, 1, max_denominator=10**12))
def test_floats_are_rounded_outwards(middle, radius):
    with ctx.workprec(200):
        ball = arb(middle.numerator) / middle.denominator
        ball = ball + arb(0, float(radius))
        low, high = below(ball), above(ball)
    # arb(m, r) holds m - r and m + r of the exact float64 radius
    assert Fraction(low) <= middle - Fraction(float(radius))
    assert Fraction(high) >= middle + Fraction(float(radius))
    if not radius:
        assert high <= math.nextafter(math.nextafter(low, math.inf), math.inf)


def test_numbers_below_float64_round_to_the_two_sides_of_zero():
    tiny = arb(2) ** -(10**9)
    assert (below(tiny), above(tiny)) == (0.0, 5e-324)
    assert (below(-tiny), above(-tiny)) == (-5e-324, 0.0)


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_the_two_norm_encloses_the_largest_singular_value(n):
    A = np.random.default_rng(n).standard_normal((n, n))
    with ctx.workprec(200):
        low, high = two_norm(arb_mat(A.tolist()))
    with mpmath.workdps(40):
        exact_A = mpmath.matrix(A.tolist())
        true = mpmath.sqrt(max(mpmath.eigsy(exact_A.T * exact_A, eigvals_only=True)))
        slack = mpmath.mpf(10) ** -30 * true
        assert mpmath.mpf(below(low)) - slack <= true <= mpmath.mpf(above(high)) + slack
        # V from LAPACK: n^2 entries of B off its diagonal, each some n eps
        assert above(high) - below(low) <= float(true) * 16 * n**2 * np.finfo(float).eps


def test_wrong_eigenvectors_make_the_two_norm_wide_but_not_wrong(monkeypatch):
    A = np.diag([3.0, 2.0, 1.0])
    turned = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0]
    monkeypatch.setattr(np.linalg, "eigh", lambda S: (None, turned))
    with ctx.workprec(200):
        low, high = two_norm(arb_mat(A.tolist()))
    assert below(low) < 3 < above(high)
