"""What limits of a mean of runs rest on: floors, ceilings, second moments, and what is given."""

import math

import numpy as np
import pytest
import sympy as sp

from theorylab.algorithms import Algorithm
from theorylab.kernels import Stream
from theorylab.known import How, Known
from theorylab.metrics import Metric
from theorylab.problems import Problem, problem
from theorylab.runs import Row, Setting, unseen
from theorylab.statements import QUANTITIES, Check, Quantity, Source, Statement, Version
from theorylab.symbols import eta, f0, f_star, sigma_l, symbol
from theorylab.topologies import topology
from theorylab.verdicts import judge_check
from theorylab.verdicts.support import support_of_column

COSH = {"name": "log-cosh", "dim": 1}
level = symbol("support_level", "b", "a bound to compare with")


def judged(quantity, bound=level, value=1.0, seeds=64, relation="<=", own=True, **changes):
    instance = {
        # of such noise no more is known than its variance
        "problem": {"name": "noisy", "base": COSH, "field": "common", "sigma": 0.5},
        "clients": 1, "rounds": 4,
        "topology": {"name": "complete"}, "algorithm": {"eta": 0.1}, "x0": 0.0,
        "constants": {"support_level": value}, **changes,
    }  # fmt: skip
    if bound is not level:
        del instance["constants"]
    check = Check("one", instance)
    claim = Statement(
        "mine.support", Source("mine", "1", "a mean of runs"), quantity,
        {"claim": Version({"b": bound}, (), (check,), relation=relation)}, algorithm="sgp",
    )  # fmt: skip
    return judge_check(claim, "claim", check, seeds=seeds)


RARE = {
    "problem": {
        "name": "noisy", "base": {"name": "log-cosh", "dim": 1}, "field": "two-point",
        "sigma": 1.0, "chance": 1e-4,
    },
    "rounds": 30,
}  # fmt: skip


@pytest.mark.parametrize("seeds", [64, 512])
def test_runs_that_agree_show_nothing_of_a_mean_that_lies_in_rare_ones(seeds):
    # two million runs of a NumPy program give .0234, and nearly all of them 0
    found = judged("last_suboptimality", eta**2 * sigma_l**2 / 4, seeds=seeds, **RARE)
    assert found.verdict != "HOLDS"


class Survive(Algorithm, name="test-survive"):
    """A run survives a round with chance 1/2, and x doubles then; else it is at the optimum."""

    draws = True

    def __init__(self):
        pass

    def step(self, state, net):
        stays = Stream(net.seed, "sample").uniform(net.runs, 1, state.t, 0, 1)[:, 0, 0] < 0.5
        return net.next(state, x=state.x * np.where(stays, 2.0, 0.0)[:, None, None])


@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize(("rounds", "seeds"), [(8, 64), (12, 64), (20, 64), (12, 1024)])
def test_a_mean_that_doubles_in_ever_fewer_runs_is_not_below_its_start(rounds, seeds):
    check = Check("one", {
        "problem": {"name": "quadratic", "H": [[[1.0]]], "c": [[0.0]]}, "clients": 1,
        "topology": {"name": "complete"}, "algorithm": {}, "x0": 1.0, "rounds": rounds,
    })  # fmt: skip
    claim = Statement(
        "mine.survive", Source("mine", "1", "no growth"), "last_suboptimality",
        {"claim": Version({"b": f0 - f_star}, (), (check,))}, algorithm="test-survive",
    )  # fmt: skip
    found = judge_check(claim, "claim", check, seeds=seeds)
    assert found.verdict != "HOLDS"  # E f is 2^T times its start


def test_what_runs_cannot_see_is_told_with_their_number_and_no_more_are_made():
    found = judged("last_suboptimality", value=1e6, seeds=4096)
    assert (found.verdict, found.runs) == ("INCONCLUSIVE", 16)
    chance = 1 - 0.01 ** (1 / 16)  # in none of 16 runs with chance .01
    assert f"chance up to {chance:.2g} would stay unseen in 16 runs" in found.reason
    assert unseen(16) == pytest.approx(chance, rel=1e-12)
    assert found.ci[1] is None
    assert "inf" not in found.reason


def test_a_mean_near_its_bound_is_looked_at_as_long_as_it_may_pass_it():
    gap = judged("last_suboptimality", value=1e6).measured
    near = judged("last_suboptimality", value=gap, seeds=128)
    assert (near.verdict, near.runs) == ("INCONCLUSIVE", 128)
    assert judged("last_suboptimality", value=gap / 4, seeds=512).verdict == "VIOLATED"


def test_what_a_user_gives_decides_and_is_called_given():
    for options, told in (
        ({"kurtosis": 5}, "kurtosis 5"),
        ({"ceiling": 2}, "ceiling 2"),
        ({"ceiling": 2, "kurtosis": 5}, "ceiling 2, kurtosis 5"),
        ({"kurtosis": 2 + 3 * eta**0}, "kurtosis 5"),
    ):
        found = judged(Quantity("suboptimality", "last", **options), value=1.5, seeds=128)
        assert (found.verdict, found.given) == ("HOLDS", told)
        assert told.split(", ")[0] in found.interval
    violated = judged(Quantity("suboptimality", "last", ceiling=2), value=1e-4, seeds=512)
    assert (violated.verdict, violated.given) == ("VIOLATED", "")  # no ceiling has a part in it


def test_a_ceiling_below_what_was_seen_and_a_kurtosis_below_one_are_one_line():
    with pytest.raises(ValueError, match=r"a run is 0\.\d+, above the ceiling 1e-06; need") as told:
        judged(Quantity("suboptimality", "last", ceiling=1e-6))
    assert "\n" not in str(told.value)
    with pytest.raises(ValueError, match="kurtosis is 1/2; need E X"):
        Quantity("suboptimality", "last", kurtosis=sp.Rational(1, 2))


class Slope(Problem, name="test-slope"):
    """f = x/4 with noise: it is negative, and has no floor."""

    def __init__(self, clients):
        super().__init__(clients, 1, True)

    def loss(self, x):
        return x[..., 0] / 4

    def gradient(self, x):
        return np.full_like(x, 0.25)

    def sample(self, seed, runs, t, step):
        return Stream(seed, "sample").normal(runs, self.clients, t, step, 1)

    def stochastic_gradient(self, x, sample):
        return self.gradient(x) + sample

    def constants(self):
        return {"sigma_l": Known(1.0, How.EXACT, "standard normal")}

    def describe(self):
        return {"name": self.name}


class Height(Metric, name="test.height"):
    """x itself, of either sign."""

    def rows(self, before, after):
        yield Row(before.x[:, 0, 0], {"t": before.t}, f"t={before.t}")


DOWN = {"problem": {"name": "test-slope"}, "rounds": 4}


@pytest.mark.usefixtures("registries")
def test_a_left_side_below_zero_has_no_lower_limit_and_may_have_an_upper_one():
    open_ones = [judged(Quantity("loss", over), value=v, **DOWN)
                 for over in ("last", "average") for v in (-5.0, 5.0)]  # fmt: skip
    assert {each.verdict for each in open_ones} == {"INCONCLUSIVE"}
    assert {each.ci for each in open_ones} == {(None, None)}
    assert "need ceiling= or floor= and kurtosis= in the Quantity" in open_ones[1].reason
    held = judged(Quantity("loss", "last", ceiling=2), value=1.0, **DOWN)
    assert (held.verdict, held.ci[0], held.given) == ("HOLDS", None, "ceiling 2")
    # the same from below: the upper limit refutes, the lower one holds
    wrong = judged(Quantity("loss", "last", ceiling=2), value=1.5, relation=">=", **DOWN)
    assert (wrong.verdict, wrong.given) == ("VIOLATED", "ceiling 2")
    low = judged(Quantity("loss", "last", floor=-2), value=-1.0, relation=">=", **DOWN)
    assert (low.verdict, low.given) == ("HOLDS", "floor -2")
    none = judged(Quantity("loss", "last", ceiling=2), value=-1.0, relation=">=", **DOWN)
    assert none.verdict == "INCONCLUSIVE"
    assert none.reason.split("; ")[1] == "no floor of a run is known, and so no lower limit"


@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize("over", ["last", "rows", "best", "run best"])
def test_a_negative_number_that_was_promised_to_be_none_names_the_floor(over):
    quantity = Quantity("test.height" if over != "last" else "loss", over, (0, 1), floor=0)
    with pytest.raises(ValueError, match=r"a run is -[.\d]+, below the floor 0; need a floor="):
        judged(quantity, **DOWN)
    for floor in (-sp.oo, -math.inf):
        free = Quantity(quantity.column, over, (0, 1), floor=floor, ceiling=50)
        assert judged(free, value=40.0, **DOWN).verdict == "HOLDS"


class Hair(Metric, name="test.hair"):
    """0, up to the rounding of numbers of size 1."""

    def rows(self, before, after):
        yield Row(before.x[:, 0, 0] * 0 - 2.0**-53, {"t": before.t}, f"t={before.t}")


@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize("over", ["max", "rows", "best", "run best"])
def test_what_is_below_its_floor_by_rounding_alone_is_taken(over):
    quantity = Quantity("test.hair", over, (0, 1), kurtosis=1)
    assert judged(quantity, x0=1.0, **DOWN).verdict == "HOLDS"


class Capped(Metric, name="test.capped"):
    """min(x^2, 1), which says so."""

    def rows(self, before, after):
        squares = np.minimum(before.x[:, 0, 0] ** 2, 1.0)
        yield Row(squares, {"t": before.t}, f"t={before.t}", ceiling=1.0)


@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize("over", ["average", "rows"])
def test_a_ceiling_that_a_row_of_a_user_names_is_given_too(over):
    found = judged(Quantity("test.capped", over, (0, 2)), value=0.99, seeds=256)
    assert (found.verdict, found.given) == ("HOLDS", "ceiling 1")


def test_what_is_known_of_the_columns_of_a_run():
    def known(column, clients=2, **options):
        losses = problem(**options, clients=clients)
        network = topology("complete", clients=clients)
        start = np.zeros((clients, losses.dim))
        found = support_of_column(Setting(losses, network, None, {}, 1, start), column)
        assert (found.kurtosis, found.given_below, found.given_above) == (None, "", "")
        return found.floor, found.ceiling

    cosh = {"name": "log-cosh", "dim": 3, "scale": 2.0}
    assert known("squared_gradient", **cosh) == (0.0, pytest.approx(4 * 3))  # |2 tanh|^2 <= 4
    for column in ("suboptimality", "consensus", "squared_distance"):
        assert known(column, **cosh) == (0.0, math.inf)
    assert known("loss", **cosh) == (0.0, math.inf)  # f* = 0, exact
    assert known("own_loss", **cosh) == (-math.inf, math.inf)
    assert known("accuracy", **cosh) == (0.0, 1.0)
    assert known("squared_gradient", name="quadratic") == (0.0, math.inf)  # B is infinite
    low, high = known("loss", name="quadratic", seed=3, heterogeneity=2.0)
    assert 0 < low < high  # f* of clients with unlike optima


def test_the_ceiling_of_a_quantity_of_ours_is_proved_and_not_given():
    plain = Quantity("squared_gradient", "average")
    for quantity in ("mean_squared_gradient", QUANTITIES["mean_squared_gradient"], plain):
        found = judged(quantity, value=0.9)
        assert (found.verdict, found.given) == ("HOLDS", "")
        assert "ceiling 1" in found.interval  # B = 1
