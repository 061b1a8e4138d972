"""Rational arithmetic, and the minimum of F(u, V) from its full linear system."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theorylab.known import How
from theorylab.problems import problem

EPS = np.finfo(np.float64).eps
# Client 1 alone is not convex: A - C B^-1 C^T = 1 - 4/2 < 0. F is: the mean of 3 - 1/4 and -1.
HAND = {
    "A": [[[3.0]], [[1.0]]],
    "B": [[[4.0, 0.0], [0.0, 1.0]], [[2.0, 0.0], [0.0, 1.0]]],
    "C": [[[1.0, 0.0]], [[2.0, 0.0]]],
    "a": [[1.0], [-2.0]],
    "b": [[0.0, 5.0], [1.0, -3.0]],
}


def full_system(p):
    """Hessian and linear term of F(u, v_1, ..., v_n), block by block, from the definition."""
    n, k = p.clients, p.shared
    own = p.dim - k
    H, b = np.zeros((k + n * own, k + n * own)), np.zeros(k + n * own)
    for i in range(n):
        at = [*range(k), *range(k + i * own, k + (i + 1) * own)]
        block = np.zeros((p.dim, p.dim))
        block[:k, :k], block[k:, k:] = p.A[i], p.B[i]
        block[:k, k:], block[k:, :k] = p.C[i], p.C[i].T
        for row, r in enumerate(at):
            b[r] += block[row] @ p.centers[i] / n
            for column, c in enumerate(at):
                H[r, c] += block[row, column] / n
    return H, b


def personal_loss(p, u, v):
    x = np.concatenate([np.broadcast_to(u, (p.clients, len(u))), v], axis=1)
    return float(p.loss(x[None]).mean())


def test_loss_and_gradient_match_rational_arithmetic():
    p = problem("coupled-quadratic", 2, dim_u=2, dim_v=3, seed=5)
    x = np.random.default_rng(0).standard_normal((1, 2, 5))
    for i in range(2):
        H = [[Fraction(0)] * 5 for _ in range(5)]
        for r in range(2):
            for c in range(2):
                H[r][c] = Fraction(p.A[i, r, c])
            for c in range(3):
                H[r][2 + c] = H[2 + c][r] = Fraction(p.C[i, r, c])
        for r in range(3):
            for c in range(3):
                H[2 + r][2 + c] = Fraction(p.B[i, r, c])
        y = [Fraction(s) - Fraction(t) for s, t in zip(x[0, i], p.centers[i], strict=True)]
        exact = [sum(h * s for h, s in zip(row, y, strict=True)) for row in H]
        size = np.abs(np.array(H, float)) @ np.abs(np.array(y, float))
        # gamma_{d+2} of Higham 2002, section 3.1: d products, d sums, one rounded y
        assert np.all(np.abs(p.gradient(x)[0, i] - np.array(exact, float)) <= 7 * EPS * size)
        value = float(sum(s * t for s, t in zip(exact, y, strict=True)) / 2)
        rounding = 14 * EPS * float(size @ np.abs(np.array(y, float)))
        assert abs(p.loss(x)[0, i] - value) <= rounding


def test_the_minimum_of_a_pencil_and_paper_problem():
    # S_i = 3 - 1/4 = 11/4 and 1 - 4/2 = -1: u* = (S_1 1 + S_2 (-2)) / (S_1 + S_2) = 19/7
    p = problem("coupled-quadratic", 2, **HAND)
    u = Fraction(11, 4) * 1 + Fraction(-1) * -2
    u /= Fraction(11, 4) - 1
    assert p.u_star == pytest.approx([float(u)], rel=16 * EPS)
    assert p.v_star[0] == pytest.approx([float(-(u - 1) / 4), 5], rel=32 * EPS)
    assert p.v_star[1] == pytest.approx([float(1 - (u + 2)), -3], rel=32 * EPS)
    value = (Fraction(11, 4) * (u - 1) ** 2 - (u + 2) ** 2) / 4
    assert p.F_star == pytest.approx(float(value), rel=32 * EPS)
    assert personal_loss(p, p.u_star, p.v_star) == pytest.approx(float(value), rel=64 * EPS)


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 5),
    sizes=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    coupling=st.sampled_from([0.0, 0.05, 0.2, 0.249]),
)
def test_the_minimum_solves_the_full_linear_system(seed, n, sizes, coupling):
    low = {"mu_u": 0.25, "mu_v": 0.25, "dim_u": sizes[0], "dim_v": sizes[1]}
    p = problem("coupled-quadratic", n, **low, coupling=coupling, seed=seed)
    H, b = full_system(p)
    spectrum = np.linalg.eigvalsh(H)
    assert spectrum[0] > 0
    best = np.linalg.solve(H, b)
    # A solution by LAPACK is off by cond(H) times about size eps relative; here twice.
    off = 64 * len(b) * EPS * spectrum[-1] / spectrum[0] * (1 + np.abs(best).max())
    assert np.abs(np.concatenate([p.u_star, p.v_star.ravel()]) - best).max() <= off
    value = personal_loss(p, best[: sizes[0]], best[sizes[0] :].reshape(n, -1))
    assert abs(p.F_star - value) <= off
    assert p.F_star <= p.constants()["f_star"].value + off


def test_with_one_client_both_minima_agree():
    p = problem("coupled-quadratic", 1, dim_u=3, dim_v=2, seed=4)
    assert p.F_star == p.constants()["f_star"].value == 0
    assert np.array_equal(p.optimum, p.centers[0])


def test_drawn_spectra_and_couplings_are_as_asked():
    p = problem(
        "coupled-quadratic", 4, dim_u=3, dim_v=2,
        mu_u=0.5, L_u=2.0, mu_v=1.0, L_v=3.0, coupling=0.625,
    )  # fmt: skip
    close = 24 * 3 * EPS
    assert np.linalg.eigvalsh(p.A)[:, [0, -1]] == pytest.approx(np.tile([0.5, 2], (4, 1)), 0, close)
    assert np.linalg.eigvalsh(p.B)[:, [0, -1]] == pytest.approx(np.tile([1, 3], (4, 1)), 0, close)
    values = np.linalg.svd(p.C, compute_uv=False)
    assert values[:, 0] == pytest.approx(np.full(4, 0.625), 0, close)
    assert np.all(values[:, 1] < 0.6)
    assert len({p.A[i].tobytes() for i in range(4)}) == 4
    half = problem("coupled-quadratic", 2, mu_u=0.25, mu_v=0.04)
    assert np.linalg.norm(half.C, ord=2, axis=(1, 2)) == pytest.approx([0.05, 0.05], 0, close)
    flat = problem("coupled-quadratic", 3, mu_u=1.0, coupling=0.0)
    assert np.array_equal(flat.A, np.broadcast_to(np.eye(2), (3, 2, 2)))
    assert not flat.C.any()


def test_heterogeneity_is_the_root_mean_square_distance_of_the_centers():
    n, h = 4000, 3.0
    p = problem("coupled-quadratic", n, dim_u=2, dim_v=1, heterogeneity=h)
    # n |c|^2 3 / h^2 is chi-square with 3n degrees: 6 standard deviations, about 2e-9
    mean = (p.centers**2).sum(axis=1).mean()
    assert abs(mean / h**2 - 1) <= 6 * math.sqrt(2 / (3 * n))


def test_constants_of_the_hand_problem_are_exact():
    p = problem("coupled-quadratic", 2, **HAND)
    known = p.constants()
    assert all(c.how is How.EXACT for c in known.values())
    # eigenvalues of [[3, 1], [1, 4]] and of [[1, 2], [2, 2]] beside 1
    assert known["L"].value == pytest.approx((7 + 5**0.5) / 2, rel=16 * EPS)
    # mean H = [[2, 3/2], [3/2, 3]] beside 1: (5 - sqrt(10)) / 2 < 1
    assert known["mu"].value == pytest.approx((5 - 10**0.5) / 2, rel=64 * EPS)
    assert known["sigma_g"].value == math.inf


def test_noise_that_depends_on_the_point_bends_both_ends_of_the_spectrum():
    noise = {"sigma_u": 4.0, "sigma_v": 1.5, "noise": "state", "length": 0.5}
    # [[1/2 + 8, 1/2], [1/2, 1 + 3]]
    one = problem("coupled-quadratic", 1, A=[[[0.5]]], B=[[[1.0]]], C=[[[0.5]]], **noise)
    known = one.constants()["L_sample"]
    assert known.how is How.EXACT
    assert known.value == pytest.approx((12.5 + math.sqrt(4.5**2 + 1)) / 2, rel=16 * EPS)
    # client 0 is concave in u, -9 - 8 there, and all others reach 5 + 8
    three = {"A": [[[-9.0]], [[5.0]], [[5.0]]], "B": [[[1.0]]] * 3, "C": [[[0.0]]] * 3}
    known = problem("coupled-quadratic", 3, **three, **noise).constants()
    assert (known["L"].value, known["L_sample"].value) == (9, 17)


def test_equal_curvatures_leave_a_finite_heterogeneity():
    equal = {"mu_u": 1.0, "mu_v": 0.5, "L_v": 0.5, "coupling": 0.0}
    p = problem("coupled-quadratic", 3, **equal, seed=2)
    gap = (p.centers - p.centers.mean(axis=0)) * [1, 1, 0.5, 0.5]
    worst = np.linalg.norm(gap, axis=1).max()
    assert p.constants()["sigma_g"].value == pytest.approx(worst, rel=16 * EPS)
    same = problem("coupled-quadratic", 3, **equal, heterogeneity=0.0)
    assert same.constants()["sigma_g"].value == same.F_star == 0


@pytest.mark.parametrize("noise", ["gaussian", "state", "aligned", "two-point", "coordinate"])
def test_a_partial_gradient_is_its_slice_bit_for_bit(noise):
    p = problem("coupled-quadratic", 3, dim_u=3, sigma_u=1.0, sigma_v=2.0, noise=noise)
    x = np.random.default_rng(0).standard_normal((4, 3, 5))
    sample = p.sample(1, np.arange(4), 2, 3)
    whole = p.stochastic_gradient(x, sample)
    assert np.array_equal(p.partial_gradient(x, sample, "u"), whole[..., :3])
    assert np.array_equal(p.partial_gradient(x, sample, "v"), whole[..., 3:])
    assert (p.shared, p.blocks) == (3, (3, 5))


def test_the_hessian_product_is_the_change_of_the_gradient():
    p = problem("coupled-quadratic", 3, seed=1)
    x, v = np.random.default_rng(0).standard_normal((2, 2, 3, 4))
    change = p.gradient(x + v) - p.gradient(x)
    assert np.abs(p.formula.hessian_product(x, v) - change).max() <= 64 * EPS * 8


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"mu_u": 2.0}, ValueError, r"mu_u is 2.0, L_u is 1.0; need mu_u <= L_u"),
        ({"L_v": 0}, ValueError, r"L_v is 0.0; need a finite number > 0"),
        ({"coupling": -1}, ValueError, r"coupling is -1.0; need a finite number >= 0"),
        ({"A": HAND["A"], "L_u": 1.0}, ValueError, "A came along with L_u; need one of the two"),
        ({"C": HAND["C"], "coupling": 1}, ValueError, "C came along with coupling"),
        ({"a": HAND["a"]}, ValueError, "one of a and b came; need both or none"),
        ({"a": [[1], [1]], "b": [[1], [1]], "heterogeneity": 1}, ValueError, "a came along with"),
        ({"A": [[[1.0, 2]], [[1, 2]]]}, ValueError, r"A has shape \(2, 1, 2\); need \(2,1,1\)"),
        ({"A": [[[1.0, 2]], 3]}, TypeError, "A is no array of numbers"),
        ({"B": [[[1.0, 2], [0, 1]]] * 2}, ValueError, r"B\[0\] is asymmetric by 2"),
        ({"B": [[[1.0]], [[0.0]]]}, ValueError, r"B\[1\] has eigenvalue 0; need a positive"),
        (
            {**HAND, "C": [[[0.0, 0]], [[3, 0]]]},
            ValueError,
            "has eigenvalue -0.25; need a positive",
        ),
        ({"coupling": 3.0}, ValueError, r"coupling\^2 < mu_u mu_v is enough"),
        ({"sigma_v": math.nan}, ValueError, "sigma_v is nan; need a finite number >= 0"),
        ({"noise": "pink"}, ValueError, "no noise 'pink'; need one of aligned, common"),
        ({"noise": 3}, TypeError, "noise is int; need a name"),
        ({"chance": 0.1}, ValueError, "with noise 'gaussian'; need 'skewed' or 'two-point'"),
        ({"noise": "two-point", "chance": 2}, ValueError, r"chance is 2.0; need a probability"),
        ({"noise": "state", "length": 0}, ValueError, "length is 0.0; need a finite number > 0"),
    ],
)
def test_bad_options_are_refused_in_one_line(options, error, message):
    with pytest.raises(error, match=f"^coupled-quadratic: .*{message}") as caught:
        problem("coupled-quadratic", 2, **options)
    assert "\n" not in str(caught.value)


def test_coordinates_of_u_that_no_loss_depends_on_need_no_minimum():
    # A = diag(2, 0): F = (u_1 - a)^2 + v^2/2 has the infimum of its first coordinate alone
    rest = {"B": [[[1.0]]] * 2, "b": [[0.0]] * 2}
    both = problem(
        "coupled-quadratic", 2, A=[[[2.0, 0.0], [0.0, 0.0]]] * 2, C=[[[0.0], [0.0]]] * 2,
        a=[[1.0, 5.0], [3.0, 7.0]], **rest,
    )  # fmt: skip
    first = problem(
        "coupled-quadratic", 2, A=[[[2.0]]] * 2, C=[[[0.0]]] * 2, a=[[1.0], [3.0]], **rest
    )
    assert both.F_star == first.F_star == 1.0
    assert both.f_star == first.f_star
    assert both.u_star.tolist() == [2.0, 6.0]
    assert np.abs(both.mean_gradient(both.optimum[None])).max() == 0.0


@pytest.mark.parametrize(
    ("A", "C"),
    [
        ([[[0.0]], [[0.0]]], [[[1.0]], [[0.0]]]),  # C moves u: -u^2/2 is left
        ([[[1.0]], [[-1.0]]], [[[0.0]], [[0.0]]]),  # two losses that cancel on average
    ],
)
def test_what_is_flat_on_average_alone_is_refused(A, C):
    with pytest.raises(ValueError, match="F has no minimum"):
        problem("coupled-quadratic", 2, A=A, C=C, B=[[[1.0]]] * 2, a=[[0.0]] * 2, b=[[0.0]] * 2)
