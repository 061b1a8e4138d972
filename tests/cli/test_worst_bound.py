"""theorylab worst --bound: PROVED, VIOLATED or neither, exit codes, and what repairs a bound."""

import json
import subprocess
import sys

import pytest

GD = ("worst", "dpsgd", "--set", "eta=1", "--start", "distance=1")  # worst f - f*: 1/(4T + 2)


def decided(run, bound, *more):
    done = run(*GD, "--rounds", "2", "--bound", bound, *more)
    assert done.err == ""
    return done.code, done.out.splitlines()


def test_a_bound_above_the_worst_case_is_proved_with_the_least_factor(run):
    code, lines = decided(run, "1/5")
    assert code == 0
    assert lines[-1].startswith("  the bound 1/5 is PROVED, and so it is multiplied by 0.50000")


def test_a_bound_below_it_is_violated_by_functions_that_numpy_alone_runs(run, tmp_path):
    """gradient descent with eta = 1 on L = 1: 1/(4T + 2) is attained by Huber's function."""
    script, result = tmp_path / "s.py", tmp_path / "r.json"
    code, lines = decided(run, "1/20", "--script", script, "--json", result)
    assert code == 1
    assert lines[-3] == "  VIOLATED: the functions exceed the bound 1/20"
    assert lines[-2].startswith("  multiplied by 2.0000")
    assert lines[-2].endswith(
        "or more the bound is PROVED; by 1.98000, one per cent less, it is exceeded"
    )
    (row,) = json.loads(result.read_text())["worst"]
    assert (row["outcome"], row["bound"], len(row["functions"]["functions"])) == (
        "VIOLATED",
        "1/20",
        1,
    )
    assert row["factor"] == pytest.approx(2, rel=2e-6)
    command = [sys.executable, "-I", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    value = float(done.stdout.split("measured ")[1].split(",")[0])
    assert value == pytest.approx(row["functions"]["measured"], rel=1e-9)
    text = script.read_text().replace('"bound": 0.05', '"bound": 0.1')
    assert "theorylab" not in text.split('"""', 2)[2]
    script.write_text(text)
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1
    before = script.read_text()
    assert "the file exists" in run(*GD, "--script", script).err
    assert script.read_text() == before


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("1/10",), "is above the bound 1/10, and no run exceeds the bound 1/10 by more than"),
        (("1/100", "--B", "2"), "the functions are in the class at the points asked alone"),
    ],
)
def test_what_is_neither_proved_nor_exceeded_is_not_certified(run, more, words):
    code, lines = decided(run, *more)
    assert code == 4
    assert lines[-1].startswith("  NOT CERTIFIED: the claim 0.")
    assert words in lines[-1]


def test_multipliers_that_prove_nothing_tell_the_margin_that_would_do(run, monkeypatch):
    """Rounded to 2^-16, they lose what a margin of 1e-6 leaves."""
    monkeypatch.setattr("theorylab.worst.certificate.BITS", 16)
    words = ("--clients", "3", "--network", "directed-ring", "--mu", ".1", "--start", "spread=1")
    done = run(*GD, *words, "--rounds", "2", "--certify")
    assert (done.code, done.err) == (4, "")
    last = done.out.splitlines()[-1]
    assert last.startswith("  NOT CERTIFIED: at a margin of 1e-06: ")
    assert last.endswith("would do")


def test_a_theorem_tells_where_its_factor_is_lost_and_what_repairs_it(run):
    """f = x^2/2 exceeds the printed bound; of the corrected one all is 2 gap/(T eta)."""
    settings = ("--set", "eta=6.14e-4", "--set", "alpha=.9895", "--set", "B=1.415")
    done = run("worst", "dfedsgpsm.thm1", "--rounds", "26", *settings)
    assert (done.code, done.err) == (4, "")
    words = "[printed], n = 1, T = 26: multiplied by 1.00505 or more the bound is PROVED; "
    assert (
        words + "multiplied by 0.994995, one per cent less, the replayed functions exceed it."
        in done.out
    )
    words = (
        "[corrected], n = 1, T = 26: the largest term, in T, f0, f_star, is 100 % of the bound; "
    )
    assert words + "multiplied by 0.015721" in done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*GD, "--bound", "x"), "--bound: 'x' is no number; need a decimal, or p/q"),
        ((*GD, "--bound", "-1"), "bound is -1; need at least 0"),
        ((*GD, "--bound", "1", "--forever"), "--bound is about a METHOD and a number of rounds"),
        (("worst", "dfedsgpsm.thm1", "--bound", "1"), "--bound is about a METHOD and a number"),
        ((*GD, "--force"), "--force: there is no --script; need one"),
        ((*GD, "--script", "-", "--json", "-"), "- came with --json -; need a file for one"),
    ],
)
def test_bad_input_is_one_line(refused, arguments, message):
    assert message in refused(*arguments)
