"""Claims "with probability at least 1 - eps", and which limits are rigorous."""

import math

import numpy as np
import pytest
import sympy as sp

from theorylab.experiments import Experiment, Observation, Row
from theorylab.kernels import Stream
from theorylab.known import How, Known
from theorylab.runs import mean_interval, quantile_interval
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import BY_NAME, symbol
from theorylab.verdicts import judge_check, observe

cap = symbol("test_chance_cap", "c_0", "a bound to compare with")


class Faces(Experiment, name="test-faces"):
    """A fair die: its law, one outcome of it, or draws; a row for each of ``scales``."""

    columns = ("law", "one", "drawn")

    def __init__(self, *, cap=1.0, sides=6, scales=(1.0,), room=0.0, least=None, most=None):
        self.cap, self.sides, self.scales = cap, sides, scales
        self.rest = {"rounding": room, "least": least, "most": most}

    def describe(self):
        return {"sides": self.sides, "scales": list(self.scales), **self.rest}

    def constants(self):
        return {"test_chance_cap": Known(self.cap, How.EXACT, "option")}

    def observe(self, column, runs, seed):
        faces, rows = np.arange(1.0, self.sides + 1), []
        for k, scale in enumerate(self.scales):
            if column == "law":
                law = np.full(self.sides, 1 / self.sides)
                rows.append(Row(scale * faces[::-1], {}, f"k={k}", law, **self.rest))
            elif column == "one":
                rows.append(Row(np.array([scale]), {}, f"k={k}", **self.rest))
            else:
                drawn = draws(seed, np.array(runs), k, self.sides)
                rows.append(Row(scale * drawn, {}, f"k={k}", **self.rest))
        return Observation(tuple(rows), column != "drawn")


def draws(seed, runs, k, sides):
    return 1.0 + Stream(seed, "sample").integers(sides, runs, 1, k, 0, 1)[:, 0, 0]


def judged(column, chance=None, seeds=64, ceiling=None, bound=cap, pathwise=False, **options):
    chance = None if chance is None else sp.Float(chance)
    quantity = Quantity(column, "rows", (0, 0), "k", pathwise, ceiling=ceiling, chance=chance)
    statement = Statement(
        id="test.faces",
        source=Source("test", "none", "dice"),
        experiment=Faces.name,
        quantity=quantity,
        versions={"printed": Version({"bound": bound}, ())},
    )
    return judge_check(statement, "printed", Check("faces", options), seeds=seeds)


@pytest.mark.parametrize(
    ("away", "verdict", "measured", "ci"),
    [
        # P(face > 5) = 1/6. Six weights of 1/6 are summed to within 6 * 8 * 2^-53 = 5.3e-15.
        (8e-15, "HOLDS", 5.0, (5.0, 5.0)),
        (4e-15, "INCONCLUSIVE", 5.0, (5.0, 6.0)),
        (-4e-15, "INCONCLUSIVE", 6.0, (5.0, 6.0)),
        (-8e-15, "VIOLATED", 6.0, (6.0, 6.0)),
    ],
)
def test_a_chance_is_compared_to_the_rounding_of_the_law(away, verdict, measured, ci):
    found = judged("law", 1 / 6 + away, cap=5.5)
    assert (found.verdict, found.measured, found.ci) == (verdict, measured, ci)
    assert "asymptotic" not in found.reason
    wider = judged("law", 1 / 6 + away, cap=5.5, room=0.25)
    assert wider.ci == (ci[0] - 0.25, ci[1] + 0.25)
    # a billionth of what is measured, and 4096 roundings of numbers of size 1
    share = judged("law", 1 / 6 + away, cap=5.5, room=None)
    room = 1e-9 * measured + 4096 * 2.0**-53
    assert share.ci == (ci[0] - room, ci[1] + room)


def test_a_chance_below_all_rounding_asks_for_the_largest_outcome():
    for chance in (1e-15, 1e-300):
        found = judged("law", chance, cap=7.0)
        assert (found.verdict, found.measured, found.ci) == ("HOLDS", 6.0, (6.0, 6.0))


def test_a_single_outcome_is_every_quantile_of_its_law():
    for chance in (0.01, 0.5, 0.99):
        found = judged("one", chance, cap=1.5)
        assert (found.verdict, found.measured, found.ci) == ("HOLDS", 1.0, (1.0, 1.0))


@pytest.mark.parametrize("chance", [-0.1, 0.0, 1.0, 1.5])
@pytest.mark.parametrize("column", ["law", "drawn"])
def test_a_chance_that_is_none_is_one_line(column, chance):
    with pytest.raises(ValueError, match=r"the chance .* need a number in \(0, 1\)") as caught:
        judged(column, chance)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("chance", "seeds", "total"), [(0.05, 64, 360), (0.5, 64, 64), (0.9, 16, 16), (0.95, 5, 7)]
)
def test_a_quantile_that_is_looked_at_again_and_again_shares_its_chance_of_error(
    chance, seeds, total
):
    # An upper limit exists from log(.01) / log(1 - eps) runs on; four times as many are made.
    assert total == max(seeds, math.ceil(4 * math.log(0.01) / math.log(1 - chance)))
    looks, runs = 1, 16
    while runs < total:
        looks, runs = looks + 1, 2 * runs
    sides = 10**6  # so many that the limits of any two shares differ
    drawn = draws(0, np.arange(total), 0, sides)
    middle = float(np.quantile(drawn, 1 - chance, method="inverted_cdf"))
    found = judged("drawn", chance, seeds, sides=sides, cap=middle - 0.5, room=0.25)
    assert (found.verdict, found.runs, found.measured) == ("INCONCLUSIVE", total, middle)
    limits = quantile_interval(drawn, chance, 1 / looks)
    low, high = (None if math.isinf(x) else x for x in (limits.low - 0.25, limits.high + 0.25))
    assert found.ci == (low, high)
    assert found.reason.endswith("; more runs may decide")
    two = judged("drawn", chance, seeds, sides=sides, cap=middle, scales=(1.0, 1e-9))
    limits = quantile_interval(drawn, chance, 1 / looks / 2)
    assert two.ci == tuple(None if math.isinf(x) else x for x in (limits.low, limits.high))


def test_the_limits_of_a_mean_are_those_of_its_runs_widened_by_rounding():
    drawn = draws(0, np.arange(64), 0, 6)
    for ceiling in (None, sp.Float(6.0)):
        limits = mean_interval(drawn, None if ceiling is None else 6.0)
        found = judged("drawn", ceiling=ceiling, cap=float(drawn.mean()), room=0.25)
        high = None if ceiling is None else limits.high + 0.25
        assert found.ci == (limits.low - 0.25, high)
        assert found.interval == limits.method


def test_a_mean_of_runs_without_a_ceiling_holds_never_and_says_what_they_cannot_see():
    found = judged("drawn", cap=20.0)
    assert (found.verdict, found.runs, found.ci[1]) == ("INCONCLUSIVE", 16, None)
    assert "no ceiling of a run is known: an event of chance up to 0.25 would" in found.reason
    assert "unseen in 16 runs once in a hundred times; need ceiling= or kurtosis=" in found.reason
    given = judged("drawn", cap=20.0, ceiling=sp.Float(6.0))
    assert (given.verdict, given.given) == ("HOLDS", "ceiling 6")
    for column, pathwise in (("one", False), ("law", False), ("drawn", True)):
        found = judged(column, pathwise=pathwise, cap=20.0)
        assert (found.verdict, found.given) == ("HOLDS", "")


def test_observations_are_kept_for_versions_that_share_them_and_only_the_last_few(monkeypatch):
    kept, calls = {}, []
    monkeypatch.setattr(observe, "_KEPT", kept)
    monkeypatch.setattr(observe, "_MOST_KEPT", 8)
    before = Faces.observe

    def counted(self, *arguments):
        calls.append(arguments)
        return before(self, *arguments)

    monkeypatch.setattr(Faces, "observe", counted)
    for cap in (9.0, 8.0):
        judged("law", cap=cap)
    assert len(calls) == 1
    for sides in range(2, 30):
        judged("law", cap=99.0, sides=sides)
    assert len(calls) == 28  # six sides were there already
    assert len(kept) == 8


def test_what_a_number_is_at_least_and_at_most_widens_its_interval_and_never_narrows_it():
    ends = {
        (None, None): (0.75, 1.25),
        (0.5, None): (0.5, 1.25),
        (0.9, None): (0.75, 1.25),
        (None, 2.0): (0.75, 2.0),
        (None, 1.1): (0.75, 1.25),
    }
    for (least, most), ci in ends.items():
        assert judged("one", cap=1.0, room=0.25, least=least, most=most).ci == ci


def test_an_outcome_of_no_chance_is_no_realisation(monkeypatch):
    def observe(self, column, runs, seed):
        law = np.array([0.5, 0.5, 0.0])
        return Observation((Row(np.array([1.0, 2.0, 9.0]), {}, "", law, rounding=0.0),), True)

    monkeypatch.setattr(Faces, "observe", observe)
    found = judged("law", pathwise=True, cap=3.0, sides=3)  # a law that is seen nowhere else
    assert (found.verdict, found.measured) == ("HOLDS", 2.0)


def test_one_place_without_a_ceiling_among_exact_ones_leaves_a_claim_open(monkeypatch):
    def observe(self, column, runs, seed):
        law = Row(np.array([1.0, 2.0]), {}, "law", np.array([0.5, 0.5]), rounding=0.0)
        return Observation((law, Row(draws(seed, np.array(runs), 0, 6), {}, "drawn")), False)

    monkeypatch.setattr(Faces, "observe", observe)
    found = judged("drawn", cap=20.0, sides=5)  # a law that is seen nowhere else
    assert found.verdict == "INCONCLUSIVE"
    assert "at drawn; no ceiling of a run is known" in found.reason


def test_a_column_that_the_experiment_has_not_is_refused():
    with pytest.raises(ValueError, match="'odd'"):
        judged("odd")


def test_constants_come_from_the_experiment_the_instance_and_the_machine():
    found = judged("one", bound=cap + BY_NAME["roundoff"], cap=2.0)
    assert found.constants["roundoff"]["value"] == 2.0**-53
    assert found.bound == 2.0
    given = judged("one", bound=cap * BY_NAME["n"], cap=2.0, constants={"n": 3.0})
    assert (given.bound, given.constants["n"]["value"]) == (6.0, 3.0)
    with pytest.raises(ValueError, match=r"constants\.test_chance_cap is computed from the"):
        judged("one", constants={"test_chance_cap": 3.0})


@pytest.mark.parametrize(("chance", "verdict"), [(1e-3, "HOLDS"), (4.6e-7, "INCONCLUSIVE")])
def test_a_tiny_chance_makes_no_more_runs_than_asked_for_and_says_how_many_decide(chance, verdict):
    found = judged("drawn", chance, 64, cap=6.5)
    need = math.ceil(4 * math.log(0.01) / math.log1p(-chance))
    few = need > 65_536
    assert (found.verdict, found.runs > 64, few) == (verdict, not few, verdict != "HOLDS")
    told = f"a limit of so small a chance needs {need:.3g} runs (--seeds)"
    assert (told in found.reason) is few
