"""What the pages in docs/ show is what happens."""

import csv
import json
import pathlib
import re
import shlex

import pytest

from theorylab import cli
from theorylab.campaigns import Cells, plan, read_plan
from theorylab.campaigns.play import played
from theorylab.report.number import plain

pytest_plugins = ["pytester"]

ROOT = pathlib.Path(__file__).resolve().parents[1]
PLUGIN = "theorylab.pytest_plugin"


def block(page, marker):
    text = (ROOT / "docs" / page).read_text()
    return re.search(rf"<!-- {re.escape(marker)} -->\n```\w*\n(.*?)```", text, re.DOTALL).group(1)


def test_a_suite_shows_what_the_page_on_pytest_shows(pytester):
    pytester.makepyfile(my_theorem=block("pytest.md", "my_theorem.py"))
    program, *words = shlex.split(block("pytest.md", "command"))
    result = pytester.runpytest_inprocess("-p", PLUGIN, *words)
    assert program == "pytest"
    lines = [re.sub(r" +\[ *\d+%\]$", "", line) for line in result.outlines]
    for line in block("pytest.md", "output").splitlines():
        assert line in lines


def test_the_ini_file_of_the_page_on_pytest_is_understood(pytester):
    pytester.makepyprojecttoml(block("pytest.md", "ini"))
    pytester.makepyfile(**{"theorems/first": block("pytest.md", "my_theorem.py")})
    result = pytester.runpytest_inprocess("-p", PLUGIN, "-v", "--theorylab", "-k", "lem1 or small")
    passed = [line.split()[0] for line in result.outlines if " PASSED" in line]
    assert len(passed) == 4
    assert passed[0] == "theorems/first.py::mine.thm1::printed/small::quadratic"


def test_the_frames_of_the_page_on_notebooks_are_made(capsys):
    scope = {}
    exec(compile(block("notebooks.md", "frames.py"), "notebooks.md", "exec"), scope)
    assert scope["checks"]["verdict"].tolist()[0] == "VIOLATED"
    assert len(scope["rounds"]) == 4 * 31
    assert [name for name in scope["checks"] if name in ("low", "high", "severity")]
    told = (ROOT / "docs/notebooks.md").read_text()
    for frame in (scope["curve"], scope["rounds"][["run", "round"]], scope["constants"].to_frame()):
        assert all(f"`{name}`" in told for name in frame)
    assert "delta" in capsys.readouterr().out


def test_the_csv_of_the_page_on_notebooks_is_written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for line in block("notebooks.md", "csv").splitlines():
        assert cli.run(shlex.split(line)[1:]) == 0, capsys.readouterr().err
    texts = (pathlib.Path(f"{name}.csv").read_text() for name in ("verdicts", "trace"))
    verdicts, trace = (list(csv.DictReader(text.splitlines())) for text in texts)
    assert [row["verdict"] for row in verdicts] == ["HOLDS"] * 3
    assert [int(row["round"]) for row in trace] == [*range(21)]


def test_the_plan_of_the_page_on_campaigns_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("rings.toml").write_text(block("campaigns.md", "rings.toml"))
    for line in block("campaigns.md", "command").splitlines():
        assert cli.run(shlex.split(line)[1:]) == 0, capsys.readouterr().err
    rows = list(csv.DictReader(pathlib.Path("rings.csv").read_text().splitlines()))
    assert len(rows) == 2 * 3 * 3  # 8 clients for 1000 rounds are left out
    assert {row["verdict"] for row in rows} <= {"HOLDS", "VIOLATED", "VACUOUS"}
    assert b"<svg" in pathlib.Path("rings.svg").read_bytes()


def test_the_python_of_the_page_on_campaigns_runs(capsys):
    text = block("campaigns.md", "campaign.py")
    assert len(text.splitlines()) == 5
    exec(compile(text, "campaigns.md", "exec"), {})
    assert capsys.readouterr().out.count("complete") == 2


@pytest.mark.slow
def test_the_picture_of_the_page_on_hypergradients_is_that_of_its_command(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    file = pathlib.Path("my_hypergradient.py")
    file.write_text(block("hypergradients.md", "my_hypergradient.py"))
    words = shlex.split(block("hypergradients.md", "errors"))
    assert cli.run(words[1:]) == 0
    content = json.loads(pathlib.Path("errors/hypergradient.json").read_text())
    assert content["terms"] == [*range(1, 51)]
    hgp, reduced = content["weights"]
    told = {"1.3e-4": hgp["floor"], "1.2e-5": reduced["floor"], "1.2e-3": reduced["bound"][-1]}
    page = (ROOT / "docs/hypergradients.md").read_text()
    for number, value in told.items():
        assert number in page
        assert abs(value - float(number)) <= 0.05 * value
    assert abs(content["radius"] - 0.935) <= 5e-4
    assert hgp["says"] == reduced["says"] == ["below the bound"] * 50
    assert reduced["bound_of_bias"][-1] > 0.5 * reduced["bound"][-1]
    drawn, shown = (
        re.findall(r"<path[^>]*d=|<!--.*?-->", text)
        for text in (
            pathlib.Path("errors/hypergradient.svg").read_text(),
            (ROOT / "docs/errors.svg").read_text(),
        )
    )
    assert drawn == shown


def test_the_large_campaign_has_the_rows_that_it_shows():
    plan_file = ROOT / "verify" / "steps.toml"
    assert f"theorylab sweep {plan_file.relative_to(ROOT)} " in block("campaigns.md", "steps")
    cells = Cells(plan(read_plan(plan_file)))
    assert f"{cells.total:,} runs over " in (ROOT / "docs/campaigns.md").read_text()
    head, _, *lines = block("campaigns.md", "steps table").splitlines()
    names = head.split()
    assert len(lines) == 6
    for line in lines:
        shown = dict(zip(names, line.split(), strict=True))
        point = {axis: shown[axis] for axis in cells.plan.names}
        point |= {"clients": int(point["clients"]), "seed": int(point["seed"])}
        point["algorithm.eta"] = float(point["algorithm.eta"])
        row = json.loads(played(cells.cell(point).document).row)
        for name in ("measured", "consensus", "loss"):
            assert plain(row[name]) == shown[name]
