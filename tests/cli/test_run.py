"""``theorylab run``: what it writes, that its folder makes it again, and what it refuses."""

import json
import types

import numpy as np
import pytest

from theorylab.commands.run import rounds as progress
from theorylab.commands.run import work as command
from theorylab.runs import simulate
from theorylab.runs.configuration import built, configuration

FILES = {"run.json", "trace.npz", "curves.svg", "curves.png", "index.html"}
RUN = ["run", "dfedsgpsm", "--problem", "log-cosh", "--topology", "ring", "--clients", 3,
       "--rounds", 6, "--eta", 0.1, "--problem-option", "sigma=0.3"]  # fmt: skip


@pytest.fixture
def plain(monkeypatch):
    """Without pictures, which take most of the time of a small run."""
    monkeypatch.setattr(command, "pictures", lambda *_: {})


def arrays(folder):
    with np.load(folder / "trace.npz", allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def test_a_run_leaves_its_folder_and_its_table(run, tmp_path):
    out = tmp_path / "new" / "run"
    done = run(*RUN, "--seeds", 3, "--set", "alpha=.5", "--out", out)
    assert done.code == 0, done.err
    assert {p.name for p in out.iterdir()} == FILES
    record = json.loads((out / "run.json").read_text())
    assert (record["schema"], record["status"], record["rounds_done"]) == (1, "finished", 6)
    assert record["configuration"]["algorithm"]["alpha"] == 0.5
    kept = arrays(out)
    assert kept["rounds"].tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert kept["runs"].tolist() == [0, 1, 2]
    made = built(configuration(record["configuration"]))
    trace = simulate(made.problem, made.topology, made.algorithm, rounds=6, runs=3)
    for name, values in trace.columns.items():
        assert np.array_equal(kept[name][:, :-1], values), name
        assert record["final"][name]["mean"] == pytest.approx(kept[name][:, -1].mean(), rel=1e-15)
        assert name in done.out
    assert "dfedsgpsm on log-cosh" in (out / "index.html").read_text()
    assert done.err.startswith("dfedsgpsm on log-cosh: round 6/6, loss ")


def test_a_run_made_again_from_its_folder_is_the_same_to_the_byte(run, tmp_path):
    first, again = tmp_path / "a", tmp_path / "b"
    assert run(*RUN, "--seeds", 2, "--loss", 0.2, "--out", first).code == 0
    assert run("run", "--config", first / "run.json", "--out", again).code == 0
    for name in FILES - {"index.html"}:  # whose foot has the command and the minute
        assert (first / name).read_bytes() == (again / name).read_bytes(), name
    pages = [(folder / "index.html").read_text().split("<footer") for folder in (first, again)]
    assert pages[0][0] == pages[1][0]


def test_a_configuration_is_a_file_and_flags_go_before_it(run, tmp_path):
    path = tmp_path / "c.json"
    path.write_text(json.dumps({
        "algorithm": {"name": "dfedsgpsm", "eta": 0.1, "alpha": 0.5}, "problem": "log-cosh",
        "topology": {"name": "random-out", "degree": 2}, "clients": 4, "rounds": 3, "seed": 9,
    }))  # fmt: skip

    def given(*flags):
        done = run("run", "--config", path, *flags, "--json", "-")
        assert done.code == 0, done.err
        return json.loads(done.out)["configuration"]

    assert (given()["seed"], given()["algorithm"]["alpha"]) == (9, 0.5)
    changed = given("--seed", 1, "--set", "alpha=0", "--topology-option", "degree=1")
    assert (changed["seed"], changed["topology"]["degree"]) == (1, 1)
    assert changed["algorithm"] == given()["algorithm"] | {"alpha": 0}
    other = given("sgp", "--eta", 1, "--topology", "star", "--delay", 1)
    assert (other["algorithm"]["name"], other["algorithm"]["alpha"]) == ("sgp", 0)
    assert (other["topology"]["name"], other["faults"]["delay"]) == ("star", 1)


def test_json_holds_the_record_and_the_trace(run, tmp_path):
    done = run(*RUN, "--seeds", 2, "--json", "-")
    content = json.loads(done.out)
    file = tmp_path / "x.json"
    assert run(*RUN, "--seeds", 2, "--json", file, "--own-graphs").code == 0
    assert set(content["trace"]) == {"rounds", "runs", "columns"}
    assert np.array(content["trace"]["columns"]["loss"]).shape == (2, 7)
    final = [row[-1] for row in content["trace"]["columns"]["loss"]]
    assert content["final"]["loss"]["mean"] == pytest.approx(sum(final) / 2, rel=1e-15)
    assert json.loads(file.read_text())["configuration"]["own_graphs"] is True


def test_what_is_recorded_can_be_said(run):
    done = run(*RUN, "--columns", "consensus, loss", "--every", 4, "--x0", "[0.5]", "--json", "-",
               "--dtype", "float32")  # fmt: skip
    assert done.code == 0, done.err
    content = json.loads(done.out)
    assert list(content["trace"]["columns"]) == ["consensus", "loss"]
    assert content["trace"]["rounds"] == [0, 4, 6]
    assert content["configuration"]["x0"] == [0.5]


def test_a_folder_with_a_run_is_not_touched_without_leave(run, refused, plain, tmp_path):
    assert run(*RUN, "--out", tmp_path).code == 0
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    line = refused(*RUN, "--out", tmp_path)
    assert "holds a finished run; need --resume to go on with it, --force to replace it" in line
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before
    again = run("run", "--resume", "--out", tmp_path)
    assert again.code == 0
    assert "nothing is left to run" in again.err
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before
    assert "rounds was 6, is 7" in refused(*RUN[:-6], "--rounds", 7, "--resume", "--out", tmp_path)
    assert run(*RUN, "--rounds", 7, "--force", "--out", tmp_path).code == 0
    assert arrays(tmp_path)["rounds"][-1] == 7


def test_a_trace_that_is_not_the_records_is_refused(run, refused, plain, tmp_path):
    assert run(*RUN, "--out", tmp_path).code == 0
    data = bytearray((tmp_path / "trace.npz").read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "trace.npz").write_bytes(data)
    assert "trace.npz: is " in refused("run", "--resume", "--out", tmp_path)
    (tmp_path / "trace.npz").unlink()
    assert "no such file" in refused("run", "--resume", "--out", tmp_path)


def test_a_run_that_diverges_is_one_line_and_keeps_what_came_before(run, plain, tmp_path):
    grow = ["run", "sgp", "--problem", "quadratic", "--topology", "ring", "--clients", 3,
            "--rounds", 400, "--eta", 50, "--every", 1, "--seeds", 2]  # fmt: skip
    done = run(*grow, "--out", tmp_path)
    assert done.code == 1
    (line,) = [x for x in done.err.splitlines() if x.startswith("theorylab: ")]
    assert "overflowed at round" in line
    record = json.loads((tmp_path / "run.json").read_text())
    assert record["status"] == "diverged"
    assert record["note"] in line
    kept = arrays(tmp_path)
    assert kept["rounds"].tolist() == list(range(record["rounds_done"] + 1))
    assert 5 < len(kept["rounds"]) < 400
    assert all(np.isfinite(values).all() for values in kept.values())
    assert run("run", "--resume", "--out", tmp_path).code == 1
    assert "checkpoint" not in " ".join(p.name for p in tmp_path.iterdir())


def test_a_folder_without_space_is_one_line(refused, monkeypatch, tmp_path):
    def full(path, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("theorylab.commands.run.folder.write_atomic", full)
    assert "no space left on device" in refused(*RUN, "--out", tmp_path / "x")
    assert not (tmp_path / "x").exists()


OUT = ["--out", "out"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run"], "run: no ALGORITHM is given"),
        (["run", "sgp"], "run: --problem is missing"),
        (["run", "sgp", "--problem", "quadratic"], "run: --topology is missing"),
        (RUN[:6], "run: --rounds is missing"),
        ([*RUN[:6], "--rounds", 3, "--eta", 1], "run: clients is missing"),
        (["run", "sgq", *RUN[2:]], "run: algorithm: no 'sgq'; did you mean sgp?"),
        ([*RUN, "--set", "alpha"], "run: --set is 'alpha'; need PATH=VALUE"),
        ([*RUN, "--set", "alpha=1", "--set", "alpha=0"], "run: --set: alpha comes twice"),
        ([*RUN, "--set", "alpha=x"], "dfedsgpsm: alpha is 'x'; need"),
        ([*RUN, "--eta", -1], "eta is -1"),
        ([*RUN, "--problem-option", "nope=1"], "log-cosh has no option 'nope'"),
        ([*RUN, "--topology-option", "nope=1"], "ring takes no option 'nope'"),
        ([*RUN, "--device", "tpu"], "log-cosh: device is 'tpu'; need cpu, cuda"),
        ([*RUN, "--rounds", 0, *OUT], "rounds is 0; need at least 1"),
        ([*RUN, "--x0", "a"], "--x0 is 'a'; need a number or a JSON list"),
        ([*RUN, "--x0", "[1,2,3,4]", *OUT], "x0: shape (4,)"),
        ([*RUN, "--columns", "loss,nope", *OUT], "no column 'nope'"),
        ([*RUN, "--columns", "accuracy", *OUT], "needs test labels"),
        ([*RUN, "--loss", 2, *OUT], "faults: loss is 2"),
        ([*RUN, "--fault", "nope=1"], "faults: no option 'nope'"),
        (["run", "dfedavg", *RUN[2:], "--delay", 2, *OUT], "gossip: messages are delayed"),
        ([*RUN, "--set", "local_steps=[1,2]", *OUT], "2 numbers for 3 clients"),
        ([*RUN, "--resume"], "--resume without --out"),
        ([*RUN, "--force"], "--force without --out"),
        ([*RUN, "--checkpoint-every", 5], "--checkpoint-every without --out"),
        ([*RUN, "--checkpoint-every", "0", *OUT], "--checkpoint-every is '0'"),
        ([*RUN, "--checkpoint-every", "infs", *OUT], "--checkpoint-every is 'infs'"),
        ([*RUN, "--resume", "--force", *OUT], "--resume came with --force"),
        ([*RUN, "--band", "odd", *OUT], "--band is 'odd'"),
        ([*RUN, "--json", "none/x", *OUT], "--json none/x: none is no directory"),
        ([*RUN, "--out", "/dev/null/x"], "--out /dev/null/x: not a directory"),
        (["run", "--resume", *OUT], "holds no run"),
        (["run", "--config", "none.json"], "--config none.json: no such file"),
    ],
)  # fmt: skip
def test_bad_input_is_named_in_one_line(refused, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert message in refused(*arguments)
    assert list(tmp_path.iterdir()) == []


def test_a_second_process_keeps_out_of_a_folder_where_one_runs(
    run, refused, plain, tmp_path, monkeypatch
):
    keep, said = command.RunFolder.keep, []

    def meanwhile(self, setting, snapshot):
        keep(self, setting, snapshot)
        if not said:
            said.append(refused(*RUN, "--resume", "--out", tmp_path))

    monkeypatch.setattr(command.RunFolder, "keep", meanwhile)
    done = run(*RUN, "--checkpoint-every", 1, "--out", tmp_path)
    assert done.code == 0, done.err
    assert [line.rstrip() for line in said] == [
        f"theorylab: --out {tmp_path}: another process runs here; need it to end, or another folder"
    ]
    assert {p.name for p in tmp_path.iterdir()} == {"run.json", "trace.npz"}
    assert run(*RUN, "--force", "--out", tmp_path).code == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1 column 2"),
        ("[]", "holds a list"),
        (b"\xff", "not UTF-8"),
        ('{"algorithm": "sgp"}', "--problem is missing"),
        ('{"configuration": {}}', "theorylab is missing"),
        (json.dumps({"algorithm": "sgp", "problem": "log-cosh", "topology": "ring", "rounds": 1,
                     "clients": 3, "x": 0}), "no key 'x'"),
    ],
)  # fmt: skip
def test_a_wrong_configuration_file_is_refused(refused, tmp_path, text, message):
    path = tmp_path / "c.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert message in refused("run", "--config", path)


@pytest.mark.parametrize(
    ("total", "left"),
    [(86, "36 s"), (650, "10 min"), (9_050, "2.5 h"), (1_728_050, "20 days")],
)
def test_a_long_run_says_how_long_it_will_take(monkeypatch, capsys, total, left):
    clock = iter([0.0, 50.0])  # 50 rounds in 50 s: each of those that are left takes a second
    monkeypatch.setattr(progress, "time", types.SimpleNamespace(monotonic=clock.__next__))
    with progress.rounds("x", total, 0) as shown:
        shown.reached(50, None)
    assert capsys.readouterr().err == f"x: round 50/{total}, 1 rounds/s, about {left} left\n"
