"""``theorylab compare``: its numbers against plain NumPy, its pictures, and what it refuses."""

import json
import math
import statistics
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from theorylab import cli
from theorylab.commands.run import work as command

SETTING = ["--problem", "log-cosh", "--problem-option", "sigma=.5", "--problem-option", "spread=2",
           "--topology", "random-out", "--topology-option", "degree=2", "--clients", "5",
           "--rounds", "30", "--seeds", "4", "--eta", ".2", "--own-graphs"]  # fmt: skip
STUDENT_3 = 3.182446305284263  # 0.975 quantile of Student's t with 3 degrees of freedom, tables
CLOSE = {"rel": 1e-12, "abs": 1e-15}  # a handful of roundings of numbers below 1
METHODS = {"sgp": [], "osgp": ["--set", "local_steps=3"], "dfedsgpsm": ["--set", "alpha=.5"]}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """One run a method, with the same seeds, and what their traces hold."""
    made = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command, "pictures", lambda *_: {})
        for name, flags in METHODS.items():
            assert cli.run(["run", name, *SETTING, *flags, "--out", str(made / name)]) == 0
    return made


@pytest.fixture
def traces(folders):
    found = {}
    for name in METHODS:
        with np.load(folders / name / "trace.npz", allow_pickle=False) as file:
            found[name] = {key: file[key] for key in file.files}
    return found


def names(folders):
    return [folders / name for name in METHODS]


def compared(run, *arguments):
    done = run("compare", *arguments, "--json", "-")
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_final_values_and_paired_differences_are_those_of_the_traces(run, folders, traces):
    content = compared(run, *names(folders))
    assert [member["label"] for member in content["runs"]] == list(METHODS)
    assert content["round"] == 30
    rows = {(row["column"], row["run"]): row for row in content["final"]}
    assert set(rows) == {
        (column, name)
        for column in ("loss", "consensus", "squared_gradient")
        for name in METHODS
    }  # fmt: skip
    for (column, name), row in rows.items():
        last = [float(x) for x in traces[name][column][:, -1]]
        mean = statistics.fmean(last)
        half = STUDENT_3 * statistics.stdev(last) / 2
        assert row["mean"] == pytest.approx(mean, **CLOSE)
        assert (row["low"], row["high"]) == (
            pytest.approx(mean - half, **CLOSE),
            pytest.approx(mean + half, **CLOSE),
        )
        if name == "sgp":
            assert (row["difference"], row["pairs"]) == (None, 0)
            continue
        first = [float(x) for x in traces["sgp"][column][:, -1]]
        away = [x - y for x, y in zip(last, first, strict=True)]
        half = STUDENT_3 * statistics.stdev(away) / 2
        assert row["pairs"] == 4
        assert row["difference"] == pytest.approx(statistics.fmean(away), **CLOSE)
        assert row["difference_low"] == pytest.approx(statistics.fmean(away) - half, **CLOSE)
        assert row["difference_high"] == pytest.approx(statistics.fmean(away) + half, **CLOSE)


def test_rounds_and_messages_to_a_target_are_counted_run_by_run(run, folders, traces):
    aim = float(np.median(traces["sgp"]["loss"][:, 12]))
    content = compared(run, *names(folders), "--target", f"loss={aim}", "--target", "loss=-1")
    assert len(content["targets"]) == 6
    for row in content["targets"]:
        values = traces[row["run"]]["loss"]
        expected = []
        for r in range(4):
            hits = [t for t in range(31) if values[r, t] <= row["target"]]
            expected.append(hits[0] if hits else None)
        assert row["rounds"] == expected
        reached = [t for t in expected if t is not None]
        assert (row["reached"], row["of"]) == (len(reached), 4)
        # 5 clients send to 2 others each, in every round
        assert row["messages"] == [None if t is None else 10 * t for t in expected]
        ordered = sorted(math.inf if t is None else t for t in expected)
        middle = (ordered[1] + ordered[2]) / 2
        assert row["rounds_median"] == (middle if math.isfinite(middle) else None)
    assert content["targets"][0]["reached"] > 0
    table = run("compare", *names(folders), "--target", "loss=-1").out
    assert "loss <= -1" in table
    assert "0/4" in table
    assert "not reached" in table


def test_algorithms_are_run_now_with_the_same_seeds(run, folders):
    asked = ["sgp", "osgp:local_steps=3", "dfedsgpsm:alpha=.5"]
    assert compared(run, *asked, *SETTING) == compared(run, *names(folders))
    mixed = compared(run, folders / "sgp", "osgp:local_steps=3", *SETTING)
    both = compared(run, folders / "sgp", folders / "osgp")
    assert mixed == both


def test_unlike_local_steps_are_said_and_counted(run, folders, tmp_path):
    done = run("compare", *names(folders), "--target", "loss=.5", "--out", tmp_path, "--json", "-")
    said = "compare: rounds are unlike, gradients a client and round: sgp 1, osgp 3, dfedsgpsm 1;"
    assert said in done.err
    content = json.loads(done.out)
    assert [member["gradients_a_round"] for member in content["runs"]] == [5, 15, 5]
    assert [member["local_steps"] for member in content["runs"]] == [1, 3, 1]
    for row in content["targets"]:
        each = 15 if row["run"] == "osgp" else 5
        wanted = [None if t is None else each * t for t in row["rounds"]]
        assert row["gradients"] == wanted
    picture = (tmp_path / "compare.svg").read_text()
    for along in ("communication rounds", "gradient evaluations", "messages"):
        assert along in picture
    assert "unlike" not in run("compare", folders / "sgp", folders / "dfedsgpsm").err


def test_what_is_run_is_kept_and_drawn(run, refused, monkeypatch, tmp_path):
    monkeypatch.setattr(command, "pictures", lambda *_: {})
    asked = ["compare", "sgp", "sgp:decay=.99", *SETTING, "--out", tmp_path]
    done = run(*asked)
    assert done.code == 0, done.err
    files = {"compare.json", "compare.svg", "compare.png", "index.html", "sgp-1", "sgp-2"}
    assert {p.name for p in tmp_path.iterdir()} == files
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir() if p.is_file()}
    ET.fromstring(before["compare.svg"])
    assert before["compare.png"].startswith(b"\x89PNG")
    assert b"sgp-2" in before["index.html"]
    assert json.loads(before["compare.json"])["schema"] == 1
    assert "holds a finished run" in refused(*asked)
    again = run(*asked, "--resume")
    assert again.code == 0
    assert again.out == done.out
    after = {p.name: p.read_bytes() for p in tmp_path.iterdir() if p.is_file()}
    for files in (before, after):  # the foot of a page has the command
        files["index.html"] = files["index.html"].partition(b"<footer")[0]
    assert after == before
    assert run("compare", tmp_path / "sgp-1", tmp_path / "sgp-2").code == 0


def test_runs_of_another_length_or_seed_are_said(run, folders, monkeypatch, tmp_path, traces):
    monkeypatch.setattr(command, "pictures", lambda *_: {})
    short, other = tmp_path / "short", tmp_path / "other"
    assert run("run", "sgp", *SETTING, "--rounds", 20, "--seeds", 3, "--out", short).code == 0
    assert run("run", "sgp", *SETTING, "--seed", 7, "--out", other).code == 0
    done = run("compare", folders / "sgp", short, "--json", "-")
    assert "not all ran as long; final values are at round 20" in done.err
    row = next(row for row in json.loads(done.out)["final"] if row["column"] == "loss")
    assert row["mean"] == pytest.approx(traces["sgp"]["loss"][:, 20].mean(), rel=1e-14)
    second = [row for row in json.loads(done.out)["final"] if row["run"] == "short"]
    assert {(row["pairs"], row["difference"]) for row in second} == {(3, 0.0)}
    done = run("compare", folders / "sgp", other, "--json", "-")
    assert "other has another seed than sgp: runs are no pairs" in done.err
    second = [row for row in json.loads(done.out)["final"] if row["run"] == "other"]
    assert {(row["pairs"], row["difference"]) for row in second} == {(0, None)}


def test_columns_that_are_asked_for_are_shown_and_no_others(run, folders):
    content = compared(run, *names(folders), "--columns", "weight_min,loss")
    assert {row["column"] for row in content["final"]} == {"weight_min", "loss"}


def test_a_run_that_diverges_is_compared_as_far_as_it_came(run):
    huge = ["sgp", "sgp:eta=60", *SETTING, "--problem", "quadratic", "--rounds", "300"]
    grow = [x for x in huge if x not in ("--problem-option", "sigma=.5", "spread=2")]
    done = run("compare", *grow, "--every", 1, "--json", "-")
    assert done.code == 1
    assert "theorylab: sgp-2: simulate: " in done.err
    content = json.loads(done.out)
    assert [member["status"] for member in content["runs"]] == ["finished", "diverged"]
    assert 5 < content["round"] < 300


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare"], "compare: Missing argument"),
        (["compare", "sgp"], "compare: --problem is missing"),
        (["compare", "nowhere/x"], "nowhere/x: no run.json there"),
        (
            ["compare", "sgq", *SETTING],
            "sgq: no folder that run --out has written, and no algorithm; did you mean sgp",
        ),
        (["compare", "sgp", "sgq"], "and no algorithm; did you mean sgp?"),
        (["compare", "sgp:alpha", *SETTING], "--set is 'alpha'; need PATH=VALUE"),
        (["compare", "sgp:nope=1", *SETTING], "sgp: unknown option 'nope'"),
        (["compare", "sgp", *SETTING, "--target", "loss"], "--target is 'loss'; need COLUMN=NUM"),
        (["compare", "sgp", *SETTING, "--target", "loss=nan"], "--target is 'loss=nan'"),
        (["compare", "sgp", *SETTING, "--target", "nope=1"], "no column 'nope' in all runs"),
        (["compare", "sgp", *SETTING, "--columns", "nope"], "no column 'nope'"),
        (["compare", *["sgp"] * 9, *SETTING], "9 runs; need at most 8"),
        (["compare", "sgp", *SETTING, "--resume"], "need one of them, and --out"),
        (["compare", "sgp", *SETTING, "--band", "x"], "--band is 'x'"),
        (["compare", "sgp", *SETTING, "--json", "no/x"], "no is no directory"),
        (["compare", "sgp", *SETTING, "--out", "/dev/null/x"], "--out /dev/null/x: not a dir"),
    ],
)
def test_bad_input_is_named_in_one_line(refused, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert message in refused(*arguments)
    assert list(tmp_path.iterdir()) == []


def test_runs_that_cannot_be_compared_are_refused(run, refused, folders, monkeypatch, tmp_path):
    monkeypatch.setattr(command, "pictures", lambda *_: {})
    other = tmp_path / "other"
    assert run("run", "sgp", *SETTING, "--problem-option", "scale=2", "--out", other).code == 0
    line = refused("compare", folders / "sgp", other)
    assert "sgp and other are of different problems: problem.scale was 1.0, is 2.0 in other" in line
    assert "flags of a run" in refused("compare", folders / "sgp", "--rounds", 3)
    record = json.loads((other / "run.json").read_text()) | {"status": "running"}
    (other / "run.json").write_text(json.dumps(record))
    assert f"unfinished; need theorylab run --resume --out {other}" in refused("compare", other)
    (other / "run.json").write_text("{}")
    assert "other/run.json: " in refused("compare", other)
