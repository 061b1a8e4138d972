"""Numbers below 0: gaps below f*, rows whose floor nobody gave, and what is measured beside."""

import math

import numpy as np
import pytest

from theorylab.known import How, Known
from theorylab.metrics import Metric
from theorylab.problems import Problem, problem
from theorylab.report.shown import Shown
from theorylab.runs import Row, Setting
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import magnitude, symbol
from theorylab.topologies import topology
from theorylab.verdicts import judge_check
from theorylab.verdicts.support import ASSUMED, support_of_column

level = symbol("zero_level", "b", "a bound to compare with")
GAP, LOSS = Quantity("suboptimality", "last"), Quantity("loss", "last")
COUPLED = {"name": "coupled-quadratic", "seed": 1}
PARTS = {"eta_u": 0.1, "eta_v": 0.1}
NOISY = {"name": "noisy", "base": {"name": "log-cosh", "dim": 1}, "field": "common", "sigma": 0.5}


def judged(quantity, value, losses, relation="<=", kind="sgp", bound=level, **changes):
    instance = {
        "problem": losses, "clients": 1, "rounds": 4, "topology": {"name": "complete"},
        "algorithm": {"eta": 0.1}, "x0": 1.0, "constants": {"zero_level": value}, **changes,
    }  # fmt: skip
    if bound is not level:
        del instance["constants"]
    check = Check("one", instance)
    claim = Statement(
        "mine.zero", Source("mine", "1", "numbers below 0"), quantity,
        {"v": Version({"b": bound}, (), (check,), relation=relation)}, algorithm=kind,
    )  # fmt: skip
    return judge_check(claim, "v", check)


def test_with_personal_parts_the_gap_is_below_zero_and_stays_so():
    run = {"kind": "dfedpgp", "algorithm": PARTS, "clients": 4, "rounds": 40}
    best = problem(**COUPLED, clients=4).constants()["f_star"].value
    loss = judged(LOSS, 1.0, COUPLED, **run).measured
    assert loss < best - 0.1
    found = judged(GAP, -0.1, COUPLED, **run)
    assert (found.verdict, found.measured) == ("HOLDS", loss - best)
    assert judged(GAP, -0.1, COUPLED, ">=", **run).verdict == "VIOLATED"


class Line(Problem, name="test-half-line"):
    """f = x over x >= 0, which a step leaves."""

    def __init__(self, clients, noise=0.0):
        super().__init__(clients, 1, noise > 0)
        self.noise = noise

    def inside(self, x):
        return x[:, 0] >= 0

    def loss(self, x):
        return x[..., 0].copy()

    def gradient(self, x):
        return np.ones_like(x)

    def constants(self):
        return {
            "f_star": Known(0.0, How.EXACT, "at 0"),
            "B": Known(1.0, How.EXACT, "on the set"),
            "L": Known(0.0, How.EXACT, "linear"),
        }

    def describe(self):
        return {"name": self.name}


@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize("over", ["last", "average", "average iterate", "best", "every"])
def test_outside_its_set_a_loss_goes_below_its_least_value(over):
    step = {"algorithm": {"eta": 2.0}, "x0": -1.0}  # f - f* is -1, -3, -5, -7, -9
    quantity = Quantity("suboptimality", over)
    assert judged(quantity, -0.5, {"name": Line.name}, **step).verdict == "HOLDS"
    assert judged(quantity, -0.5, {"name": Line.name}, ">=", **step).verdict == "VIOLATED"


class Shifted(Line, name="test-shifted"):
    """(x - .9)^2 + .2, whose terms cancel."""

    inside = property()  # there is no set: an attribute that is not there

    def loss(self, x):
        return x[..., 0] ** 2 - 1.8 * x[..., 0] + 1.01

    def gradient(self, x):
        return 2 * x - 1.8

    def constants(self):
        return {"f_star": Known(0.2, How.EXACT, "at .9"), "L": Known(2.0, How.EXACT, "f'' is 2")}


@pytest.mark.usefixtures("registries")
def test_what_rounding_alone_puts_below_the_least_value_is_nothing():
    assert 0.9**2 - 1.8 * 0.9 + 1.01 < 0.2
    found = judged(GAP, 1.0, {"name": Shifted.name}, x0=0.9)
    assert (found.verdict, found.measured) == ("HOLDS", 0.0)


@pytest.mark.usefixtures("registries")
def test_a_gap_has_the_floor_0_only_where_it_cannot_be_negative():
    def known(column, **options):
        losses = problem(**options, clients=2)
        start = np.zeros((2, losses.dim))
        network = topology("complete", clients=2)
        found = support_of_column(Setting(losses, network, None, {}, 1, start), column)
        return found.floor, found.ceiling

    free = (-math.inf, math.inf)
    walled = {"name": "noisy", "base": {"name": Line.name}, "sigma": 1.0}
    for options in (COUPLED, {"name": Line.name}, walled):
        assert known("suboptimality", **options) == known("loss", **options) == free
    assert known("suboptimality", name="log-cosh") == (0.0, math.inf)
    assert known("squared_gradient", **walled) == (0.0, math.inf)  # B is of the set alone


class Rare(Metric, name="test.rare"):
    """1, or rarely far below 0: of that 64 runs show nothing."""

    def rows(self, before, after):
        x = before.x[:, 0, 0]
        yield Row(np.where(x > 1e3, -1e9, 1.0), {"t": before.t}, f"t={before.t}")


class Given(Metric, name="test.rare_given"):
    """The same, whose class says what it is never below."""

    def rows(self, before, after):
        yield Row(1 + 0 * before.x[:, 0, 0], {"t": before.t}, f"t={before.t}", floor=0.0)


class Either(Metric, name="test.either"):
    """Of either sign."""

    def rows(self, before, after):
        yield Row(1 + 20 * (before.x[:, 0, 0] - 1), {"t": before.t}, f"t={before.t}")


@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize("over", ["rows", "best", "average", "max"])
def test_a_floor_that_nobody_gave_is_told_wherever_a_verdict_rests_on_it(over):
    where = {"at": [3]} if over == "rows" else {}
    for relation, value, verdict in (("<=", 0.0, "VIOLATED"), (">=", 1e-3, "HOLDS")):
        quantity = Quantity("test.rare", over, (0, 0))
        found = judged(quantity, value, NOISY, relation, **where)
        assert (found.verdict, found.given) == (verdict, ASSUMED)
        assert ASSUMED in found.reason
        assert Shown(found).given.endswith(f"{verdict} from runs, {ASSUMED}.")
        said = judged(Quantity("test.rare_given", over, (0, 0)), value, NOISY, relation, **where)
        assert (said.verdict, said.given) == (verdict, "floor 0")
        own = Quantity("test.rare", over, (0, 0), floor=0)
        assert judged(own, value, NOISY, relation, **where).given == "floor 0"
    held = judged(Quantity("test.rare", over, (0, 0), ceiling=2), 2.5, NOISY, **where)
    assert (held.verdict, held.given) == ("HOLDS", "ceiling 2")  # no floor has a part in it
    moment = judged(Quantity("test.rare", over, (0, 0), kurtosis=2), 9.0, NOISY, **where)
    assert Shown(moment).believed == [("given", "kurtosis 2"), ("assumed", ASSUMED[9:])]


@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize("over", ["rows", "best", "average", "run best"])
def test_a_sample_with_a_negative_number_has_no_floor(over):
    where = {"at": [3]} if over == "rows" else {}
    found = judged(Quantity("test.either", over, (0, 0)), -50.0, NOISY, **where)
    assert (found.verdict, found.ci, found.given) == ("INCONCLUSIVE", (None, None), "")
    low = judged(Quantity("test.either", over, (0, 0)), -50.0, NOISY, ">=", **where)
    assert "no floor of a run is known" in low.reason


STEPS = {"kind": "dfedsgpsm", "algorithm": {"eta": 0.1, "alpha": 0.0, "rho": 0.0, "local_steps": 2}}
SIGNS = {**NOISY, "field": "rademacher"}


@pytest.mark.parametrize("losses", [SIGNS, NOISY, {"name": "log-cosh", "dim": 1}])
def test_a_bound_with_the_size_of_what_was_added_is_judged_in_every_run(losses):
    every = Quantity("squared_gradient", "last", pathwise=True)
    assert judged(every, 0, losses, bound=10 * magnitude, **STEPS).verdict == "HOLDS"
    few = Quantity("squared_gradient", "last", chance=0.5)
    for quantity in (few, Quantity("squared_gradient", "last")):
        with pytest.raises(ValueError, match=r"magnitude came, .* need pathwise=True"):
            judged(quantity, 0, losses, bound=10 * magnitude, **STEPS)
    judged(few, 1.0, losses, rounds=5, **STEPS)  # of these runs that are kept no size is known
    found = judged(every, 0, losses, bound=10 * magnitude, rounds=5, **STEPS)
    assert found.verdict == "HOLDS"


def test_a_residual_in_expectation_is_one_of_the_runs():
    residual = Quantity("update_residual_line9", "max", (0, 1), ceiling=1)
    assert judged(residual, 0.5, NOISY, **STEPS).verdict == "HOLDS"
