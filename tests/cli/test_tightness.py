"""theorylab tightness: the table, the files, and what is refused before the work."""

import importlib
import json

import pytest


@pytest.fixture
def absent(monkeypatch):
    """The extra sdp is not there."""
    real = importlib.import_module

    def without(name, *arguments):
        if name.split(".")[0] in ("PEPit", "cvxpy", "clarabel"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *arguments)

    monkeypatch.setattr(importlib, "import_module", without)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--clients", "0"], "tightness: --clients is 0; need at least 1"),
        (["--rounds", "-3"], "tightness: --rounds is -3; need at least 1"),
        (["--rounds", "x"], "tightness: Invalid value for '--rounds'"),
        (["newton"], "tightness: no method 'newton'; need one of gradient-descent"),
        (["momentum", "--clients", "50"], "need at most 48"),
        (["--json", "missing/x.json"], "missing is no directory"),
    ],
)
def test_bad_input_is_one_line(refused, absent, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert message in refused("tightness", *arguments)
    assert list(tmp_path.iterdir()) == []


def test_without_the_extra_one_line_says_what_to_install(refused, absent, tmp_path):
    line = refused("tightness", "--out", tmp_path / "new")
    assert "PEPit is not installed; need the extra sdp: pip install 'theorylab[sdp]'" in line
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_a_file_is_refused(refused, tmp_path):
    (tmp_path / "file").write_text("mine")
    assert "--out" in refused("tightness", "--out", tmp_path / "file")


def test_the_table_the_json_and_the_picture_are_of_the_same_rows(run, tmp_path):
    for module in ("PEPit", "cvxpy", "clarabel"):
        pytest.importorskip(module, reason="the extra sdp is not installed")
    out = tmp_path / "out"
    done = run("tightness", "gradient-descent", "--rounds", 2, "--out", out)
    assert (done.code, done.err) == (0, "")
    assert "PEP (estimate)" in done.out
    assert "an estimate and no proof" in done.out
    rows = json.loads((out / "tightness.json").read_text())["triangles"]
    assert [row["measured"] for row in rows] == [
        *("mean squared gradient", "least squared gradient", "last suboptimality")
    ]
    for row in rows:
        assert f"{row['bound']['value']:.4g}" in done.out
    assert (out / "tightness.svg").read_text().startswith("<?xml")
    again = run("tightness", "gradient-descent", "--rounds", 2, "--json", "-")
    assert json.loads(again.out)["triangles"] == rows
