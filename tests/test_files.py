"""A changed file that an instance names makes what was kept of it another thing everywhere."""

import hashlib
import json
import os
import pathlib

import pytest

from theorylab import cli, files
from theorylab.campaigns import Cells, merge, plan, sweep
from theorylab.campaigns.worker import Chunk, OtherCodeError, Task, compute, stamp
from theorylab.files import changed, joined, named_files
from theorylab.problems import Quadratic
from theorylab.registry import restored
from theorylab.speedup import cells as study
from theorylab.speedup import speedup
from theorylab.statements import BUILT_IN
from theorylab.verdicts import Job, judge, measure

COMPLETE = [[i, j] for i in range(3) for j in range(3) if i != j]
RING = [[0, 1], [1, 2], [2, 0]]
PLAN = {
    "columns": ["consensus"],
    "instance": {
        "algorithm": {"name": "sgp", "eta": 0.1},
        "problem": {"name": "quadratic", "dim": 2, "heterogeneity": 1.0},
        "topology": {"name": "edge-list", "path": "net.json"},
        "rounds": 2,
    },
    "axes": {"algorithm.eta": [0.1, 0.2]},
}


@pytest.fixture
def net(tmp_path, monkeypatch):
    """``net(edges)`` writes the file that the instances of this page name."""
    monkeypatch.chdir(tmp_path)

    def write(edges):
        (tmp_path / "net.json").write_text(json.dumps({"clients": 3, "edges": edges}))

    write(COMPLETE)
    return write


def sha(data):
    return hashlib.sha256(data).hexdigest()


def test_every_file_that_an_instance_names_stands_with_its_content(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_bytes(b"1")
    (tmp_path / "data").mkdir()
    (tmp_path / "data/x").write_bytes(b"2")
    (tmp_path / "ring").write_bytes(b"no option names it: a name is none")
    instance = {
        "problem": {"name": "mine", "table": "a.csv", "root": "data", "kind": "data"},
        "topology": {"name": "ring", "path": str(tmp_path / "a.csv")},
        "others": [{"deep": ["./data"]}, "none.csv", "a\0b", "x" * 5000, 3, None],
    }
    found = json.loads(named_files(instance))
    assert found == {
        "a.csv": sha(b"1"),
        str(tmp_path / "a.csv"): sha(b"1"),
        "data": sha(b"x\0" + sha(b"2").encode() + b"\n"),
        "./data": found["data"],
    }
    assert named_files({"topology": {"name": "ring"}}) == ""


def test_a_folder_is_another_where_one_of_its_files_is_new_gone_renamed_or_changed(tmp_path):
    seen = set()
    for content in ({"a": "1"}, {"a": "2"}, {"b": "1"}, {"a": "1", "b": "1"}, {}, {"a": "1\nb"}):
        for old in tmp_path.iterdir():
            old.unlink()
        for name, text in content.items():
            (tmp_path / name).write_text(text)
        seen.add(named_files({"root": str(tmp_path)}))
    assert len(seen) == 6
    os.symlink(tmp_path, tmp_path / "again")  # a link that leads back ends
    assert named_files({"root": str(tmp_path)})


def test_a_large_file_that_was_read_is_read_again_after_a_change(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_SMALL", 0)
    path = tmp_path / "a"
    for k in range(20):  # as fast as it goes: the system's times may all be the same
        path.write_text(str(k % 10))
        assert named_files({"path": str(path)}) == json.dumps({str(path): sha(b"%d" % (k % 10))})
    monkeypatch.setattr(files, "_SETTLED", -1.0)  # it has rested: now it is read once
    first = files.digest(str(path))
    monkeypatch.setattr(files.hashlib, "sha256", None)
    assert files.digest(str(path)) == first


def test_what_can_be_read_once_alone_has_a_digest_that_never_comes_again(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    instance = {"path": str(tmp_path / "pipe")}
    assert named_files(instance) != named_files(instance)
    assert changed(named_files(instance)) == instance["path"]


def test_a_class_says_what_it_reads_beside_its_options(tmp_path):
    table = tmp_path / "table"
    table.write_text("1")
    with restored():

        class Tabled(Quadratic, name="tabled"):
            @classmethod
            def files_read(cls, options):
                return [table] if options.get("dim") == 2 else []

        instance = {"problem": {"name": "tabled", "dim": 2}, "topology": {"name": "ring"}}
        assert json.loads(named_files(instance)) == {str(table): sha(b"1")}
        assert named_files({"problem": {"name": "tabled"}}) == ""
        assert named_files({"dim": 2}, {"problem": "tabled"}) == named_files(instance)


def test_verify_out_judges_again_what_names_a_changed_file(net, capsys):
    given = '{"name": "edge-list", "path": "net.json"}'
    words = ["verify", "dfedpgp.lem3", "--set", f"topology={given}", "--clients", "3"]
    words += ["--version", "printed", "--out", "v", "--long"]
    told, measured = [], []
    for edges in (COMPLETE, COMPLETE, RING):
        net(edges)
        assert cli.run(words) == 0
        told.append("(stored)" in capsys.readouterr().err)
        measured.append(
            json.loads(pathlib.Path("v/results.json").read_text())["results"][0]["measured"]
        )
    assert told == [False, True, False]
    assert measured[0] == measured[1] != measured[2]


def test_a_key_names_the_content_of_files_and_one_without_any_names_none(net):
    jobs = [Job("a.b", "c", "d", None, files=text) for text in ("", '{"net.json": "1"}')]
    assert jobs[0].key() == Job("a.b", "c", "d", None).key() != jobs[1].key()


def test_a_campaign_computes_again_what_names_a_changed_file(net):
    first = sweep(PLAN, out="one")
    assert sweep(PLAN, out="one").digest == first.digest
    net(RING)
    again = sweep(PLAN, out="one")
    assert len(again) == 2  # the old rows are no longer of this plan
    assert (
        [row["consensus"] for row in again.rows]
        == [row["consensus"] for row in sweep(PLAN).rows]
        != [row["consensus"] for row in first.rows]
    )
    net(COMPLETE)
    assert sweep(PLAN, out="one").digest == first.digest  # and the first ones are theirs again


def test_shards_of_other_files_are_not_joined(net):
    sweep(PLAN, out="one", shard=(1, 2))
    net(RING)
    sweep(PLAN, out="two", shard=(2, 2))
    with pytest.raises(ValueError, match="merge: two is of other files than one; need shards"):
        merge([pathlib.Path("one"), pathlib.Path("two")], pathlib.Path("out"), print)


def test_a_worker_with_another_file_ends_the_campaign(net):
    cell = next(iter(Cells(plan(PLAN))))
    net(RING)  # meanwhile, or on another machine
    chunk = Chunk((Task(cell.key, "{}", json.dumps(cell.document), cell.files),), stamp(), ())
    with pytest.raises(OtherCodeError, match=r"net\.json: changed while the campaign ran"):
        compute(chunk)


def test_a_speed_up_measures_again_what_names_a_changed_file(net, monkeypatch):
    made, errors = [], study.errors
    monkeypatch.setattr(study, "errors", lambda *given: made.append(1) or errors(*given))
    options = {"clients": [3], "rounds": 16, "transient": False, "topology": "edge-list"}
    for edges, fresh in ((COMPLETE, True), (COMPLETE, False), (RING, True)):
        net(edges)
        made.clear()
        speedup("sgp", topology_options={"path": "net.json"}, out="s", **options)
        assert bool(made) == fresh


def test_what_one_process_keeps_is_not_of_a_file_that_has_changed(net, monkeypatch):
    """Traces, rows of metrics and of experiments are kept for versions that share an instance."""
    runs, made = measure._new_runs, []
    monkeypatch.setattr(measure, "_new_runs", lambda *given: made.append(1) or runs(*given))
    checks = BUILT_IN["dfedsgpsm.thm1"].versions["printed"].checks
    (given,) = (dict(each.instance) for each in checks if each.name == "worked-example")
    given |= {"topology": PLAN["instance"]["topology"], "clients": 3, "rounds": 3}
    job = Job("dfedsgpsm.thm1", "printed", "own", None, seeds=1, instance=json.dumps(given))
    counts = []
    for edges in (COMPLETE, COMPLETE, RING):
        net(edges)
        judge(job)
        counts.append(len(made))
    assert counts == [1, 1, 2]


def test_what_several_parts_name_is_one_text():
    assert joined("", '{"b": "2"}', '{"a": "1"}') == '{"a": "1", "b": "2"}'
    assert joined("", "") == ""


@pytest.mark.parametrize("sign", ["/", ".", "..", "./", "../.."])
def test_a_sign_that_is_a_folder_of_everything_is_no_folder_of_data(sign):
    assert named_files({"problem": {"name": "quadratic", "style": sign}, "path": "/"}) == ""
