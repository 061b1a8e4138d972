"""Each check is judged alone: one that fails has a row that says why, the others have theirs."""

import json
import pathlib
import re

import pytest

from theorylab.commands.verify import judging
from theorylab.verdicts import Report

OWN = (pathlib.Path(__file__).parents[1] / "verdicts" / "user_theorem.py").read_text()
CHECK = 'Check("one-quadratic", RUN, "HOLDS"),'
FAR = '{**RUN, "x0": 1e160}'


ODD = """
from theorylab.problems import Quadratic


class Odd(Quadratic, name="odd"):
    def gradient(self, x):
        raise KeyError("nowhere")


"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    """file(of the middle check) -> the path of a theorem with three checks."""
    monkeypatch.chdir(tmp_path)

    def write(middle, expect="HOLDS"):
        three = f'Check("first", RUN), Check("far", {middle}, "{expect}"), Check("third", RUN),'
        path = tmp_path / "mine.py"
        path.write_text(OWN.replace(CHECK, three))
        return path

    return write


def rows(done):
    return [line for line in done.out.splitlines() if line.split()[1:2] == ["printed"]]


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_a_start_that_overflows_costs_its_own_check_alone(run, file, tmp_path, jobs):
    out = tmp_path / "out"
    given = ("--json", tmp_path / "all.json", "--csv", tmp_path / "all.csv", "--out", out)
    done = run("verify", file(FAR), "--jobs", jobs, *given)
    assert done.code == 2
    assert [row.split()[2:4] for row in rows(done)] == [
        *(["first", "HOLDS"], ["far", "ERROR"], ["third", "HOLDS"]),
    ]
    (line,) = [line for line in done.out.splitlines() if line.startswith("textbook.thm1 [pri")]
    assert line.startswith("textbook.thm1 [printed] far: ERROR: mine.py, line ")
    assert line.count("far: ") == 1
    last = done.out.splitlines()[-1]
    assert last.startswith("3 checks: 2 as expected, 1 not judged. Exit code 2: no verdict diff")
    for path in (tmp_path / "all.json", out / "results.json"):
        results = Report.model_validate_json(path.read_text()).results
        assert [each.verdict for each in results] == ["HOLDS", "ERROR", "HOLDS"]
        assert [each.fault for each in results] == ["", "input", ""]
        assert results[1].instance["x0"] == 1e160
    assert (tmp_path / "all.csv").read_text().count("\n") == 4
    for page in ("index.html", "textbook.html"):
        assert '<span class="chip ERROR">ERROR</span>' in (out / page).read_text()
    cure = "overflowed at the start; need a start nearer to 0"
    assert cure in line
    assert cure in (out / "index.html").read_text()


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_what_failed_is_judged_again_and_what_was_judged_is_not(run, file, tmp_path):
    path = file(FAR)
    assert run("verify", path, "--out", tmp_path / "out").code == 2
    again = run("verify", path, "--out", tmp_path / "out", "--long")
    assert again.code == 2
    assert again.err.count("(as expected, stored)") == 2
    assert [row.split()[3] for row in rows(again)] == ["HOLDS", "ERROR", "HOLDS"]


def test_a_verdict_that_differs_outweighs_what_could_not_be_judged(run, file):
    path = file('{**RUN, "rounds": "many"}')
    path.write_text(
        path.read_text().replace('Check("third", RUN)', 'Check("third", RUN, "VACUOUS")')
    )
    done = run("verify", path)
    assert done.code == 1
    assert "1 as expected, 1 different, 1 not judged. Exit code 1: " in done.out


def test_a_fault_of_theorylab_in_one_check_is_exit_code_3_and_says_how_to_see_it(
    run, file, monkeypatch
):
    judge = judging.judge

    def faulty(job, progress=None):
        if job.check == "far":
            raise LookupError("a table\nis empty")
        return judge(job, progress)

    monkeypatch.setattr(judging, "judge", faulty)
    done = run("verify", file("RUN"))
    assert done.code == 3
    assert [row.split()[3] for row in rows(done)] == ["HOLDS", "ERROR", "HOLDS"]
    assert (
        "far: ERROR: internal: LookupError: a table is empty; this is a fault of theorylab, need "
        "THEORYLAB_DEBUG=1 and the same command to see where\n" in done.out
    )
    assert "Traceback" not in done.err
    monkeypatch.setenv("THEORYLAB_DEBUG", "1")
    assert "LookupError" in run("verify", file("RUN")).err


def test_what_a_user_s_code_raises_in_one_check_costs_no_other(run, file):
    path = file('{**RUN, "problem": {**RUN["problem"], "name": "odd"}}')
    text = path.read_text().replace("RUN = {", ODD + "RUN = {", 1)
    path.write_text(text)
    done = run("verify", path)
    assert (done.code, [row.split()[3] for row in rows(done)]) == (2, ["HOLDS", "ERROR", "HOLDS"])
    assert re.search(r"far: ERROR: mine\.py, line \d+: KeyError: 'nowhere'\n", done.out)


def test_fail_fast_stops_at_what_could_not_be_judged(run, file):
    done = run("verify", file('{**RUN, "rounds": "many"}'), "--fail-fast", "--jobs", "1")
    assert (done.code, len(rows(done))) == (2, 2)
    assert "--fail-fast: 1 more checks were not judged." in done.out


def test_only_shows_what_could_not_be_judged(run, file):
    done = run("verify", file('{**RUN, "rounds": "many"}'), "--only", "error")
    assert [row.split()[3] for row in rows(done)] == ["ERROR"]


def test_where_nothing_can_be_judged_for_one_reason_one_line_says_so(refused, file):
    path = file("RUN")
    path.write_text(path.read_text().replace('"complete"', '"compleat"'))
    line = refused("verify", path)
    assert line.startswith("theorylab: mine.py, line ")
    assert "did you mean complete" in line


def test_a_report_is_made_again_of_a_file_with_an_error(run, file, tmp_path):
    out = tmp_path / "out"
    run("verify", file('{**RUN, "rounds": "many"}'), "--out", out)
    before = (out / "index.html").read_bytes()
    done = run("report", out)
    assert done.code in (0, 2)
    assert (out / "index.html").read_bytes() == before
    kinds = {r["verdict"] for r in json.loads((out / "results.json").read_text())["results"]}
    assert kinds == {"HOLDS", "ERROR"}


NORMED = '''
from dataclasses import dataclass, replace

from theorylab.algorithms import Algorithm


@dataclass(frozen=True)
class Normed(Algorithm, name="normed"):
    """A step of length eta along the models, which are 0/0 at 0."""

    eta: float = 0.1

    def step(self, state, net):
        x = state.x - self.eta * state.x / abs(state.x)
        return replace(state, t=state.t + 1, x=x, z=x)


'''


@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_nan_is_called_nan(run, file):
    path = file('{**RUN, "x0": 0.0, "algorithm": {"eta": 0.1}}')
    text = path.read_text().replace("RUN = {", NORMED + "RUN = {", 1)
    path.write_text(text.replace('algorithm="sgp"', 'algorithm="normed"'))
    done = run("verify", path)
    assert done.code == 2
    assert [row.split()[3] for row in rows(done)][1] == "ERROR"
    assert "squared_gradient is nan at round 1; need an update without 0/0, or a" in done.out
