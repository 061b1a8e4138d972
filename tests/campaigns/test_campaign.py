"""Every cell is computed once, whoever computes it and whatever ends in between."""

import json
import shlex

import pytest

import theorylab
from theorylab import cli
from theorylab.campaigns import Axis, Folder, Rows, changes, merge
from theorylab.campaigns.folder import current
from theorylab.runs.configuration import built, configuration

from .conftest import document


def test_the_rows_are_those_of_simulate(campaign, tmp_path):
    (count, _), told = campaign()
    assert (count, told.computed) == (12, 12)
    rows = Rows.of(tmp_path / "folder")
    assert rows.axes == ["clients", "topology", "problem.seed"]
    first = rows.rows[0]
    given = document()["instance"] | {"columns": ["loss"], "every": 1}
    given["problem"] = given["problem"] | {"seed": 0}
    trace = built(configuration(given)).simulate()
    assert first["loss"] == float(trace.last["loss"][0])
    assert (first["clients"], first["topology"], first["problem.seed"]) == (2, "ring", 0)


def test_a_stored_cell_is_not_computed_again(campaign):
    (count, _), told = campaign(limit=5)
    assert (count, told.computed) == (5, 5)
    (count, digest), told = campaign()
    assert (count, told.computed, told.stored) == (12, 7, 5)
    assert campaign()[1].computed == 0
    assert campaign(folder="other")[0] == (12, digest)


def test_shards_merged_have_the_digest_of_the_whole(campaign, tmp_path):
    want = campaign()[0]
    parts = []
    for number in (1, 2, 3):
        (count, _), _ = campaign(folder=f"part{number}", shard=(number, 3))
        assert count == 4
        parts.append(tmp_path / f"part{number}")
    assert merge([*parts, parts[0]], tmp_path / "all", print) == want
    assert not list(changes(tmp_path / "folder", tmp_path / "all"))


def test_a_conflict_between_shards_names_the_cell(campaign, tmp_path):
    for name in "ab":
        campaign(folder=name, limit=2)
    with Folder(tmp_path / "b").alone(), Folder(tmp_path / "b").store(print) as store:
        era, _ = current(store)
        row = next(iter(store.rows(era)))
        wrong = type(row)(row.key, row.point, row.row.replace('"runs":1', '"runs":2'), 0.0, 0)
        assert wrong.row != row.row
        store.put(era, [wrong], [])
    with pytest.raises(ValueError, match=r'differs about the cell \{"clients":.*by the same code'):
        merge([tmp_path / "a", tmp_path / "b"], tmp_path / "c", print)
    found = list(changes(tmp_path / "a", tmp_path / "b"))
    assert not found  # runs are no verdict and no number that was measured


def test_shards_of_another_plan_are_refused(campaign, tmp_path):
    campaign(folder="a", limit=1)
    campaign(folder="b", limit=1, changes={"columns": ["consensus"]})
    with pytest.raises(ValueError, match="of another campaign"):
        merge([tmp_path / "a", tmp_path / "b"], tmp_path / "c", print)


def test_rows_of_changed_code_stay_apart(campaign, monkeypatch, tmp_path):
    (_, digest), _ = campaign()
    monkeypatch.setattr("theorylab.campaigns.cells.code_hash", lambda *_: "another")
    for module in ("campaign", "loop", "worker"):
        monkeypatch.setattr(f"theorylab.campaigns.{module}.stamp", lambda: "another")
    (count, other), told = campaign()
    assert (count, told.computed) == (12, 12)
    assert other != digest
    with Folder(tmp_path / "folder").reading() as store:
        assert len(list(store.rows())) == 24


def test_a_second_process_in_the_folder_is_refused(campaign, tmp_path):
    folder = Folder(tmp_path / "folder")
    with folder.alone():
        assert folder.busy()
        with pytest.raises(ValueError, match="another process is at this campaign"):
            campaign()
    assert not folder.busy()
    assert campaign()[0][0] == 12


def test_a_cell_that_cannot_be_built_has_a_row_that_says_why(campaign, tmp_path):
    campaign(changes={"axes": {"topology": ["hypercube"], "clients": [4, 6]}})
    good, bad = Rows.of(tmp_path / "folder").rows
    assert (good["status"], bad["status"]) == ("done", "refused")
    assert "power of 2" in bad["reason"] or "hypercube" in bad["reason"]


def test_a_disk_without_room_is_one_line_and_what_was_stored_stays(campaign, monkeypatch, tmp_path):
    from theorylab.campaigns.store import Store

    put, calls = Store.put, []

    def full(self, era, rows, texts):
        calls.append(1)
        self.database.execute("PRAGMA max_page_count = 16")
        put(self, era, rows, texts)

    monkeypatch.setattr(Store, "put", full)
    many = {"axes": {"clients": [2], "problem.seed": list(range(150))}}
    with pytest.raises(OSError, match="full"):
        campaign(changes=many)
    monkeypatch.setattr(Store, "put", put)
    (count, digest), _ = campaign(changes=many)
    assert count == 150
    assert campaign(folder="other", changes=many)[0] == (150, digest)


CLAIM = {"claim": "dfedsgpsm.thm1", "check": "worked-example", "seeds": 4}
CLAIM |= {"axes": {"rounds": [60, 90], "topology": ["ring"], "algorithm.eta": Axis(values=[0.01])}}


def test_a_claims_row_is_that_of_the_command_that_it_names(tmp_path, capsys):
    rows = theorylab.sweep(out=tmp_path / "a", **CLAIM)
    row = rows.worst().rows[0]
    program, *words = shlex.split(row["replay"])
    assert program == "theorylab"
    target = tmp_path / "one.json"
    cli.run([*words, "--json", str(target)])
    capsys.readouterr()
    (result,) = json.loads(target.read_text())["results"]
    assert result["verdict"] == row["verdict"]
    for name in ("measured", "bound", "ratio", "runs"):
        assert result[name] == row[name], name
    assert {f"term.{k.replace(' ', '_')}": v for k, v in result["terms"].items()} == {
        name: value for name, value in row.items() if name.startswith("term.")
    }


def test_a_metrics_row_is_its_largest_place():
    from theorylab.metrics import measured, metric
    from theorylab.verdicts import instance as instances

    instance = document()["instance"] | {"algorithm": {"name": "dfedsgpsm", "eta": 0.1}}
    instance |= {"rounds": 6, "x0": [[1.0, 0.0], [0.0, 3.0]]}
    rows = theorylab.sweep(metric="dfedsgpsm.consensus", instance=instance, axes={"rounds": [4, 6]})
    assert [row["status"] for row in rows.rows] == ["done"] * 2, rows.rows
    own = instances.parsed("here", instance | {"algorithm": {"eta": 0.1}})
    found = measured(metric("dfedsgpsm.consensus"), instances.built("here", own, "dfedsgpsm"), {})
    assert rows.rows[1]["measured"] == max(float(row.values[0]) for row in found.rows)
    assert rows.rows[1]["places"] == len(found.rows)


def test_an_axis_may_have_the_name_of_a_part_of_a_row(campaign, tmp_path):
    axes = {"from": {"values": ["ring", "complete"], "path": "topology"}}
    assert campaign(changes={"axes": axes})[0][0] == 2
    assert [row["from"] for row in Rows.of(tmp_path / "folder").rows] == ["ring", "complete"]
