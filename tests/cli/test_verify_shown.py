"""What ``verify`` shows, and when it stops: --only, --fail-fast, -q."""

import pathlib
import re

import pytest

from theorylab.statements import BUILT_IN
from theorylab.verdicts import judge_check

PAGE = (pathlib.Path(__file__).resolve().parents[2] / "docs/tutorial.md").read_text()
FILE = re.search(r"<!-- sgd.py -->\n```python\n(.*?)```", PAGE, re.DOTALL).group(1)


@pytest.fixture
def theorem(tmp_path):
    """Five versions of one theorem; of the second nothing false is expected any more."""
    file = tmp_path / "sgd.py"
    file.write_text(FILE.replace('BOWL, "VIOLATED"', 'BOWL, "HOLDS"'))
    return file


def test_only_shows_the_rows_of_a_verdict_and_counts_all(run, theorem):
    done = run("verify", theorem, "--only", "vacuous", "--only", "assumption-fails")
    rows = [line for line in done.out.splitlines() if line.startswith(" sgd.thm1")]
    assert [row.split()[3] for row in rows] == ["ASSUMPTION_FAILS", "VACUOUS"]
    assert "6 checks: 5 as expected, 1 different." in done.out
    assert done.code == 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_fail_fast_stops_at_the_first_that_differs(run, theorem, jobs):
    done = run("verify", theorem, "--fail-fast", "--jobs", jobs)
    assert done.code == 1
    judged = int(re.search(r"^(\d) checks: ", done.out, re.MULTILINE).group(1))
    left = f"--fail-fast: {6 - judged} more checks were not judged."
    assert (left in done.out) == (judged < 6)  # a slow machine's other process may have ended
    assert judged == 3 if jobs == 1 else judged <= 6


def test_fail_fast_writes_no_file_that_looks_whole(refused, theorem, tmp_path):
    line = refused("verify", theorem, "--fail-fast", "--json", tmp_path / "some.json")
    assert "--fail-fast leaves results out" in line


def test_quiet_has_one_line_and_no_progress(run, theorem):
    done = run("verify", theorem, "-q")
    assert done.out.count("\n") == 1
    assert done.out.startswith("6 checks: 5 as expected")
    assert done.err == ""


def test_a_verdict_that_is_none_is_refused(refused, theorem):
    assert "--only is 'holds!'; need" in refused("verify", theorem, "--only", "holds!")


def test_h_is_help(run):
    for words in (("-h",), ("verify", "-h"), ("sweep", "show", "-h"), ("sweep",)):
        assert "Usage: theorylab" in run(*words).out


def test_a_control_is_called_one_wherever_its_verdict_is_shown(run):
    """Remark 3 holds as printed, and its control is broken by the noise of u."""
    asked = ("dfedpgp.rem3", "--check", "noise-of-u-alone")
    done = run("verify", *asked, "--long")
    for text in (done.out, done.err, run("list", "dfedpgp.rem3").out):
        assert "control: VIOLATED" in text
        assert not re.search(r"(?<!control: )(?<!can tell: )VIOLATED", " ".join(text.split()))


def test_a_control_is_called_one_in_a_notebook():
    statement = BUILT_IN["dfedpgp.rem3"]
    (control,) = (c for c in statement.versions["printed"].checks if c.control)
    assert "control: VIOLATED" in judge_check(statement, "printed", control)._repr_html_()
