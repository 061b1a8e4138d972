"""Both sides of Lemmas 2 to 5, against exact fractions and against HGP as it runs."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from theorylab.experiments import experiment
from theorylab.experiments.pdbo._terms import recursion
from theorylab.hypergradients import hgp

PLACE = {
    "problem": {"clients": 3, "dim": 2, "hyper": 2, "noise": 0.3, "seed": 1},
    "network": {"name": "sto-d", "seed": 2},
}


def exact(rows):
    return np.array([[Fraction(int(8 * v), 8) for v in row] for row in rows], dtype=object)


def chain(matrices, first, last):
    made = exact(np.eye(len(matrices[0]) if matrices else 2))
    for m in range(first, last + 1):
        made = matrices[m] @ made
    return made


@pytest.mark.parametrize("M", [0, 1, 3])
def test_lemmas_2_to_5_hold_exactly_in_fractions(M):
    # the formulas once more, from lines 509 to 613, with exact numbers: no rounding is involved
    rng = np.random.default_rng(0)
    a, b, eye = Fraction(2, 3), Fraction(1, 5), exact(np.eye(2))
    A = [exact(rng.normal(size=(2, 2))) for _ in range(M)]
    B = [exact(rng.normal(size=(1, 2))) for _ in range(M + 1)]
    A_bar, B_bar, c = (exact(rng.normal(size=s)) for s in ((2, 2), (1, 2), (2, 1)))
    D, D_bar = [(1 - b) * eye + b * part for part in A], (1 - b) * eye + b * A_bar
    u, w, v = [c], [c], [exact(np.zeros((1, 1)))]
    for m in range(M + 1):
        v.append(a * (v[m] + B[m] @ u[m]) + (1 - a) * B[m] @ w[m])
        if m < M:
            u.append(A[m] @ u[m])
            w.append(b * (A[m] @ w[m] + c) + (1 - b) * (w[m] + u[m + 1]))

    def times(X, k):
        return chain([X] * k, 0, k - 1)

    def R1(i):
        inner = [
            times(D_bar, i - j) @ (b * eye + (1 - b) * times(A_bar, j)) for j in range(1, i + 1)
        ]
        return times(D_bar, i) + sum(inner, exact(np.zeros((2, 2))))

    def L2(i, N):
        parts = [chain(D, j, N - 1) @ chain(A, i + 1, j - 1) for j in range(i + 1, N + 1)]
        return (1 - b) * sum(parts, exact(np.zeros((2, 2))))

    inner = [chain(D, i, M - 1) @ (b * eye + (1 - b) * chain(A, 0, i - 1)) for i in range(1, M + 1)]
    assert (w[M] == (chain(D, 0, M - 1) + sum(inner, 0 * eye)) @ c).all()
    limit = sum((times(A_bar, i) for i in range(M + 1)), 0 * eye) @ c
    right = 0 * c
    for i in range(M):
        right = right + b * chain(D, i + 1, M - 1) @ (A[i] - A_bar) @ R1(i) @ c
        right = right + L2(i, M) @ (A[i] - A_bar) @ times(A_bar, i) @ c
    assert (w[M] - limit == right).all()
    right = sum(a ** (M - i + 1) * B[i] @ u[i] + (1 - a) * a ** (M - i) * B[i] @ w[i]
                for i in range(M + 1))  # fmt: skip
    assert (v[M + 1] == right).all()
    right = exact(np.zeros((1, 1)))
    for i in range(M + 1):
        R3 = a ** (M - i + 1) * times(A_bar, i) + (1 - a) * a ** (M - i) * sum(
            (times(A_bar, j) for j in range(i + 1)), 0 * eye
        )
        right = right + (B[i] - B_bar) @ R3 @ c
    for i, j in itertools.combinations(range(M + 1), 2):
        off = A[i] - A_bar
        sent = a ** (M - j + 1) * chain(A, i + 1, j - 1) + (1 - a) * a ** (M - j) * L2(i, j)
        right = right + B[j] @ sent @ off @ times(A_bar, i) @ c
        kept = (1 - a) * b * a ** (M - j) * chain(D, i + 1, j - 1)
        right = right + B[j] @ kept @ off @ R1(i) @ c
    assert (v[M + 1] - B_bar @ limit == right).all()


@pytest.mark.parametrize("variant", ["4a", "4b"])
def test_the_recursion_is_vr_hgp_as_it_runs(variant):
    one = experiment(
        "hgp-identities", matrices="network", place={**PLACE, "variant": variant}, terms=[4],
        alpha=0.7, beta=0.2,
    )  # fmt: skip
    runs = np.arange(3, 6)
    p, v = one.at, recursion(one.rounds(runs, 9))[2]
    told = hgp(p.linear, p.network, p.law, 4, reading="appendix-b", alpha=0.7, beta=0.2, seed=9,
               runs=runs).gradient  # fmt: skip
    # 4 rounds of products of 6 numbers of order 1, in another order of addition
    np.testing.assert_allclose(v[4] + p.c_lam, told.reshape(3, -1), rtol=0, atol=1e-13)


def test_a_run_does_not_depend_on_the_others_asked_for():
    one = experiment("hgp-identities", terms=[3])
    many, alone = one.rounds(np.arange(4), 5), one.rounds(np.array([2]), 5)
    assert np.array_equal(many.A[2], alone.A[0])
    assert np.array_equal(many.B[2], alone.B[0])


FALSE = ("lemma5_shifted", "lemma4_base", "lemma4_step")


def test_the_sizes_bound_both_sides():
    one = experiment("hgp-identities", terms=[1, 4])
    for column in one.columns:
        for row in one.observe(column, range(5), 0).rows:
            known = next(v for k, v in row.at.items() if k.startswith("magnitude"))
            assert known.value > 1 > 1e10 * row.values.max() or column in FALSE


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"terms": []}, "need integers >= 0"),
        ({"terms": [1.0]}, "need integers >= 0"),
        ({"size": 0}, "size is 0, outputs 3; need >= 1"),
        ({"alpha": 1.5}, "alpha is 1.5; need 0..1"),
        ({"matrices": "odd"}, "need 'normal' or 'network'"),
        ({"matrices": "network"}, "need both or none"),
    ],
)
def test_bad_input_is_one_line(options, says):
    with pytest.raises(ValueError, match=says) as caught:
        experiment("hgp-identities", **options)
    assert "\n" not in str(caught.value)


def test_among_sizes_a_difference_is_a_sum():
    # or equal matrices, whose rounding does not cancel, would count for nothing
    s = experiment("hgp-identities", terms=[2]).rounds(np.arange(1), 0)
    assert (s.minus(s.A_bar, s.A_bar) == 0).all()
    assert np.array_equal(s.sizes().minus(s.A_bar, s.A_bar), 2 * s.A_bar)
    assert (s.sizes().A >= 0).all()
