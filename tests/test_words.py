"""A verdict's word stands in one table, and every surface reads it."""

import ast
import pathlib
import re
import subprocess
import sys

import pytest

from theorylab.words import EXPECTED, ORDER, Verdict

ROOT = pathlib.Path(__file__).resolve().parents[1]
TABLE = ROOT / "theorylab/words.py"
SOURCES = sorted({*ROOT.glob("theorylab/**/*.py"), *ROOT.glob("verify/*.py")} - {TABLE})
TONES = {  # the page's palette, in the light, in the dark and on paper
    name
    for block in (ROOT / "theorylab/report/base.html.j2").read_text().split("@media")[:1]
    for name in re.findall(r"--(\w+):", block)
}


@pytest.mark.parametrize("verdict", Verdict, ids=lambda v: v.name)
def test_a_word_has_all_that_a_surface_needs(verdict):
    word = verdict.word
    told = word.clause.format(how="as printed", kind="", compared="1 against 2", reason="why")
    assert "as printed" in told
    assert word.tone in TONES
    assert word.exit in (0, 1, 2, 4)
    assert word.refutes in ("always", "never", "empty")
    assert verdict.value == word.sentence


def test_a_check_may_expect_every_word_but_an_error_and_that_of_a_class():
    assert {*ORDER} - {*EXPECTED} == {"ERROR", "PROVED"}


def test_no_severity_is_refuted_by_a_claim_without_a_fault():
    assert not any(verdict.tells_against("") for verdict in Verdict)
    against = {v.name for v in Verdict if v.tells_against("wrong order")}
    assert against == {"VIOLATED", "UNSATISFIABLE"}
    assert {v.name for v in Verdict if v.tells_against("empty")} == {*against, "VACUOUS"}


def test_one_word_is_each_of_what_searches_and_judges_ask():
    said = {
        "broken": ["VIOLATED"],
        "impossible": ["UNSATISFIABLE"],
        "empty": ["VACUOUS"],
        "undecided": ["INCONCLUSIVE"],
        "outside": ["ASSUMPTION_FAILS"],
        "decided": ["VIOLATED", "PROVED", "HOLDS"],
    }
    assert {name: [v.name for v in Verdict if getattr(v, name)] for name in said} == said
    assert [v.name for v in Verdict if not v.judged] == ["ERROR"]


def listed(tree):
    """(line, words) of every collection of texts that holds three words or more."""
    for node in ast.walk(tree):
        inside = []
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            inside = node.elts
        elif isinstance(node, ast.Dict):
            inside = [*node.keys, *node.values]
        texts = {each.value for each in inside if isinstance(each, ast.Constant)}
        if len(found := texts & {*ORDER}) > 2:
            yield node.lineno, sorted(found)


def test_no_other_source_lists_the_words():
    second = {}
    for path in SOURCES:
        text = path.read_text()
        if found := [*listed(ast.parse(text))] if "VACUOUS" in text else []:
            second[str(path.relative_to(ROOT))] = found
    assert second == {}
    styled = re.compile(rf"\.({'|'.join(ORDER)})\b")
    pages = ROOT.glob("theorylab/**/*.j2")
    assert [path.name for path in pages if styled.search(path.read_text())] == []


DECIDE = {  # who says a word first; all others ask the table what it means
    *(f"theorylab/verdicts/{name}.py" for name in ("arms", "decide", "edge", "failed")),
    *(f"theorylab/verdicts/{name}.py" for name in ("judge", "witness")),
    *(f"theorylab/speedup/{name}.py" for name in ("controls", "result")),
    "theorylab/worst/outcome.py",
}
SURFACES = [
    path
    for path in SOURCES
    if path.is_relative_to(ROOT / "theorylab")
    and not path.is_relative_to(ROOT / "theorylab/statements")  # a check expects one by its name
    and str(path.relative_to(ROOT)) not in DECIDE
]


def named(tree):
    """The lines that ask for one word: a text that is one, or a member of ``Verdict``."""
    for node in ast.walk(tree):
        text = isinstance(node, ast.Constant) and node.value in ORDER
        member = isinstance(node, ast.Attribute) and node.attr in ORDER
        if text or (member and isinstance(node.value, ast.Name) and node.value.id == "Verdict"):
            yield node.lineno


def test_only_a_judge_names_a_word():
    # what a word means is asked of the table, so that a new word touches no surface and no search
    tree = ast.parse('Verdict["HOLDS"].broken or result.verdict == Verdict.HOLDS.name')
    assert [*named(tree)] == [1, 1]
    found = {
        path.name: lines for path in SURFACES if (lines := [*named(ast.parse(path.read_text()))])
    }
    assert found == {}


ADDED = """
    SHOWN = Word(
        sentence="a word of tomorrow",
        clause="is shown {how}: {reason}",
        ink="blue",
        tone="good",
        box="How it is shown",
        exit=4,
    )
"""
SHOWN = """
import pathlib, sys, types
module = types.ModuleType("theorylab.words")
sys.modules["theorylab.words"] = module
text = pathlib.Path("theorylab/words.py").read_text()
at = text.index("    HOLDS = Word(")
text = text[:at] + ADDED.strip("\\n") + "\\n" + text[at:]
exec(compile(text, "words.py", "exec"), module.__dict__)

sys.path[:0] = ["verify", "tests/report"]
from conftest import make
from count_places import _meanings
from theorylab.campaigns.reading import Rows
from theorylab.commands import table
from theorylab.commands.verify import terminal
from theorylab.report import groups, page, shown, standing
from theorylab.statements import Check

Check("one", {}, expect="SHOWN")
other = make(verdict="SHOWN", expected="HOLDS", reason="of nothing")
result = make(verdict="SHOWN", expected="", reason="of nothing")
(paper,) = groups.papers([result])
pages = page.overview([paper]) + page.paper_page(paper, [paper], lambda result: None)
rows = Rows([{"status": "done", "verdict": name} for name in ("HOLDS", "SHOWN")], "", 2, {})
print(*(
    ".SHOWN { color: var(--good); }" in pages,
    "a word of tomorrow" in pages,
    "How it is shown" in pages,
    table._INKS["SHOWN"],
    terminal.verdicts_of(["shown"]),
    standing.exit_code([result]),
    standing.standing(other).name,
    result.log10_ratio is not None,
    shown.Shown(result).clause,
    [*paper.verdicts],
    [*rows.counts()],
    "| `SHOWN` | a word of tomorrow |" in _meanings(pathlib.Path("docs/verdicts.md").read_text()),
), sep="\\n")
"""


def test_a_word_that_is_added_to_the_table_is_on_every_surface():
    code = f"ADDED = {ADDED!r}\n{SHOWN}"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        *("True", "True", "True", "blue", "{'SHOWN'}", "4", "UNDECIDED", "True"),
        *("is shown as printed: of nothing", "['SHOWN']", "['SHOWN', 'HOLDS']", "True"),
    ]
