"""A counterexample is data: replaying it runs no file but the one that is named, if it is that."""

import json
import pathlib

import pytest

from theorylab import cli

FALSE = (
    (pathlib.Path(__file__).parents[1] / "verdicts" / "user_theorem.py")
    .read_text()
    .replace("2 * (f0 - f_star)", "FACTOR * (f0 - f_star)")
)
FILE = f"from factor import FACTOR\n{FALSE}"


@pytest.fixture(scope="module")
def found(tmp_path_factory, searched):
    """(folder, the file that falsify wrote) of a false theorem with a module beside it."""
    folder = tmp_path_factory.mktemp("theorem")
    (folder / "my.py").write_text(FILE)
    (folder / "factor.py").write_text("FACTOR = 1e-3\n")
    kept = folder / "kept.json"
    assert searched(folder / "my.py", "--json", kept) == 1
    return folder, kept


def refused(capsys, *arguments):
    assert cli.run(["replay", *map(str, arguments)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    return err


def test_the_record_holds_text_and_sha_and_no_path(found):
    folder, kept = found
    assert str(folder) not in kept.read_text()
    theorem = json.loads(kept.read_text())["theorem"]
    assert theorem["text"] == FILE
    assert list(theorem["modules"]) == ["factor.py"]


def test_with_the_file_named_every_bit_comes_again(found, tmp_path, capsys):
    folder, kept = found
    for name in ("my.py", "factor.py"):
        (tmp_path / name).write_text((folder / name).read_text())
    assert cli.run(["replay", str(kept), "--source", str(tmp_path / "my.py")]) == 0
    assert "every bit as in the file" in capsys.readouterr().out


def test_without_the_flag_nothing_is_run(found, tmp_path, capsys, monkeypatch):
    folder, kept = found
    monkeypatch.chdir(folder)
    assert "need --source my.py, which runs that file" in refused(capsys, kept)


@pytest.mark.parametrize("name", ["my.py", "factor.py"])
def test_another_file_is_refused_before_it_is_run(found, tmp_path, capsys, name):
    folder, kept = found
    ran = tmp_path / "ran"
    for other in ("my.py", "factor.py"):
        text = (folder / other).read_text()
        if other == name:
            text = f"open({str(ran)!r}, 'w')\n{text}"
        (tmp_path / other).write_text(text)
    line = refused(capsys, kept, "--source", tmp_path / "my.py")
    assert "is not the file of this counterexample" in line
    assert not ran.exists()


@pytest.mark.parametrize("field", ["source_file", "theorem"])
def test_no_file_that_a_json_names_is_run(found, tmp_path, capsys, field):
    _, kept = found
    evil, ran = tmp_path / "evil.py", tmp_path / "ran"
    evil.write_text(f"open({str(ran)!r}, 'w')\n{FILE}")
    data = json.loads(kept.read_text())
    if field == "theorem":
        data["theorem"]["name"] = str(evil)
    else:
        data["source_file"] = str(evil)
    path = tmp_path / "stranger.json"
    path.write_text(json.dumps(data))
    refused(capsys, path)
    data["theorem"], data["statement"] = None, str(evil)
    data.pop("source_file", None)
    path.write_text(json.dumps(data))
    assert "no statement" in refused(capsys, path)
    assert not ran.exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("seeds", 0), ("seeds", -1), ("seeds", 1e30), ("seeds", 10**22), ("seed", -1),
        ("seed", 2**64), ("seed", 0.5), ("statement", "textbook.thm2"), ("version", "other"),
        ("schema_number", 1), ("instance", []), ("instance", {}), ("theorem", {}),
    ],
)  # fmt: skip
def test_a_file_with_one_field_changed_is_refused(found, tmp_path, capsys, field, value):
    folder, kept = found
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(json.loads(kept.read_text()) | {field: value}))
    refused(capsys, path, "--source", folder / "my.py")


def test_a_source_for_a_built_in_statement_is_refused(found, tmp_path, capsys):
    folder, kept = found
    data = json.loads(kept.read_text()) | {"theorem": None, "statement": "dfedsgpsm.thm1"}
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(data))
    assert "need it without" in refused(capsys, path, "--source", folder / "my.py")
