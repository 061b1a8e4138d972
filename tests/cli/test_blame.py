"""A user's mistake is told as one: the file, the place, what came and what is needed."""

import json
import pathlib

import pytest

from theorylab import symbols
from theorylab.campaigns.kept_results import Results
from theorylab.report.shown import Shown
from theorylab.verdicts import Report, jobs, judge

OWN = (pathlib.Path(__file__).parents[1] / "verdicts" / "user_theorem.py").read_text()
METRIC = """
from theorylab.metrics import Metric
from theorylab.runs import Row
from theorylab.statements import Quantity


class Own(Metric, name="mine.own"):
    def __init__(self, setting):
        self.setting = setting

    def rows(self, before, after):
        yield Row(abs(after.x).sum(axis=(1, 2)), {"t": before.t}, f"t={before.t}")


"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(text):
        path = tmp_path / "mine.py"
        path.write_text(text)
        return path

    return write


def test_a_metric_of_another_signature_is_told_with_the_right_one(refused, file):
    text = OWN.replace("RUN = {", METRIC + "RUN = {", 1)
    text = text.replace(
        'quantity="mean_squared_gradient"', 'quantity=Quantity("mine.own", "rows", units=(0, 1))'
    )
    line = refused("verify", file(text))
    assert line.startswith("theorylab: mine.py, line ")
    assert line.endswith("need def __init__(self, setting, known)\n")
    assert "metric mine.own: __init__ cannot be called with (setting, known): too many" in line


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ("{}", "units is {}; need two whole numbers"),
        ("(1,)", "units is (1,); need two"),
        ("(1.5, 0)", "units is (1.5, 0); need two"),
        ("'ab'", "units is 'ab'; need two"),
        ("(0, 0), 7", "side is 7; need a Side"),
    ],
)
def test_units_that_are_none_are_a_user_s_mistake(refused, file, given, what):
    text = OWN.replace("import L, T,", "import symbol, L, T,")
    line = refused(
        "verify", file(text.replace("RUN = {", f'M = symbol("M", "M", "x", {given})\nRUN = {{', 1))
    )
    assert line.startswith("theorylab: mine.py, line ")
    assert what in line


def test_a_symbol_without_a_text_is_refused():
    with pytest.raises(TypeError, match="need name, LaTeX and text"):
        symbols.symbol("own", "o", 3)


def test_a_paper_s_name_may_have_a_comma(run, file):
    text = OWN.replace(
        'Source("textbook", "Theorem 1"', 'Source("First, Second 2009", "Theorems 3, 4"'
    )
    path = file(text)
    done = run("verify", path)
    assert "Theorems 3, 4 of First, Second 2009 holds" in " ".join(done.out.split())
    (job,) = jobs([str(path)])
    result = judge(job)
    assert Shown(result).place == "Theorems 3, 4 of First, Second 2009"
    assert Shown(result).source.startswith("First, Second 2009, Theorems 3, 4: ")
    old = result.model_copy(update={"paper": "", "source": "textbook, Theorem 1: what"})
    assert Shown(old).place == "Theorem 1 of textbook"


@pytest.mark.parametrize(
    ("key", "part", "need"),
    [
        *(("log10", "ver", "a number or null"), ("value", [1], "a number or null")),
        *(("lower", "x", "a number or null"), ("how", 3, "a text"), ("source", {}, "a text")),
    ],
)
def test_a_forged_constant_is_told_by_its_place(refused, make, tmp_path, key, part, need):
    text = json.loads(Report(schema=1, results=[make(), make(check="b")]).to_json())
    text["results"][1]["constants"]["B"] = {"value": 1.0, "how": "exact", "source": "s", key: part}
    (tmp_path / "results.json").write_text(json.dumps(text))
    line = refused("report", tmp_path)
    assert "results.1.constants: " in line
    assert f"B.{key} is {part!r}; need {need}" in line


@pytest.mark.usefixtures("counted")
def test_falsify_takes_the_only_version_that_there_is(run, file):
    text = OWN.replace('"printed": Version(', '"folklore": Version(')
    done = run("falsify", file(text), "--budget", "3")
    assert "textbook.thm1 [folklore]" in done.out + done.err
    more = text.replace("    versions={", "    versions={**OTHER, ").replace(
        "STATEMENT =",
        'OTHER = {"lore": Version(terms={"a": T}, checks=(Check("x", RUN),))}\nSTATEMENT =',
    )
    several = run("falsify", file(more), "--budget", "3")
    assert several.code == 2
    assert "has no version 'printed'; need one of lore, folklore" in several.err


@pytest.mark.parametrize("code", ["FULL", "LOCKED", "INTERRUPT", "NOLFS"])
def test_what_says_nothing_about_the_file_never_counts_as_damage(tmp_path, monkeypatch, code):
    import sqlite3

    from theorylab.campaigns import store

    def fails(*_):
        error = sqlite3.OperationalError("it does not go on")
        error.sqlite_errorcode = getattr(sqlite3, f"SQLITE_{code}")
        raise error

    monkeypatch.setattr(store, "_opened", fails)
    with pytest.raises(OSError, match=r"results.sqlite: it does.*; need room, and a right to it"):
        Results(tmp_path / "results.sqlite", print)
