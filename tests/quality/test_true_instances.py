"""True statements on random instances: not one VIOLATED.

Every version that holds is judged by ``verify/instances.py`` on random instances inside its
assumptions.
"""

import contextlib
import dataclasses
import itertools
import pathlib
import runpy

import pytest

from theorylab.falsify import score
from theorylab.falsify.score import Judge
from theorylab.statements import BUILT_IN

INSTANCES = runpy.run_path(
    str(pathlib.Path(__file__).resolve().parents[2] / "verify" / "instances.py"),
    run_name="instances",
)
judged, Walk = INSTANCES["judged"], INSTANCES["Walk"]
HOLDING = [(statement.id, version) for statement, version in INSTANCES["true_versions"]()]
SAMPLE = [
    ("dfedsgpsm.asm4", "printed/average"),
    ("dfedsgpsm.lem3_factor", "printed"),
    ("deprl.asm2", "printed"),
    ("pdbo.eq13", "corrected"),
    ("pdbo.lem6", "corrected/l4"),
    ("pdbo.thm11_gap", "corrected"),
]


@pytest.fixture
def counted(monkeypatch):
    """``counted()``: a clock of looks at it, a millisecond each, and no alarm of another one.

    What was dear is changed less often: by the machine's clock each run has other instances.
    """
    monkeypatch.setattr(score, "at_most", lambda *_: contextlib.nullcontext())
    return lambda: (look / 1000 for look in itertools.count()).__next__


@pytest.mark.parametrize(("name", "version"), SAMPLE)
def test_random_true_instances_are_never_violated(counted, name, version):
    row = judged(BUILT_IN[name], version, count=40, budget=600.0, clock=counted())
    assert (row["violated"], row["raised"]) == ([], [])
    assert row["judged"] == 40
    assert row["judged"] == sum(row[verdict] for verdict in INSTANCES["DECIDED"])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "version"), HOLDING)
def test_two_hundred_random_true_instances_are_never_violated(name, version):
    # A table or a figure is one instance, or few: its options say what is claimed. Where a minute
    # of the processor is too short for 200, verify/instances.py with a larger --budget goes on.
    few = ".tab" in name or name in ("pdbo.fig2", "dfedsgpsm.appa_data")
    given = {"budget": 900.0, "count": 1, "patience": 30.0} if few else {"budget": 60.0}
    row = judged(BUILT_IN[name], version, **{"count": 200} | given)
    assert (row["violated"], row["raised"]) == ([], [])
    assert row["judged"] >= (1 if few else 5 if row["seconds"] >= 54.0 else 200)


def test_a_false_statement_is_violated_by_the_same_draws(counted):
    statement = BUILT_IN["dfedsgpsm.lem3_factor"]
    told = statement.versions["printed"]
    terms = {name: term / 10 for name, term in told.terms.items()}
    false = dataclasses.replace(
        statement, versions={"printed": dataclasses.replace(told, terms=terms)}
    )
    row = judged(false, "printed", count=40, budget=600.0, clock=counted())
    assert len(row["violated"]) == row["VIOLATED"] > 0


def test_no_instance_is_counted_twice_and_the_least_slack_is_kept(counted, monkeypatch):
    seen = []
    judge = Judge.__call__
    monkeypatch.setattr(
        Judge, "__call__", lambda self, made: seen.append(made) or judge(self, made)
    )
    statement = BUILT_IN["dfedsgpsm.lem3_factor"]
    row = judged(statement, "printed", count=30, budget=600.0, clock=counted())
    drawn = seen[1:]  # the first one only imports what is needed
    assert len(drawn) == row["drawn"] == len({str(sorted(made.items())) for made in drawn})
    again = Judge(statement, "printed", 16, 0, 1e18)
    results = [result for _, result in map(again, drawn) if result is not None]
    ratios = [result.ratio for result in results if result.verdict == "HOLDS"]
    assert len(ratios) == row["HOLDS"]
    assert again(row["nearest"])[1].ratio == row["ratio"] == max(ratios)


def test_a_step_above_its_cap_is_scaled_below_it():
    statement = BUILT_IN["dfedalt.lem2"]
    walk = Walk(statement, "printed", 0)
    check = statement.versions["printed"].checks[0]
    base = dict(check.instance)
    base["algorithm"] = {**base["algorithm"], "eta_v": 50.0}
    judge = Judge(statement, "printed", 16, 0, 1e18)
    _, result = judge(base)
    assert result.verdict == "ASSUMPTION_FAILS"
    below = walk.below_the_caps(base, result)
    assert 0 < below["algorithm"]["eta_v"] < 50.0
    assert judge(below)[1].verdict == "HOLDS"
    assert {**below, "algorithm": base["algorithm"]} == base


@pytest.mark.parametrize(
    ("network", "clients", "width", "right"),
    [
        ({"name": "directed-ring"}, 5, 1, True),
        ({"name": "one-peer-exponential"}, 8, 3, True),  # hops 1, 2, 4 in turn
        ({"name": "one-peer-exponential"}, 8, 2, False),  # 2 and 4 keep odd and even apart
        ({"name": "edge-list", "edges": [[0, 0, 1.0], [1, 1, 1.0]]}, 2, 1, False),
        ({"name": "nothing"}, 2, 1, False),
    ],
)
def test_a_window_is_right_where_every_union_is_strongly_connected(network, clients, width, right):
    instance = {"topology": network, "clients": clients, "width": width, "rounds": 8}
    assert INSTANCES["window_is_right"](instance) is right
