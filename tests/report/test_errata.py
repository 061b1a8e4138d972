"""What of a paper is false, worst first, and the sentences on it."""

import pytest

from theorylab.explain import explained
from theorylab.report import errata as errata_module
from theorylab.report import page as page_module
from theorylab.report.errata import errata
from theorylab.report.glossary import Letter
from theorylab.report.groups import papers
from theorylab.report.prose import first_sentence
from theorylab.report.shown import Shown
from theorylab.statements import BUILT_IN, worst_of
from theorylab.verdicts import judge_check

EVIL = "<script>alert('x')</script>\"'&{{7*7}}<img src=x onerror=y>\\input{f}"


def false():
    """A result of the catalogue that is false as printed, and quick to have."""
    claim = BUILT_IN["dfedsgpsm.lem5_last"]
    check = next(c for c in claim.versions["printed"].checks if c.expect == "VIOLATED")
    return judge_check(claim, "printed", check)


def refuted(name, version="printed"):
    """What a result says that the causes of a version refute."""
    causes = BUILT_IN[name].versions[version].causes
    told = {"severity": worst_of(causes), "causes": [cause.id for cause in causes]}
    return {"id": name, "version": version, **told}


def script(result):
    told = found([result])
    (each,) = [e for _, _, group in told.own for e in group] + list(told.inherited)
    return each.script


def found(results):
    (paper,) = papers(results)
    return errata(paper, lambda result: None)


def test_the_worst_stands_first_and_what_repeats_a_fault_apart(make):
    told = found(
        [
            make(**refuted("dfedsgpsm.lem4")),
            make(**refuted("dfedsgpsm.tab2")),
            make(**refuted("dfedsgpsm.thm1")),
            make(**refuted("dfedsgpsm.rem1_trend", "printed/c")),
            make(id="dfedsgpsm.rem1_trend", version="printed", verdict="HOLDS", expected="HOLDS"),
            make(id="dfedsgpsm.lem1", verdict="HOLDS", expected="HOLDS"),
        ]
    )
    assert [name for name, _, _ in told.own] == ["wrong order", "misprint"]
    assert [each.entry.id for _, _, group in told.own for each in group] == [
        "dfedsgpsm.thm1",
        "dfedsgpsm.tab2",
    ]
    assert [each.entry.id for each in told.inherited] == ["dfedsgpsm.lem4"]
    assert [each.entry.id for each in told.readings] == ["dfedsgpsm.rem1_trend"]
    assert told.total == 2


def test_an_exact_counterexample_leads_before_a_sampled_one_with_a_larger_ratio(make):
    sampled = make(check="sampled", ci=(0.5, 0.9), log10_bound=-3.0, ratio=600.0, severity="empty")
    exact = make(check="exact", severity="empty")
    lone = make(check="lone", severity="empty", instance={"clients": 1})
    assert found([sampled, exact]).own[0][2][0].result.check == "exact"
    assert found([lone, exact]).own[0][2][0].result.check == "exact"
    assert found([sampled, lone]).own[0][2][0].result.check == "lone"


def test_the_page_opens_with_what_is_false_and_one_command_a_row(make, only):
    page = only([make(id="mine.thm1", severity="wrong order", source="mine, Theorem 1: a rate")])
    assert "1 statement of 1 is false as printed : 1 wrong order" in page.shown
    assert "Theorem 1 is false as printed (wrong order): the left side is 0.6089" in page.shown
    assert "theorylab verify FILE.py --version printed --check worked-example" in page.shown
    ids = [i for i in page.ids if i in ("false", "holds", "everything", "letters")]
    assert ids[:2] == ["false", "everything"]


def sentences(result):
    return Shown(result).sentences(explained(result))


def test_two_sentences_say_what_is_so_and_why(make):
    told = sentences(make(**refuted("dfedsgpsm.thm1")))
    assert told[0].startswith("Theorem 1 of DFedSGPSM is false as printed (wrong order): ")
    assert told[0].endswith("0.2493, 2.44 times, on f_i(x) = log cosh(x - 8), n = 8, edges "
                            "0 -> 1, 1 -> 2, 0 -> 4, 0 -> 2, 3 -> 6, eta = .001, alpha = .9, "
                            "K = 1, T = 12000.")  # fmt: skip
    assert told[1].startswith("Proof 5 ends with")
    assert sentences(make(verdict="HOLDS", expected="HOLDS"))[1] == ""


def test_the_sentence_repeats_what_was_noticed(make):
    seen = {"verdict": "HOLDS", "expected": "HOLDS", "noticed": "mass is lost"}
    assert sentences(make(**seen))[0].endswith("; note: mass is lost.")
    seen |= {"verdict": "INCONCLUSIVE", "reason": "mass is lost"}
    assert sentences(make(**seen))[0].count("mass is lost") == 1


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("printed", "as printed"),
        ("printed/line-9", "in the reading line-9"),
        ("corrected", "as corrected"),
        ("implied", "in what it needs and does not print"),
    ],
)
def test_a_version_is_told_in_words(make, version, words):
    assert Shown(make(version=version)).how == words


def test_the_first_sentence_ends_at_a_full_stop_before_a_new_one():
    assert first_sentence("It is .5 of 2. Then more.") == "It is .5 of 2."
    assert first_sentence('It says "One. Two." Then.') == 'It says "One. Two."'
    assert first_sentence("") == ""


def test_a_counterexample_of_the_catalogue_has_its_script():
    assert "import numpy as np" in script(false())
    compile(script(false()), "script", "exec")


@pytest.mark.parametrize(
    "change",
    [
        {"instance": {"experiment_name": "momentum-sums", "alphas": [0.5] * 10**6}},
        {"check": "another"},
        {"constants": {EVIL: {"value": EVIL}}, "terms": {EVIL: 1.0}, "instance": {EVIL: EVIL}},
    ],
)
def test_an_instance_that_is_not_of_the_catalogue_has_none(change):
    assert script(false().model_copy(update=change)) == ""


def test_what_a_result_garbles_costs_the_script_and_not_the_page(monkeypatch):
    def garbled(statement, result):
        raise KeyError("constants")

    monkeypatch.setattr(errata_module, "script_of", garbled)
    assert script(false()) == ""


def test_no_text_of_an_erratum_its_script_or_the_letters_is_markup(monkeypatch, make, only):
    monkeypatch.setattr(errata_module, "script_of", lambda statement, result: (EVIL, ""))
    monkeypatch.setattr(page_module, "glossary", lambda paper: [Letter(EVIL, EVIL, EVIL)])
    own = false().model_copy(
        update={"rests_on": EVIL, "interval": EVIL, "reason": EVIL, "causes": [EVIL]}
    )
    page = only([own.model_copy(update={"causes": [], "severity": "wrong order"})])
    assert page.text.count(EVIL) >= 5  # the script, the letter, what it rests on
    tags = [tag for tag, _ in page.tags]
    assert tags.count("script") == 1  # the filter
    assert not any(a.get("src") == "x" for _, a in page.tags)
    assert not any(name.startswith("on") for _, a in page.tags for name in a)
    assert (page.open, page.wrong) == ([], [])
    repeated = only([own])
    assert [tag for tag, _ in repeated.tags].count("script") == 1


def test_of_a_claim_that_is_empty_the_result_that_says_so_leads(make):
    near = make(verdict="HOLDS", expected="HOLDS", ratio=0.99)
    empty = make(check="empty", verdict="VACUOUS", expected="VACUOUS", severity="empty", ratio=0.0)
    (group,) = [group for _, _, group in found([near, empty]).own]
    assert group[0].result.check == "empty"
