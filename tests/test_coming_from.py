"""The page for users of other tools: each block runs, and ends in what the page says."""

import pathlib
import re
import shlex
import sys

import pytest

from theorylab import cli

DOCS = pathlib.Path(__file__).resolve().parents[1] / "docs"
PAGE = (DOCS / "coming-from.md").read_text()


@pytest.fixture(autouse=True)
def plain_install(request, monkeypatch):
    """Without the extras, as the page says, but for the section of benchopt."""
    if request.node.name != "test_two_solvers_are_compared":
        for module in ("sklearn", "pandas"):
            monkeypatch.setitem(sys.modules, module, None)


def block(marker, text=PAGE):
    return re.search(rf"<!-- {re.escape(marker)} -->\n```\w*\n(.*?)```", text, re.DOTALL)[1]


def printed(capsys, marker):
    """What the block's commands print on stdout, the last one's alone."""
    for line in block(marker).splitlines():
        capsys.readouterr()
        program, *words = shlex.split(line)
        assert (program, cli.run(words)) == ("theorylab", 0), capsys.readouterr().err
    return capsys.readouterr()


def test_the_worst_case_is_that_of_pepits_formula(capsys):
    exec(compile(block("pepit.py"), "pepit.py", "exec"), {"__name__": "page"})
    value, outcome = capsys.readouterr().out.split()
    assert outcome == "PROVED"
    assert abs(float(value) - 3 / (2 * (2 * 4 + 1))) <= 1e-6  # L/(4 n L gamma + 2), gamma = 1/L
    assert "L/(4 n + 2) = 1/6" in PAGE


def test_two_solvers_are_compared(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert "but that of benchopt: its problem takes\nthe digits, and needs the extra `data`" in PAGE
    shown = printed(capsys, "benchopt")
    rows = {row.split()[3]: row for row in shown.out.splitlines() if row.startswith(" loss <= ")}
    assert "not reached" in rows["sgp"]
    assert rows["dfedsgpsm"].split()[5] == re.search(r"after (\d+) rounds", PAGE)[1]
    assert "sgp 1, dfedsgpsm 5" in shown.err
    assert pathlib.Path("compared/index.html").exists()


def test_a_loop_of_a_notebook_is_judged(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    readme = (DOCS.parent / "README.md").read_text()
    pathlib.Path("dgd.py").write_text(block("dgd.py", readme))
    exec(compile(block("notebook.py"), "notebook.py", "exec"), {"__name__": "page"})
    told = " ".join(printed(capsys, "notebook").out.split())
    assert "dgd.lem1 [printed] own: HOLDS" in told
    # two clients at -9 and two at 9 keep the distance (eta lambda2/(1 - lambda2))^2 = 1/64
    assert "Measured: 0.01562 " in told
    assert "Given, and not looked at: B = 1; sigma_l = 0;" in told


def test_the_shards_of_a_cluster_are_joined(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("rings.toml").write_text(block("rings.toml", (DOCS / "campaigns.md").read_text()))
    lines = printed(capsys, "cluster").out.splitlines()
    assert sum(" done    VIOLATED " in line for line in lines) == 3
    assert any(line.startswith("18 of 18 rows: ") for line in lines)


def test_the_glossary_has_every_verdict_severity_and_provenance():
    from theorylab.known import How
    from theorylab.statements import Severity
    from theorylab.verdicts import Verdict

    text = (DOCS / "glossary.md").read_text()
    for word in (*Verdict.__members__, *(kind.value for kind in (*Severity, *How))):
        assert f"`{word}`" in text, word
