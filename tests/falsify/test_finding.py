"""A kept counterexample comes out the same bit for bit, and a changed one does not."""

import itertools
import json
import pathlib
from dataclasses import replace

import pytest

from theorylab import cli
from theorylab.falsify import Counterexample, falsify, replay
from theorylab.falsify.recheck import recheck
from theorylab.statements import BUILT_IN


@pytest.fixture(scope="module")
def kept():
    told = BUILT_IN["dfedsgpsm.thm1"]
    printed = told.versions["printed"]  # from one check alone: balls cover what is near to it
    statement = replace(told, versions={"printed": replace(printed, checks=printed.checks[:1])})
    ticks = itertools.count().__next__  # a search of so many steps, on any machine
    finding = falsify(statement, "printed", budget=100, clock=ticks)
    found = Counterexample.of(finding, 60.0, None, recheck(statement, "printed", finding.result))
    assert found.refuted
    return found


def test_the_file_says_everything_and_reads_back_the_same(kept):
    assert Counterexample.parsed(kept.to_json()) == kept
    assert kept.recheck["holds"] is True


def test_a_replay_finds_every_bit_again(kept):
    assert replay(kept).same


def test_a_replay_sees_a_change_in_the_last_bit(kept):
    moved = float.fromhex(kept.measured_hex) * (1 + 2.0**-52)
    changed = kept.model_copy(update={"measured_hex": moved.hex()})
    assert [line.split(":")[0] for line in replay(changed).differences] == ["measured"]


def test_a_replay_sees_digits_that_are_not_those_of_the_bits(kept):
    for name in ("measured", "bound"):
        forged = kept.model_copy(update={name: 5.0})
        assert [line.split(":")[0] for line in replay(forged).differences] == [name]


def test_the_command_exits_1_with_a_counterexample_and_replay_exits_0(kept, tmp_path, capsys):
    file = tmp_path / "found.json"
    file.write_text(kept.to_json())
    assert cli.run(["replay", str(file)]) == 0
    assert "every bit as in the file" in capsys.readouterr().out
    data = json.loads(kept.to_json())
    data["bound_hex"] = "0x1.0p+0"
    file.write_text(json.dumps(data))
    assert cli.run(["replay", str(file)]) == 1
    assert "bound: 0x1.0p+0 in the file" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "invalid json"),
        ("{}", "field required"),
        ('{"schema_number": 1, "pickle": 2}', "field required"),
    ],
)
def test_a_file_that_is_none_is_one_line(text, line, tmp_path, capsys):
    file = tmp_path / "broken.json"
    file.write_text(text)
    assert cli.run(["replay", str(file)]) == 2
    said = capsys.readouterr().err
    assert line in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["falsify", "deprl.thm99"], "no statement 'deprl.thm99'"),
        (["falsify", "dfedsgpsm.*"], "need one"),
        (["falsify", "dfedsgpsm.thm1", "--version", "wrong"], "has no version 'wrong'"),
        (["falsify", "dfedsgpsm.thm1", "--budget", "0"], "budget is 0.0; need seconds > 0"),
        (["falsify", "dfedsgpsm.thm1", "--seed", "-1"], "seed is -1"),
        (["replay", "nowhere.json"], "no such file"),
    ],
)
def test_bad_requests_are_one_line_and_exit_2(arguments, line, capsys):
    assert cli.run(arguments) == 2
    said = capsys.readouterr().err
    assert line in said
    assert said.count("\n") == 1


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
