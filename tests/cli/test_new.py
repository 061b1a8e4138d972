"""``theorylab new``: a theorem in LaTeX, a file in Python, what is left to do on stderr."""

import pathlib
import re

import pytest

from theorylab.latex import skeleton

TEXT = r"f(x_T) - f^* \le \frac{L R^2}{2 T}"
PAGE = (pathlib.Path(__file__).parents[2] / "docs/tutorial.md").read_text()


def test_an_inequality_becomes_a_file_on_stdout(run):
    done = run("new", "--from", TEXT, "--id", "mine.lem2")
    assert done.code == 0
    assert done.out == skeleton(TEXT, "mine.lem2")[0]
    assert done.err == "nothing left to do but the lines with TODO\n"


def test_a_paper_becomes_a_file_that_verify_reads(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("paper.tex").write_text(rf"\begin{{lemma}} $${TEXT}$$ \end{{lemma}}")
    done = run("new", "--from", "paper.tex", "--out", "mine.py")
    assert (done.code, done.out) == (0, "")
    assert run("verify", "mine.py", "-q").code == 0
    assert (
        "mine.py exists; need another name, or --force"
        in run("new", "--from", "paper.tex", "--out", "mine.py").err
    )
    assert run("new", "--from", "paper.tex", "--out", "mine.py", "--force").code == 0


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--from", r"f(x_T) - f^* \le \frac{1}{"], "--from: line 1, column 26: { is never closed"),
        (["--from", "no.tex"], "there is no file no.tex"),
        (["--from", "x"], "--from: no inequality with \\le was found"),
        (["--from", TEXT, "--id", "a b"], "--id: 'a b' came; need words with dots"),
        (["--from", TEXT, "--out", "no/mine.py"], "no is no directory"),
    ],
)
def test_what_cannot_be_read_is_one_line(refused, tmp_path, monkeypatch, arguments, line):
    monkeypatch.chdir(tmp_path)
    assert line in refused("new", *arguments)


def test_a_file_that_is_no_text_is_one_line(refused, tmp_path):
    (tmp_path / "a.tex").write_bytes(b"\xff\xfe\x00")
    assert "is no UTF-8 text" in refused("new", "--from", tmp_path / "a.tex")


def test_the_tutorial_shows_what_new_writes():
    latex = re.search(r"<!-- sgd.tex -->\n```latex\n(.*?)```", PAGE, re.DOTALL)[1]
    shown = re.search(r"<!-- sgd-new -->\n```text\n(.*?)```", PAGE, re.DOTALL)[1]
    assert shown in skeleton(latex, "sgd.thm1")[0]
