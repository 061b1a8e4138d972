"""The parts of the statements' docstrings."""

import importlib
import re

import pytest

from theorylab.explain import account, account_of
from theorylab.report.tally import expected_claims
from theorylab.statements import BUILT_IN, printed

FALSE = sorted({claim.id for claim in expected_claims() if claim.severity})


def words(text):
    return re.findall(r"\S+", text)


def test_the_parts_hold_every_word_of_a_docstring_and_no_other(statements):
    for name in [statement.id for statement in statements]:
        text = importlib.import_module(f"theorylab.statements.{name}").__doc__
        parts = account_of(name)
        told = [getattr(parts, field) for field in parts.__dataclass_fields__]
        told_words = sorted(word for part in told for word in words(part))
        assert sorted(words(text)) == told_words, name
        assert parts.head, name


def test_a_statement_with_a_corrected_version_says_what_it_is(statements):
    for statement in statements:
        versions = [each for each in statement.versions if each.startswith("corrected")]
        parts = account_of(statement.id)
        told = parts.corrected or "orrected" in parts.head + parts.wrong
        assert told or not versions, statement.id


def test_a_false_statement_says_what_is_printed_what_fails_and_what_mends_it():
    for name in FALSE:
        kept = printed(name)
        assert kept is not None, name
        assert kept.formula or kept.words, name
        assert kept.fails.endswith((".", ")")), name
        assert kept.repair.endswith("."), name


def test_what_is_kept_of_the_papers_is_of_statements_that_are_there():
    papers = {name.partition(".")[0] for name in BUILT_IN}
    for paper in papers:
        module = importlib.import_module(f"theorylab.statements.{paper}._printed")
        assert {f"{paper}.{locator}" for locator in module.PRINTED} <= set(FALSE)


@pytest.mark.parametrize(
    ("name", "there", "not_there"),
    [
        ("dfedsgpsm.lem5_mean", r"\nabla f_i(\tilde{\mathbf{z}}_{i,s}^t)", r"\breve"),
        ("dfedsgpsm.lem5_split", r"+ \frac{L\eta_l^2 \tilde{\alpha}^2 \sigma_l^2}{2}", r"\breve"),
        ("dfedsgpsm.lem5_last", "", r"\frac"),  # that 1/a~ <= (1-alpha)/K is used, and not printed
        ("dfedpgp.eq18", r"\frac{2K_{u}^{2}\eta_{u}^{2}C^{2}}{(1-q)^{2}}", r"\frac{K_u\eta_u}"),
        ("pdbo.eq6", r"\mathbb{E}_{\delta, \zeta} \left[\sum_{j=1}^n", r"\sum_j "),
        ("pdbo.lem7_lines", r"\mathbf{Y}_{B,s}^{(i,\xi)}", r"\cdot"),
        ("pdbo.lem9_lines", r"\mathbf{X}_{A,st}^{(i)}", r"\left(\frac{\delta}{"),
        ("pdbo.thm11_sum", r"\frac{\eta_B}{1-\eta_A} (L_y + L_\lambda) G", r"\eta_A} L_y G + "),
    ],
)
def test_what_is_called_the_papers_latex_is_no_paraphrase(name, there, not_there):
    kept = printed(name)
    assert there in kept.formula
    assert not_there not in kept.formula


def test_no_line_number_of_a_text_file_is_told():
    for name in FALSE:
        kept = printed(name)
        told = f"{kept.fails} {kept.repair}"
        assert not re.search(r"\blines? \d{3,}", told), name


def test_a_docstring_falls_into_its_parts():
    parts = account(
        "Lemma 9: how far.\n\nPrinted (Section 2):\n\n    a <= b.\n\nReadings. One.\n\n"
        "Where it breaks. At b. Corrected: a <= 2 b.\nProof. By a.\n"
    )
    assert parts.head.strip() == "Lemma 9: how far."
    assert parts.printed.split() == ["Printed", "(Section", "2):", "a", "<=", "b."]
    assert parts.readings.strip() == "Readings. One."
    assert parts.wrong.strip() == "Where it breaks. At b."
    assert parts.corrected.strip() == "Corrected: a <= 2 b."
    assert parts.proof == "Proof. By a."


def test_a_part_that_begins_twice_is_one_text():
    parts = account("Head.\nCorrected: one.\nProof. P.\nCorrected: two.")
    assert parts.corrected.split("\n") == ["Corrected: one.", "", "Corrected: two."]


def test_nothing_is_no_account():
    assert account("").head == ""
    assert account_of("nosuch.thm1") is None
    assert printed("nosuch.thm1") is None
