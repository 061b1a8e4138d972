"""A kept counterexample comes out the same bit for bit, and a changed one does not."""

import itertools
import json
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
