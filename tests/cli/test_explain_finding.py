"""``explain FOUND.json`` speaks of what a search found, and runs no file that is not named."""

import json
import pathlib

import pytest

FALSE = (
    (pathlib.Path(__file__).parents[1] / "verdicts" / "user_theorem.py")
    .read_text()
    .replace("2 * (f0", "(f0 - f_star) / (T * eta) / 1000 + 0 * (f0")
)


@pytest.fixture
def found(run, tmp_path, counted):
    """(own file, what falsify wrote of it): its check refutes the claim, and was made small."""
    own, kept = tmp_path / "own.py", tmp_path / "kept.json"
    own.write_text(FALSE)
    assert run("falsify", own, "--budget", 300, "--json", kept).code == 1
    return own, kept


def changed(kept, **fields):
    other = kept.with_name("changed.json")
    other.write_text(json.dumps(json.loads(kept.read_text()) | fields))
    return other


def test_a_finding_is_told_from_the_file_alone_and_nothing_is_run(run, found):
    own, kept = found
    own.write_text("raise SystemExit")
    done = run("explain", kept)
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "textbook.thm1 [printed]: VIOLATED"
    three = json.loads(kept.read_text())["search"]["lines"]
    assert "".join(three).replace(" ", "") in done.out.replace("\n", "").replace(" ", "")
    assert [line.split()[0] for line in lines if line.startswith(("check", "find", "diff"))] == [
        *("check", "finding:", "difference:")
    ]
    assert "As the file says: measured " in done.out
    assert "--source own.py" in done.out.replace("\n", " ")


def test_with_its_file_named_it_is_judged_again_enclosed_and_written_as_a_script(run, found):
    own, kept = found
    done = run("explain", kept, "--source", own)
    assert done.code == 0
    for words in ("Judged: ", "Left side: ", "In interval arithmetic: it stands", "print(f"):
        assert words in done.out
    numbers = next(line for line in done.out.splitlines() if line.startswith("With its numbers: "))
    left, _, right = numbers.removeprefix("With its numbers: ").partition(" <= ")
    formula, _, bound = right.rpartition(" = ")
    kept_sides = json.loads(kept.read_text())
    # six digits of each number are shown, and the formula has some ten of them
    assert float(left) == pytest.approx(kept_sides["measured"], rel=1e-5)
    assert float(bound) == pytest.approx(kept_sides["bound"], rel=1e-5)
    assert eval(formula.replace("^", "**"), {}) == pytest.approx(kept_sides["bound"], rel=1e-4)
    assert f"{kept} --source {own} --script both.py" in done.out.replace("\n", " ")


def test_the_claim_alone_says_how_to_look_for_a_counterexample(run, tmp_path):
    own = tmp_path / "own.py"
    own.write_text(FALSE.replace(" / 1000 + 0 * (f0", " * 1000 + 0 * (f0"))
    told = run("explain", own).out.replace("\n", " ")
    assert f"To look for a counterexample: theorylab falsify {own}" in told
    assert f"--json found.json, and then theorylab explain found.json --source {own}" in told


def test_what_a_forged_file_says_of_the_finding_is_not_believed_where_it_is_judged(run, found):
    own, kept = found
    forged = changed(kept, began={"check": "mine", "instance": {}}, written={"clients": 7})
    assert "check mine" in run("explain", forged).out
    told = run("explain", forged, "--source", own).out
    assert "check mine" not in told
    assert "n = 7" not in told
    assert run("explain", changed(kept, measured=5.0), "--source", own).code == 1


@pytest.mark.parametrize(
    "written",
    [
        {"problem": {"name": ["a"]}, "topology": 3},
        {"problem": [], "x0": {"a": [[]]}, "algorithm": 1},
    ],
)
def test_odd_data_in_a_file_are_told_without_a_traceback(run, found, written):
    done = run("explain", changed(found[1], written=written))
    assert (done.code, done.err) == (0, "")


def test_what_does_not_go_together_is_one_line(refused, found):
    own, kept = found
    assert "need it alone" in refused("explain", kept, "--version", "printed")
    assert "there is no FOUND.json" in refused("explain", own, "--source", own)
    assert "no such file" in refused("explain", kept.with_name("nowhere.json"))
    assert "is not the file of this" in refused("explain", kept, "--source", __file__)
