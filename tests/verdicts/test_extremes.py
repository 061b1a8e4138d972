"""What numbers near the ends of float64 measure proves nothing."""

import pytest
import sympy as sp

from theorylab.experiments import Experiment, Observation, Row
from theorylab.statements import BUILT_IN, Check, Quantity, Source, Statement, Version
from theorylab.symbols import symbol
from theorylab.verdicts import judge_check
from theorylab.verdicts.extremes import extreme

place = symbol("test_place", "1", "a row's own number")

SMALL = {
    "problem": {"name": "log-cosh", "dim": 2, "spread": 1e-160, "seed": 3},
    "topology": {"name": "random-out", "degree": 2, "seed": 3},
    "clients": 3,
    "rounds": 1,
    "algorithm": {"eta": 0.001, "alpha": 0.6, "rho": 0.05, "local_steps": 3, "decay": 1.0},
    "x0": 5e-161,
}


class Halves(Experiment, name="test-halves"):
    """3 * 2^-k at every k of ``powers``."""

    columns = ("value",)

    def __init__(self, powers, scale=1.0):
        self.powers, self.scale = powers, scale

    def describe(self):
        return {"powers": list(self.powers), "scale": self.scale}

    def constants(self):
        return {}

    def observe(self, column, runs, seed):
        rows = [Row([3 * 2.0**-k], {"test_place": float(k)}, f"k={k}") for k in self.powers]
        return Observation(tuple(rows), exact=True)


def halves(relation="<=", **options):
    bound = 2 ** sp.Integer(1) * 2**-place if relation == "<=" else 4 * 2**-place
    claim = Statement(
        id="test.halves",
        source=Source("test", "none", "powers of 2"),
        experiment=Halves.name,
        quantity=Quantity("value", "rows", (0, 0), "3/2^k"),
        versions={"printed": Version({"bound": bound}, (), relation=relation)},
    )
    return judge_check(claim, "printed", Check("one", options))


def test_a_gradient_whose_square_underflows_refutes_no_true_statement(monkeypatch):
    line = BUILT_IN["dfedsgpsm.alg1_line8"]
    found = judge_check(line, "corrected", Check("small", SMALL))
    assert found.verdict == "INCONCLUSIVE"
    assert found.reason.startswith("the instance has 1e-160, whose square leaves float64")
    # the numbers themselves do exceed the bound: it is this look alone that keeps the verdict true
    monkeypatch.setattr("theorylab.verdicts.decide.extreme", lambda *_: "")
    assert judge_check(line, "corrected", Check("small", SMALL)).verdict == "VIOLATED"


def test_a_measured_number_that_overflowed_is_refused():
    large = {"clients": 1, "maps": "aligned", "dim": 1, "hyper": 1, "eta_A": 0.5, "eta_B": 1e266}
    with pytest.raises(ValueError, match="bias_law at M=1 leaves float64; need smaller numbers"):
        judge_check(BUILT_IN["pdbo.thm8_tail"], "printed/bias", Check("large", large))


@pytest.mark.parametrize("relation", ["<=", ">="])
def test_a_violation_at_an_ordinary_place_stands_beside_one_that_underflowed(relation):
    assert halves(relation, powers=[1000]).verdict == "INCONCLUSIVE"
    for powers in ([3, 1000], [1000, 3]):
        found = halves(relation, powers=powers)
        assert (found.verdict, found.reason.split(" at ")[-1]) == ("VIOLATED", "k=3")


@pytest.mark.parametrize(("value", "told"), [(1e100, ""), (1e-100, ""), (0.0, ""), (True, "")])
def test_numbers_with_squares_are_no_extremes(value, told):
    assert extreme({"problem": {"c": [[value]]}}, value, 1.0) == told


def test_whole_numbers_beyond_float64_are_told():
    assert extreme({"rounds": 10**400}).startswith("the instance has a number above 1e300")


def test_a_bound_that_is_nothing_beside_an_ordinary_number_is_exceeded():
    assert extreme({}, 0.9, 1e-300) == extreme({}, 0.0, 0.0) == ""
    assert extreme({}, 1e-300, 0.0).startswith("both sides are at most 1e-300")
