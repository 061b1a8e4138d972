"""``verify --record``: a run from elsewhere on the command line, and on its page."""

import pathlib
import re
import shlex

import numpy as np
import pytest

from theorylab.records import recorder

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/records.md").read_text()


def block(text, marker):
    return re.search(rf"<!-- {marker} -->\n```\w*\n(.*?)```", text, re.DOTALL).group(1)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A page's theorem, and a run of its check in plain NumPy, as the command line finds them."""
    monkeypatch.chdir(tmp_path)
    theorem = block((ROOT / "docs/own-theorem.md").read_text(), "my_theorem.py")
    pathlib.Path("my_theorem.py").write_text(theorem)
    from theorylab.problems import problem

    losses, x, rows = problem("quadratic", 1, dim=3, mu=0.1, L=2.0, seed=0), np.ones((1, 1, 3)), []
    for _ in range(201):
        slope = losses.gradient(x)
        rows.append((float(losses.loss(x)[0, 0]), float((slope**2).sum())))
        x = x - 0.25 * slope
    loss, square = np.array(rows).T
    at = np.arange(200)
    edges = {"edge_round": at, "edge_from": 0 * at, "edge_to": 0 * at, "edge_weight": at * 0 + 1.0}
    columns = {"round": np.arange(201), "loss": loss, "squared_gradient": square}
    np.savez("run.npz", eta=0.25, precision=2.0**-52, **columns, **edges)
    return tmp_path


def test_the_page_shows_what_the_command_prints(folder, run):
    command, *lines = block(PAGE, "record").splitlines()
    done = run(*shlex.split(command.removeprefix("$ theorylab ")))
    assert done.code == 0, done.err
    words = " ".join(done.out.split())
    for line in lines:
        assert " ".join(line.split()) in words


def test_the_page_has_the_callback_as_it_is_and_its_core_has_forty_lines():
    text = pathlib.Path(recorder.__file__).read_text()
    assert block(PAGE, "recorder.py") == text
    core = text[text.index("    def __init__") :]
    told = re.sub(r'""".*?"""', "", core, flags=re.DOTALL)
    assert len([line for line in told.splitlines() if line.strip()]) <= 40


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("--given L=2", "run.npz: nothing tells f_star, which textbook.thm1 [printed] own needs"),
        ("--given L=2,Q=3", "--given: nothing asks for 'Q'; need one of"),
        ("--given L=2,f_stra=0", "(did you mean f_star?)"),
        ("--given L=two,f_star=0", "--given: L is 'two'; need a number"),
        ("--given convex", "'convex' is no NAME=VALUE, and no assumption that asks the loss"),
        ("--given L=2,f_star=9", "--given: f_star is 9, above the loss 1.61906e-06 of run.npz"),
        ("--given L=2,f_star=0,eta=1", "--given: eta is in run.npz; need it there alone"),
        ("--set rounds=3", "--record came with an instance; need one of them"),
        ("--check one-quadratic", "--record came with --script or --check"),
        ("--record gone.npz", "gone.npz: is no file; need a record"),
        ("--quick", "--quick chooses checks; need it without an instance"),
    ],
)
def test_what_cannot_be_judged_is_one_line(folder, run, words, line):
    done = run("verify", "my_theorem.py", "--record", "run.npz", *shlex.split(words))
    assert (done.code, done.out) == (2, "")
    assert line in done.err
    assert len(done.err.strip().splitlines()) == 1


def test_given_without_a_record_is_one_line(folder, run):
    done = run("verify", "my_theorem.py", "--given", "L=2")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "--given came without --record" in done.err


def test_a_record_is_of_one_statement_about_runs(folder, run):
    done = run("verify", "deprl.*", "--record", "run.npz")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "need one, by its id or FILE.py" in done.err
    done = run("verify", "pdbo.lem2", "--record", "run.npz")
    assert (done.code, done.err.count("\n")) == (2, 1)
