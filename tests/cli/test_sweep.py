"""``theorylab sweep`` and its subcommands, as they are typed."""

import csv
import json
import re

import pytest

from theorylab.imports import imported

CLAIM = """
claim = "mine.thm1"
version = "printed"
[axes]
rounds = [50, 100]
"""
THEOREM = """
from theorylab.statements import Check, Source, Statement, Version
from theorylab.symbols import T, eta, f0, f_star

RUN = {
    "problem": {"name": "quadratic", "dim": 3, "mu": 0.1, "L": 2.0, "seed": 0},
    "topology": {"name": "complete"}, "clients": 1, "rounds": 200,
    "algorithm": {"eta": 0.25}, "x0": 1.0,
}
STATEMENT = Statement(
    id="mine.thm1",
    source=Source("mine", "Theorem 1", "mean squared gradient"),
    algorithm="sgp",
    quantity="mean_squared_gradient",
    versions={
        "printed": Version(
            terms={"optimisation": 2 * (f0 - f_star) / (T * eta)}, assumes=(),
            checks=(Check("one", RUN, "HOLDS"),),
        )
    },
)
"""


@pytest.fixture
def plan(tmp_path, monkeypatch, grid):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "grid.toml"
    file.write_text(
        grid("clients = [2, 3]", 'topology = ["ring", "complete"]', '"problem.seed" = [0, 1, 2]')
    )
    return file


@pytest.fixture
def done(plan, run):
    """The folder of a finished campaign."""
    told = run("sweep", plan)
    assert told.code == 0, told.err
    return plan.with_name("grid.campaign")


def digest(text):
    return re.search(r"digest ([0-9a-f]{16})", text, re.IGNORECASE).group(1)


def test_a_dry_run_lists_the_first_cells_and_writes_nothing(plan, run, tmp_path):
    told = run("sweep", plan, "--dry-run")
    assert told.code == 0
    assert "12 cells: 2 clients x 2 topology x 3 problem.seed" in told.out
    assert "and 2 more" in told.out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["grid.toml"]


def test_a_campaign_says_how_many_cells_and_resumes(plan, run):
    told = run("sweep", plan, "--limit", 4)
    assert "4 of 12 cells" in told.out
    assert "12 cells: 2 clients x 2 topology x 3 problem.seed" in told.err
    told = run("sweep", plan)
    assert "4 of them stored" in told.err
    assert ": 12 cells, digest" in told.out
    assert "ms a cell" in told.err


def test_status_show_and_export_agree(done, run, tmp_path):
    told = run("sweep", "status", done)
    assert "complete, 12 of 12 cells" in told.out
    told = run("sweep", "show", done, "--where", "clients == 3 and topology == 'ring'",
               "--sort", "loss", "--reverse")  # fmt: skip
    assert "3 of 12 rows" in told.out
    table = tmp_path / "rows.csv"
    assert run("sweep", "export", done, "--csv", table).code == 0
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert len(rows) == 12
    kept = [r for r in rows if (r["clients"], r["topology"]) == ("3", "ring")]
    losses = sorted((float(r["loss"]) for r in kept), reverse=True)
    shown = [line.split() for line in told.out.splitlines() if re.match(" +3 ", line)]
    assert [float(line[4]) for line in shown] == pytest.approx(losses, rel=1e-3)
    replayed = run(*told.out.splitlines()[-1].split()[1:])
    assert "The same, digit for digit" in replayed.out
    assert replayed.code == 0


def test_parquet_has_what_the_csv_has_also_of_an_axis_of_numbers_and_texts(plan, run):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    plan.write_text(plan.read_text().replace("clients = [2, 3]", 'clients = [2, "two", true]'))
    assert run("sweep", plan).code == 0
    for word in ("csv", "parquet"):
        assert run("sweep", "export", "grid.campaign", f"--{word}", f"a.{word}").code == 0
    left, right = pandas.read_parquet("a.parquet"), pandas.read_csv("a.csv")
    assert left["loss"].equals(right["loss"])
    assert set(left["clients"]) == set(right["clients"]) == {"2", "two", "True"}


@pytest.mark.parametrize("more", [[], ["--curves"], ["--by", "problem.seed"]])
def test_pictures_are_drawn_and_the_same_rows_give_the_same_bytes(done, run, tmp_path, more):
    for name in ("one.svg", "two.svg"):
        words = ["--figure", tmp_path / name, "--measure", "loss", "--x", "clients", *more]
        told = run("sweep", "export", done, *words, "--y", "topology")
        assert told.code == 0, told.err
    one, two = ((tmp_path / name).read_bytes() for name in ("one.svg", "two.svg"))
    assert b"<svg" in one
    assert one == two


def test_shards_are_joined_and_differ_in_nothing(plan, run, done, tmp_path):
    for number in (1, 2):
        assert run("sweep", plan, "--shard", f"{number}/2", "--out", f"part{number}").code == 0
    told = run("sweep", "merge", "part1", "part2", "--out", "all")
    assert digest(told.out) == digest(run("sweep", "show", done).out)
    assert run("sweep", "diff", done, "all").code == 0
    told = run("sweep", "diff", done, "part1")
    assert told.code == 1
    assert "6 cells differ" in told.out


def test_an_edited_theorem_is_judged_again_and_its_rows_stay_apart(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    theorem = tmp_path / "mine.py"
    theorem.write_text(THEOREM)
    (tmp_path / "claim.toml").write_text(CLAIM)
    words = ("sweep", "--import", "mine.py", "claim.toml")
    first = run(*words)
    assert "2 cells" in first.out
    theorem.write_text(THEOREM.replace("2 * (f0", "(f0 - f0 + 1e-9) * (f0"))
    second = run(*words)
    assert digest(second.out) != digest(first.out)
    told = run("sweep", "show", "claim.campaign", "--columns", "rounds,verdict").out
    assert (told.count("VIOLATED"), told.count("2 of 2 rows")) == (3, 1)  # two rows and the count
    theorem.write_text(THEOREM)
    assert digest(run(*words).out) == digest(first.out)


def test_a_python_file_gives_the_plan_and_the_claim(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "PLAN = dict(claim='mine.thm1', axes={'rounds': [50, 100]})\n"
    (tmp_path / "mine.py").write_text(THEOREM + text)
    assert (run("sweep", "mine.py").code, imported()) == (0, [])  # and the plan's names are gone
    assert run("sweep", "show", "mine.campaign").out.count("HOLDS") == 3


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["nosuch.toml"], "nosuch.toml: no such file"),
        (["."], "no such file"),
        (["grid.toml", "--shard", "3/2"], "--shard is 3/2"),
        (["grid.toml", "--shard", "0/2"], "--shard is 0/2"),
        (["grid.toml", "--shard", "a/b"], "--shard is 'a/b'"),
        (["grid.toml", "--jobs", "0"], "--jobs is 0"),
        (["grid.toml", "--limit", "0"], "--limit is 0"),
        (["grid.toml", "--backend", "slurm"], "--backend is 'slurm'"),
        (["grid.toml", "--backend", "dask"], "need --scheduler ADDRESS"),
        (["grid.toml", "--out", "other"], "holds something else"),
        (["grid.toml", "--out", "grid.toml"], "grid.toml: file exists"),
        (["grid.toml", "--out", "fake"], "is no database of a campaign"),
        (["status", "nosuch"], "no such folder"),
        (["show", "other"], "is no campaign's folder"),
        (["merge", "other", "--out", "x"], "is no campaign's folder"),
        (["diff", "other", "other"], "is no campaign's folder"),
        (["export", "other"], "nothing is asked for"),
    ],
)
def test_bad_input_is_one_line_before_any_work(plan, refused, tmp_path, words, line):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("mine")
    (tmp_path / "fake").mkdir()
    (tmp_path / "fake" / "cells.sqlite").write_text("mine")
    assert line in refused("sweep", *words)
    assert (tmp_path / "fake" / "cells.sqlite").read_text() == "mine"
    assert not (tmp_path / "grid.campaign").exists()


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["show", "--where", "los > 1"], "'los' is no number"),
        (["show", "--sort", "los"], "did you mean loss"),
        (["show", "--columns", "los"], "did you mean loss"),
        (["export", "--figure", "a.pdf"], "need a file that ends in .svg or .png"),
        (["export", "--figure", "a.svg"], "no column 'ratio'"),
        (["export", "--figure", "a.svg", "--x", "loss"], "'loss' is no axis"),
        (["export", "--figure", "a.svg", "--x", "clients", "--y", "clients"], "each axis once"),
        (["show", "--limit", "-1"], "greater than or equal to 0"),
    ],
)
def test_what_no_row_has_is_refused(done, refused, words, line):
    assert line in refused("sweep", words[0], done, *words[1:])


def test_the_page_says_what_made_it(done):
    page = json.loads((done / "campaign.json").read_text())
    assert page["cells"] == 12
    assert {"theorylab", "python", "numpy", "machine", "command", "started"} <= set(page)
