"""What a stranger puts into a folder, under its right digest, is one line and exit code 2."""

import hashlib
import json
import pathlib
import shutil
import sqlite3
import zlib

import pytest

from theorylab import cli
from theorylab.campaigns import Rows, schema
from theorylab.campaigns.store import Store
from theorylab.campaigns.text import text_hash

PLAN = """columns = ["loss"]
[instance]
algorithm = {name = "sgp", eta = 0.1}
problem = {name = "quadratic", dim = 2}
rounds = 2
clients = 2
[axes]
topology = ["ring", "complete"]
"""
STUDY = ["speedup", "sgp", "--clients", "2", "--rounds", "16", "--no-transient", "--out"]
CELL = '{"values": [[1.0]], "room": [0.0], "exact": true}'
# Of every place that is read back: nothing, other kinds, too much, too deep, no finite number.
ODD = (
    *("null", "[]", "{}", "3", '"x"', "", "{", "[" * 100_000, '{"at": NaN}', '{"status": 1e999}'),
    *('{"status": {}}', '{"status": "done", "measured": "1"}', '{"at": {"a": "\\ud800"}}'),
    *('{"status": "done", "terms": "x"}', '{"status": "done", "fails": {}}', '{"status": null}'),
    '{"status": "done", "measured": ' + "9" * 400 + "}",
    '{"status": "done", "a": ' + "[" * 60 + "]" * 60 + "}",
    json.dumps({"status": "x" * 200_000}),
    *(
        '{"values": [[1.0]], "room": [0.0], "exact": true}',
        '{"values": [1], "room": [0], "exact": true}',
    ),
    *(
        '{"plan": []}',
        '{"plan": {}}',
        '{"plan": {}, "cells": "2", "code": []}',
        '{"plan": {"axes": 3}, "cells": 2}',
    ),
    '{"plan": {"axes": {"topology": null}}, "cells": 2, "code": []}',
)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A campaign, ``one``, and a study of speedup, ``study``; both finished."""
    made = tmp_path_factory.mktemp("folders")
    (made / "plan.toml").write_text(PLAN)
    assert cli.run(["sweep", str(made / "plan.toml"), "--out", str(made / "one")]) == 0
    assert cli.run([*STUDY, str(made / "study")]) in (0, 1, 4)
    return made


@pytest.fixture
def run(folders, tmp_path, monkeypatch, capsys):
    """``run("sweep", ...)``, in a folder with fresh copies of both: (exit code, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)

    def fresh():
        for name in ("one", "study"):
            shutil.rmtree(tmp_path / name, ignore_errors=True)
            shutil.copytree(folders / name, tmp_path / name)
        shutil.copy(folders / "plan.toml", tmp_path)

    def invoke(*words):
        capsys.readouterr()
        return cli.run([*words]), *capsys.readouterr()

    fresh()
    invoke.fresh = fresh
    return invoke


def forged(folder, column, text):
    """Put the text into a row, or the plan, with the digest that it has to have; the row's key."""
    data = sqlite3.connect(pathlib.Path(folder) / "cells.sqlite")
    key, point, row = data.execute("SELECT key, point, row FROM cells ORDER BY key").fetchone()
    with data:
        if column == "era":
            sha = hashlib.sha256(text.encode()).digest()
            data.execute("UPDATE eras SET text = ?, sha256 = ?", (text, sha))
        else:
            point, row = (text, row) if column == "point" else (point, text)
            sha = hashlib.sha256(f"{key.hex()}\0{point}\0{row}".encode()).digest()
            change = "UPDATE cells SET point = ?, row = ?, sha256 = ? WHERE key = ?"
            data.execute(change, (point, row, sha, key))
    data.close()
    return key.hex()


def one_line(told):
    code, _, err = told
    return code == 2 and err.count("\n") == 1 and err.startswith("theorylab: ")


@pytest.mark.parametrize("column", ["row", "point", "era"])
def test_an_odd_text_under_its_right_digest_is_one_line(run, column):
    for number, text in enumerate(ODD):
        run.fresh()
        key = forged("one", column, text)
        commands = [
            *(["show", "one"], ["status", "one"], ["export", "one", "--csv", "-"]),
            *(["diff", "study/../one", "one"], ["merge", "one", "--out", "two"]),
            ["replay", "one", key[:16]],
        ]
        for words in (commands[number % 6], commands[(number + 1 + number // 6) % 6]):
            told = run("sweep", *words)
            assert one_line(told), (text[:60], words, told)


def test_a_sweep_makes_an_odd_row_anew(run, folders):
    want = Rows.of(folders / "one").digest
    for text in ODD:
        run.fresh()
        forged("one", "row", text)
        code, out, err = run("sweep", "plan.toml", "--out", "one")
        assert code == 0
        assert want[:16] in out
        assert "1 rows and 0 texts are damaged, and made again" in err


def test_a_study_of_speedup_measures_an_odd_cell_anew(run):
    run.fresh()
    want = json.loads(pathlib.Path("study/speedup.json").read_text())["rows"]
    for text in (ODD[0], CELL, CELL.replace("[0.0]", "[0.0, 0.0]")):
        run.fresh()
        forged("study", "row", text)
        code, *_ = run(*STUDY, "study")
        assert code in (0, 1, 4)
        assert json.loads(pathlib.Path("study/speedup.json").read_text())["rows"] == want


def test_a_folder_of_the_other_kind_says_so(run):
    for words in (
        *(["show", "study"], ["status", "study"], ["export", "study", "--csv", "-"]),
        *(
            ["diff", "one", "study"],
            ["merge", "study", "--out", "two"],
            ["replay", "study", "0" * 8],
        ),
        ["plan.toml", "--out", "study"],
    ):
        told = run("sweep", *words)
        assert one_line(told)
        assert "holds a study of speedup, which its index.html and speedup.json show" in told[2]
    told = run(*STUDY, "one")
    assert one_line(told)
    assert "one: holds a campaign, which theorylab sweep show shows" in told[2]
    assert run("sweep", "show", "one")[0] == 0  # and nothing of it was overwritten


def test_folders_that_were_written_before_there_was_a_kind_are_read(run):
    for name in ("one", "study"):
        path = pathlib.Path(name, "campaign.json")
        page = json.loads(path.read_text())
        del page["kind"]
        path.write_text(json.dumps(page))
    assert run("sweep", "show", "one")[0] == run("sweep", "plan.toml", "--out", "one")[0] == 0
    assert run(*STUDY, "study")[0] in (0, 1, 4)
    assert one_line(run("sweep", "plan.toml", "--out", "study"))


def test_a_folder_of_another_format_is_refused_and_stays(run):
    for name in ("one", "study"):
        path = pathlib.Path(name, "campaign.json")
        path.write_text(json.dumps(json.loads(path.read_text()) | {"schema": 2}))
        content = path.read_text()
        for words in (["show", name], ["status", name], ["plan.toml", "--out", name]):
            told = run("sweep", *words)
            assert one_line(told)
            assert f"{name}: is of format 2, and this theorylab reads 1; need another" in told[2]
        assert one_line(run(*STUDY, name))
        assert path.read_text() == content


@pytest.mark.parametrize("text", ODD[::4])
def test_an_odd_page_is_none(run, text):
    pathlib.Path("one/campaign.json").write_text(text)
    assert run("sweep", "show", "one")[0] == 0  # the rows are what is read
    assert run("sweep", "export", "one", "--out", "page")[0] == 0
    assert run("sweep", "plan.toml", "--out", "one")[0] == 0


def test_a_text_that_unpacks_without_end_is_none(tmp_path, monkeypatch):
    monkeypatch.setattr("theorylab.campaigns.store.MOST_TEXT", 1000)
    text = "x" * 1001
    with Store(tmp_path / "a.sqlite", print) as store:
        store.put(1, [], [(text_hash(text), text)])
        assert store.text(text_hash(text)) is None


def test_a_claim_that_is_a_file_is_replayed_by_its_folder(run):
    """The command that is shown is one that its reader runs."""
    for claim, settings in (("evil.py", {}), ("--help", {}), ("a.b", {"problem": "evil.py"})):
        text = json.dumps({"head": {"claim": claim, "version": "", "check": ""}, "instance": {}})
        data = sqlite3.connect("one/cells.sqlite")
        with data:
            row = (text_hash(text), zlib.compress(text.encode()))
            data.execute("INSERT OR REPLACE INTO texts VALUES (?, ?)", row)
        data.close()
        point = {"at": {"topology": "ring"}, "from": text_hash(text), "set": settings}
        forged("one", "point", json.dumps(point))
        code, out, _ = run("sweep", "show", "one", "--replays", "2")
        assert code == 0
        assert out.count("theorylab sweep replay one ") == 2


def test_a_row_that_was_written_fits(folders):
    with Store(folders / "one/cells.sqlite", print, check=False) as store:
        assert [row.fault(schema.CAMPAIGN) for row in store.rows()] == ["", ""]
        assert all(row.fault(schema.SPEEDUP) for row in store.rows())
    with Store(folders / "study/cells.sqlite", print, check=False) as store:
        assert not any(row.fault(schema.SPEEDUP) for row in store.rows())
