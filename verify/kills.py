"""kill -9 of a campaign, of ``verify --out`` and of a run, at any moment: nothing kept is lost.

    python verify/kills.py [--kills N] [--seed S]

The three take turns. Each is started, killed after a time that is drawn, and started again with the
same words, until it ends; then it must say what an undisturbed one says. Printed are the kills, the
starts, and how often what was kept had become less (lost), an end said something else (differs), or
a start ended with a wrong exit code or by another signal. Exit code 0 if these are all 0, else 1.
``campaign.py`` kills the workers of a campaign, too.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import math
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from hostile import imported

from theorylab.problems import problem
from theorylab.runs.checkpoint import checkpoint_from

PLAN = """columns = ["loss", "consensus"]
[instance]
algorithm = {name = "sgp", eta = 0.1}
problem = {name = "quadratic", dim = 2}
topology = {name = "random-out", degree = 1}
rounds = 50
[axes]
clients = [3, 4, 5, 6]
"problem.seed" = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
"""
RUN = ["run", "sgp", "--problem", "quadratic", "--topology", "ring", "--clients", "4", "--eta",
       "0.01", "--loss", "0.1", "--rounds", "500", "--checkpoint-every", "20"]  # fmt: skip
_MOST = 12  # kills of one, before it may end
HOME = pathlib.Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Kind:
    """``words`` start it, and go on with it; ``kept``: how much it kept; ``said``: at its end."""

    words: list[str]
    kept: Callable[[pathlib.Path], int]
    said: Callable[[pathlib.Path], Any]


def _rows(table: str, file: str) -> Callable[[pathlib.Path], int]:
    def count(out: pathlib.Path) -> int:
        if not (out / file).exists():
            return 0
        data = sqlite3.connect(out / file)
        with contextlib.closing(data), contextlib.suppress(sqlite3.OperationalError):
            return int(data.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
        return 0  # killed before it had a table

    return count


def _round(out: pathlib.Path) -> int:
    """The last round that a whole checkpoint has, or all of them."""
    with contextlib.suppress(OSError, ValueError):
        if json.loads((out / "run.json").read_text())["status"] == "finished":
            return 10**9
    found, losses = [0], problem("quadratic", 4)
    for path in out.glob("checkpoint-*.npz"):
        with contextlib.suppress(ValueError):
            found.append(int(checkpoint_from(path.read_bytes(), losses)[1].state.t))
    return max(found)


def _digest(out: pathlib.Path) -> str:
    from theorylab.campaigns import Rows

    return Rows.of(out).digest


def _results(out: pathlib.Path) -> Any:
    results = json.loads((out / "results.json").read_text())["results"]
    return [{**each, "seconds": 0} for each in results]


def _trace(out: pathlib.Path) -> Any:
    return json.loads((out / "run.json").read_text())["trace_sha256"]


KINDS = {
    "sweep": Kind(
        ["sweep", "plan.toml", "--out", "sweep"], _rows("cells", "cells.sqlite"), _digest
    ),
    "verify": Kind(
        ["verify", "dfedsgpsm.lem1", "dfedsgpsm.lem4*", "--jobs", "1", "--out", "verify"],
        _rows("cells", "results.sqlite"),
        _results,
    ),
    "run": Kind([*RUN, "--out", "run", "--resume"], _round, _trace),
}  # fmt: skip


def started(kind: Kind) -> int:
    """The id of a process that has imported everything, and begins with the words."""
    pid = os.fork()
    if pid:
        return pid
    code = 99
    with contextlib.suppress(BaseException):
        for number in (1, 2):
            os.dup2(os.open("told", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        sys.stdout = io.TextIOWrapper(io.FileIO(1, "w"))
        sys.stderr = io.TextIOWrapper(io.FileIO(2, "w"), line_buffering=True)
        from theorylab import cli

        code = cli.run(kind.words)
        sys.stdout.flush()
    os._exit(code)


def ended(pid: int, seconds: float) -> int:
    """The exit code, or minus the signal, of a process that is killed if it takes longer."""
    end = time.monotonic() + seconds
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > end:
            os.kill(pid, signal.SIGKILL)
            return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        time.sleep(0.002)


def turn(name: str, undisturbed: tuple[Any, float], draw: random.Random, told: Counter[str]) -> int:
    """One from its first start to its end; how often it was killed."""
    kind, out, kept, kills = KINDS[name], pathlib.Path(name), 0, 0
    want, seconds = undisturbed
    shutil.rmtree(out, ignore_errors=True)
    while True:
        patience = draw.uniform(0, 0.6) * seconds if kills < _MOST else math.inf
        code = ended(started(kind), patience)
        told["starts"] += 1
        told["kills"] += code == -signal.SIGKILL
        kills += code == -signal.SIGKILL
        if code not in (0, -signal.SIGKILL):
            told["wrong exits" if code > 0 else "signals"] += 1
            print(f"{name}: exit code {code}: {pathlib.Path('told').read_text()[-500:]}")
            return kills
        before, kept = kept, kind.kept(out)
        told["lost"] += kept < before
        if code == 0:
            told["differs"] += kind.said(out) != want
            told["ends"] += 1
            return kills


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    began = time.monotonic()
    imported()
    told = {name: Counter[str]() for name in KINDS}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path("plan.toml").write_text(PLAN)
        os.environ["THEORYLAB_KEPT"] = ""
        whole = {}
        for name, kind in KINDS.items():
            start = time.monotonic()
            if ended(started(kind), math.inf):
                raise SystemExit(f"{name}: {pathlib.Path('told').read_text()[-500:]}")
            whole[name] = kind.said(pathlib.Path(name)), time.monotonic() - start
        draw = random.Random(asked.seed)
        while sum(each["kills"] for each in told.values()) < asked.kills:
            name = min(KINDS, key=lambda name: told[name]["kills"])
            turn(name, whole[name], draw, told[name])
        os.chdir(HOME)
    columns = ("kills", "starts", "ends", "lost", "differs", "wrong exits", "signals")
    print(f"{'':8}" + "".join(f"{name:>13}" for name in columns))
    total = sum(told.values(), Counter[str]())
    for name, row in [*told.items(), ("all", total)]:
        print(f"{name:8}" + "".join(f"{row[column]:13}" for column in columns))
    print(f"seed {asked.seed}, {time.monotonic() - began:.0f} s in all")
    return 1 if any(total[name] for name in columns[3:]) else 0


if __name__ == "__main__":
    sys.exit(main())
