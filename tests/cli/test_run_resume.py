"""A run that is killed goes on to the same bits; a checkpoint is whole and its own, or not used."""

import json
import os
import random
import signal
import subprocess
import sys
import types

import numpy as np
import pytest

from theorylab import cli
from theorylab.commands.run import folder as run_folder
from theorylab.commands.run import work as command
from theorylab.report import atomic

ROUNDS = 40
RUN = ["run", "dfedsgpsm", "--problem", "log-cosh", "--problem-option", "sigma=.5",
       "--topology", "random-out", "--topology-option", "degree=2", "--clients", "5",
       "--rounds", str(ROUNDS), "--seeds", "3", "--eta", ".2", "--set", "alpha=.5",
       "--delay", "2", "--stragglers", ".3", "--every", "3"]  # fmt: skip
EACH = ["--checkpoint-every", "1"]
CHECKPOINTS = run_folder.CHECKPOINTS


@pytest.fixture(autouse=True)
def _plain(monkeypatch):
    monkeypatch.setattr(command, "pictures", lambda *_: {})


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """trace.npz of the run that nothing interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command, "pictures", lambda *_: {})
        assert cli.run([*RUN, "--out", str(folder)]) == 0
    return (folder / "trace.npz").read_bytes()


class Killed(BaseException):
    """Stands for kill -9."""


def killed_at(monkeypatch, folder, t):
    keep = run_folder.RunFolder.keep

    def deadly(self, setting, snapshot):
        keep(self, setting, snapshot)
        if snapshot.state.t == t:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(run_folder.RunFolder, "keep", deadly)
        with pytest.raises(Killed):
            cli.run([*RUN, *EACH, "--resume", "--out", str(folder)])


def test_a_process_killed_at_random_times_ends_with_the_bits_of_the_whole_run(whole, tmp_path):
    draw = random.Random(4)
    endless = (
        "import signal\n"
        "from theorylab.commands.run import folder as run_folder, work as run\n"
        "run.pictures = lambda *_: {}\n"
        "keep, left = run_folder.RunFolder.keep, 12 * [None]\n"
        "def told(self, setting, snapshot):\n"
        "    keep(self, setting, snapshot)\n"
        "    print('kept', flush=True)\n"
        "    left.pop()\n"
        "    while not left:\n"  # never finished, however late it is killed
        "        signal.pause()\n"
        "run_folder.RunFolder.keep = told\n"
        "from theorylab.cli import main\n"
        "main()\n"
    )
    reached = 0
    for _ in range(3):
        arguments = [*RUN, *EACH, "--resume", "--out", str(tmp_path)]
        command = [sys.executable, "-P", "-c", endless, *arguments]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen(command, text=True, **pipes) as process:
            rounds = draw.randrange(1, 12)
            for _ in range(rounds):
                assert process.stdout.readline() == "kept\n", process.stderr.read()
            os.kill(process.pid, signal.SIGKILL)  # wherever it is on its way to the next one
        assert process.returncode == -signal.SIGKILL
        assert not (tmp_path / "trace.npz").exists()
        before, reached = reached, max(kept(tmp_path))
        assert reached >= before + rounds  # it went on from where the one before was
    assert cli.run(["run", "--resume", "--out", str(tmp_path)]) == 0
    assert (tmp_path / "trace.npz").read_bytes() == whole
    assert not [p for p in tmp_path.iterdir() if "checkpoint" in p.name or ".tmp" in p.name]


def kept(folder):
    """The rounds of the checkpoints and their files, the newest last, read without theorylab."""
    rounds = {}
    for name in CHECKPOINTS:
        if (folder / name).exists():
            with np.load(folder / name, allow_pickle=False) as file:
                rounds[json.loads(file["header"].tobytes())["t"]] = folder / name
    return dict(sorted(rounds.items()))


def test_death_at_any_system_call_that_writes_loses_no_more_than_a_checkpoint(
    whole, tmp_path, monkeypatch
):
    """os.replace is where a file takes its name: die before and after each of them in turn."""
    replace, point = os.replace, 0
    while True:
        folder = tmp_path / str(point)
        calls = []

        def deadly(old, new, calls=calls, last=point):
            calls.append(new)
            if len(calls) == last // 2 + 1 and last % 2 == 0:
                raise Killed
            replace(old, new)
            if len(calls) == last // 2 + 1:
                raise Killed

        with monkeypatch.context() as patch:
            patch.setattr(atomic.os, "replace", deadly)
            flags = ["--checkpoint-every", "13", "--out", str(folder)]
            try:
                assert cli.run([*RUN, *flags]) == 0
                break
            except Killed:
                pass
        assert cli.run([*RUN, "--resume", "--out", str(folder)]) == 0
        assert (folder / "trace.npz").read_bytes() == whole, point
        point += 1
    assert point == 2 * 6  # run.json, three checkpoints, trace.npz, run.json


def test_resuming_repeats_no_more_than_the_rounds_since_the_checkpoint(
    whole, tmp_path, monkeypatch, capsys
):
    killed_at(monkeypatch, tmp_path, 16)
    killed_at(monkeypatch, tmp_path, 17)
    assert [*kept(tmp_path)] == [16, 17]
    assert cli.run([*RUN, *EACH, "--resume", "--out", str(tmp_path)]) == 0
    assert f"{tmp_path}: goes on at round 17\n" in capsys.readouterr().err
    assert (tmp_path / "trace.npz").read_bytes() == whole


@pytest.mark.parametrize("damage", ["cut", "flip", "empty"])
def test_a_damaged_checkpoint_is_not_used_and_the_one_before_it_is(
    whole, tmp_path, monkeypatch, capsys, damage
):
    killed_at(monkeypatch, tmp_path, 17)
    newer = kept(tmp_path)[17]
    data = newer.read_bytes()
    changed = bytearray(data)
    changed[len(data) // 3] ^= 8
    newer.write_bytes({"cut": data[: len(data) // 2], "flip": bytes(changed), "empty": b""}[damage])
    assert cli.run([*RUN, "--resume", "--out", str(tmp_path)]) == 0
    err = capsys.readouterr().err
    assert f"{newer} is damaged" in err
    assert "goes on at round 16\n" in err
    assert (tmp_path / "trace.npz").read_bytes() == whole


def test_two_damaged_checkpoints_mean_the_first_round(whole, tmp_path, monkeypatch, capsys):
    killed_at(monkeypatch, tmp_path, 5)
    for name in CHECKPOINTS:
        (tmp_path / name).write_bytes(b"PK\x03\x04 torn")
    assert cli.run([*RUN, "--resume", "--out", str(tmp_path)]) == 0
    assert "goes on at round 0\n" in capsys.readouterr().err
    assert (tmp_path / "trace.npz").read_bytes() == whole


@pytest.mark.parametrize(
    ("flags", "difference"),
    [
        (["--eta", "0.3"], "algorithm.eta was 0.2, is 0.3"),
        (["--seed", "1"], "seed was 0, is 1"),
        (["--delay", "3"], "faults.delay was 2, is 3"),
        (["--topology", "ring"], 'topology.name was "random-out", is "ring"'),
    ],
)
def test_another_configuration_is_refused_by_its_first_difference(
    refused, tmp_path, monkeypatch, flags, difference
):
    killed_at(monkeypatch, tmp_path, 5)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    assert difference in refused("run", *flags, "--resume", "--out", tmp_path)
    record = json.loads(before["run.json"])
    record["configuration"]["algorithm"]["eta"] = 0.25
    (tmp_path / "run.json").write_text(json.dumps(record))
    line = refused("run", "--resume", "--out", tmp_path)
    assert "is of another run: algorithm.eta was 0.2, is 0.25" in line
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before | {
        "run.json": json.dumps(record).encode()
    }


def test_a_checkpoint_of_another_version_is_refused(refused, tmp_path, monkeypatch):
    killed_at(monkeypatch, tmp_path, 5)
    monkeypatch.setattr(run_folder.theorylab, "__version__", "99")
    assert 'theorylab was "' in refused("run", "--resume", "--out", tmp_path)


def test_an_interrupt_keeps_the_last_round(run, tmp_path, monkeypatch, capsys, whole):
    saved = run_folder.RunFolder.begin

    def begin(self, setting):
        saved(self, setting)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(run_folder.RunFolder, "begin", begin)
        done = run(*RUN, "--out", tmp_path)
    assert done.code == 130
    assert done.err.endswith("theorylab: interrupted; with --out, the same command and --resume "
                             "go on\n")  # fmt: skip
    assert [*kept(tmp_path)] == [1]
    assert run("run", "--resume", "--out", tmp_path).code == 0
    assert (tmp_path / "trace.npz").read_bytes() == whole


def test_a_checkpoint_that_cannot_be_written_does_not_end_the_run(
    run, whole, tmp_path, monkeypatch
):
    def full(self, setting, snapshot):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(run_folder.RunFolder, "keep", full)
    done = run(*RUN, "--checkpoint-every", "20", "--out", tmp_path)
    assert done.code == 0
    assert "no checkpoint at round 20 (No space left on device)" in done.err
    assert (tmp_path / "trace.npz").read_bytes() == whole


def test_checkpoints_by_time_come_as_often_as_they_are_due(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(command, "time", types.SimpleNamespace(monotonic=lambda: now[0]))
    due = command._due("10s")
    made = []
    for t in range(100):
        now[0] += 1.0
        if due(t, 2.0 if now[0] > 50 else 0.0):  # a slow disk: one part in twenty, every 40 s
            made.append(now[0])
    assert made == [10, 20, 30, 40, 50, 90]
