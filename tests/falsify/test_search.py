"""The search finds what is hidden, respects assumptions, and finds nothing where nothing is."""

import importlib
import itertools
import pathlib
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from theorylab.experiments import EXPERIMENTS, Experiment, Observation, Row
from theorylab.falsify import falsify, shrinking
from theorylab.falsify.checks import starts
from theorylab.falsify.screen import Measured
from theorylab.statements import BUILT_IN, Check
from theorylab.symbols import symbol

planted_share = symbol("planted_share", "s", "an option in (0, 1)")


def ticks():
    """A clock that goes on by one whenever it is looked at: a search's length without its speed."""
    return itertools.count().__next__


def test_a_hidden_counterexample_is_found_and_made_small(planted):
    found = falsify(planted(1000.0), budget=3000, clock=ticks())
    assert found.refuted
    assert found.result.verdict == "VIOLATED"
    assert "extra" not in found.instance  # an option that does not matter is left out


def test_the_same_seed_finds_the_same_instance(planted):
    one, two = (falsify(planted(1000.0), budget=3000, seed=5, clock=ticks()) for _ in range(2))
    assert one.instance == two.instance


def test_nothing_outside_the_assumptions_counts(planted):
    rule = planted_share < 0.6
    start = {"share": 0.25, "count": 1}
    found = falsify(planted(50.0, rule=rule, instance=start), budget=3000, clock=ticks())
    assert found.refuted
    assert found.instance.get("share", 0.5) < 0.6


def test_where_nothing_is_found_the_nearest_instance_is_told(planted):
    # A share next to 1 gives 2^53 at most, and no count is above 1e100.
    found = falsify(planted(1e200), budget=900, clock=ticks())
    assert not found.refuted
    assert found.tried > 20
    assert 1e-199 < found.result.ratio < 1  # the check itself has 2/3e-200


def test_noise_that_exceeds_the_bound_now_and_then_refutes_no_mean(planted):
    # One run in ten is 5, so the mean is .5, below the bound 1; only the start is judged.
    start = {"share": 0.5, "count": 1}
    found = falsify(planted(1.0, column="noisy", instance=start), budget=1e-6, clock=ticks())
    assert found.tried == 1
    assert not found.refuted


@pytest.mark.parametrize(("share", "stands"), [(0.4, True), (1e-6, False)])
def test_a_smaller_sampled_instance_needs_runs_of_its_own(planted, monkeypatch, share, stands):
    # Whatever shrinking says of the smaller one: every run gives share / (1 - share).
    def observe(self, column, runs, seed):
        value = self.options["share"] / (1 - self.options["share"])
        return Observation((Row(np.full(len(runs), value)),), exact=False)

    monkeypatch.setattr(EXPERIMENTS["test-planted"], "observe", observe)
    # what other tests measured by the experiment's own ``observe`` is kept under the same options
    monkeypatch.setattr(importlib.import_module("theorylab.verdicts.observe"), "_KEPT", {})
    smaller = {"share": share, "count": 1}
    monkeypatch.setattr(shrinking, "shrunk", lambda instance, result, *_: (smaller, result))
    start = {"share": 0.5, "count": 1}
    told = planted(0.01, column="noisy", instance=start)
    found = falsify(told, budget=900, clock=ticks(), known=False)
    assert found.refuted
    assert found.instance["share"] == (share if stands else 0.5)
    assert found.seed == (2 if stands else 1)


def test_what_was_found_is_returned_where_making_it_small_breaks(planted, monkeypatch):
    def broken(*_):
        raise ImportError("half a module")

    monkeypatch.setattr(shrinking, "shrunk", broken)
    with pytest.warns(UserWarning, match="could not be made smaller .ImportError: half a module"):
        found = falsify(planted(1000.0), budget=3000, clock=ticks())
    assert found.refuted
    assert found.result.ratio > 1


def test_a_search_by_a_given_clock_is_a_function_of_the_seed_and_the_budget(planted):
    # No count above 1e100 is looked at, and share/(1 - share) is at most 2^53: nothing refutes it.
    one, two, more = (falsify(planted(1e140), budget=b, clock=ticks()) for b in (900, 900, 3000))
    assert (one.instance, one.tried, one.result.ratio) == (
        two.instance,
        two.tried,
        two.result.ratio,
    )
    assert more.tried > 2 * one.tried


@pytest.fixture
def shares(monkeypatch):
    """The option of every instance that is measured, in order."""
    kind, seen = EXPERIMENTS["test-planted"], []
    observe = kind.observe

    def recorded(self, *arguments):
        seen.append(self.options["share"])
        return observe(self, *arguments)

    monkeypatch.setattr(kind, "observe", recorded)
    return seen


def test_searches_that_share_measurements_find_what_each_finds_alone(planted, shares):
    alone = falsify(planted(1e80), budget=900, clock=ticks())
    kept, counts = Measured(), [len(shares)]
    for level in (1e79, 1e80):  # the same order of scores, so the same walk
        found = falsify(planted(level), budget=900, clock=ticks(), kept=kept)
        counts.append(len(shares))
    assert (found.instance, found.tried) == (alone.instance, alone.tried)
    assert counts[2] - counts[1] < (counts[1] - counts[0]) / 10


def test_the_start_that_is_nearest_is_swept_first(planted, shares):
    told = planted(1e80, instance={"share": 0.2, "count": 1})
    version = told.versions["printed"]
    checks = (*version.checks, Check("nearer", {"share": 0.6, "count": 1}))
    told = replace(told, versions={"printed": replace(version, checks=checks)})
    falsify(told, budget=120, clock=ticks())
    assert sorted(shares[:2]) == [0.2, 0.6]
    assert shares[2:10].count(0.6) > shares[2:10].count(0.2)


@pytest.mark.slow  # test_counterexample does a search of this kind in the default suite
def test_a_printed_theorem_that_is_false_is_refuted_by_a_single_client():
    found = falsify(BUILT_IN["dfedsgpsm.thm1"], "printed", budget=3000, clock=ticks())
    assert found.refuted
    assert found.instance["clients"] <= 2
    assert found.result.ratio >= 1.02


@pytest.mark.parametrize(
    ("version", "budget", "line"),
    [
        ("corrected", 1.0, "has no version 'corrected'; need one of printed"),
        ("printed", 0.0, "budget is 0.0; need seconds > 0"),
    ],
)
def test_bad_requests_are_one_line(planted, version, budget, line):
    with pytest.raises(ValueError, match=line):
        falsify(planted(), version, budget=budget)


def test_every_check_is_a_start_once_the_cheapest_first_and_cut_to_size():
    found = starts(BUILT_IN["dfedsgpsm.thm1"], "printed")
    assert {3, 6, 64, 12000} <= {i["rounds"] for i in found}  # 12000: the version's own check
    assert found[0]["problem"]["name"] == "log-cosh"
    assert found[-1]["problem"]["name"] == "softmax"
    assert len({repr(i) for i in found}) == len(found)


def test_a_search_ends_before_its_time_where_no_move_is_left(planted, registries):
    class Way(Experiment, name="test-two-ways"):
        columns = ("value",)

        def __init__(self, *, on=False):
            self.on = on

        def describe(self):
            return {"on": self.on}

        def constants(self):
            return {}

        def observe(self, column, runs, seed):
            return Observation((Row(np.array([float(self.on)])),), exact=True)

    told = planted(2.0, instance={"on": False})
    two = replace(told, experiment="test-two-ways")
    found = falsify(two, budget=1e5, clock=ticks())
    assert (found.refuted, found.exhausted) == (False, True)
    assert found.tried == 3  # on, not on, and without a word
    assert found.seconds < 1e5 / 2
    assert not falsify(planted(1e200), budget=300, clock=ticks()).exhausted


ROOT = pathlib.Path(__file__).resolve().parents[2]
SPY = """
import itertools, signal, sys
from theorylab.falsify import falsify
from theorylab.verdicts import selected

class Spy:
    def find_spec(self, name, path=None, target=None):
        if signal.getitimer(signal.ITIMER_PROF)[0]:
            late.append(name)
        elif searching:
            early.append(name)

late, early, searching = [], [], False
sys.meta_path.insert(0, Spy())
armed = 0
for name in sys.argv[1:]:
    ((statement, _),) = selected([name]).values()
    searching = True
    version = next(iter(statement.versions))
    found = falsify(
        statement, version, budget=250, clock=itertools.count().__next__, known=False, shrink=False
    )
    searching = False
    assert found.tried > 10, found
print(len(early), *late)
"""


def test_no_module_is_imported_while_an_alarm_is_set():
    files = [str(ROOT / "docs" / "gallery" / name) for name in ("dpsgd.py", "extra.py")]
    done = subprocess.run(
        [sys.executable, "-c", SPY, *files], cwd=ROOT, capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, done.stderr
    early, *late = done.stdout.split()
    assert late == []
    assert int(early) > 100  # networkx and scipy's optimisers came before the first alarm
