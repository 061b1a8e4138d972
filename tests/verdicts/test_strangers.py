"""Theorems of strangers: the true value is computed here, by plain NumPy or mpmath."""

import dataclasses
import itertools
import json

import mpmath
import numpy as np
import pytest
import sympy as sp

from theorylab import symbols
from theorylab.algorithms import SGP
from theorylab.falsify import falsify
from theorylab.kernels import Stream
from theorylab.known import How, Known
from theorylab.metrics import Metric, measured
from theorylab.problems import Quadratic, problem
from theorylab.runs import Row, Setting
from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import L, T, eta, f0, f_star, mu
from theorylab.topologies import topology
from theorylab.verdicts import judge_check

pytestmark = pytest.mark.usefixtures("registries")


def descent(dim=1, rounds=10, step=0.5, x0=3.0, **options):
    """Gradient descent on one quadratic with L = mu = 1, so every rate is an equality."""
    losses = {"name": "quadratic", "dim": dim, "mu": 1.0, "L": 1.0, "seed": 0, **options}
    return {"problem": losses, "topology": {"name": "complete"}, "clients": 1,
            "rounds": rounds, "algorithm": {"eta": step}, "x0": x0}  # fmt: skip


ALONE = (  # what the textbook's theorems on gradient descent assume
    Assumption("eta <= 1/L", rule=eta * L <= 1, finite=(L,)),
    Assumption("no noise", rule=sp.Eq(symbols.sigma_l, 0)),
    Assumption("one client", rule=sp.Eq(symbols.n, 1)),
)


def verdict(instance, bound, quantity="last_suboptimality", algorithm="sgp", assumes=(), **options):
    claim = Statement(
        "mine.thm1", Source("mine", "1", "a bound"), quantity,
        {"claim": Version({"bound": bound}, assumes, (Check("one", instance),), **options)},
        algorithm=algorithm,
    )  # fmt: skip
    return claim, judge_check(claim, "claim", Check("one", instance))


RATE = (1 - mu * eta) ** (2 * T) * (f0 - f_star)


def test_last_is_the_state_after_the_last_round():
    instance = descent()
    _, result = verdict(instance, RATE * sp.Rational(101, 100))
    center = Quadratic(1, **{k: v for k, v in instance["problem"].items() if k != "name"}).centers
    x = np.full(1, 3.0)
    start = ((x - center[0]) ** 2).sum() / 2
    for _ in range(10):
        x = x - 0.5 * (x - center[0])
    assert result.measured == pytest.approx(((x - center[0]) ** 2).sum() / 2, rel=1e-12)
    assert result.measured == pytest.approx(0.5**20 * start, rel=1e-12)
    assert result.verdict == "HOLDS"
    assert verdict(instance, RATE * sp.Rational(99, 100))[1].verdict == "VIOLATED"
    assert verdict(instance, RATE)[1].verdict == "INCONCLUSIVE"  # an equality, up to rounding


def test_the_curve_reads_every_horizon_at_its_own_last_state():
    _, result = verdict(descent(rounds=6), RATE * 2)
    curve = result.curve
    ratios = [m / b for m, b in zip(curve.measured, curve.bound, strict=True)]
    assert ratios == pytest.approx([0.5] * len(ratios), rel=1e-9)


def test_last_of_exact_moments_is_the_expectation_after_the_last_round():
    # x -> x - eta (x - c) - eta xi: the variance after T steps in closed form
    _, result = verdict(descent(sigma=1.0, rounds=7), f0 * 100)
    center = Quadratic(1, dim=1, mu=1.0, L=1.0, seed=0, sigma=1.0).centers[0, 0]
    bias = 0.5**7 * (3.0 - center)
    noise = 0.25 * sum(0.25**k for k in range(7))
    assert result.measured == pytest.approx((bias**2 + noise) / 2, rel=1e-12)


@pytest.mark.parametrize("x0", [0.0, 3.0])
def test_a_false_rate_does_not_hold_because_the_measured_side_is_zero(x0):
    # 20 T in the exponent: false, as the true gap is (1 - mu eta)^(2T) (f0 - f*) > 0
    rounds = 200
    _, result = verdict(descent(rounds=rounds, x0=x0), (1 - mu * eta) ** (20 * T) * (f0 - f_star))
    center = Quadratic(1, dim=1, mu=1.0, L=1.0, seed=0).centers[0, 0]
    true = mpmath.mpf("0.5") ** (2 * rounds) * (mpmath.mpf(x0) - mpmath.mpf(center)) ** 2 / 2
    assert true > mpmath.mpf("0.5") ** (20 * rounds) * 1e9
    assert result.verdict == "INCONCLUSIVE"
    assert "rounding" in result.reason


@pytest.mark.parametrize("quantity", ["last_consensus", "squared"])
def test_a_false_rate_of_other_columns_does_not_hold_either(quantity):
    kind = {
        "last_consensus": "last_consensus",
        "squared": Quantity("squared_gradient", "last", (2, -2), "g"),
    }[quantity]
    instance = descent(rounds=200) | {"clients": 3, "topology": {"name": "directed-ring"}}
    unit = symbols.x0_sq if quantity == "last_consensus" else L * (f0 - f_star)
    _, result = verdict(instance, sp.Rational(1, 2) ** (20 * T) * unit, kind)
    assert result.verdict != "HOLDS"


R2 = ("R2_mine", "R_2^2", "|x^0 - x*|^2", (0, 2))
LAST = L / (4 * T * eta * L + 2)  # Drori and Teboulle: f(x_T) - f* <= L R^2 / (4 T eta L + 2)


def distance(setting):
    if not isinstance(setting.problem, Quadratic):
        raise ValueError("need a quadratic")
    return float(((setting.start.mean(axis=0) - setting.problem.centers.mean(axis=0)) ** 2).sum())


def test_a_number_that_is_known_for_one_instance_keeps_it_where_it_is():
    squared = symbols.symbol(*R2)
    center = Quadratic(1, dim=1, mu=1.0, L=1.0, seed=0).centers[0, 0]
    given = {"R2_mine": (3.0 - center) ** 2}
    instance = descent() | {"constants": given}
    claim, result = verdict(instance, LAST * squared)
    assert result.verdict == "HOLDS"
    with pytest.raises(ValueError, match="nothing to move: constants that are numbers hold for"):
        falsify(claim, "claim", budget=300, clock=itertools.count().__next__)


def test_a_constant_that_is_a_function_moves_with_the_instance():
    squared = symbols.symbol(*R2)
    claim, result = verdict(descent(), LAST * squared, assumes=ALONE, constants={squared: distance})
    center = Quadratic(1, dim=1, mu=1.0, L=1.0, seed=0).centers[0, 0]
    assert result.constants["R2_mine"]["value"] == pytest.approx((3.0 - center) ** 2, rel=1e-15)
    found = falsify(claim, "claim", budget=300, clock=itertools.count().__next__)
    assert not found.refuted, found.instance
    assert found.tried > 3
    json.dumps(found.instance)


def test_a_false_claim_with_a_function_is_still_found():
    squared = symbols.symbol(*R2)
    claim, _ = verdict(
        descent(), LAST * squared / 10**6, assumes=ALONE, constants={squared: distance}
    )
    assert falsify(claim, "claim", budget=300, clock=itertools.count().__next__).refuted


def test_an_algorithm_that_overrides_step_is_run_as_written():
    @dataclasses.dataclass(frozen=True)
    class Boxed(SGP, name="test-boxed"):
        def step(self, state, context):
            after = super().step(state, context)
            x = np.full_like(after.x, 100.0)
            return dataclasses.replace(after, x=x, z=x)

    _, result = verdict(descent(sigma=0.5), f0 * 0 + f0, algorithm="test-boxed")
    center = Quadratic(1, dim=1, mu=1.0, L=1.0, seed=0).centers[0, 0]
    assert result.measured == pytest.approx((100.0 - center) ** 2 / 2, rel=1e-12)


@pytest.mark.parametrize("algorithm", ["sgp", "dpsgd"])
def test_a_problem_that_overrides_loss_and_gradient_is_run_as_written(algorithm):
    class Quartic(Quadratic, name="test-quartic"):
        def loss(self, x):
            return (x**4).sum(axis=-1) / 4 + 5

        def gradient(self, x):
            return x**3

        def constants(self):
            return {"f_star": Known(5.0, How.EXACT, "at 0")}

    losses = {"name": "test-quartic", "dim": 1, "mu": 1.0, "L": 1.0, "seed": 0}
    instance = descent(step=0.01, x0=2.0) | {"problem": losses}
    _, result = verdict(instance, f0 * 0 + f0, algorithm=algorithm)
    x = 2.0
    for _ in range(10):
        x -= 0.01 * x**3
    assert result.measured == pytest.approx(x**4 / 4, rel=1e-12)


def test_a_subclass_that_names_no_constants_has_none():
    class Steeper(Quadratic, name="test-steeper"):
        def gradient(self, x):
            return 100 * x

        def loss(self, x):
            return 50 * (x * x).sum(axis=-1)

    made = Steeper(1, dim=1, mu=1.0, L=1.0, seed=0)
    assert made.constants() == {}
    assert made.mean_loss(np.ones((1, 1)))[0] == made.loss(np.ones((1, 1, 1)))[0, 0]
    instance = descent() | {"problem": {"name": "test-steeper", "dim": 1}}
    with pytest.raises(ValueError, match="nothing defines the constant"):
        verdict(instance, eta * L * f0)


def drawing():
    """A method whose noise is its own, and nothing says so."""

    class Drawing(SGP, name="test-drawing"):
        def step(self, state, context):
            xi = Stream(context.seed, "noise").normal(context.runs, 1, state.t, 0, 1)
            x = state.x - self.eta * (context.problem.gradient(state.x) + xi)
            return dataclasses.replace(state, t=state.t + 1, x=x, z=x)

    return Drawing


DRAWS = r"test-drawing: two runs differ.* need draws = True"


def test_one_run_is_not_all_of_a_step_that_draws():
    drawing()
    with pytest.raises(ValueError, match=DRAWS):
        verdict(descent(), RATE, algorithm="test-drawing")


def test_nor_is_one_run_all_of_a_metric_of_it():
    class Own(Metric):
        def rows(self, before, after):
            yield Row((before.x**2).sum(axis=(1, 2)), {"t": before.t}, f"t={before.t}")

    parts = problem("quadratic", 1, dim=1), topology("complete", 1), drawing()(0.5)
    with pytest.raises(ValueError, match=DRAWS):
        measured(Own, Setting(*parts, {}, 3, np.ones((1, 1))), {})
