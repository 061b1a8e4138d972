"""Envelopes of slow and of drifting networks, against powers in fractions and in 60 digits."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.sparse import csr_array

from theorylab.constants import _powers, _slow, consensus_pairs, constants_of
from theorylab.constants._tail import Recurrent, Tail
from theorylab.known import How
from theorylab.topologies import Topology

NORMS = ("row", "spectral", "entry")


class Given(Topology):
    """The static network of one matrix."""

    name = "test-given"

    def __init__(self, P):
        self._P = csr_array(np.array(P, float))
        super().__init__(len(P), period=1, options={})

    def _build(self, t, run):
        return self._P


def two(e):
    """Two clients, gap 3 e: P^l = pi 1^T + (1 - 3 e)^l (I - pi 1^T), pi = (2/3, 1/3)."""
    return [[1 - e, 2 * e], [e, 1 - 2 * e]]


def blocks(k, e):
    """Two directed blocks of k clients whose first clients send e and 2 e to the other block."""
    P = np.zeros((2 * k, 2 * k))
    for j in range(2 * k):
        base = k * (j // k)
        receivers = {j, base + (j + 1) % k, base + (3 * j + 1) % k}
        P[list(receivers), j] = 1 / len(receivers)
    for j, share in ((0, e), (k, 2 * e)):
        P[:, j] *= 1 - share
        P[k - j, j] += share
    return P


def drift(n, up):
    """Every client sends ``up`` to the next, 1/2 to the one before, and keeps the rest."""
    P = np.diag([up] * (n - 1), -1) + np.diag([0.5] * (n - 1), 1)
    return P + np.diag(1 - P.sum(axis=0))


def resets(n):
    """Half to client 0, half to the next: the same for all after n - 1 rounds."""
    P = np.diag([0.5] * (n - 1), -1)
    P[0] += 0.5
    P[-1, -1] += 0.5
    return P


def heights(P, lags, starts):
    """norm -> lag -> largest norm of M(s + l, s) over some starts, 120 digits."""
    found = {norm: {} for norm in NORMS}
    with mpmath.workdps(120):
        n, rounds = len(P), {}
        A = mpmath.matrix([[mpmath.mpf(float(v)) for v in row] for row in P])
        for j in range(n):  # columns sum to exactly 1, as those that are judged
            largest = max(range(n), key=lambda i: A[i, j])
            A[largest, j] += 1 - mpmath.fsum(A[i, j] for i in range(n))

        def power(m):
            if m not in rounds:
                half = power(m // 2) if m > 1 else None
                rounds[m] = mpmath.eye(n) if m == 0 else A if m == 1 else half * half
                if m > 1 and m % 2:
                    rounds[m] = A * rounds[m]
            return rounds[m]

        for lag in lags:
            for norm in NORMS:
                found[norm][lag] = 0.0
            for s in starts:
                Phi = power(lag)
                at = power(s) * Phi
                w = [mpmath.fsum(at[i, j] for j in range(n)) for i in range(n)]
                E = [[Phi[i, j] - w[i] / n for j in range(n)] for i in range(n)]
                M = np.array([[float(E[i][j] / w[i]) for j in range(n)] for i in range(n)])
                sizes = {
                    "row": np.abs(M).sum(axis=1).max(),
                    "spectral": np.linalg.norm(M, 2),
                    "entry": max(abs(float(v)) for row in E for v in row),
                }
                for norm, size in sizes.items():
                    found[norm][lag] = max(found[norm][lag], size)
    return found


def check(P, lags, starts, loose=1.01):
    """The pairs lie above what was found, touch it, and no q of theirs is below |lambda_2|."""
    pairs = consensus_pairs(Given(P), 5)
    found = heights(P, lags, starts)
    second = np.sort(np.abs(np.linalg.eigvals(np.array(P, float))))[-2]
    for norm, (C, q) in pairs.items():
        assert C.how is q.how is How.UPPER
        assert C.within == q.within == ""
        assert "in balls" in C.source
        assert 1 - q.value <= (1 - second) * (1 + 1e-6)
        ratios = [size / (C.value * q.value**lag) for lag, size in found[norm].items()]
        assert max(ratios) <= 1 + 1e-12  # the rounding of this test's own powers of q
        assert max(ratios) > 1 / loose
    return pairs, second


def spread_over(last):
    """0, 1, 2, 3, ..., some of every size up to ``last``."""
    return sorted({int(v) for v in np.unique(np.round(np.geomspace(1, last, 12)))} | {0, 2, 3})


@pytest.mark.parametrize("e", [1e-3, 1e-4, 1e-7])
def test_two_clients_have_the_pair_of_their_closed_form_whatever_the_gap(e):
    pairs, _ = check(two(e), spread_over(3 / e), spread_over(3 / e))
    for _, q in pairs.values():
        assert 1 - q.value == pytest.approx(3 * e, rel=1e-3)
    # at pi, M(t, t) = diag(1/w) - 11^T/2 with w = (4/3, 2/3)
    largest = np.diag([3 / 4, 3 / 2]) - 0.5
    assert pairs["row"][0].value == pytest.approx(1.5, rel=1e-3)
    assert pairs["spectral"][0].value == pytest.approx(np.linalg.norm(largest, 2), rel=1e-3)
    assert pairs["entry"][0].value == pytest.approx(2 / 3, rel=1e-3)


@pytest.mark.parametrize("k", [3, 4])
def test_two_blocks_that_hardly_meet_have_a_pair_near_their_eigenvalue(k):
    pairs, second = check(blocks(k, 1e-5), spread_over(1e6), [0, 1, 2, 300, 10**5, 10**7])
    for _, q in pairs.values():
        assert 1 - q.value > 0.99 * (1 - second)


def test_a_negative_eigenvalue_near_minus_one_is_no_hindrance():
    e = 1e-4
    pairs, _ = check([[e, 1 - 2 * e], [1 - e, 2 * e]], spread_over(1e5), spread_over(1e5))
    for _, q in pairs.values():
        assert 1 - q.value == pytest.approx(3 * e, rel=1e-3)


def test_a_weight_that_falls_for_long_leaves_more_of_what_was_put_in_at_the_start():
    # client 4 rarely meets the others and gives them nine times what it gets: its weight falls to
    # 1/2.6 of 1, and with it rises what it holds of the others' mass, long after the last lag
    e = 1e-4
    P = np.full((5, 5), (1 - e) / 4)
    P[4, :] = e
    P[:4, 4], P[4, 4] = 9 * e / 4, 1 - 9 * e
    pairs, _ = check(P, spread_over(1e5), [0, 1, 3, 10**3, 10**7])
    assert pairs["row"][0].value > 1.2 * 2 * (1 - 1 / 5)


def test_complex_eigenvalues_leave_a_pair(monkeypatch):
    monkeypatch.setattr(_slow, "LONG", 0.0)
    wait = [0.1, 0.2, 0.4]
    P = np.diag(wait) + np.roll(np.diag(1 - np.array(wait)), 1, axis=0)
    check(P, range(60), [0, 1, 2, 3, 10, 300])


def test_the_remainder_of_the_tail_is_part_of_every_C():
    tail = Tail(7, 0.5, 2, {"row": 1e-5}, {"row": 0.71}, 0.0)
    pairs = Recurrent(np.array([0.0]), np.array([0.0]), 0.71, tail=tail, norm="row")
    for q in (0.75, 0.9):
        zeta = 1e-5 * mpmath.mpf(q) ** -7 * mpmath.mpf(q) ** 2 / (mpmath.mpf(q) ** 2 - 0.5)
        assert pairs.C(q) == pytest.approx(float(1 / (1 - zeta)), rel=2e-9)


def test_weights_that_drift_apart_by_many_powers_of_ten_leave_a_pair():
    pairs, second = check(drift(8, 0.0625), [*range(0, 30, 3), 200], [0, 1, 20, 400], loose=1.03)
    assert pairs["row"][1].value < 1.01 * second + 0.01


def test_a_network_that_averages_exactly_has_a_last_lag():
    n = 12
    pairs = consensus_pairs(Given(resets(n)), 5)
    found = heights(resets(n), range(n), [0, 1, 6, n - 2, n - 1])
    for norm, (C, q) in pairs.items():
        ratios = [size / (C.value * q.value**lag) for lag, size in found[norm].items()]
        assert 0.999 < max(ratios) <= 1 + 1e-12
        assert f"lags 0..{n - 1} computed, the last and all later ones 0" in C.source


@pytest.mark.parametrize("seed", range(4))
def test_every_pair_of_the_curve_is_an_envelope_in_fractions(monkeypatch, seed):
    monkeypatch.setattr(_slow, "LONG", 0.0)  # small networks, too, go this way
    n, last = 3 + seed % 2, 15
    draw = np.random.default_rng(seed)
    shares = draw.integers(0, 4, size=(n, n)) + np.eye(n, dtype=int)
    shares[(np.arange(n) + 1) % n, np.arange(n)] += 1  # a cycle: strongly connected
    P = [[Fraction(int(shares[i, j]), int(shares[:, j].sum())) for j in range(n)] for i in range(n)]
    powers = [[[Fraction(int(i == j)) for j in range(n)] for i in range(n)]]
    for _ in range(2 * last):
        powers.append(
            [
                [sum(P[i][k] * powers[-1][k][j] for k in range(n)) for j in range(n)]
                for i in range(n)
            ]
        )
    found = {norm: np.zeros(last + 1) for norm in NORMS}
    for lag in range(last + 1):
        for t in range(lag, 2 * last + 1):
            w = [sum(row) for row in powers[t]]
            E = [[powers[lag][i][j] - w[i] / n for j in range(n)] for i in range(n)]
            M = np.array([[float(E[i][j] / w[i]) for j in range(n)] for i in range(n)])
            sizes = {
                "row": np.abs(M).sum(axis=1).max(),
                "spectral": np.linalg.norm(M, 2),
                "entry": float(max(abs(v) for row in E for v in row)),
            }
            for norm, size in sizes.items():
                found[norm][lag] = max(found[norm][lag], size)
    for variant in ("all", "positive", "least"):
        for norm, (C, q) in consensus_pairs(Given(np.array(P, float)), 5, lags=variant).items():
            counted = found[norm].copy()
            first = int(variant == "positive")
            if variant == "least":
                counted[0] = {"row": 2 - 2 / n, "spectral": 1.0, "entry": 1 - 1 / n}[norm]
            touched = False
            for rate in [*C.pairs.rates(), q.value]:
                factor = C.pairs.C(rate) if rate != q.value else C.value
                ratio = max(counted[first:] / (factor * rate ** np.arange(first, last + 1)))
                assert ratio <= 1 + 1e-12
                touched = touched or ratio > 0.999
            assert touched


def test_delta_of_a_slow_network_is_enclosed():
    found = constants_of(np.array(two(1e-5)))["delta"]  # w_2(t) = 2/3 + (1 - 3 e)^t / 3
    assert (found.how, found.within) == (How.LOWER, "")
    assert found.lower <= 2 / 3 <= found.upper
    assert found.upper - found.lower < 1e-6


def test_work_has_a_budget_that_is_told(monkeypatch):
    monkeypatch.setattr(_powers, "WORK", 1)
    C, q = consensus_pairs(Given(blocks(4, 1e-6)), 5)["row"]
    assert C.within == "rounds 0..5"  # what is known of the rounds that were asked for
    assert q.value < 1


@pytest.mark.slow
def test_forty_clients_with_weights_of_36_powers_of_ten_have_a_pair():
    pairs, _ = check(drift(40, 1 / 16), [0, 1, 2, 20, 70], [0, 1, 40, 700], loose=1.02)
    assert math.isfinite(pairs["row"][0].value)
