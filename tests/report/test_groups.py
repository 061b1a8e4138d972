import math

import pytest

from theorylab.report.groups import papers
from theorylab.report.standing import Standing


@pytest.fixture
def reading(make):
    """The reading of checks given as (name, changed fields)."""

    def one(*checks):
        (paper,) = papers([make(check=name, **change) for name, change in checks])
        ((only,),) = (entry.readings for entry in paper.entries)
        return only

    return one


def ratio(value, verdict="HOLDS", **change):
    log = math.log10(value)
    return {"verdict": verdict, "expected": verdict, "measured": value, "bound": 1.0,
            "log10_bound": 0.0, "ratio": value, "ci": (value, value), **change,
            **({"log10_bound": log - change["log"]} if "log" in change else {})}  # fmt: skip


def test_results_keep_their_order_by_paper_statement_and_version(make, results):
    shuffled = [results[3], make(id="b.x"), results[0], results[5], results[2], results[1]]
    found = papers(shuffled)
    assert [paper.name for paper in found] == ["dfedsgpsm", "b"]
    assert [[e.id for e in p.entries] for p in found] == [
        ["dfedsgpsm.thm1", "dfedsgpsm.lem1"],
        ["b.x"],
    ]
    versions = [reading.version for reading in found[0].entries[0].readings]
    assert versions == ["corrected", "printed", "printed/sgp"]
    told = [r for paper in found for r in paper.results]
    assert sorted(map(id, told)) == sorted(map(id, shuffled))


def test_another_formula_under_the_same_name_is_another_reading(make):
    (paper,) = papers([make(), make(formula="2", check="other"), make(check="third")])
    assert [[r.check for r in v.results] for v in paper.entries[0].readings] == [
        ["worked-example", "third"],
        ["other"],
    ]


def test_the_lead_is_the_first_clear_violation_else_the_one_nearest_to_its_bound(reading):
    held = [("a", ratio(0.2)), ("b", ratio(0.9)), ("c", ratio(0.5))]
    assert reading(*held).lead.check == "b"
    slight, clear = ("u", ratio(1.04, "VIOLATED")), ("v", ratio(1.5, "VIOLATED"))
    assert reading(*held, slight, clear, ("w", ratio(3.0, "VIOLATED"))).lead.check == "v"
    below_zero = ("z", ratio(1.0, "VIOLATED", bound=-1.0) | {"log10_bound": None})
    assert reading(*held, slight, below_zero, clear).lead.check == "z"
    failed = ("f", ratio(9.0, "ASSUMPTION_FAILS"))
    assert reading(failed, *held).lead.check == "b"
    assert reading(failed).lead.check == "f"


def test_a_control_is_neither_lead_nor_nearest_nor_counted(reading):
    control = ("k", ratio(5.0, "VIOLATED", control=True))
    found = reading(control, ("a", ratio(0.2)))
    assert (found.lead.check, found.nearest.check, found.drawn.check) == ("a", "a", "a")
    assert dict(found.verdicts) == {"HOLDS": 1}
    assert found.controls == 1
    alone = reading(control)
    assert (alone.lead.check, alone.nearest) == ("k", None)


def test_what_tells_most_against_a_claim_comes_first(reading):
    order = ["ASSUMPTION_FAILS", "HOLDS", "INCONCLUSIVE", "VACUOUS", "UNSATISFIABLE", "VIOLATED"]
    found = reading(*((name, ratio(0.5, name)) for name in [*order, "HOLDS"]))
    assert list(found.verdicts) == [*order[::-1][:4], "HOLDS", "ASSUMPTION_FAILS"]
    assert found.verdicts["HOLDS"] == 2


def test_the_curve_drawn_is_the_leads_or_the_nearest_that_there_is(reading):
    without = {"curve": None}
    checks = [("a", ratio(0.9, **without)), ("b", ratio(0.2)), ("c", ratio(0.5))]
    assert reading(*checks).drawn.check == "c"
    assert reading(*checks[1:]).drawn.check == "c"
    assert reading(checks[0]).drawn is None


def test_a_difference_outweighs_an_undecided_check(reading):
    open_ = ("o", ratio(0.9, "INCONCLUSIVE", ) | {"expected": "HOLDS"})  # fmt: skip
    wrong = ("w", ratio(0.9, "VACUOUS") | {"expected": "HOLDS"})
    assert reading(("a", ratio(0.1))).standing is Standing.AS_EXPECTED
    assert reading(("a", ratio(0.1)), open_).standing is Standing.UNDECIDED
    assert reading(open_, wrong).standing is Standing.DIFFERS


def test_the_anchors_of_results_that_are_alike_differ(make):
    (paper,) = papers([make(), make(), make(check="Worked-Example")])
    anchors = paper.entries[0].readings[0].anchors
    assert len({anchor.lower() for anchor in anchors}) == 3


def test_a_built_in_paper_has_its_title_and_another_its_name(make):
    titles = [paper.title for paper in papers([make(), make(id="mine.x")])]
    assert titles == ['DFedSGPSM, "Asymmetrically Decentralized Federated Learning"', "mine"]
