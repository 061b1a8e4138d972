import datetime
import itertools
import re

import pytest

from theorylab.explain import explained
from theorylab.report.groups import papers
from theorylab.report.latex import bibtex, escaped, number, tables

_CELL = re.compile(r"(?<!\\)&")


def rows(text):
    """The cells of every row that is no heading."""
    lines = [line.removesuffix(r" \\") for line in text.splitlines() if line.endswith(r" \\")]
    return [_CELL.split(line) for line in lines if "caption" not in line and "Largest" not in line]


def test_every_version_has_one_row_of_four_cells(results, make):
    found = rows(tables(papers([*results, make(id="mine.thm1")])))
    assert all(len(cells) == 4 for cells in found)
    plain = [[cell.strip() for cell in cells] for cells in found]
    assert plain == [
        ["dfedsgpsm.thm1", "printed", r"VIOLATED, ASSUMPTION\_FAILS", "$2.44$"],
        ["", "printed/sgp", "VACUOUS", "$10^{-312.6}$"],
        ["", "corrected", "INCONCLUSIVE, HOLDS", "$0.998$"],
        ["dfedsgpsm.lem1", "printed", "HOLDS", "$0.00028$"],
        ["mine.thm1", "printed", "VIOLATED", "$2.44$"],
    ]


def test_repeated_verdicts_are_counted_and_controls_named(make):
    held = {"verdict": "HOLDS", "expected": "HOLDS"}
    group = [make(check=c, **held) for c in "abc"] + [make(check="k", control=True)]
    assert rows(tables(papers(group)))[0][2].strip() == r"HOLDS ($3\times$), control"


@pytest.mark.parametrize("evil", ["50% & $x_1$ \\input{x} #~^{}", "ü\n\x00", "}\\end{longtable}"])
def test_no_text_of_a_result_is_a_command(make, evil):
    text = tables(papers([make(version=evil, id=evil)]))
    assert text.isascii()
    body = re.sub(r"\\[\\&%$#_{}]", "", text)  # what is escaped
    assert body.count("{") == body.count("}")
    assert body.count("$") == 2  # of the ratio
    assert "\\input" not in text
    assert text.count("\\end{longtable}") == text.count("\\begin{longtable}") == 1
    assert all(len(cells) == 4 for cells in rows(text))
    assert sum("%" in line for line in body.splitlines()) == 2  # the two remarks on top


@pytest.mark.parametrize(
    ("plain", "latex"),
    [
        ("2.44", "$2.44$"),
        ("1.5e-07", r"$1.5 \times 10^{-7}$"),
        ("-2e+10", r"$-2 \times 10^{10}$"),
        ("10^-312.6", "$10^{-312.6}$"),
        ("-", "--"),
        ("bound is 0", "bound is 0"),
        ("bound < 0", r"bound \textless{} 0"),
    ],
)
def test_a_number_is_set_as_mathematics(plain, latex):
    assert number(plain) == latex


def test_every_printable_character_is_escaped_to_something_balanced():
    for code in range(32, 127):
        text = escaped(chr(code))
        assert text == chr(code) or re.fullmatch(r"\\[&%$#_{}]|\\text[a-z]+\{\}|\{''\}", text)
    assert "".join(escaped(c) for c in "\\^~&%$#_{}").count("\\") == 10


def test_an_empty_report_has_no_table_and_the_same_papers_give_the_same_text(results):
    assert "longtable}\n\\caption" not in tables([])
    assert tables(papers(results)) == tables(papers(results))


def parsed(text):
    """(type, key, fields) of one BibTeX entry: values in braces, and every brace is counted."""
    kind, key, rest = re.fullmatch(r"@(\w+)\{([^\s{}(),%#~\\\"'=]+)(.*)\n\}\n", text, re.S).groups()
    fields = {}
    while rest:
        name, rest = re.match(r",\n  (\w+) = (.*)", rest, re.S).groups()
        depths = itertools.accumulate((c == "{") - (c == "}") for c in rest)
        end = next(place for place, depth in enumerate(depths) if depth == 0)
        assert (rest[0], rest[end]) == ("{", "}")
        fields[name], rest = rest[1:end], rest[end + 1 :]
    return kind, key, fields


def test_an_entry_of_a_verdict_says_what_was_found_and_how_to_repeat_it(results):
    told = explained(results[0])
    text = bibtex(told, "0.2.0 0123456789abcdef", datetime.date(2026, 11, 28))
    kind, key, fields = parsed(text)
    assert (kind, key.split("--")[0]) == ("misc", "theorylab:dfedsgpsm.thm1")
    assert fields["title"] == "{Theorem 1 of DFedSGPSM, as printed: VIOLATED}"
    assert (fields["year"], fields["howpublished"]) == ("2026", "theorylab 0.2.0 0123456789abcdef")
    assert "Judged on 2026-11-28" in fields["note"]
    assert escaped(told.command) in fields["note"]


def test_another_version_or_check_has_another_key(make):
    keys = [
        parsed(bibtex(explained(make(version=version, check=check)), "0", datetime.date.min))[1]
        for version in ("printed", "printed/other")
        for check in ("one", "two")
    ]
    assert len(set(keys)) == 4


@pytest.mark.parametrize(
    "evil", ["50% {&", "}\n@string{x = 1}", '"', "\\", "ü\n\x00}", "{" * 9, "a, b = {c}"]
)
def test_no_text_of_a_result_ends_an_entry(make, evil):
    told = explained(make(id=evil, version=evil, check=evil, reason=evil, source=evil))
    text = bibtex(told, evil, datetime.date(2026, 11, 28))
    assert text.isascii()
    _, _, fields = parsed(text)
    assert list(fields) == ["author", "title", "year", "howpublished", "note"]
    assert re.sub(r"\\[\\&%$#_]", "", text).count("%") == 0
