"""``theorylab plan``: what it shows, writes and refuses; its page."""

import csv
import json
import pathlib
import re
import shlex

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def block(page, marker):
    text = (ROOT / page).read_text()
    return re.search(rf"<!-- {marker} -->\n```\w*\n(.*?)```", text, re.DOTALL).group(1)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("my_theorem.py").write_text(block("docs/own-theorem.md", "my_theorem.py"))
    return tmp_path


def test_the_page_shows_what_the_command_prints(folder, run):
    command, *lines = block("docs/plan.md", "plan").splitlines()
    done = run(*shlex.split(command.removeprefix("$ theorylab ")))
    assert done.code == 0, done.err
    words = " ".join(done.out.split())
    for line in lines:
        assert " ".join(line.split()) in words


def test_a_folder_has_the_curve_as_numbers_and_as_a_picture(folder, run):
    done = run("plan", "my_theorem.py", "--target", ".1", "--out", "made", "--json", "plan.json")
    assert done.code == 0, done.err
    made = json.loads((folder / "plan.json").read_text())
    assert made == json.loads((folder / "made" / "plan.json").read_text())
    rows = list(csv.DictReader((folder / "made" / "plan.csv").read_text().splitlines()))
    assert [float(row["target"]) for row in rows] == [0.1 * 2**k for k in range(-2, 6)]
    assert [int(row["promised"]) for row in rows] == [row["rounds"] for row in made["curve"]]
    assert all(int(row["needed"]) <= int(row["promised"]) for row in rows)
    assert (folder / "made" / "plan.svg").read_text().startswith("<?xml")


def test_a_target_that_is_never_reached_has_exit_code_1_and_its_floor(folder, run):
    text = pathlib.Path("my_theorem.py").read_text()
    biased = text.replace("/ (T * eta)}", '/ (T * eta), "bias": L / 8}')
    pathlib.Path("biased.py").write_text(biased)
    done = run("plan", "biased.py", "--target", ".1")
    assert done.code == 1
    told = "the least that was found is 0.25, at T = 2^100; 100 % of it is the term 'bias'"
    assert told in " ".join(done.out.split())


def test_a_version_that_is_known_to_be_false_says_so(run):
    words = "plan dfedsgpsm.thm1 --target 100 --version printed --check worked-example"
    done = run(*shlex.split(words), "--local-steps", "1", "--budget", "1e3")
    assert done.code == 0, done.err
    assert "known to be false in part: its promise need not be kept" in done.out


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("my_theorem.py --target 0", "the target is 0; need a number above 0"),
        ("my_theorem.py --target .1 --local-steps 0,1", "--local-steps is '0,1'; need whole"),
        ("my_theorem.py --target .1 --version x", "textbook.thm1 has no version 'x'; need one of"),
        ("my_theorem.py --target .1 --seeds 0", "need --seeds of at least 1"),
        ("my_theorem.py --target .1 --set algorithm.eta=[1]", "eta"),
        ("deprl.* --target .1", "need one, by its id or FILE.py"),
        ("pdbo.lem2 --target .1", "no run; need a claim on rounds"),
        ("dfedsgpsm.cor1_rate --target .1", "no version is a bound from above; need one"),
        ("nothing.thm1 --target .1", "no statement 'nothing.thm1'"),
    ],
)
def test_what_cannot_be_planned_is_one_line(folder, run, words, line):
    done = run("plan", *shlex.split(words))
    assert (done.code, done.out) == (2, "")
    assert line in done.err
    assert len(done.err.strip().splitlines()) == 1
