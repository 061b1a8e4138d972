"""What a straddled bound would take: more runs, or digits that there are not."""

import numpy as np
import pytest

from theorylab.experiments import Experiment, Observation, Row
from theorylab.known import How, Known
from theorylab.runs import runs_needed
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import symbol
from theorylab.verdicts import judge_check
from theorylab.verdicts.decide import known_number

CEILING = 4.0  # of what is drawn
limit = symbol("test_limit", "l", "a bound to compare with")


class Blurred(Experiment, name="test-blurred"):
    """Numbers around ``centre``, a row for each of ``spreads``: plus it, minus it in turn."""

    columns = ("exact", "sampled")

    def __init__(self, *, limits, spreads=None, room=0.0, share=None, centre=1.0):
        spreads = [0.0] * len(limits) if spreads is None else spreads
        rooms = room if isinstance(room, list) else [room] * len(limits)
        self.options = {"limits": limits, "spreads": spreads, "rooms": rooms}
        self.share, self.centre = share, centre

    def describe(self):
        return {**self.options, "share": self.share, "centre": self.centre}

    def constants(self):
        return {}

    def observe(self, column, runs, seed):
        rows = []
        for k, (at, spread, room) in enumerate(zip(*self.options.values(), strict=True)):
            values = self.centre + spread * (1.0 - 2.0 * (np.array(runs) % 2))
            place = {"test_limit": Known(at, How.EXACT, "option")}
            kept = values[:1] if column == "exact" else values
            rows.append(Row(kept, place, f"k={k}", rounding=room, relative_error=self.share))
        return Observation(tuple(rows), column == "exact")


def judged(column, pathwise=False, **options):
    content = Statement(
        id="test.blurred",
        source=Source("test", "none", "numbers around 1"),
        experiment=Blurred.name,
        quantity=Quantity(column, "rows", (0, 0), "k", pathwise, ceiling=CEILING),
        versions={"printed": Version({"bound": limit}, ())},
    )
    return judge_check(content, "printed", Check("one", options), seeds=16, exactly=False)


@pytest.mark.parametrize("limit", [0.9, 1.1])
def test_an_exact_number_that_rounding_hides_says_by_how_much(limit):
    found = judged("exact", limits=[limit], room=0.25)
    assert found.verdict == "INCONCLUSIVE"
    assert found.reason.endswith("; a rounding of up to 0.25 hides a difference of 0.1")
    assert "runs" not in found.reason
    sharp = judged("exact", limits=[limit], room=0.05)
    assert sharp.verdict == ("HOLDS" if limit > 1 else "VIOLATED")


@pytest.mark.parametrize(("centre", "pathwise"), [(1.0, False), (-1.0, False), (1.0, True)])
def test_a_violation_needs_more_than_the_rounding_of_a_bound(centre, pathwise):
    # A bound is evaluated to a relative 1e-9 at worst: what exceeds it by less proves nothing.
    def said(excess, **options):
        return judged("exact", pathwise, limits=[centre - excess], centre=centre, **options).verdict

    assert said(0.5e-9) == "INCONCLUSIVE"
    within = judged("exact", pathwise, limits=[centre - 0.5e-9], centre=centre).reason
    assert within.endswith("; a rounding of up to 1e-09 hides a difference of 5e-10")
    assert said(2e-9) == "VIOLATED"
    assert said(0.0) == "HOLDS"
    # Without a rounding of its own the number is known to a relative 1e-9, too.
    assert said(1.5e-9, room=None) == "INCONCLUSIVE"
    assert said(3e-9, room=None) == "VIOLATED"
    assert said(-0.5e-9, room=None) == "INCONCLUSIVE"
    assert said(-2e-9, room=None) == "HOLDS"


def test_too_few_runs_are_forecast_and_no_rounding_is_named():
    found = judged("sampled", limits=[1.1], spreads=[0.5])
    assert found.verdict == "INCONCLUSIVE"
    assert found.reason.endswith(" more runs would decide")
    assert "rounding" not in found.reason


def test_no_run_decides_what_rounding_hides():
    # every run gives 1, known to .25: no number of them tells it from 1.1
    found = judged("sampled", limits=[1.1], room=0.25)
    assert found.verdict == "INCONCLUSIVE"
    assert found.reason.endswith(
        "as far as 16 runs tell, a rounding of up to 0.25 hides a difference of 0.1, and more runs "
        "would not decide"
    )
    every = judged("sampled", pathwise=True, limits=[1.1], room=0.25)
    assert every.verdict == "INCONCLUSIVE"
    assert every.reason.endswith(
        "a rounding of up to 0.25 hides a difference of 0.1: only a larger realisation would decide"
    )


def forecast(found):
    assert found.verdict == "INCONCLUSIVE"
    return int(found.reason.split("; about ")[1].split()[0])


def test_where_both_limit_the_runs_have_to_make_up_for_the_rounding():
    # the upper limit has to come down to 1.1, not to 1.3: a gap of a third takes nine times as many
    options = {"limits": [1.3], "spreads": [0.9]}
    alone, both = (forecast(judged("sampled", **options, room=room)) for room in (0.0, 0.2))
    assert both >= 4 * alone  # forecasts double
    values = 1.0 + 0.9 * (1.0 - 2.0 * (np.arange(16) % 2))
    for more, reach in ((alone, 1.3), (both, 1.3 - 0.2)):
        assert more == runs_needed(values, reach, CEILING, 1 << 14) - 16
    hidden = judged("sampled", **options, room=0.31)
    assert "hides a difference of 0.3, and more runs would not decide" in hidden.reason


def test_runs_that_decide_at_one_place_do_not_at_another_that_rounding_hides():
    # k=0, nearest to its bound, has too few runs; k=1 too few digits
    options = {"limits": [1.3, 1.35], "spreads": [0.9, 0.0]}
    alone = judged("sampled", **options, room=[0.0, 0.0]).reason
    assert alone.endswith("straddles 1.3 at k=0; about 112 more runs would decide")
    both = judged("sampled", **options, room=[0.0, 0.4]).reason
    assert both == f"{alone}, but at k=1 a rounding of up to 0.4 hides a difference of 0.35"


def test_a_broken_identity_says_how_large_the_error_is_beside_the_ratio():
    found = judged("exact", limits=[1e-10], share=0.153)
    assert found.verdict == "VIOLATED"
    assert found.reason.endswith(" at k=0; relative error 15.3 %")
    assert (found.relative_error, found.ratio > 1e9) == (0.153, True)


def test_what_holds_or_is_no_identity_says_nothing_of_a_relative_error():
    kept = judged("exact", limits=[1.5], share=0.153)
    assert (kept.verdict, kept.relative_error) == ("HOLDS", 0.153)
    assert "relative error" not in kept.reason
    other = judged("exact", limits=[0.5])
    assert (other.verdict, other.relative_error) == ("VIOLATED", None)
    assert "relative error" not in other.reason


def test_the_place_that_is_shown_has_the_largest_ratio_or_is_beyond_a_bound_that_is_not_positive():
    # a number above a bound below 0 is further out than any ratio
    found = judged("exact", limits=[0.5, -3.0, 0.25])
    assert (found.verdict, found.place, found.ratio) == ("VIOLATED", "k=1", None)
    assert found.reason == "the lower limit 1 exceeds the bound -3 at k=1"
    below = judged("exact", limits=[-0.5, 4.0, -0.25], centre=-1.0)
    assert (below.verdict, below.places) == ("HOLDS", 3)
    assert "nearest at k=0" in below.reason  # -1 is below all of them: as far as the order says
    zero = judged("exact", limits=[0.0, 0.5])
    assert (zero.verdict, zero.place) == ("VIOLATED", "k=0")
    held = judged("exact", limits=[4.0, 2.0, 8.0])
    assert (held.place, held.ratio) == ("k=1", 0.5)
    assert held.reason == "the upper limit 1 is below the bound at each of 3 places; nearest at k=1"
    assert judged("exact", limits=[2.0]).reason == "the upper limit 1 is below the bound"


def test_a_violation_anywhere_counts_though_a_larger_ratio_proves_nothing():
    # k=1 has the larger ratio, but only its rounding; k=0 exceeds its bound by a proof
    found = judged("exact", limits=[0.9, 0.5], room=[0.0, 9.0])
    assert (found.verdict, found.place) == ("VIOLATED", "k=0")


def test_an_exact_number_without_a_room_of_its_own_is_hidden_by_half_its_interval():
    found = judged("exact", limits=[1.0 + 5e-10], room=None)
    assert found.verdict == "INCONCLUSIVE"
    assert found.reason.endswith("; a rounding of up to 1e-09 hides a difference of 5e-10")


def test_a_forecast_gives_up_after_sixteen_thousand_runs():
    found = judged("sampled", limits=[1.0001], spreads=[0.5])
    assert found.reason.endswith("; more than 16368 further runs would be needed")


def test_the_runs_make_up_for_the_rounding_on_either_side_of_the_bound():
    # the lower limit has to rise to .7, and by what rounding takes to .9
    alone, both = (
        judged("sampled", limits=[0.7], spreads=[0.9], room=room).reason for room in (0.0, 0.2)
    )
    few, many = (int(text.split("; about ")[1].split()[0]) for text in (alone, both))
    assert many >= 4 * few
    values = 1.0 + 0.9 * (1.0 - 2.0 * (np.arange(16) % 2))
    assert many == runs_needed(values, 0.7 + 0.2 + 0.7e-9, CEILING, 1 << 14) - 16


def test_a_number_that_is_infinite_or_known_from_the_wrong_side_is_none():
    for known, number in (
        (Known(2.0, How.EXACT, ""), 4.0),
        (Known(2.0, How.ESTIMATE, ""), None),
        (Known(float("inf"), How.EXACT, ""), None),
    ):
        assert known_number(2 * limit, {limit: known}) == number
    assert known_number(None, {}) is None
    assert known_number(2 * limit, {}) is None


@pytest.mark.parametrize("pathwise", [False, True])
def test_0_does_not_exceed_a_bound_of_0(pathwise):
    found = judged("exact", pathwise, limits=[0.0], centre=0.0)
    assert (found.verdict, found.ci) == ("HOLDS", (0.0, 0.0))
    least = judged("exact", pathwise, limits=[0.0], centre=2e-100)
    assert least.verdict == "VIOLATED"
    denormal = judged("exact", pathwise, limits=[0.0], centre=5e-324)
    assert denormal.verdict == "INCONCLUSIVE"  # its digits are lost, and whatever it is made of


def test_beside_bounds_of_0_and_below_the_place_that_is_nearest_to_its_bound_is_shown():
    found = judged("exact", limits=[0.0, -0.5, -0.25], centre=-1.0)
    assert (found.verdict, found.place) == ("HOLDS", "k=1")
