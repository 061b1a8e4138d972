"""Claims that a number is at least a bound: which end they need, and the chance of error of it."""

import math
from fractions import Fraction
from statistics import NormalDist
from types import SimpleNamespace

import numpy as np
import pytest
import sympy as sp

from theorylab.experiments import Experiment, Observation
from theorylab.runs import Row, mean_interval, quantile_interval
from theorylab.scripts.base import Facts
from theorylab.statements import Check, Order, Quantity, Source, Statement, Version
from theorylab.symbols import symbol
from theorylab.verdicts import judge_check

level = symbol("below_level", "b", "a bound to compare with")
ETA, ROUNDS = 0.2, 20
RUN = {
    "problem": {"name": "quadratic", "H": [[[1.0]]], "c": [[0.0]], "sigma": 1.0},
    "clients": 1, "rounds": ROUNDS, "topology": {"name": "complete"},
    "algorithm": {"eta": ETA}, "x0": 0.0,
}  # fmt: skip
# x_{t+1} = (1 - eta) x_t - eta xi from 0
VARIANCE = sum((ETA * (1 - ETA) ** k) ** 2 for k in range(ROUNDS))


def judged(quantity, bound, seeds=1024, relation=">="):
    check = Check("one", {**RUN, "constants": {"below_level": bound}})
    claim = Statement(
        "mine.below", Source("mine", "1", "a number from below"), quantity,
        {"claim": Version({"b": level}, (), (check,), relation=relation)}, algorithm="sgp",
    )  # fmt: skip
    return judge_check(claim, "claim", check, seeds=seeds)


def quantile(chance):
    """The x with P(x_T^2 < x) = chance."""
    return VARIANCE * NormalDist().inv_cdf((1 + chance) / 2) ** 2


@pytest.mark.parametrize("over", ["last", "every"])
@pytest.mark.parametrize("chance", [0.1, 0.5, 0.9])
def test_with_a_chance_the_quantile_below_which_that_share_lies_decides(chance, over):
    exact, seeds = quantile(chance), 1024 if over == "last" else 512
    quantity = Quantity("squared_distance", over, chance=sp.Float(chance))
    false = judged(quantity, exact * 3, seeds)
    assert (false.verdict, over == "last" or false.places == ROUNDS) == ("VIOLATED", True)
    if over == "last":
        true = judged(quantity, exact / 3)
        assert true.verdict == "HOLDS"
        assert true.ci[0] < exact < (true.ci[1] or math.inf)


@pytest.mark.parametrize("over", ["last", "run best"])
def test_of_a_claim_on_every_run_the_smallest_one_decides(over):
    quantity = Quantity("squared_distance", over, pathwise=True)
    found = judged(quantity, 0.05, 64)
    assert (found.verdict, found.interval.split(",")[0]) == (
        "VIOLATED", "smallest of 16 realisations"
    )  # fmt: skip
    assert found.measured < quantile(0.5)


def test_a_script_of_a_claim_on_every_run_takes_the_outcome_that_decides():
    for relation, pathwise, named in (
        (">=", True, "min"),
        ("<=", True, "max"),
        (">=", False, "mean"),
    ):
        quantity = Quantity("squared_gradient", "last", pathwise=pathwise)
        version = Version({"b": level}, relation=relation)
        claim = Statement("mine.a1", Source("mine", "1", "b"), quantity, {"v": version}, "sgp")
        assert Facts(claim, SimpleNamespace(version="v")).reduction == named


class Fixed(Experiment, name="test-fixed"):
    """The numbers 1 .. 64 as 64 runs, in an order of no meaning; or a die as a law."""

    columns = ("sampled", "law")

    def __init__(self, *, scale=1.0):
        self.scale = scale

    def describe(self):
        return {"scale": self.scale}

    def constants(self):
        return {}

    def observe(self, column, runs, seed):
        if column == "law":
            row = Row(np.arange(6.0, 0.0, -1.0), weights=np.full(6, 1 / 6))
        else:
            row = Row(self.scale * np.array([1.0 + 37 * r % 64 for r in runs]), rounding=0.0)
        return Observation((row,), column == "law")


def of_fixed(column, bound, relation=">=", order=None, instance=None, **options):
    quantity = Quantity(column, "rows", (0, 0), "k", **options)
    version = Version({"b": sp.sympify(bound)}, relation=relation, order=order)
    claim = Statement(
        "mine.fixed", Source("mine", "1", "numbers"), quantity, {"v": version},
        experiment="test-fixed",
    )  # fmt: skip
    return judge_check(claim, "v", Check("one", instance or {}), rows=order is not None)


def at_most(k, chance, runs=64):
    """P(Bin <= k), exactly."""
    p = Fraction(chance)
    return sum(math.comb(runs, j) * p**j * (1 - p) ** (runs - j) for j in range(k + 1))


@pytest.mark.parametrize("chance", [Fraction(1, 3), Fraction(1, 2)])
@pytest.mark.usefixtures("registries")
def test_both_ends_are_order_statistics_with_exact_binomial_tails(chance):
    # b is the quantile: the k-th smallest is above it only if fewer than k runs are not above it,
    # and below it only if k runs are below it, whose chance each is at most, or least, ``chance``
    shares = 3  # looks at 16, 32 and 64 runs
    low = max(k for k in range(1, 65) if at_most(k - 1, chance) <= Fraction(1, 100 * shares))
    high = min(k for k in range(1, 65) if 1 - at_most(k - 1, chance) <= Fraction(1, 1000 * shares))
    found = of_fixed("sampled", 64 * chance, chance=sp.Rational(chance))
    assert (found.verdict, found.ci) == ("INCONCLUSIVE", (low, high))


@pytest.mark.usefixtures("registries")
def test_of_an_exact_law_the_share_below_the_bound_is_what_the_claim_allows():
    for bound, expected in ((1.9, "HOLDS"), (2.1, "VIOLATED")):  # P(k < 2) = 1/6, P(k < 2.1) = 1/3
        assert of_fixed("law", bound, chance=sp.Rational(1, 5)).verdict == expected
    # as many as the claim allows, up to rounding: of both ends the one that decides against it
    assert of_fixed("law", 1.5, chance=sp.Rational(1, 6)).verdict == "INCONCLUSIVE"
    assert of_fixed("law", 0.9, pathwise=True).verdict == "HOLDS"
    assert of_fixed("law", 1.1, pathwise=True).verdict == "VIOLATED"


@pytest.mark.usefixtures("registries")
def test_the_limit_that_refutes_errs_once_in_a_thousand_whatever_the_relation():
    values = np.array([1.0 + 37 * r % 64 for r in range(64)])
    for relation, error in (("<=", 1e-2), (">=", 1e-3)):
        found = of_fixed("sampled", 30.5, relation, ceiling=80)
        plain = mean_interval(values, 80.0, error_above=error)
        assert found.ci == (plain.low, plain.high)
    wide, thin = (quantile_interval(values, 0.25, error_above=e).high for e in (1e-3, 1e-2))
    assert wide > thin


@pytest.mark.usefixtures("registries")
def test_both_limits_of_a_growth_may_refute_it_and_err_once_in_a_thousand():
    sweep = {"parameter": "scale", "values": [1.0, 2.0, 4.0]}
    order = Order(sp.Integer(1), window=True)
    found = of_fixed("sampled", 30, "<=", order, {"scale": 1.0, "sweep": sweep}, ceiling=400)
    values = np.array([1.0 + 37 * r % 64 for r in range(64)])
    plain = mean_interval(values, 400.0, 1 / 3, error_above=1e-3)
    assert found.rows[0].ci == (plain.low, plain.high)
