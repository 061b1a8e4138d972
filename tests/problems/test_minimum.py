"""x* of the built-in losses lies in the ball that is told, and so does that of a formula."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from theorylab.problems import (
    FormulaProblem,
    LogCosh,
    Option,
    Options,
    Problem,
    minimiser,
    minimiser_off,
    problem,
    with_noise,
)

pytestmark = pytest.mark.usefixtures("registries")


def inside(p, exact):
    """Whether x* ``exact`` is in the ball of ``p``, and the ball is small."""
    with mpmath.workdps(40):
        gaps = [mpmath.mpf(float(x)) - y for x, y in zip(minimiser(p), exact, strict=True)]
        return mpmath.sqrt(sum(gap**2 for gap in gaps)) <= minimiser_off(p) < 1e-6


def exactly(number):
    return mpmath.mpf(number.numerator) / number.denominator


def test_a_piecewise_quadratic_has_its_minimiser_in_the_ball():
    p = problem("piecewise-quadratic", 3, centers=[[1.0], [3.0], [-2.0]], kinks=1.0, jumps=9.0)
    with mpmath.workdps(40):
        assert inside(p, [exactly(Fraction(2, 3))])  # below the kink the mean of the centers
    assert float(minimiser(p)[0]) != Fraction(2, 3)


def test_logistic_regression_has_its_minimiser_in_the_ball():
    rows = [[2.0, 1.0], [1.0, -3.0]]

    def slopes(*x):
        g = [mpmath.mpf(x[k]) / 2 for k in range(2)]
        for row in rows:
            away = 1 / (1 + mpmath.exp(sum(a * b for a, b in zip(row, x, strict=True))))
            g = [g[k] - row[k] * away / 2 for k in range(2)]
        return g

    with mpmath.workdps(40):
        best = mpmath.findroot(slopes, (0.5, -0.3))
    assert inside(problem("logistic-l2", 2, rows=[[row] for row in rows], reg=0.5), list(best))


@pytest.mark.parametrize("batch", [None, 1])
def test_a_regression_of_unlike_clients_has_its_minimiser_in_the_ball(batch):
    features, labels = [[1.0], [2.0], [-1.0]], [1, 0, 0]
    p = problem("logistic", 2, features=features, labels=labels, owners=[0, 0, 1], reg=0.5,
                batch=batch)  # fmt: skip

    def slope(x):
        share = [mpmath.mpf(1) / 4, mpmath.mpf(1) / 4, mpmath.mpf(1) / 2]
        parts = [s * a[0] * (1 / (1 + mpmath.exp(-a[0] * x)) - b)
                 for s, a, b in zip(share, features, labels, strict=True)]  # fmt: skip
        return sum(parts) + x / 2

    with mpmath.workdps(40):
        assert p.formula is None
        assert inside(p, [mpmath.findroot(slope, 0)])


def test_log_cosh_has_its_minimiser_in_the_ball_and_exactly_where_centers_are_equal():
    centers = [[0.0, 7.0], [1.0, -1.0], [5.0, 2.5]]
    p = problem("log-cosh", 3, scale=2.0, centers=centers)
    with mpmath.workdps(40):
        best = [
            mpmath.findroot(lambda u, c=column: sum(mpmath.tanh(u - a) for a in c), column[k])
            for k, column in enumerate(zip(*centers, strict=True))
        ]
        assert inside(p, best)
    same = problem("log-cosh", 2, center=0.3)
    assert (minimiser(same).tolist(), minimiser_off(same)) == ([0.3], 0.0)


def test_a_ball_of_a_separable_loss_does_not_rest_on_a_good_search(monkeypatch):
    monkeypatch.setattr("theorylab.problems._separable.BISECTIONS", 3)
    assert minimiser(problem("log-cosh", 2, centers=[[0.0], [0.3]])) is None


def test_huber_has_a_minimiser_where_it_is_one_and_none_where_there_are_many():
    with mpmath.workdps(40):
        assert inside(problem("huber", 2, centers=[[0.0], [1.5]]), [mpmath.mpf("0.75")])
    for name in ("huber", "clipped-linear"):
        assert minimiser(problem(name, 2, centers=[[0.0], [9.0]])) is None  # all of [1, 8]


def test_the_valley_of_rosenbrock_ends_where_both_squares_are_least():
    p = problem("rosenbrock", 3, targets=[1.0, 2.0, 4.0])
    mean, star = Fraction(7, 3), p.constants()["f_star"]
    with mpmath.workdps(40):
        assert inside(p, [exactly(mean), exactly(mean**2)])
    least = sum((mean - a) ** 2 for a in (1, 2, 4)) / 6
    assert star.lower <= least <= star.upper
    assert star.upper - star.lower < 1e-13
    assert minimiser_off(problem("rosenbrock", 2, targets=3.0)) < 1e-14


@pytest.mark.parametrize("name", ["ridge", "rippled", "mixture"])
def test_a_loss_that_is_not_convex_has_none(name):
    more = {"a": [[0.0]], "b": [[0.0]], "r": 9.0} if name == "rippled" else {}
    p = problem(name, 1, **more)
    assert (minimiser(p), minimiser_off(p)) == (None, None)


def test_a_coupling_that_leaves_f_convex_has_one_and_a_stronger_none():
    p = problem("sin-sin", 2, coupling=0.05, seed=3)
    at = minimiser(p)
    assert np.linalg.norm(p.mean_gradient(at[None])) < 1e-13
    assert minimiser(problem("sin-sin", 2, coupling=2.0)) is None


def test_noise_moves_no_minimiser():
    base = problem("log-cosh", 2, centers=[[0.0], [1.0]])
    noisy = with_noise(base, "gaussian", 1.0)
    assert noisy.optimum == minimiser(noisy) == base.optimum
    assert minimiser_off(noisy) == minimiser_off(base) < 1e-12


def test_what_a_user_overrides_or_declares_is_no_longer_enclosed():
    class Bowl(FormulaProblem, name="test-bowl"):
        options = Options(center=Option(1.0, each=True, shape="d"))

        @staticmethod
        def client_loss(x, center):
            return ((x - center) ** 2).sum() / 2

    class Turned(Bowl):
        def gradient(self, x):
            return -super().gradient(x)

    class Declared(Bowl):
        optimum = np.array([2.0])

    class Plain(Problem):
        def loss(self, x):
            return (x**2).sum(-1)

        def gradient(self, x):
            return 2 * x

    assert (minimiser(Bowl(1)), minimiser_off(Bowl(1)) < 1e-300) == ([1.0], True)
    assert minimiser(Turned(1)) is minimiser_off(Turned(1)) is None
    assert (minimiser(Declared(1)), minimiser_off(Declared(1))) == ([2.0], None)
    assert minimiser(Plain(1, 1)) is minimiser_off(Plain(1, 1)) is None


def test_a_built_in_loss_with_a_gradient_of_a_user_s_own_tells_no_minimum():
    class Twice(LogCosh):
        def gradient(self, x):
            return 2 * super().gradient(x)

    p = Twice(2, centers=[[0.0], [1.0]])
    assert (p.bottom, minimiser(p), hasattr(p, "optimum")) == ((None, None), None, False)


def test_losses_without_numbers_of_a_client_are_averaged_over_all_clients():
    class Alike(FormulaProblem, name="test-alike"):
        @staticmethod
        def client_loss(x):
            return (x * x).sum() / 2 + 10

    for n in (1, 4):
        known = problem("test-alike", n, set={"kind": "box", "low": 2.0}).constants()["f_star"]
        assert known.lower <= 12 <= known.upper < 12 + 1e-12, n  # f(2)
