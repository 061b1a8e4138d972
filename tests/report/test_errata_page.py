"""docs/errata.md is what the catalogue says, and nothing in it is markup by accident."""

import pathlib
import re

from theorylab.report import errata_page
from theorylab.report.tally import expected_claims, tally
from theorylab.statements import BUILT_IN, Printed

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "errata.md"


def test_every_false_statement_has_its_command_once():
    shown = re.findall(r"theorylab explain (\S+?)(?= --version|`|\n)", PAGE.read_text())
    count = tally(expected_claims())
    assert len(shown) == len(set(shown)) == (
        count.total + count.inherited + count.readings + count.implied
    )  # fmt: skip
    assert set(shown) <= set(BUILT_IN)


def test_a_changed_statement_makes_the_page_old(monkeypatch):
    monkeypatch.setattr(errata_page, "printed", lambda name: Printed(fails="Something else."))
    assert PAGE.read_text() != errata_page.text()


def test_text_of_a_paper_is_no_markup(monkeypatch):
    hostile = "<script>x</script> [a](javascript:b) `c` $d$ *e* <img src=f>"
    monkeypatch.setattr(errata_page, "printed", lambda name: Printed(words=hostile, fails=hostile))
    made = errata_page.text()
    assert r"\<script\>" in made
    assert not re.search(r"(?<!\\)<(script|img)", made)
    assert "[a](" not in made
