"""How far clients' gradients are from their mean, beside exact fractions and drawn points."""

from fractions import Fraction

import numpy as np
import pytest

from theorylab.formulas import Formula, gap_of, is_endless

N, D, D_U = 3, 3, 2
RNG = np.random.default_rng(4)
A = np.array([[2.0, 0.5], [0.5, 1.0]])
OWN = RNG.integers(-4, 5, (N, D)) / 4.0
EACH = ("a", "s")


def formula(loss, **data):
    data |= {"a": OWN, **({"A": A} if loss in (ripple, waves) else {})}
    return Formula(loss, data, [name for name in EACH if name in data], D)


def ripple(x, a, A=A):
    """A common Hessian and a common ripple in u; a personal v beside them."""
    u = x[:2] - a[:2]
    return (u * (A @ u)).sum() / 2 + 2 * np.sin(x[:2] / 2).sum() + np.cosh(x[2] - a[2])


def waves(x, a, A=A):
    """The same, with a bounded term of each client's own."""
    u = x[:2] - a[:2]
    return (u * (A @ u)).sum() / 2 + (a[:2] * np.sin(x[:2]) * np.sin(x[2])).sum()


def own_slopes(x, a, s):
    return (s * (x - a) ** 2).sum()


def coupled(x, a):
    return ((x - a) ** 2).sum() + x[0] * x[2]


def gaps_at(loss, data, u, v):
    """grad_u f_i - mean_j grad_u f_j at one u and each its v, by differences of the loss."""
    h = 1e-4
    slopes = np.zeros((N, D_U))
    for i in range(N):
        own = {name: value[i] for name, value in data.items()}
        for k in range(D_U):
            step = h * (np.arange(D) == k)
            x = np.concatenate([u, v[i]])
            slopes[i, k] = (loss(x + step, **own) - loss(x - step, **own)) / (2 * h)
    return np.linalg.norm(slopes - slopes.mean(0), axis=1)


def test_what_clients_have_in_common_cancels_to_the_exact_difference():
    gap = gap_of(formula(ripple), D_U, N)
    exact = [[Fraction(float(a)) for a in row[:D_U]] for row in OWN]
    mean = [sum(row[k] for row in exact) / N for k in range(D_U)]
    H = [[Fraction(float(a)) for a in row] for row in A]
    for size, row in zip(gap.size, exact, strict=True):
        away = [sum(H[k][j] * (mean[j] - row[j]) for j in range(D_U)) for k in range(D_U)]
        square = sum(e * e for e in away)
        assert square <= Fraction(float(size)) ** 2 <= square * (1 + Fraction(1, 10**13))
    assert gap.fixed
    assert not gap.endless


@pytest.mark.parametrize("loss", [ripple, waves])
def test_no_point_has_a_larger_difference(loss):
    gap = gap_of(formula(loss), D_U, N)
    assert gap.fixed == (loss is ripple)
    for _ in range(50):
        u, v = 9 * RNG.standard_normal(D_U), 3 * RNG.standard_normal((N, 1))
        assert (gaps_at(loss, {"a": OWN}, u, v) <= gap.size + 1e-4).all()  # the difference's error


@pytest.mark.parametrize(
    ("loss", "data"), [(own_slopes, {"s": np.array([1.0, 2.0, 2.0])}), (coupled, {})]
)
def test_a_slope_of_a_client_s_own_and_a_coupling_to_v_have_no_bound(loss, data):
    gap = gap_of(formula(loss, **data), D_U, N)
    assert gap.endless
    assert not gap.fixed
    assert np.isinf(gap.size).all()
    far = [gaps_at(loss, {"a": OWN, **data}, np.full(D_U, r), r * np.eye(N)[:, :1])
           for r in (1e2, 1e4)]  # fmt: skip
    assert far[1].max() > 50 * far[0].max()


def test_one_coupling_is_no_gap_where_one_model_is_for_all():
    whole = gap_of(formula(coupled), D, N)
    assert whole.fixed
    assert not whole.endless
    one = gap_of(formula(coupled), D_U, 1)
    assert (one.size == 0).all()
    assert one.fixed


def test_where_nothing_is_proved_nothing_is_said():
    quartic = formula(lambda x, a: ((x - a) ** 4).sum())
    gap = gap_of(quartic, D, N)
    assert np.isinf(gap.size).all()
    assert [gap.fixed, gap.endless, is_endless(quartic)] == [False] * 3


def test_a_gradient_without_a_bound_is_told_from_a_bounded_one():
    assert is_endless(formula(waves))
    assert not is_endless(formula(lambda x, a: np.logaddexp(x - a, a - x).sum()))


def test_a_gradient_whose_parts_without_bounds_cancel_is_not_said_to_be_endless():
    """s x - s x^3 / sqrt(x^4 + 1) tends to 0, though s x alone is without limit."""
    flat = formula(
        lambda x, a, s: (s * (x**2 - np.sqrt(x**4 + 1))).sum() / 2, s=np.array([1.0, 2.0, 3.0])
    )
    gap = gap_of(flat, D, N)
    assert [gap.endless, is_endless(flat)] == [False, False]


def test_slopes_that_agree_although_data_differ_are_not_said_to_part():
    same = formula(
        lambda x, a, s: (s[0] * (x - a) ** 2).sum(), s=np.array([[1.0, 2], [1, 3], [1, 4]])
    )
    gap = gap_of(same, D, N)
    assert not gap.endless
    assert is_endless(same)
