"""Exact rational arithmetic, and the moments of what is drawn."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2

from theorylab.kernels import Stream
from theorylab.known import How
from theorylab.problems import _squares, problem, quadratic

EPS = np.finfo(np.float64).eps
H = [[[2.0, 1.0], [1.0, 3.0]], [[1.0, 0.0], [0.0, 0.5]]]
C = [[1.0, -2.0], [0.25, 4.0]]


def test_loss_and_gradient_match_rational_arithmetic():
    p = problem("quadratic", 3, dim=4, seed=5)
    x = np.random.default_rng(0).standard_normal((2, 3, 4))
    g, f = p.gradient(x), p.loss(x)
    for r in range(2):
        for i in range(3):
            y = [Fraction(a) - Fraction(b) for a, b in zip(x[r, i], p.centers[i], strict=True)]
            rows = [[Fraction(h) for h in row] for row in p.hessians[i]]
            exact = [sum(h * b for h, b in zip(row, y, strict=True)) for row in rows]
            size = np.abs(p.hessians[i]) @ np.abs([float(b) for b in y])
            # gamma_{d+1} of Higham 2002, section 3.1: d products, d - 1 sums, one rounded y
            assert np.all(np.abs(g[r, i] - [float(e) for e in exact]) <= 5 * EPS * size)
            value = float(sum(a * b for a, b in zip(exact, y, strict=True)) / 2)
            assert abs(f[r, i] - value) <= 10 * EPS * float(size @ np.abs([float(b) for b in y]))


def test_the_optimum_of_a_pencil_and_paper_problem():
    # mean H = [[3/2, 1/2], [1/2, 7/4]], mean H_i c_i = (1/8, -3/2): x* = (31/76, -37/38)
    p = problem("quadratic", 2, H=H, c=C)
    assert p.optimum == pytest.approx([31 / 76, -37 / 38], rel=16 * EPS, abs=0)
    y = [[Fraction(31, 76) - 1, Fraction(-37, 38) + 2], [Fraction(12, 76), Fraction(-37, 38) - 4]]
    exact = sum(
        Fraction(H[i][a][b]) * y[i][a] * y[i][b] for i in range(2) for a in (0, 1) for b in (0, 1)
    )
    known = p.constants()
    assert known["f_star"].value == pytest.approx(float(exact / 4), rel=16 * EPS, abs=0)
    assert known["L"].value == pytest.approx((5 + 5**0.5) / 2, rel=16 * EPS, abs=0)
    assert known["mu"].value == pytest.approx((13 - 17**0.5) / 8, rel=16 * EPS, abs=0)
    assert all(constant.how is How.EXACT for constant in known.values())


def test_the_gap_to_f_star_keeps_its_digits_near_the_optimum():
    p = problem("quadratic", 4, dim=3, heterogeneity=0.0)
    step = 1e-9 * np.ones((1, 3))
    exact = 0.5 * step[0] @ p.hessians.mean(axis=0) @ step[0]
    assert p.f_star == 0
    assert p.mean_loss(p.optimum + step) == pytest.approx(exact, rel=1e-15 + 16 * EPS, abs=0)


def test_drawn_spectra_fill_the_asked_interval():
    p = problem("quadratic", 5, dim=6, mu=0.25, L=2.0)
    spectra = np.linalg.eigvalsh(p.hessians)
    assert spectra[:, 0] == pytest.approx(0.25, abs=24 * EPS)  # d eps L, twice
    assert spectra[:, -1] == pytest.approx(2.0, abs=24 * EPS)
    assert np.array_equal(p.hessians, np.swapaxes(p.hessians, 1, 2))  # or H could not be given back
    assert np.unique(spectra[:, 1:-1].round(6)).size == 5 * 4
    assert p.constants()["L"].value == pytest.approx(2.0, abs=24 * EPS)


def test_one_dimension_has_its_largest_curvature_on_client_0():
    p = problem("quadratic", 50, dim=1, mu=0.25, L=2.0)
    assert p.hessians[0, 0, 0] == p.constants()["L"].value == 2.0
    assert np.all((p.hessians >= 0.25) & (p.hessians <= 2.0))


def test_a_client_is_drawn_the_same_whatever_the_number_of_clients():
    few, many = (problem("quadratic", n, dim=3, seed=9) for n in (2, 5))
    assert np.array_equal(few.hessians, many.hessians[:2])
    assert np.array_equal(few.centers, many.centers[:2])
    assert not np.array_equal(few.centers, problem("quadratic", 2, dim=3, seed=10).centers)


def test_equal_curvatures_have_one_heterogeneity_everywhere():
    p = problem("quadratic", 5, dim=3, mu=2.0, L=2.0)
    assert np.array_equal(p.hessians, np.broadcast_to(2 * np.eye(3), (5, 3, 3)))
    gap = np.linalg.norm(2 * (p.centers - p.centers.mean(axis=0)), axis=1)
    x = np.random.default_rng(0).standard_normal((3, 3)) * [[0], [1], [100]]
    assert p.constants()["sigma_g"].value == pytest.approx(gap.max(), rel=16 * EPS, abs=0)
    allowed = 64 * EPS * (1 + 200 * 3)  # rounding of gradients of norm up to 2 |x|
    assert np.all(np.abs(p.measured_heterogeneity(x) - gap) <= allowed)


def test_unequal_curvatures_have_no_heterogeneity_bound():
    p = problem("quadratic", 2, H=H, c=C)
    assert p.constants()["sigma_g"].value == np.inf
    near, far = p.measured_heterogeneity(np.array([[1e3, 0], [1e6, 0.0]])).max(axis=1)
    assert far > 900 * near


def test_the_heterogeneity_is_the_root_mean_square_center():
    n, d, spread = 4000, 3, 0.5
    p = problem("quadratic", n, dim=d, heterogeneity=spread)
    total = (p.centers**2).sum() * d / spread**2  # chi-squared with n d degrees of freedom
    assert chi2.cdf(total, n * d) == pytest.approx(0.5, abs=0.5 - 1e-6)


def test_curvatures_and_centers_are_drawn_independently():
    p = problem("quadratic", 4000, dim=2, mu=0.01)
    along = np.einsum("ni,nij,nj->n", p.centers, p.hessians, p.centers)
    ratio = along / (p.centers**2).sum(axis=1) / np.trace(p.hessians, axis1=1, axis2=2)
    # a Haar basis leaves no preferred direction: mean 1/2; each ratio lies in [0, 1]
    assert ratio.mean() == pytest.approx(0.5, abs=5 * 0.5 / 4000**0.5)


def test_the_noise_has_the_exact_variance_and_is_added_once():
    p, runs = problem("quadratic", 4, dim=3, sigma=0.7), np.arange(500)
    xi = p.sample(2, runs, 3, 1)
    assert chi2.cdf((xi**2).sum() * 3 / 0.7**2, xi.size) == pytest.approx(0.5, abs=0.5 - 1e-6)
    normal = Stream(2, "noise").normal(500, 4, 3, 1, 3)
    assert np.array_equal(xi, normal * (0.7 / np.sqrt(3)))
    x = np.ones((500, 4, 3))
    assert np.array_equal(p.stochastic_gradient(x, xi), p.gradient(x) + xi)
    single = p.stochastic_gradient(x.astype(np.float32), xi)
    wide = p.gradient(x.astype(np.float32)).astype(np.float64) + xi
    assert np.array_equal(single, wide.astype(np.float32))
    assert p.noise_variance == pytest.approx(p.constants()["sigma_l"].value ** 2, rel=EPS, abs=0)


def test_a_concave_client_is_allowed_while_the_mean_is_convex():
    p = problem("quadratic", 2, H=[[[-3.0]], [[5.0]]], c=[[0.0], [1.0]])
    assert p.constants()["L"].value == 5
    assert p.constants()["mu"].value == 1


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"sigma": -1.0}, ValueError, "sigma is -1.0; need a finite number >= 0"),
        ({"sigma": float("nan")}, ValueError, "sigma is nan; need a finite number >= 0"),
        ({"L": float("inf")}, ValueError, "L is inf; need a finite number > 0"),
        ({"mu": 2.0, "L": 1.0}, ValueError, "mu is 2.0, L is 1.0; need mu <= L"),
        ({"mu": "1"}, TypeError, "mu is str; need a number"),
        ({"dim": 0}, ValueError, "dim is 0; need an integer >= 1"),
        ({"seed": -1}, ValueError, "seed is -1; need an integer >= 0"),
        ({"H": H, "L": 1.0}, ValueError, "H came along with mu or L"),
        ({"c": C, "heterogeneity": 1.0}, ValueError, "c came along with heterogeneity"),
        ({"H": H[:1]}, ValueError, r"H has shape \(1, 2, 2\); need \(2,d,d\)"),
        ({"H": np.ones((2, 2, 3))}, ValueError, r"H has shape \(2, 2, 3\); need \(2,d,d\)"),
        ({"c": C, "dim": 3}, ValueError, r"c has shape \(2, 2\); need \(2,3\)"),
        ({"c": [[1, 2], [3]]}, TypeError, r"c is no array of numbers; need shape \(2,d\)"),
        ({"c": [[1, 2], [3, np.nan]]}, ValueError, "c holds nan or inf"),
        ({"H": np.add(H, [[0, 1], [0, 0]])}, ValueError, r"H\[0\] is asymmetric by 1"),
        ({"H": np.zeros((2, 2, 2))}, ValueError, "mean of H has eigenvalue 0; need a positive"),
    ],
)
def test_bad_options_are_named_in_one_line(options, error, message):
    with pytest.raises(error, match=message) as caught:
        problem("quadratic", 2, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("dim", [3, 17])
def test_large_hessians_lie_once_in_memory_and_have_the_same_bits(monkeypatch, dim):
    plain = quadratic.Quadratic(9, dim=dim, sigma=0.5, seed=4)
    monkeypatch.setattr(quadratic, "_LARGE", 1)
    monkeypatch.setattr(_squares, "_SOME", 4)
    large = quadratic.Quadratic(9, dim=dim, sigma=0.5, seed=4)
    rows = large._table(np.dtype(float))._table.rows
    assert np.may_share_memory(rows, large.hessians)
    short = np.may_share_memory(plain._table(np.dtype(float))._table.rows, plain.hessians)
    assert short == (dim == 3)  # short rows are not padded
    assert np.array_equal(large.hessians, plain.hessians)
    again = pickle.loads(pickle.dumps(large))
    x = np.random.default_rng(0).standard_normal((2, 9, dim))
    for kind in (np.float64, np.float32):
        for other in (large, again):
            assert np.array_equal(other.gradient(x.astype(kind)), plain.gradient(x.astype(kind)))
    assert [large.optimum.tolist(), large.f_star] == [plain.optimum.tolist(), plain.f_star]


def test_single_precision_is_made_where_it_is_asked_for():
    losses = quadratic.Quadratic(3, dim=2)
    assert list(losses._tables) == [np.dtype(float)]
    losses.gradient(np.zeros((1, 3, 2), np.float32))
    assert set(losses._tables) == {np.dtype(float), np.dtype(np.float32)}
    with pytest.raises(TypeError, match="x is int64; need a NumPy array of float32 or float64"):
        losses.loss(np.zeros((1, 3, 2), np.int64))


def test_the_mean_gradient_that_is_kept_is_that_of_its_point_and_dtype():
    losses, rng = problem("quadratic", 3, dim=2), np.random.default_rng(1)
    first, second = rng.standard_normal((2, 4, 2))
    found = losses.mean_gradient(first)
    want = found.copy()
    found[:] = 0  # the caller's own
    assert np.array_equal(losses.mean_gradient(first), want)
    assert not np.array_equal(losses.mean_gradient(second), want)
    assert losses.mean_gradient(second.astype(np.float32)).dtype == np.float32
    assert np.array_equal(losses.mean_gradient(first[:2]), want[:2])
    fresh = problem("quadratic", 3, dim=2)
    assert np.array_equal(fresh.mean_loss(first), losses.mean_loss(first))
