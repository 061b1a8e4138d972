"""The real judge: what a killed run has finished stays, and neither that nor workers change it."""

import json
import os
import signal
import subprocess
import sys

from theorylab import cli

WHAT = ["verify", "dfedsgpsm.lem1", "dfedsgpsm.eq5", "--seeds", "2"]


def without_seconds(path):
    content = json.loads(path.read_text())
    for result in content["results"]:
        assert result.pop("seconds") >= 0
    content["origin"].pop("date", "")  # to the minute, which may end between two runs
    return content


def test_a_run_killed_in_the_middle_goes_on_where_it_was(tmp_path, capsys):
    out, whole = tmp_path / "killed", tmp_path / "whole"
    stuck = (  # in its fourth check, so that it is not finished however late the signal comes
        "import time\n"
        "from theorylab.cli import main\n"
        "from theorylab.commands.verify import judging\n"
        "judge, seen = judging.judge, []\n"
        "def judged(job, progress=None):\n"
        "    seen.append(job)\n"
        "    time.sleep(600 if len(seen) == 4 else 0)\n"
        "    return judge(job, progress)\n"
        "judging.judge = judged\n"
        "main()\n"
    )
    # here, however long the first three take: a process of its own would not be stuck
    command = [sys.executable, "-P", "-c", stuck, *WHAT, "--jobs", "1", "--long", "--out", out]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        first = [process.stderr.readline() for _ in range(2)]
        os.kill(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert first[1].startswith("[2/")
    assert not (out / "results.json").exists()
    assert cli.run([*WHAT, "--long", "--out", str(out)]) == 0
    lines = capsys.readouterr().err.splitlines()
    stored = [line for line in lines if line.endswith("stored)")]
    assert 2 <= len(stored) <= 3 < len(lines)
    assert cli.run([*WHAT, "--out", str(whole)]) == 0
    assert without_seconds(out / "results.json") == without_seconds(whole / "results.json")


def test_two_workers_give_the_results_of_one_but_for_the_seconds(tmp_path):
    for workers in ("1", "2"):
        assert cli.run([*WHAT, "--jobs", workers, "--json", str(tmp_path / workers)]) == 0
    assert without_seconds(tmp_path / "1") == without_seconds(tmp_path / "2")
