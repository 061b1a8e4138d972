"""Where in a run a claim is made: each place against plain NumPy, a true claim and its rival."""

import itertools

import numpy as np
import pytest
import sympy as sp

from theorylab.metrics import Metric
from theorylab.problems import Quadratic, minimiser, problem
from theorylab.runs import Row
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import alpha, eta, mu, symbol, t
from theorylab.verdicts import judge_check

level = symbol("place_level", "b", "a bound to compare with", (0, 2))
ETA, ROUNDS, START, SIGMA = 0.5, 6, 2.0, 0.5
SHRINK = 1 - ETA  # x^{t+1} = (1 - eta) x^t on f = x^2 / 2
PATH = START * SHRINK ** np.arange(ROUNDS + 1)
WEIGHTS = SHRINK ** -np.arange(ROUNDS)
BOWL = {"name": "quadratic", "H": [[[1.0]]], "c": [[0.0]]}


class Away(Metric, name="test.away"):
    """||xbar||^2, the squared distance again, as a metric of a user."""

    def row(self, state):
        return Row((state.x.mean(axis=1) ** 2).sum(axis=1), {"t": state.t}, f"t={state.t}")

    def rows(self, before, after):
        yield self.row(before)

    def last(self, state):
        yield self.row(state)


class Twice(Away, name="test.twice"):
    def rows(self, before, after):
        yield self.row(before)
        yield self.row(before)


class Inner(Away, name="test.inner"):
    def last(self, state):
        return ()


def judged(quantity, bound, value=1.0, seeds=64, **changes):
    instance = {
        "problem": BOWL, "topology": {"name": "complete"}, "clients": 1, "rounds": ROUNDS,
        "algorithm": {"eta": ETA}, "x0": START, "constants": {"place_level": value}, **changes,
    }  # fmt: skip
    check = Check("one", instance)
    claim = Statement(
        "test.places", Source("test", "1", "a place"), quantity,
        {"claim": Version({"b": bound}, (), (check,))}, algorithm="sgp",
    )  # fmt: skip
    return judge_check(claim, "claim", check, seeds=seeds)


def verdicts(quantity, value, **changes):
    """Of the claims with a thousandth more, and a thousandth less, than what it is."""
    return [judged(quantity, level, value * f, **changes).verdict for f in (1.001, 0.999)]


SQUARES = PATH**2
PLACES = {
    "average": (SQUARES[:-1].mean(), {}),
    "last": (SQUARES[-1], {}),
    "max": (SQUARES[0], {}),
    "best": (SQUARES[-2], {}),
    "run best": (SQUARES[-2], {}),
    "every": (SQUARES[1], {}),
    "average iterate": (PATH[:-1].mean() ** 2, {}),
}
SHARES = {"weights": (1 - mu * eta) ** -t}


@pytest.mark.parametrize("over", PLACES)
@pytest.mark.parametrize("column", ["squared_distance", "test.away"])
def test_each_place_is_what_numpy_says(over, column):
    if (column, over) == ("test.away", "average iterate"):
        with pytest.raises(ValueError, match="is a metric, of states and not of a model"):
            judged(Quantity(column, over, (0, 2)), level)
        return
    assert verdicts(Quantity(column, over, (0, 2)), PLACES[over][0]) == ["HOLDS", "VIOLATED"]


def test_weights_are_functions_of_the_round_and_of_the_constants():
    mean = WEIGHTS @ SQUARES[:-1] / WEIGHTS.sum()
    at = (WEIGHTS @ PATH[:-1] / WEIGHTS.sum()) ** 2
    assert mean > 2 * at
    for column in ("squared_distance", "test.away"):
        quantity = Quantity(column, "average", (0, 2), **SHARES)
        assert verdicts(quantity, mean) == ["HOLDS", "VIOLATED"]
    quantity = Quantity("squared_distance", "average iterate", **SHARES)
    assert verdicts(quantity, at) == ["HOLDS", "VIOLATED"]
    late = Quantity("suboptimality", "average iterate", weights=t)
    assert judged(late, level * mu, 1.0).measured == pytest.approx(
        (np.arange(ROUNDS) @ PATH[:-1] / np.arange(ROUNDS).sum()) ** 2 / 2, rel=1e-12
    )


def test_a_bound_in_t_is_judged_after_every_round():
    rate = (1 - mu * eta) ** (2 * t)
    true = judged(Quantity("squared_distance", "every"), rate * level, 4.0001)
    assert (true.verdict, true.places) == ("HOLDS", ROUNDS)
    false = judged(Quantity("squared_distance", "every"), rate * level / t, 4.0)
    assert (false.verdict, false.place) == ("VIOLATED", f"t={ROUNDS}")
    assert true.curve.axis == "t"
    assert true.curve.rounds == list(range(1, ROUNDS + 1))


NOISE = {"problem": {**BOWL, "sigma": SIGMA}, "rounds": 12}
# E x_t^2 of x_{t+1} = (1 - eta) x_t - eta xi, Var xi = sigma^2
SPREAD = [START**2]
for _ in range(12):
    SPREAD.append(SHRINK**2 * SPREAD[-1] + (ETA * SIGMA) ** 2)


def test_the_least_expectation_is_not_the_expectation_of_the_least():
    least = min(SPREAD[:-1])
    draws = np.random.Generator(np.random.Philox(5)).standard_normal((4000, 12))
    x, low = np.full(4000, START), np.full(4000, START**2)
    for noise in draws.T[:-1]:
        x = SHRINK * x - ETA * SIGMA * noise
        low = np.minimum(low, x**2)
    assert low.mean() < least / 4
    assert (low**2).mean() < 6 * low.mean() ** 2
    between = {"value": least / 2, "seeds": 256, **NOISE}
    for column in ("squared_distance", "test.away"):
        # squares of Gaussian numbers have E X^2 <= 3 (E X)^2; for the least of them see above
        best, each = (
            Quantity(column, over, (0, 2), kurtosis=k) for over, k in (("best", 3), ("run best", 8))
        )
        assert judged(each, level, **between).verdict == "HOLDS"
        assert judged(best, level, **between).verdict != "HOLDS"
    exact = Quantity("squared_distance", "best")
    assert verdicts(exact, least, **NOISE) == ["HOLDS", "VIOLATED"]
    sampled = Quantity("test.away", "best", (0, 2), kurtosis=3)
    assert judged(sampled, level, least * 4, seeds=256, **NOISE).verdict == "HOLDS"


def test_a_sampled_least_expectation_refutes_what_is_far_below_it():
    flat = {"problem": {**BOWL, "sigma": 0.1}, "rounds": 3, "x0": START}
    quantity = Quantity("test.away", "best", (0, 2), kurtosis=3)
    assert judged(quantity, level, 0.1, seeds=256, **flat).verdict == "VIOLATED"
    found = judged(quantity, level, 0.6, seeds=256, **flat)
    assert (found.verdict, found.given.split("; ")[0]) == ("HOLDS", "kurtosis 3")


def test_the_largest_of_a_run_is_no_largest_expectation():
    """sup_t E x_t^2 is at the start here; the runs' own largest is above it."""
    quiet = {"problem": {**BOWL, "sigma": SIGMA}, "rounds": 12, "x0": 0.0}
    top = (ETA * SIGMA) ** 2 / (1 - SHRINK**2)  # above every E x_t^2
    for column in ("squared_distance", "test.away"):
        found = judged(Quantity(column, "max", (0, 2)), level, top, seeds=512, **quiet)
        assert found.verdict == "VIOLATED"


FAIR = {"problem": {"name": "noisy", "base": BOWL, "field": "rademacher"}, "rounds": 3}


def test_a_finite_law_is_exact_at_every_place():
    ends = []
    for signs in itertools.product((-1, 1), repeat=3):
        x = [START]
        for sign in signs:
            x.append(SHRINK * x[-1] - ETA * sign)
        ends.append(np.square(x))
    ends = np.array(ends)
    for over, value in {
        "average": ends[:, :3].mean(), "last": ends[:, 3].mean(),
        "run best": ends[:, :3].min(axis=1).mean(), "best": ends[:, :3].mean(axis=0).min(),
        "max": ends[:, :3].max(axis=1).mean(),
    }.items():  # fmt: skip
        quantity = Quantity("test.away", over, (0, 2))
        found = verdicts(quantity, value, law="enumerated", **FAIR)
        assert found == ["HOLDS", "VIOLATED"], over


@pytest.mark.parametrize("column", ["squared_distance", "test.away"])
def test_a_chance_is_of_single_runs_whatever_is_made_of_them(column):
    draws = np.random.Generator(np.random.Philox(6)).standard_normal((20000, 12))
    x, low = np.full(20000, START), np.full(20000, START**2)
    for noise in draws.T[:-1]:
        x = SHRINK * x - ETA * SIGMA * noise
        low = np.minimum(low, x**2)
    value = float(np.quantile(low, 0.7))  # exceeded with chance .3, and above the median
    for eps, expected in ((0.5, "HOLDS"), (0.1, "VIOLATED")):
        quantity = Quantity(column, "run best", (0, 2), chance=sp.Float(eps))
        found = judged(quantity, level, value, seeds=512, **NOISE)
        assert found.verdict == expected
        assert "binomial" in found.interval


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda: Quantity("loss", "sometimes"), "over is 'sometimes'; need one of average, last"),
        (lambda: Quantity("loss", "best", chance=sp.Float(0.1)), "'best', the least of the exp"),
        (lambda: Quantity("loss", "last", weights=t), "weights came with over 'last'; need av"),
        (lambda: Quantity("mine", "last"), r"no units of 'mine' came; need units \(f, x\)"),
        (lambda: judged(Quantity("mine", "last", (0, 2)), level), "no run has a column 'mine'"),
        (lambda: judged(Quantity("test.twice", "last", (0, 2)), level), "two rows at t=0; need o"),
        (lambda: judged(Quantity("test.inner", "last", (0, 2)), level), "no value over 'last'"),
        (lambda: judged(Quantity("squared_distance", "average", weights=t - 1), level), "is -1 at"),
        (lambda: judged(Quantity("squared_distance", "last"), level * t), "the constant 't'"),
        (
            lambda: judged(Quantity("test.away", "last", (0, 2), chance=1 + alpha * 0), level),
            r"the chance 1 is 1.0; need a number in \(0, 1\)",
        ),
        (
            lambda: judged(
                Quantity("squared_distance", "last"), level,
                problem={"name": "ridge"},
            ),
            "needs the minimiser of one common model, and ridge has none that is known",
        ),
    ],
)  # fmt: skip
def test_what_says_nothing_is_one_line(make, line):
    with pytest.raises(ValueError, match=line):
        make()


def test_a_minimiser_is_that_of_the_losses_as_they_are_written():
    class Shifted(Quadratic):
        def gradient(self, x):
            return super().gradient(x) + 1

    H, c = [[[1.0]]], [[0.0]]
    assert minimiser(problem("quadratic", 1, H=H, c=c)) == 0
    assert minimiser(Shifted(1, H=H, c=c)) is None
    noisy = problem("noisy", 1, base=BOWL, field="rademacher")
    assert minimiser(noisy) == 0
