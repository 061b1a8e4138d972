"""What ``falsify`` prints, keeps and exits with, for whatever a search may come to."""

import json
import math
import pathlib
import signal

import pytest

from theorylab import scripts
from theorylab.commands.falsify import work as command
from theorylab.falsify import Finding
from theorylab.statements import BUILT_IN, Check
from theorylab.verdicts import judge_check

FORGOTTEN = (pathlib.Path(__file__).parents[1] / "verdicts" / "user_theorem.py").read_text()
QUIET = 'rule=n <= 1),\n                Assumption("no noise", rule=sigma_l <= 0),'
TRUE = FORGOTTEN.replace("rule=n <= 1),", QUIET).replace("f_star, n", "f_star, n, sigma_l")
FALSE = TRUE.replace("2 * (f0", "(f0 - f_star) / (T * eta) / 1000 + 0 * (f0")
UNMET = TRUE.replace("eta * L <= 1", "eta * L <= 1 / 10**9").replace("n <= 1", "n >= 2**20")
NAN = """
import numpy as np
from theorylab.metrics import Metric
from theorylab.runs import Row

ROWS = {"over": "rows", "units": (2, -2), "text": "v"}


class Nothing(Metric, name="own-nothing"):
    def rows(self, before, after):
        return [Row(np.array([np.nan]), {"t": before.t})]

"""


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        (TRUE, 0, ("no counterexample", "Exit code 0.")),  # however long it searches
        (FALSE, 1, ("VIOLATED", "Exit code 1: a counterexample.")),  # its own check is one
    ],
)
@pytest.mark.usefixtures("counted")
def test_the_exit_code_says_whether_there_is_a_counterexample(run, tmp_path, text, code, words):
    own, kept = tmp_path / "own.py", tmp_path / "kept.json"
    own.write_text(text)
    done = run("falsify", own, "--budget", 300, "--json", kept)
    assert done.code == code
    assert all(word in done.out for word in words)
    assert done.out.splitlines()[-1].endswith(words[1])
    assert json.loads(kept.read_text())["refuted"] == bool(code)
    if code:
        assert (
            "refuted by the statement's own check one-quadratic: nothing was searched" in done.out
        )
        assert "finding: f_i(x) = " in done.out


@pytest.mark.parametrize("terminal", [False, True])
def test_how_far_it_is_stands_on_a_line_of_a_terminal(run, finding, monkeypatch, terminal):
    end = finding(verdict="HOLDS")

    def search(*_, progress, **__):
        if progress is not None:
            progress("moves", 0.5, math.log(0.75))
        return end

    monkeypatch.setattr(command, "falsify", search)
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    told = run("falsify", "dfedsgpsm.lem2").err.replace("\r\x1b[K", "|")
    assert told == "|moves, 50% of the time: best ratio 0.75|" * terminal


def found(claim="dfedsgpsm.lem2", version="printed", verdict="VIOLATED", **changes):
    """What a search would come to, with a result that was judged."""
    checks = BUILT_IN[claim].versions[version].checks
    check = next(check for check in checks if check.expect == verdict)
    result = judge_check(BUILT_IN[claim], version, Check("search", check.instance), seeds=16)
    told = {"refuted": verdict == "VIOLATED", "instance": dict(check.instance), "result": result}
    told |= {"seeds": 16, "seed": 0, "tried": 7, "inside": 3, "invalid": 1, "stage": "changes"}
    return Finding(claim, version, **(told | {"seconds": 2.0} | changes))


@pytest.fixture
def finding(monkeypatch):
    """``finding(...)``: let the next search come to that."""

    def put(*arguments, **changes):
        made = found(*arguments, **changes)
        monkeypatch.setattr(command, "falsify", lambda *_, **__: made)
        return made

    return put


def test_what_a_search_found_says_so_and_what_a_check_is_says_that(run, finding):
    finding(how="a check, then clients: 2")
    told = run("falsify", "dfedsgpsm.lem2").out
    assert "found by changes: 7 instances judged in 2 s of processor time, 3 of them within" in told
    assert "moves of the search, before its finding was shrunk: a check, then clients: 2." in told
    finding(known=True, stage="known", check="one-quadratic")
    told = run("falsify", "dfedsgpsm.lem2").out
    assert "refuted by the statement's own check one-quadratic: nothing was searched" in told
    assert "found by" not in told


def test_a_mean_beyond_the_bound_whose_limit_is_not_is_undecided_with_exit_code_4(
    run, finding, tmp_path
):
    kept = tmp_path / "kept.json"
    made = finding(verdict="HOLDS")
    doubt = made.result.model_copy(update={"verdict": "INCONCLUSIVE", "runs": 16, "ratio": 1.25,
                                           "reason": "[0, 9] straddles 1"})  # fmt: skip
    finding(verdict="HOLDS", result=doubt, undecided=doubt)
    done = run("falsify", "dfedsgpsm.lem2", "--json", kept)
    assert done.code == 4
    assert "undecided: measured" in done.out
    assert "the mean of 16 runs is beyond the bound, its confidence limit is not" in done.out
    assert "no counterexample" not in done.out
    assert done.out.splitlines()[-1].endswith("Exit code 4: undecided.")
    assert json.loads(kept.read_text())["refuted"] is False


def test_the_script_of_a_counterexample_is_written_or_one_line_says_why_not(
    run, finding, tmp_path, monkeypatch
):
    file = tmp_path / "both.py"
    finding()
    monkeypatch.setattr(scripts, "script", lambda statement, result, seed: f"# {result.verdict}\n")
    done = run("falsify", "dfedsgpsm.lem2", "--script", file)
    assert (done.code, file.read_text()) == (1, "# VIOLATED\n")
    assert f"{file}: both sides in NumPy, without theorylab." in done.out
    (line,) = run("falsify", "dfedsgpsm.lem2", "--script", file).err.splitlines()
    assert line.endswith("both.py: the file exists; need another name, or --force")
    done = run("falsify", "dfedsgpsm.lem2", "--script", file, "--force")
    assert done.code == 1
    file.unlink()

    def none(statement, result, seed):
        raise scripts.UnscriptedError("runs were sampled")

    monkeypatch.setattr(scripts, "script", none)
    done = run("falsify", "dfedsgpsm.lem2", "--script", file)
    assert (done.code, file.exists()) == (1, False)
    assert "no script was written: runs were sampled." in done.out
    finding(verdict="HOLDS")
    done = run("falsify", "dfedsgpsm.lem2", "--script", file)
    assert (done.code, file.exists()) == (0, False)
    assert "no script was written, for nothing is refuted" in done.out
    assert done.out.splitlines()[-1].endswith("Exit code 0.")


def test_a_version_that_no_instance_can_meet_is_said_to_be_that(run, finding):
    made = finding(verdict="HOLDS", inside=0)
    none = made.result.model_copy(update={"verdict": "UNSATISFIABLE", "reason": "by no network"})
    finding(verdict="HOLDS", result=none, inside=0)
    done = run("falsify", "dfedsgpsm.lem2")
    assert done.code == 0
    assert "there is nothing to search: by no network. Exit code 0." in done.out


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (TRUE.replace("checks=(Check(", "checks=() and (Check("), "has no checks; need at least"),
        (UNMET, "instances met the assumptions; the nearest breaks one client (n = "),
        (
            NAN
            + TRUE.replace('"mean_squared_gradient"', 'Quantity("own-nothing", **ROWS)').replace(
                "import Assumption", "import Quantity, Assumption"
            ),
            "hold nan; need (R,) numbers",
        ),
    ],
    ids=["no check", "assumptions that nothing meets", "a metric that is nan"],
)  # fmt: skip
@pytest.mark.usefixtures("counted")
def test_a_file_that_cannot_be_searched_is_one_line(refused, tmp_path, text, line):
    own = tmp_path / "own.py"
    own.write_text(text)
    assert line in refused("falsify", own, "--budget", 300)


@pytest.mark.usefixtures("counted")
def test_what_was_judged_is_kept_where_no_instance_meets_the_assumptions(refused, tmp_path):
    own, kept = tmp_path / "own.py", tmp_path / "kept.json"
    own.write_text(UNMET)
    refused("falsify", own, "--budget", 300, "--json", kept)
    assert json.loads(kept.read_text())["verdict"] == "ASSUMPTION_FAILS"


@pytest.mark.parametrize("budget", ["0", "inf", "nan", "-1"])
def test_a_budget_that_is_none_is_one_line(refused, tmp_path, budget):
    kept = tmp_path / "kept.json"
    line = refused("falsify", "dfedsgpsm.lem2", "--budget", budget, "--json", kept)
    assert "need seconds > 0" in line
    assert not kept.exists()


def test_two_things_do_not_go_to_stdout(refused):
    words = ("falsify", "dfedsgpsm.lem2", "--json", "-", "--script", "-")
    assert "--script: - came with --json -" in refused(*words)


@pytest.fixture
def heard_interrupts():
    """Ctrl-C as a terminal has it: what runs in the background of a shell ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard_interrupts")
def test_ctrl_c_prints_and_keeps_what_there_is(run, tmp_path, monkeypatch):
    own, kept = tmp_path / "own.py", tmp_path / "kept.json"
    own.write_text(TRUE)
    search, heard = command.falsify, []

    def interrupted(*arguments, progress, **options):
        def hit(*_):
            if not heard:
                heard.append(signal.raise_signal(signal.SIGINT))

        return search(*arguments, progress=hit, **options)

    monkeypatch.setattr(command, "falsify", interrupted)
    before = signal.getsignal(signal.SIGINT)
    done = run("falsify", own, "--budget", 10**6, "--json", kept)
    assert (done.code, len(heard)) == (130, 1)
    assert "no counterexample: " in done.out
    assert "Nearest: measured" in done.out
    assert "Exit code 0" not in done.out
    assert float(done.out.partition(" judged in ")[2].partition(" s")[0]) < 1000  # not the budget
    assert done.err.splitlines()[-1].startswith("theorylab: interrupted; ")
    assert json.loads(kept.read_text())["search"]["tried"] >= 1
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.usefixtures("heard_interrupts")
def test_a_second_ctrl_c_ends_it_at_once(run, monkeypatch):
    def stubborn(*_, clock, **__):
        signal.raise_signal(signal.SIGINT)
        first = clock()
        assert clock() - first >= 1000  # the time is over, however it is looked at
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("the second interrupt was not heard")

    monkeypatch.setattr(command, "falsify", stubborn)
    done = run("falsify", "dfedsgpsm.lem2", "--budget", 1000)
    assert (done.code, done.out) == (130, "")
