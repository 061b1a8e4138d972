"""A user's file: what is read from it, and the one line that each mistake gets."""

import pathlib
import sys

import pytest

from theorylab.verdicts import jobs, selected
from theorylab.verdicts.catalogue import loaded

TEXT = (pathlib.Path(__file__).parent / "user_theorem.py").read_text()
TWO = (
    "\nfrom dataclasses import replace\n"
    'STATEMENTS = [replace(STATEMENT, id="textbook.b"), replace(STATEMENT, id="textbook.a")]\n'
)


@pytest.fixture
def own(tmp_path):
    def write(text, name="own.py"):
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return write


def test_a_file_holds_one_statement_or_several_in_order(own):
    assert list(loaded(own(TEXT))) == ["textbook.thm1"]
    path = own(TEXT + TWO, "two.py")
    assert list(loaded(path)) == ["textbook.b", "textbook.a"]
    found = selected([path, "dfedsgpsm.lem1"])
    assert list(found) == ["textbook.b", "textbook.a", "dfedsgpsm.lem1"]
    assert [file for _, file in found.values()] == [path, path, None]
    made = jobs([path])
    assert [(job.id, job.source_file) for job in made] == [
        ("textbook.b", path),
        ("textbook.a", path),
    ]


def test_two_files_of_one_name_are_two_modules(own, tmp_path):
    (tmp_path / "deep").mkdir()
    first, second = own(TEXT), own(TEXT.replace("thm1", "thm2"), "deep/own.py")
    before = set(sys.modules)
    assert [*loaded(first), *loaded(second)] == ["textbook.thm1", "textbook.thm2"]
    assert len(set(sys.modules) - before) == 2


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x = 1\n", "defines no STATEMENT; need STATEMENT = Statement"),
        ("STATEMENT = 7\n", "defines no STATEMENT"),
        ("STATEMENTS = []\n", "defines no STATEMENT"),
        (TEXT + "\nSTATEMENTS = [STATEMENT, 3]\n", "defines no STATEMENT"),
        (TEXT.replace("checks=(", "note=str("), "textbook.thm1 has no checks; need at least one"),
        ("def f():\n    raise KeyError\n\n\nf()\n", "line 2: KeyError"),
        ("x = 1\nraise ValueError('one\\ntwo')\n", "line 2: ValueError: one"),
    ],
)
def test_every_mistake_is_one_line_that_names_the_file(own, text, line):
    path = own(text)
    with pytest.raises(ValueError, match=line) as caught:
        loaded(path)
    assert str(caught.value).startswith((path, "own.py"))
    assert "\n" not in str(caught.value)


def test_a_job_has_64_runs_seed_0_and_ten_minutes_where_nothing_else_is_asked():
    (job, *_) = jobs(["dfedsgpsm.lem1"])
    assert (job.seeds, job.seed, job.budget) == (64, 0, 1e9)


def test_the_ends_of_every_option_are_taken_and_what_lies_beyond_is_not():
    for options in ({"seeds": 1}, {"seed": 0}, {"seed": 2**64 - 1}, {"budget": 1e-300}):
        (job, *_) = jobs(["dfedsgpsm.lem1"], **options)
        assert all(getattr(job, name) == value for name, value in options.items())
    for options in (
        *({"seeds": 0}, {"seed": -1}, {"seed": 2**64}, {"budget": 0.0}, {"budget": -1.0}),
        {"budget": float("nan")},
    ):
        with pytest.raises(ValueError, match="verify: "):
            jobs(["dfedsgpsm.lem1"], **options)


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ("dfedsgpsm.lem11", "did you mean dfedsgpsm.lem1?"),
        ("pdbo.them11", "did you mean pdbo.thm11?"),
        ("qqqqqqqqqqqq", "need an id that list shows"),
    ],
)
def test_what_is_nearly_an_id_is_guessed(asked, hint):
    with pytest.raises(ValueError, match=hint.replace("?", r"\?")):
        selected([asked])


def test_quick_leaves_out_a_check_that_says_so(own):
    slow = own(TEXT.replace('RUN, "HOLDS")', 'RUN, "HOLDS", quick=False)'))
    assert len(jobs([slow])) == 1
    assert jobs([slow], quick=True) == []


@pytest.mark.parametrize(
    ("call", "line"),
    [
        ("Version({}, floors=())", "Version has no 'floors'; need it in Order"),
        ("Version({}, expect='HOLDS')", "Version has no 'expect'; need it in Check"),
        ("Check('a', {}, 'HOLDS', along=1)", "Check has no 'along'; need it in Floor"),
        ("Version({}, kurtosis=2)", "Version has no 'kurtosis'; need it in Quantity"),
        ("Order(1, brackets=1)", "Order has no 'brackets'; did you mean bracket?"),
        ("Version({}, rule=1)", "Version has no 'rule'; need it in Assumption"),
    ],
)
def test_an_option_in_the_wrong_part_of_a_claim_is_told_with_the_part_that_has_it(own, call, line):
    path = own(f"from theorylab.statements import Check, Order, Version\n{call}\n")
    with pytest.raises(ValueError, match=r"\Aown\.py, line 2: ") as caught:
        selected([path])
    assert str(caught.value) == f"own.py, line 2: {line}"


def test_an_option_that_a_class_of_the_file_lacks_is_told_in_the_words_of_python(own):
    path = own("class Version:\n    def __init__(self): pass\n\nVersion(terms=1)\n")
    with pytest.raises(ValueError, match=r"line 4: TypeError: Version.__init__.. got an unexp"):
        selected([path])
