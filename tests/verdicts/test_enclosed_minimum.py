"""f - f* of a loss that is one function: f* is enclosed, and its width decides nothing."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from theorylab.formulas import Formula
from theorylab.known import How
from theorylab.problems import FormulaProblem, Option, Options, minimiser_off, problem, with_noise
from theorylab.problems._minimum import least
from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import R2, T
from theorylab.verdicts import judge_check

# Drori and Teboulle, 2014: with eta = 1/L, Huber's width 1/(2 T + 1) and |x^0 - x*| = 1 the gap
# after T steps is 1 / (4 T + 2) exactly.
RUN = {
    "problem": {"name": "huber", "width": 1 / 9},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 4,
    "algorithm": {"eta": 1.0},
    "x0": 1.0,
}


def judged(share, *, eta=1.0, x0=1.0, rounds=4, **problem):
    options = problem if problem.keys() == {"name"} else {**RUN["problem"], **problem}
    run = {**RUN, "problem": options, "algorithm": {"eta": eta}, "x0": x0, "rounds": rounds}
    version = Version({"bound": share / (4 * T + 2)}, (), (Check("worst", run, "HOLDS"),))
    source = Source("test", "Theorem 1", "the gap of Huber's function")
    statement = Statement(
        id="test.gap", source=source, algorithm="sgp", quantity="last_suboptimality",
        versions={"printed": version},
    )  # fmt: skip
    return judge_check(statement, "printed", version.checks[0])


@pytest.mark.parametrize(
    ("share", "verdicts"),
    [
        (sp.Rational(1001, 1000), {"HOLDS"}),
        (sp.Rational(999, 1000), {"VIOLATED"}),
        (1 - sp.Rational(1, 10**13), {"INCONCLUSIVE"}),
        (1 + sp.Rational(1, 10**13), {"INCONCLUSIVE"}),
    ],
)
def test_a_gap_of_an_own_loss_is_judged_and_rounding_is_not(share, verdicts):
    result = judged(share)
    assert result.verdict in verdicts, result.reason
    if result.verdict == "VIOLATED":
        assert abs(result.measured - 1 / 18) < 1e-7


def test_a_gap_that_is_rounding_alone_breaks_no_bound():
    # after 4 steps of the quadratic part x is 3, up to its last bits, and so is f* = 0
    result = judged(sp.Rational(1, 10**20), width=100.0, centers=3.0)
    assert result.verdict == "INCONCLUSIVE", result.reason


def test_a_loss_whose_terms_cancel_far_from_its_minimum_breaks_no_bound(registries):
    class Cancels(FormulaProblem, name="cancels"):
        options = Options(width=Option(1e7))

        @staticmethod
        def client_loss(x, width):
            return (x**2 / 2 + width * x - width * x).sum()

        @staticmethod
        def client_gradient(x, width):
            return x

    # f is .001458 at .054, and float64 says .00145800004: the claim is true
    result = judged(sp.Rational(2624400018, 10**11), eta=1e-15, x0=0.054, name="cancels", width=1e7)
    assert result.bound == pytest.approx(0.00145800001, rel=1e-13)
    assert result.measured > 0.00145800002
    assert result.verdict == "INCONCLUSIVE", result.reason


def test_a_well_that_is_steeper_than_rounding_decides_nothing(registries):
    class Well(FormulaProblem, name="well"):
        fixed_dim = 1

        @staticmethod
        def client_loss(x):
            return x[0] ** 2 / 2 + 1e-3 * np.log(1e-32 + x[0] ** 2)

    # x^1 = 1 - eta (1 + 2e-3/(1 + 1e-32)) = -1.95e-15 for this eta, where f - f* = .00594304;
    # float64 says x^1 = -2.0e-15 and .00599237, and 1.2e-16 for .000246295 one step further
    for eta, bound in ((0.99800399201597, 0.0059435), (0.998003992015968, 0.00024627)):
        result = judged(sp.Float(6 * bound, 17), eta=eta, x0=1.0, rounds=1, name="well")
        assert result.bound == pytest.approx(bound, rel=1e-12)
        assert result.verdict == "INCONCLUSIVE", result.reason


@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e-320, 1e150])
def test_a_square_that_no_float64_holds_lifts_no_minimum(registries, scale):
    class Bowl(FormulaProblem, name="bowl"):
        options = Options(scale=Option(1.0, above=0))
        fixed_dim = 1

        @staticmethod
        def client_loss(x, scale):
            return scale * (x[0] - 1) ** 2

    best = problem("bowl", 1, scale=scale).constants()["f_star"]
    assert best.enclosure[0] <= 0 <= best.enclosure[1]


@pytest.mark.parametrize(
    "jump", [lambda x: np.sign(x - 1), lambda x: np.where(abs(x - 1) <= 0, 1.0, 0.0)]
)
@pytest.mark.parametrize("own", [False, True])
def test_a_loss_that_jumps_where_no_slope_shows_it_is_not_convex(registries, jump, own):
    class Jumps(FormulaProblem, name="jumps"):
        fixed_dim = 1

        @staticmethod
        def client_loss(x):
            return x[0] ** 2 / 2 - 5 * jump(x[0])

        if own:
            client_gradient = staticmethod(lambda x: x)

    known = problem("jumps", 1).constants()
    assert "mu" not in known
    assert known["f_star"].lower <= -4.5  # inf f, on the right of 1 or at 1
    assert "may jump" in problem("jumps", 1).lacks()["Hessian, L and mu"]


@pytest.mark.parametrize("seed", range(8))
def test_the_least_value_of_convex_pieces_lies_in_its_enclosure(seed):
    draw = np.random.default_rng(seed)
    n = int(draw.integers(1, 4))
    centers, weight = draw.integers(-8, 9, n), draw.integers(1, 5, n)
    given = {"centers": centers[:, None] / 4.0, "width": 100.0, "weight": weight.astype(float)}
    best = problem("huber", n, **given).constants()["f_star"]
    w, c = [Fraction(int(k)) for k in weight], [Fraction(int(k), 4) for k in centers]
    x = sum(a * b for a, b in zip(w, c, strict=True)) / sum(w)
    least = sum(a * (x - b) ** 2 / 2 for a, b in zip(w, c, strict=True)) / n
    assert best.how is How.CERTIFIED
    assert Fraction(best.lower) <= least <= Fraction(best.upper)
    assert best.upper - best.lower < 1e-12


def test_a_valley_that_is_not_convex_has_an_enclosure_too():
    best, _ = least(problem("rosenbrock", 2, targets=[1.0, -1.0]).formula, None)
    assert best.lower == 0.0 <= 0.5 <= best.upper  # (x_1 - 1)^2 / 4 + (x_1 + 1)^2 / 4 at 0
    assert best.upper < 0.5 + 1e-9
    noisy = with_noise(problem("huber", 1), "gaussian", 1.0)
    assert noisy.constants()["f_star"].how is How.CERTIFIED


def test_what_computing_a_loss_meets_is_bounded_by_intervals():
    formula = Formula(lambda x, c: ((x - c) ** 2).sum() - c * 1e6, {"c": np.array([2.0])}, "c", 1)
    assert formula.largest(3.0) == pytest.approx(2e6)
    assert Formula(lambda x: np.exp(x).sum(), {}, (), 1).largest(1e4) == np.inf


def test_a_start_in_the_ball_of_x_star_has_no_distance_that_is_known():
    # three labelled numbers: no rounding of the models, but a search that ends near x*
    few = {"features": [[1.0], [2.0], [-1.0]], "labels": [1, 0, 0], "owners": [0, 0, 0]}
    options = {"name": "logistic", **few, "reg": 0.5, "batch": None}
    losses = problem(clients=1, **options)
    away = minimiser_off(losses) ** 2
    run = {**RUN, "problem": options, "algorithm": {"eta": 1e-300}, "x0": float(losses.optimum[0])}
    source, quantity = Source("test", "1", "near"), Quantity("squared_distance", "last")
    for share, verdict in ((sp.Rational(1, 100), "INCONCLUSIVE"), (10**20, "HOLDS")):
        version = Version({"bound": share * sp.Float(away)}, (), (Check("near", run, verdict),))
        statement = Statement("test.near", source, quantity, {"printed": version}, "sgp")
        result = judge_check(statement, "printed", version.checks[0])
        assert result.verdict == verdict, result.reason


@pytest.mark.parametrize("distance", [sp.Integer(0), sp.Rational(1, 10**28)])
def test_a_start_at_x_star_leaves_an_equality_about_its_distance_open(distance):
    run = {**RUN, "problem": {"name": "log-cosh", "center": 0.3}, "x0": 0.3}
    rule = Assumption("start", sp.Eq(R2, distance))
    version = Version({"bound": T}, (rule,), (Check("at", run, "HOLDS"),))
    source, quantity = Source("test", "1", "at x*"), Quantity("squared_distance", "last")
    statement = Statement("test.at", source, quantity, {"printed": version}, "sgp")
    result = judge_check(statement, "printed", version.checks[0])
    assert result.verdict == "INCONCLUSIVE"
    assert "R2 is known between two ends alone" in result.reason


def test_a_distance_to_the_minimiser_of_a_formula_is_judged():
    # x - x* halves in every step of gradient descent on |x - 3|^2 / 2
    run = {**RUN, "problem": {"name": "huber", "width": 9.0, "centers": 3.0},
           "algorithm": {"eta": 0.5}, "x0": 5.0}  # fmt: skip
    for share, verdict in ((sp.Rational(101, 100), "HOLDS"), (sp.Rational(99, 100), "VIOLATED")):
        version = Version(
            {"bound": share * 4 / sp.Integer(4) ** T}, (), (Check("a", run, verdict),)
        )
        source, quantity = Source("test", "2", "halves"), Quantity("squared_distance", "last")
        statement = Statement("test.halves", source, quantity, {"printed": version}, "sgp")
        assert judge_check(statement, "printed", version.checks[0]).verdict == verdict
