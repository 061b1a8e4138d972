"""A claim about a run that holds with a chance is judged by the law of the runs, not by a mean."""

import math
from statistics import NormalDist

import pytest
import sympy as sp

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import symbol
from theorylab.verdicts import judge_check

bound = symbol("chance_bound", "f", "a bound to compare with", (2, -2))
SIGMA, ETA = 0.5, 0.1


def judged(level, eps, chance=True, sigma=SIGMA, seeds=64):
    """One client, f = x^2 / 2 from 0: |grad f|^2 is 0 at t = 0, (eta sigma N)^2 at t = 1."""
    over = "max" if chance else "last"  # of an expectation the largest is that of x^1
    quantity = Quantity(
        "squared_gradient", over, (2, -2), "g", chance=sp.Float(eps) if chance else None
    )
    instance = {
        "problem": {
            "name": "quadratic", "H": [[[1.0]]], "c": [[0.0]], "sigma": sigma,
        },
        "topology": {"name": "complete"},
        "clients": 1,
        "rounds": 2 if chance else 1,
        "algorithm": {"eta": ETA},
        "x0": 0.0 if sigma else 2.0,
        "constants": {"chance_bound": level},
    }  # fmt: skip
    statement = Statement(
        id="test.chance",
        source=Source("test", "none", "a chance"),
        algorithm="sgp",
        quantity=quantity,
        versions={"printed": Version({"bound": bound}, ())},
    )
    return judge_check(statement, "printed", Check("one", instance, "HOLDS"), seeds=seeds)


def quantile(chance):
    """The value that (eta sigma N)^2 exceeds with this chance."""
    return (ETA * SIGMA * NormalDist().inv_cdf(1 - chance / 2)) ** 2


@pytest.mark.parametrize(("eps", "expected"), [(0.3, "HOLDS"), (0.02, "VIOLATED")])
def test_a_chance_turns_the_verdict_where_the_exact_law_does(eps, expected):
    # exceeded with chance .1, and above the mean: a mean would hold for both
    level = quantile(0.1)
    assert level > (ETA * SIGMA) ** 2
    found = judged(level, eps, seeds=512)
    assert found.verdict == expected
    assert "order statistics" in str(found.interval)


def test_a_median_below_the_bound_is_enough_where_the_mean_is_above():
    level = quantile(0.35)
    assert level < (ETA * SIGMA) ** 2
    assert judged(level, 0.6, seeds=1024).verdict == "HOLDS"
    assert judged(level, 0.6, chance=False, seeds=1024).verdict == "VIOLATED"


def test_without_noise_one_run_is_the_law():
    # |grad f(2)|^2 = 4 at t = 0
    for level, expected in ((4.1, "HOLDS"), (3.9, "VIOLATED")):
        assert judged(level, 0.1, sigma=0.0).verdict == expected


def test_a_chance_that_is_no_chance_is_refused():
    for eps in (0.0, 1.0, 2.0):
        with pytest.raises(ValueError, match=r"the chance .* need a number in \(0, 1\)"):
            judged(1.0, eps)


def test_few_runs_are_not_enough_for_a_small_chance():
    found = judged(quantile(1e-4), 1e-3, seeds=16)
    assert found.runs >= math.log(0.001) / math.log1p(-1e-3)  # as many as a limit needs to exist
