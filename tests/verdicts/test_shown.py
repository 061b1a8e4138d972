"""What a result says of its check, whatever the verdict."""

import inspect
import sys
import types

import numpy as np
import pytest
import sympy as sp

from theorylab.experiments import Experiment, Observation, Row
from theorylab.known import How, Known
from theorylab.statements import (
    Assumption,
    Cause,
    Check,
    Line,
    Quantity,
    Severity,
    Source,
    Statement,
    Version,
)
from theorylab.symbols import L, T, symbol
from theorylab.verdicts import NotRun, Report, Result, jobs, judge_check

height = symbol("test_shown_height", "h_0", "a bound to compare with")


class Steps(Experiment, name="test-steps"):
    """At T = 1, 2, ..: T itself, from runs that all give the same, or exactly."""

    columns = ("exact", "sampled")

    def __init__(self, *, height=4.0, how="exact", steps=3, noise=0.0):
        self.options = {"height": height, "how": how, "steps": steps, "noise": noise}

    def describe(self):
        return self.options

    def constants(self):
        known = Known(self.options["height"], How(self.options["how"]), "option")
        return {"test_shown_height": known}

    def observe(self, column, runs, seed):
        rows = []
        for t in range(1, self.options["steps"] + 1):
            values = t + self.options["noise"] * (1.0 - 2.0 * (np.array(runs) % 2))
            kept = values[:1] if column == "exact" else values
            rows.append(Row(kept, {"T": float(t)}, f"T={t}", rounding=0.0))
        return Observation(tuple(rows), column == "exact", "T")


def told(terms, column="exact", trivial=None, **says):
    return Statement(
        id="test.steps",
        source=Source("a paper", "Theorem 1", "steps"),
        experiment=Steps.name,
        quantity=Quantity(column, "rows", (0, 0), "k"),
        trivial=trivial,
        versions={"printed": Version(terms, **{"assumes": (), **says})},
    )


def judged(statement, seeds=64, progress=None, going=lambda: True, control=False, **options):
    check = Check("one", options, "HOLDS", control=control)
    return judge_check(statement, "printed", check, seeds=seeds, progress=progress, going=going)


def test_a_result_says_where_it_is_nearest_and_everything_of_that_place():
    found = judged(told({"rise": height * T, "floor": 0 * T + 2}))
    assert (found.verdict, found.expected, found.as_expected) == ("HOLDS", "HOLDS", True)
    assert (found.id, found.version, found.check) == ("test.steps", "printed", "one")
    assert (found.place, found.places, found.runs) == ("T=3", 3, 1)
    assert (found.measured, found.ci) == (3.0, (3.0, 3.0))
    assert found.bound == 14.0
    assert found.log10_bound == pytest.approx(np.log10(14.0), rel=1e-15)
    assert found.ratio == 3 / 14
    assert found.terms == {"rise": 12.0, "floor": 2.0}
    assert {name: c["value"] for name, c in found.constants.items()} == {
        "T": 3.0,
        "test_shown_height": 4.0,
    }
    assert found.instance == {"experiment_name": "test-steps"}
    assert found.interval == "exact, rounding allowance 0.0e+00"
    assert found.curve.measured == [1.0, 2.0, 3.0]
    assert found.curve.bound == [6.0, 10.0, 14.0]
    assert found.source == "a paper, Theorem 1: steps"
    assert found.quantity == "k"
    assert (found.severity, found.rests_on, found.control) == ("", "", False)
    assert found.seconds == round(found.seconds, 3)
    assert 0 <= found.seconds < 600


def test_a_bound_that_is_not_positive_has_neither_ratio_nor_logarithm():
    for value in (0.0, -2.0):
        found = judged(told({"bound": height}), height=value, steps=1)
        assert found.verdict == "VIOLATED"
        assert (found.bound, found.ratio, found.log10_bound) == (value, None, None)
        assert found.curve is None  # one place is no curve


def test_a_bound_beyond_float64_is_shown_by_its_logarithm():
    found = judged(told({"bound": height * sp.Integer(10) ** 400}), steps=2)
    assert (found.verdict, found.bound, found.ratio) == ("HOLDS", None, 0.0)
    assert found.log10_bound == pytest.approx(400 + np.log10(4.0), rel=1e-15)
    assert found.curve.bound == [None, None]


def test_a_failed_assumption_has_nothing_measured_and_still_its_bound():
    rule = Assumption("low", rule=height < 3)
    found = judged(told({"bound": height}, assumes=(rule,)))
    assert found.verdict == "ASSUMPTION_FAILS"
    assert found.reason == "low: test_shown_height = 4 exceeds 3 by 1"
    assert (found.measured, found.ci, found.bound) == (None, (None, None), 4.0)
    assert (found.runs, found.places, found.place) == (0, 0, "")
    assert (found.ratio, found.curve, found.interval) == (None, None, "")
    assert [(a.name, a.holds) for a in found.assumptions] == [("low", False)]


def test_a_constant_from_the_wrong_side_leaves_the_bound_out():
    found = judged(told({"bound": height}), how="estimate")
    assert (found.verdict, found.bound, found.terms) == ("INCONCLUSIVE", None, {})
    assert found.reason.startswith("test_shown_height is known as estimate (")
    assert "and the theorem needs the number itself, known as exact" in found.reason
    assert found.curve is None
    endless = judged(told({"bound": height}), height=float("inf"))
    assert endless.verdict == "INCONCLUSIVE"
    assert endless.reason == "test_shown_height is infinite: option at T=1"
    undecided = Assumption("low", rule=height < 9)
    found = judged(told({"bound": T}, assumes=(undecided,)), how="estimate")
    assert (found.verdict, found.place) == ("INCONCLUSIVE", "T=1")
    assert found.reason.startswith("low: test_shown_height is known as estimate (")


@pytest.mark.parametrize(
    ("verdict", "severity", "scale", "trivial", "said"),
    [
        ("VIOLATED", Severity.WRONG_CONSTANT, 0.01, None, "wrong constant"),
        ("VIOLATED", Severity.EMPTY, 0.01, None, "empty"),
        ("HOLDS", Severity.WRONG_CONSTANT, 9, None, ""),
        ("VACUOUS", Severity.EMPTY, 9, sp.Integer(1), "empty"),
        ("VACUOUS", Severity.WRONG_CONSTANT, 9, sp.Integer(1), ""),
    ],
)
def test_a_severity_is_told_where_the_verdict_tells_against_the_claim(
    verdict, severity, scale, trivial, said
):
    line = Line("test.steps", "Theorem 1", words="as printed")
    words = {"clause": "a clause", "fails": "It fails.", "repair": "Mend it.", "lines": (line,)}
    fault = Cause(id="test/fault", severity=severity, **words)
    own = told({"bound": scale * T}, trivial=trivial, causes=(fault,))
    found = judged(own)
    assert (found.verdict, found.severity) == (verdict, said)
    assert found.rests_on == ("a clause" if said else "")
    control = judged(own, control=True)
    assert (control.verdict, control.severity, control.rests_on) == (verdict, "", "")
    assert control.control


def test_what_holds_anyway_makes_a_bound_vacuous_only_if_it_is_below_it_nowhere():
    for scale, verdict in ((2, "VACUOUS"), (0.9, "HOLDS")):
        # 2.6 T against 3: below it at T = 1 for .9 * 2.6
        own = told({"bound": scale * sp.Rational(26, 10) * T}, trivial=sp.Integer(3))
        found = judged(own)
        assert found.verdict == verdict
        assert found.reason.startswith("without the theorem the ") == (verdict == "VACUOUS")
    two = judged(told({"bound": T + 2}, trivial=sp.Integer(3)), steps=2)
    assert two.reason == "without the theorem the left side is at most 3; no bound is below it"
    equal = told({"bound": T + 2}, trivial=sp.Integer(3))
    assert judged(equal).verdict == "VACUOUS"  # at T = 1 it says just that
    alone = judged(told({"bound": height}, trivial=sp.Integer(3)), steps=1)
    assert alone.verdict == "VACUOUS"
    assert alone.reason == (
        "without the theorem the left side is at most 3 = 3, and the bound is never below it"
    )
    later = judged(told({"bound": 30 / T}, trivial=sp.Integer(3)), steps=1)
    assert later.verdict == "HOLDS"
    assert "at most 3 = 3, and the bound is below that only from T = 1" in later.reason
    unknown = judged(told({"bound": height}, trivial=3 * L / L + 0 * T), steps=1)
    assert unknown.verdict == "VACUOUS"  # sympy cancels what is no constant of it


def test_runs_double_until_they_decide_or_are_all_there():
    shares = []
    own = told({"bound": height}, column="sampled")
    found = judged(own, seeds=100, progress=shares.append, height=3.2, noise=0.9)
    assert (found.verdict, found.runs) == ("INCONCLUSIVE", 100)
    assert shares == [0.16, 0.32, 0.64, 1.0]
    shares.clear()
    assert judged(own, seeds=100, progress=shares.append, height=99.0, noise=0.9).runs == 16
    assert shares == [0.16]
    assert judged(own, seeds=9, height=3.2, noise=0.9).runs == 9
    # a search's time is over: what was asked first is done, and no more
    late = judged(own, seeds=100, height=3.2, noise=0.9, going=lambda: False)
    assert (late.verdict, late.runs) == ("INCONCLUSIVE", 16)


def test_an_option_that_an_experiment_lacks_is_named_with_the_check():
    with pytest.raises(ValueError, match=r"^test\.steps \[printed\] one: .*'other'"):
        judged(told({"bound": height}), other=1)


def test_seconds_are_told_to_the_millisecond(monkeypatch):
    times = iter([0.5])
    clock = types.SimpleNamespace(perf_counter=lambda: next(times, 1.73456))
    monkeypatch.setattr(sys.modules["theorylab.verdicts.judge"], "time", clock)
    assert judged(told({"bound": height * T})).seconds == 1.235


def test_the_options_of_a_judge_are_those_of_the_jobs():
    one, many = (inspect.signature(f).parameters for f in (judge_check, jobs))
    usual = {"seeds": 64, "seed": 0, "budget": 1e9}
    for name, value in usual.items():
        assert one[name].default == many[name].default == value


def test_a_result_refuses_what_is_no_verdict_and_curves_of_two_lengths():
    found = judged(told({"bound": height * T}))
    data = found.model_dump()
    for field in ("verdict", "expected"):
        with pytest.raises(ValueError, match="verdict 'TRUE'; need one of VIOLATED"):
            Result.model_validate({**data, field: "TRUE"})
    for name in ("rounds", "measured", "lower", "upper", "bound"):
        curve = {**data["curve"], name: data["curve"][name][:-1]}
        with pytest.raises(ValueError, match=r"curve columns have lengths \[2, 3\]"):
            Result.model_validate({**data, "curve": curve})
    with pytest.raises(ValueError, match="frozen"):
        found.verdict = "VIOLATED"
    with pytest.raises(ValueError, match="extra"):
        Result.model_validate({**data, "more": 1})
    assert Result.model_validate(data) == found
    text = Report(results=[found]).to_json()
    assert text.startswith('{\n "schema": 1,\n "results": [\n  {\n   "id": "test.steps",')
    assert text.endswith("\n}\n")
    assert Report.model_validate_json(text).results == [found]
    with pytest.raises(ValueError, match="schema 2; need 1"):
        Report.model_validate_json(text.replace('"schema": 1', '"schema": 2'))


@pytest.mark.parametrize(
    ("lacks", "line"),
    [
        ({"extra": "sdp"}, "not run: needs extra sdp"),
        ({"package": "graphviz"}, "not run: needs package graphviz"),
    ],
)
def test_a_check_that_was_not_run_says_which_of_the_two_it_lacks(lacks, line):
    assert NotRun(id="a.b", version="printed", check="c", reason="install", **lacks).told == line
