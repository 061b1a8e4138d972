"""docs/errata.md is what the catalogue says, and nothing in it is markup by accident."""

import pathlib
import re
from dataclasses import replace

import pytest

from theorylab.report import errata_page
from theorylab.report.errata_page import slug
from theorylab.report.faults import Fault, faults, shown_by
from theorylab.report.formula import formula
from theorylab.report.tally import expected_claims, tally
from theorylab.statements import BUILT_IN, NOT_RUN, Cause, Line

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "errata.md"
HOSTILE = "<script>x</script> [a](javascript:b) `c` $d$ *e* <img src=f>"


def one(**parts):
    words = {"clause": "c", "fails": "It fails.", "repair": "Mend it.", "severity": "misprint"}
    line = Line("deprl.thm1", "there", words="as printed")
    return Cause(**{"id": "deprl/fault", "lines": (line,), **words, **parts})


def lines(cause):
    return "\n".join(errata_page._fault(Fault(cause, "own", (("deprl.thm1", "printed"),), ()), {}))


def test_every_false_statement_has_its_row_once_and_every_fault_a_row():
    page = PAGE.read_text()
    rows = re.findall(r"^\| .* \(`([\w.]+)`\) \|", page, re.MULTILINE)
    count = tally(expected_claims())
    told = (count.total, count.empty, count.inherited, count.readings, count.implied)
    assert len(rows) == len(set(rows)) == sum(told)
    assert set(rows) <= set(BUILT_IN)
    causes = {cause for claim in expected_claims() for cause in claim.causes}
    headings = re.findall(r"^#### (\S+)$", page, re.MULTILINE)
    assert sorted(headings) == sorted(cause.id for cause in causes)


def test_every_link_to_a_fault_leads_to_its_heading():
    page = PAGE.read_text()
    headings = {slug(one(id=name)) for name in re.findall(r"^#### (\S+)$", page, re.MULTILINE)}
    assert set(re.findall(r"\]\(#([\w-]+)\)", page)) <= headings


def test_one_id_is_one_fault():
    causes = {cause for claim in expected_claims() for cause in claim.causes}
    assert len({cause.id for cause in causes}) == len({slug(cause) for cause in causes})
    assert len({cause.id for cause in causes}) == len(causes)


def test_every_fault_has_a_check_that_shows_it():
    for paper in NOT_RUN:
        for fault in faults(paper):
            assert shown_by(fault) is not None, fault.cause.id


def test_every_formula_of_the_page_is_written_as_mathml():
    formulas = re.findall(r"^\$\$\n(.*?)\n\$\$$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(formulas) > 50
    for latex in formulas:  # else docs/conf.py shows its LaTeX
        assert formula(latex).startswith('<span class="formula"'), latex


@pytest.mark.parametrize("part", ["fails", "repair", "effect", "lines"])
def test_a_changed_fault_makes_the_page_old(part):
    changed = (Line("deprl.thm1", "elsewhere", words="otherwise"),)
    new = changed if part == "lines" else "Something else."
    assert lines(replace(one(), **{part: new})) != lines(one())


def test_an_exhibit_says_both_sides_where_it_has_numbers():
    fault = next(each for each in faults("dfedalt") if each.cause.lines[0].display)
    name = shown_by(fault).name
    told, silent = ("\n".join(errata_page._fault(fault, {name: s})) for s in ("1 against 2", ""))
    assert ": 1 against 2.\n" in told
    assert told.replace(": 1 against 2.", ".") == silent


def test_text_of_a_paper_is_no_markup():
    line = Line("deprl.thm1", HOSTILE, words=HOSTILE)
    made = lines(one(fails=HOSTILE, repair=HOSTILE, effect=HOSTILE, lines=(line,)))
    assert made.count(r"\<script\>") == 5
    assert not re.search(r"(?<!\\)<(script|img)", made)
    assert "[a](" not in made
