"""The command that compares two checkouts, on figures and folders whose results are known."""

import itertools
import json
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "verify"))
import _checkouts  # noqa: E402
import compare  # noqa: E402


def turns(old, new):
    """What a row gives, turn by turn; both lists begin with the turn that warms."""
    given = {"old": iter(old), "new": iter(new)}
    calls = []

    def run(row, where, pages):
        calls.append((where.name, pages.name))
        return next(given[where.name])

    return run, calls


FOLDERS, PAGES = (Path("old"), Path("new")), (Path("a"), Path("b"))


def test_the_first_turn_warms_and_the_others_come_in_turns():
    seconds = [({"r, processor": value}, {}) for value in (99.0, 2.0, 4.0)]
    run, calls = turns(seconds, [({"r, processor": value}, {}) for value in (99.0, 1.0, 3.0)])
    (pair,), others = compare.measured("r", FOLDERS, PAGES, 2, run)
    assert pair == ("r, processor", [2.0, 4.0], [1.0, 3.0])
    assert pair.ratios == [0.5, 0.75]
    assert calls == [("old", "a"), ("new", "b")] * 3
    assert others == []


def test_only_checks_with_the_same_sides_count_and_the_others_are_listed():
    def judged(sides, seconds):
        return {}, {k: {"sides": [v], "seconds": [seconds, 2 * seconds]} for k, v in sides.items()}

    old = [judged({"a": "1", "b": "1", "c": "1", "gone": "1"}, s) for s in (9.0, 3.0)]
    new = [judged({"a": "1", "b": "2", "c": "1", "new": "1"}, s) for s in (9.0, 1.0)]
    run, _ = turns(old, new)
    pairs, others = compare.measured(compare.CHECKS, FOLDERS, PAGES, 1, run)
    assert pairs == [
        ("quick checks, processor", [6.0], [2.0]), ("quick checks, wall", [12.0], [4.0]),
    ]  # fmt: skip
    assert others == [
        "2 quick checks are the same in both", "b: other sides",
        "gone: only in OLD", "new: only in NEW",
    ]  # fmt: skip
    run, _ = turns([judged({"a": "1"}, 1.0)] * 2, [judged({"a": "2"}, 1.0)] * 2)
    with pytest.raises(OSError, match="no check that both have"):
        compare.measured(compare.CHECKS, FOLDERS, PAGES, 1, run)


@pytest.mark.parametrize("count", [1, 2, 5, 8, 11])
def test_an_interval_covers_the_median_as_often_as_it_says(count):
    """Each of n numbers is below the median or above it, with 1/2: all 2^n cases."""
    covered = 0
    for signs in itertools.product((-1.0, 1.0), repeat=count):
        low, high, confidence = compare.interval(signs)
        covered += low < 0 < high
    assert confidence == covered / 2**count
    assert confidence >= compare._COVERED or count < 5


def pair(name, old, new):
    return compare.Pair(name, [old] * 3, [new] * 3)


def test_each_target_is_asked_of_its_clock_and_from_its_side():
    told = lambda *words, **peers: [*compare.goals(pair(*words), peers)]  # noqa: E731
    assert told("theorylab list, processor", 0.5, 0.3) == [
        ("at most 0.4 s of the processor", True), ("at most 1 of OLD", True),
    ]  # fmt: skip
    assert told("theorylab list, wall", 0.5, 9.0) == []
    assert told("pages, processor", 9.0, 9.0) == []
    assert told("pages, wall", 9.0, 9.0) == [("at most 8 s of the wall", False)]
    rows = told("a search: pdbo.alg5, a second", 20.0, 39.0)
    assert rows == [("at least 30 a second", True), ("at least 2 x OLD", False)]
    peers = {"import numpy, sympy": 0.4}
    name = "import theorylab.verdicts, processor"
    assert ("at most 1.25 x import numpy, sympy", True) in told(name, 1.0, 0.5, **peers)
    assert ("at most 1.25 x import numpy, sympy", False) in told(name, 1.0, 0.6, **peers)
    assert len(told(name, 1.0, 0.5)) == 1


def test_every_target_is_of_a_row_that_a_bench_or_a_comparison_has():
    rows = {*compare.ROWS, "verify --quick", "a check"}
    rows |= {f"{name}: first line" for name in compare.FIRST}
    assert {*compare.targets()} <= rows


def test_a_row_that_fails_is_left_out_and_named_and_the_others_are_told(monkeypatch, capsys):
    def figures(row, where, pages):
        if row == "theorylab list":
            raise OSError("list: exit code 2: no")
        return {f"{row}, processor": 2.0 if where.name == "old" else 1.0}, {}

    monkeypatch.setattr(compare.measured, "__defaults__", (figures,))
    record = compare.compare(FOLDERS, ["theorylab list", "theorylab --help"], 3)
    assert record["left out"] == ["theorylab list: list: exit code 2: no"]
    (case,) = record["cases"]
    assert (case["name"], case["ratio"], case["interval"]) == (
        "theorylab --help, processor", 0.5, (0.5, 0.5, 0.75),
    )  # fmt: skip
    assert json.loads(json.dumps(record))["cases"][0]["old"] == [2.0] * 3
    assert compare.render(record).row_count == 1
    assert statistics.median(case["new"]) == 1.0


def test_a_refusal_is_a_figure_of_the_one_row_that_asks_for_it(monkeypatch):
    monkeypatch.setattr(compare, "spent", lambda words, codes, **_: codes)
    for row in compare.COMMANDS:
        with pytest.raises(AttributeError) as caught:
            compare.figures(row, Path(), Path())
        assert (2 in caught.value.obj) == (row == "a mistyped id")


@pytest.mark.parametrize("why", [KeyError("cases"), json.JSONDecodeError("none", "", 0)])
def test_a_record_of_another_form_leaves_its_row_out(monkeypatch, why):
    def figures(row, where, pages):
        raise why

    monkeypatch.setattr(compare.measured, "__defaults__", (figures,))
    record = compare.compare(FOLDERS, ["engine"], 1)
    assert record["left out"] == [f"engine: {why!r}"]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["nowhere", "."], "nowhere: no folder and no commit here"),
        (["EMPTY", "."], "a folder without theorylab/__init__.py; need a checkout"),
        (["BARE", "."], "not built; need python setup.py build_ext"),
        ([".", ".", "--rows", "fast"], "no row 'fast'; need of theorylab --help"),
        ([".", ".", "--pairs", "0"], "--pairs 0; need at least 1"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(tmp_path, capsys, arguments, line):
    (tmp_path / "EMPTY").mkdir()
    (tmp_path / "BARE" / "theorylab").mkdir(parents=True)
    (tmp_path / "BARE" / "theorylab" / "__init__.py").touch()
    given = [str(tmp_path / word) if word in ("EMPTY", "BARE") else word for word in arguments]
    assert compare.main(given) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert line in told.err


def test_a_commit_gets_a_worktree_and_a_build_and_one_that_does_not_build_is_told(
    tmp_path, monkeypatch
):
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "theorylab").mkdir()
    (tmp_path / "theorylab" / "__init__.py").touch()
    names = []
    for built in ("open('theorylab/_core.so', 'w')", "raise SystemExit('no compiler')"):
        (tmp_path / "setup.py").write_text(built)
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-qm", "one"], check=True)
        head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, check=True)
        names.append(head.stdout.decode().strip())
    monkeypatch.setattr(_checkouts, "ROOT", tmp_path)
    monkeypatch.setattr(_checkouts, "CACHE", tmp_path / "build")
    folder = _checkouts.checkout(names[0])
    assert folder == (tmp_path / "build" / names[0][:12]).resolve()
    (folder / "setup.py").unlink()  # it is not built twice
    assert _checkouts.checkout(names[0]) == folder
    shutil.rmtree(tmp_path / "build")  # git still has it on its list
    assert _checkouts.checkout(names[0]) == folder
    with pytest.raises(ValueError, match=r"does not build: no compiler"):
        _checkouts.checkout(names[1])
