"""A check costs gradients, not seconds: the price is known before anything is played."""

import pathlib
import re
import sys
import types

import numpy as np
import pytest

from theorylab.runs.configuration import built, configuration
from theorylab.runs.gradients import gradients_a_round
from theorylab.runs.price import Price, Purse, TooDearError, charge, kept_at_its_price
from theorylab.statements import BUILT_IN, Check
from theorylab.verdicts import judge_check

ROOT = pathlib.Path(__file__).resolve().parents[2] / "theorylab"
NOISY = {
    "problem": {"name": "noisy", "base": {"name": "log-cosh", "dim": 1}, "sigma": 1.0},
    "topology": {"name": "complete"},
    **{"clients": 2, "rounds": 50},
    "algorithm": {"eta": 0.1, "alpha": 0.0},
}
SIXTEEN = 16 * 50 * 2  # gradients of the first batch


def judged(budget, seeds=64, law=BUILT_IN["dfedsgpsm.thm1"], version="corrected", **changes):
    check = Check("dear", NOISY | changes)
    return judge_check(law, version, check, seeds=seeds, budget=budget)


@pytest.fixture
def priced(monkeypatch):
    """Nothing is kept, so that all is played."""
    monkeypatch.setattr(sys.modules["theorylab.verdicts.measure"], "_KEPT", {})


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("sgp", {}),
        ("osgp", {"local_steps": 3}),
        ("dfedsgpsm", {"alpha": 0.5, "rho": 0.1, "local_steps": 4}),
        ("dfedavgm", {"alpha": 0.5}),
    ],
)
def test_the_price_is_what_playing_computes(name, options):
    given = {"algorithm": {"name": name, "eta": 0.1, **options}, "problem": "quadratic"}
    made = built(configuration({**given, "topology": "complete", "clients": 6, "rounds": 9}))
    price = Price.of(made.problem, made.algorithm, runs=3, rounds=9)
    assert price.gradients == 3 * 9 * gradients_a_round(made)


def test_what_costs_more_than_the_budget_says_its_price_and_is_not_played(priced, monkeypatch):
    def played(*_, **__):
        raise AssertionError("a gradient was computed")

    monkeypatch.setattr("theorylab.problems.noisy.Noisy.stochastic_gradient", played)
    monkeypatch.setattr("theorylab.problems.noisy.Noisy.local_steps", played)
    found = judged(SIXTEEN - 1)
    assert (found.verdict, found.runs) == ("INCONCLUSIVE", 0)
    line = (
        "16 runs x 50 rounds x 2 clients x 1 gradient cost 1600 gradients, and the budget is 1599"
    )
    assert line in found.reason
    assert "need a budget of 1600" in found.reason
    # a thousand million rounds are told at once
    assert "cost 32000000000 gradients" in judged(1e9, rounds=10**9).reason


def test_runs_are_added_while_the_budget_has_them(priced):
    full = judged(1e9)
    few = judged(3 * SIXTEEN)  # 16, and 16 more; the 32 after these are too dear
    assert (full.verdict, full.runs) == ("INCONCLUSIVE", 64)
    assert (few.verdict, few.runs) == ("INCONCLUSIVE", 32)
    assert "cost 3200 gradients after 3200 before them" in few.reason


def test_what_was_judged_before_makes_no_check_cheaper(priced):
    assert judged(1e9).runs == 64
    assert judged(SIXTEEN - 1).runs == 0


def test_what_is_kept_inside_what_is_kept_has_its_price_too():
    inner, outer, price = {}, {}, Price(1, 1, 1, 7)

    def made():
        return kept_at_its_price(inner, "inner", lambda: charge(price), 2)

    for _ in range(2):  # made, and found
        purse = Purse(100)
        with purse:
            kept_at_its_price(outer, "outer", made, 2)
        assert purse.spent == 7


def test_one_run_is_enough_where_nothing_is_random(priced):
    calm = {"problem": {"name": "log-cosh", "dim": 1}}
    assert judged(100, **calm).runs == 1
    assert judged(99, **calm).runs == 0


def test_a_purse_counts_what_is_played_inside_it():
    own = types.SimpleNamespace(clients=2)
    method = types.SimpleNamespace(options=lambda: {"eta": 0.1, "gossip_steps": 9})
    price, purse = Price.of(own, method, 3, 5), Purse(60)
    with purse:
        charge(price)
        charge(price)
        with pytest.raises(TooDearError, match="after 60 before them"):
            charge(price)
    charge(price)  # outside nothing is counted
    assert purse.spent == 60


def test_no_verdict_looks_at_a_clock(priced, monkeypatch):
    """Every look at a clock is a year later; the same check says the same."""
    calm = judged(1e9, seeds=32).model_dump(exclude={"seconds"})
    years = iter(np.arange(1, 10**6) * 3e7)
    for name in ("perf_counter", "monotonic", "process_time", "time"):
        monkeypatch.setattr(f"time.{name}", lambda: float(next(years)))
    sys.modules["theorylab.verdicts.measure"]._KEPT.clear()
    assert judged(1e9, seeds=32).model_dump(exclude={"seconds"}) == calm


def test_where_verdicts_are_made_a_clock_is_read_for_the_seconds_of_a_result_alone():
    clocks = re.compile(r"perf_counter|monotonic\(|process_time|thread_time|time\.time\(|setitimer")
    rooms = (
        *("kernels", "topologies", "problems", "algorithms", "hypergradients", "runs", "metrics"),
        *("experiments", "statements", "constants", "verdicts", "worst"),
    )
    found = {
        str(path.relative_to(ROOT)): len(clocks.findall(path.read_text()))
        for room in rooms
        for path in (ROOT / room).rglob("*.py")
        if clocks.search(path.read_text())
    }
    assert found == {"verdicts/judge.py": 2}  # the beginning and the end
