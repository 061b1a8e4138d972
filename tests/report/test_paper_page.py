import datetime
import html

import pytest

from theorylab.explain import explained
from theorylab.report.groups import papers
from theorylab.report.latex import bibtex
from theorylab.report.page import paper_page
from theorylab.report.prose import prose
from theorylab.statements import BUILT_IN, NOT_RUN

VERSION = BUILT_IN["dfedsgpsm.thm1"].versions["printed"]


def test_the_page_shows_every_fact_of_a_result(results, only):
    shown = only(results).shown
    for result in results:
        for text in (result.id, result.version, result.check, result.verdict, result.reason):
            assert text in shown
        for assumption in result.assumptions:
            assert assumption.name in shown
        for name, constant in result.constants.items():
            assert f"{name} " in shown
            assert constant["source"] in shown
    for text in ("0.6089", "0.2493", "2.44", "10^312.4", "49 %", "13 % beyond", "98 % inside",
                 "topology.name edge-list", "0.7799 … 0.7801", "beyond float64",
                 "4 as expected", "1 different", "1 undecided"):  # fmt: skip
        assert text in shown, text


def test_a_violation_has_its_instance_and_the_commands_that_show_it_again(make, only):
    found = next(v for v in BUILT_IN["dfedsgpsm.lem2"].versions if v.startswith("printed/"))
    severity = {"severity": "missing hypothesis"}
    own = built_in("dfedsgpsm.lem2", found, make, **severity)
    shown = only([own]).shown
    assert "Counterexample: worked-example" in shown
    assert "topology.edges [[0, 1], [1, 2]" in shown
    assert f"theorylab verify dfedsgpsm.lem2 --version {found} --check worked-example" in shown
    assert f"theorylab falsify dfedsgpsm.lem2 --version {found}" in shown
    shown = only([own.model_copy(update={"verdict": "HOLDS", "severity": ""})]).shown
    assert "Counterexample" not in shown
    assert "theorylab falsify" not in shown
    shown = only([make(id="mine.thm1", **severity)]).shown  # a user's own: only the file knows it
    assert "theorylab falsify FILE.py --version printed" in shown


@pytest.fixture
def typeset(read):
    """What a reader sees of prose with letters of mathematics."""
    return lambda text: read(str(prose(text))).shown


def built_in(name, version, make, **change):
    """A result as the judge makes it of a built-in statement."""
    statement = BUILT_IN[name]
    body, source = statement.versions[version], statement.source
    return make(
        id=name,
        version=version,
        source=f"{source.paper}, {source.locator}: {source.text}",
        quantity=statement.quantity_of(body).text,
        formula=body.formula,
        **change,
    )


def test_printed_and_corrected_stand_beside_each_other_with_what_changed(make, only, typeset):
    name = "dfedsgpsm.thm1"
    versions = BUILT_IN[name].versions
    reader = only([built_in(name, version, make) for version in versions])
    # printed/sgp and printed/line-9 are the inequality of printed, which is shown once
    assert reader.shown.count("The same inequality as printed.") == 2
    # that of corrected is too long for a formula, and stands there as LaTeX
    assert len([a for _, a in reader.tags if a.get("class") == "latex"]) == 1
    for version in versions.values():
        assert typeset(version.note) in reader.shown
    before, now = ({a.name for a in versions[v].assumes} for v in ("printed", "corrected"))
    assert now - before
    assert before - now
    for assumed in now - before:
        # printed/line-9 assumes more, too; corrected comes last
        assert typeset(assumed) in reader.shown.split("Assumed besides:")[-1]
    for assumed in before - now:
        assert typeset(assumed) in reader.shown.split("Not assumed:")[1]
    assert "Transcription, readings and proofs" in reader.shown


def test_a_finding_stands_beside_the_check_that_is_nearest_and_the_difference(make, only):
    check = next(c for c in VERSION.checks if c.name == "worked-example")
    found = {**check.instance, "rounds": 7, "algorithm_name": "dfedsgpsm", "x0": 0.0}
    page = only([built_in("dfedsgpsm.thm1", "printed", make, check="own", instance=found)])
    assert "check worked-example: " in page.text
    assert "difference: T: 12000 → 7." in page.text or "difference: T: 12000 -> 7." in page.text
    same = built_in("dfedsgpsm.thm1", "printed", make, check=check.name, instance=found)
    assert "difference: " not in only([same]).text


def test_another_formula_under_a_built_in_id_gets_no_words_of_the_built_in_one(make, only, typeset):
    own = built_in("dfedsgpsm.thm1", "corrected", make)
    note = BUILT_IN["dfedsgpsm.thm1"].versions["corrected"].note
    note = typeset(note)
    assert note in only([own]).shown
    assert note not in only([own.model_copy(update={"formula": "1"})]).shown


def test_what_is_not_run_is_listed_with_its_reason_and_so_is_what_has_no_result(
    make, only, read, pages
):
    made = pages([make()])
    page, index = read(made["dfedsgpsm.html"]), read(made["index.html"])
    for where, why in NOT_RUN["dfedsgpsm"].items():
        assert " ".join(f"{where} {why}".split()) in page.shown
    missing = [n for n in BUILT_IN if n.startswith("dfedsgpsm.") and n != "dfedsgpsm.thm1"]
    told = f"{len(missing)} statements of the paper are not part of this report"
    assert f"{told} {', '.join(missing)}." in page.shown
    assert page.shown.index(told) > page.shown.index("Everything")  # not the first thing read
    assert f"1 of {len(missing) + 1} " in index.shown
    assert "Not part of this report" not in only([make(id="mine.thm1")]).shown


def test_a_control_counts_for_no_verdict_and_is_no_counterexample(make, read, pages):
    results = [make(verdict="HOLDS", expected="HOLDS", ratio=0.9, log10_bound=-0.17, check="own"),
               make(control=True, check="must-fail")]  # fmt: skip
    for text in pages(results).values():
        reader = read(text)
        assert "1 control" in reader.shown or "Controls" in reader.shown
        assert "Counterexample" not in reader.shown
        chips = [a["class"] for _, a in reader.tags if a.get("class", "").startswith("chip")]
        assert chips[0] == "chip HOLDS"
    assert "control: VIOLATED" in read(pages(results)["dfedsgpsm.html"]).shown


def test_a_failed_assumption_is_highlighted(results, only):
    failing = [a for tag, a in only(results).tags if tag == "tr" and a.get("class") == "fails"]
    assert len(failing) == 1


def test_a_version_with_a_curve_has_one_figure_that_says_what_it_shows(results, only):
    reader = only(results)
    figures = [a for tag, a in reader.tags if tag == "img"]
    assert len(figures) == 4  # thm1 printed, printed/sgp, corrected; lem1
    assert all("measured side and bound against" in a["alt"] for a in figures)
    assert "worked-example" in figures[0]["alt"]
    assert all(a["loading"] == "lazy" for a in figures)


def test_bars_share_one_scale_on_which_the_longer_side_is_100_percent(make, only):
    terms = {"a": 3.0, "b": -1.0, "c": 0.0}
    for measured, widths in ((1.0, [75, 25, 100, 50]), (4.0, [37.5, 12.5, 50, 100])):
        change = {"measured": measured, "bound": 2.0, "log10_bound": 0.30103, "ratio": measured / 2}
        tags = only([make(terms=terms, **change)]).tags
        found = [a["style"] for _, a in tags if a.get("class") == "bar"]
        # widths are rounded to 0.01, log10 to 1e-6
        assert [float(style[6:-1]) for style in found] == pytest.approx(widths, abs=0.02)


def test_beside_a_term_beyond_float64_the_others_have_no_share(make, only):
    shown = only([make(terms={"finite": 3.0, "huge": None})]).shown
    assert "finite 3 – 0.203 huge beyond float64 dominates" in shown


def test_a_curve_stands_as_numbers_with_both_ends(make, only, results):
    curve = results[0].curve.model_copy(update={c: [float(k + 1) for k in range(400)] for c in (
        "rounds", "measured", "lower", "upper", "bound")})  # fmt: skip
    shown = only([make(curve=curve)]).shown
    assert "of 400 points) communication rounds T Measured Interval Bound 1 1 1 1 " in shown
    assert " 400 400 400 400 " in shown


@pytest.mark.parametrize("relation", ["<=", ">="])
def test_a_ratio_is_named_by_its_sides_and_of_places_the_one_nearest_to_the_bound(
    make, only, relation
):
    shown = only([make(relation=relation, places=3)]).shown
    assert f"the {'smallest' if relation == '>=' else 'largest'} of 3 places" in shown
    assert ("bound / measured 2.44" in shown) is (relation == ">=")
    assert ("measured / bound 2.44" in shown) is (relation == "<=")


def test_a_false_claim_has_its_bibtex_entry_where_the_report_says_what_judged_it(make):
    result = built_in("dfedsgpsm.lem4", "printed", make, severity="wrong constant")
    (paper,) = papers([result])
    day = {"code": "0.2.0 <b>0123", "date": "2026-11-28 04:00 UTC"}
    shown = paper_page(paper, [], lambda result: None, day)
    entry = bibtex(explained(result), "0.2.0 <b>0123", datetime.date(2026, 11, 28))
    assert entry in html.unescape(shown)
    assert "<b>0123" not in shown
    for lacking in ({}, {"code": "0"}, {**day, "date": "some day"}):
        assert "@misc" not in paper_page(paper, [], lambda result: None, lacking)
