"""A campaign under hostility: killed, copied, flipped, without room, on one process and on Dask.

    python verify/campaign.py [--cells N] [--kills N] [--flips N] [--copies N] [--only PARTS]

Every part ends with the digest of an undisturbed campaign, or the script ends with exit code 1.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from theorylab.campaigns import Folder, merge
from theorylab.campaigns.folder import current

PLAN = """
columns = ["loss", "consensus"]
expressions = {{ "algorithm.eta" = "step / clients" }}
[instance]
algorithm = {{ name = "sgp" }}
problem = {{ name = "quadratic", dim = 2 }}
topology = {{ name = "ring" }}
clients = 2
rounds = {rounds}
[axes]
clients = [2, 3, 4, 5]
topology = ["ring", "complete"]
step = {{ low = 0.01, high = 0.5, count = {steps}, scale = "log" }}
"problem.seed" = [0, 1]
"""
Place = tuple[int, str]  # rows, and their digest


def command(plan: Path, out: Path, *more: str) -> list[str]:
    words = [sys.executable, "-m", "theorylab.cli", "sweep", str(plan), "--out", str(out)]
    return [*words, *more]


def state(folder: Path) -> Place:
    with Folder(folder).reading() as store:
        era, _ = current(store)
        return store.count(era), store.digest(era)


def finish(plan: Path, out: Path, *more: str) -> tuple[Place, str, float]:
    """Run to the end; (rows and digest, what it said on stderr, wall seconds)."""
    began = time.monotonic()
    done = subprocess.run(command(plan, out, *more), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"exit code {done.returncode}: {done.stderr[-2000:]}")
    return state(out), done.stderr, time.monotonic() - began


def family(parent: int) -> list[int]:
    """The process and all below it, from /proc."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, IndexError, ValueError):
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
    found = [parent]
    for one in found:
        found += [pid for pid, above in parents.items() if above == one]
    return found


def killed(plan: Path, out: Path, kills: int, draws: random.Random) -> dict[str, int]:
    """kill -9 of any of its processes at any time, again and again, until it has had enough."""
    told = {"kills": 0, "of the first process": 0, "starts": 0, "lost rows": 0}
    before = 0
    while True:
        log = out.with_suffix(".log").open("ab")
        process = subprocess.Popen(command(plan, out, "--jobs", "2"), stderr=log, stdout=log)
        told["starts"] += 1
        while process.poll() is None and told["kills"] < kills:
            time.sleep(min(draws.expovariate(1 / 3), 12.0))
            victims = family(process.pid)
            victim = draws.choice(victims if draws.random() < 0.1 else victims[1:] or victims)
            if process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(victim, signal.SIGKILL)
                    told["kills"] += 1
                    told["of the first process"] += victim == process.pid
        code = process.wait()
        log.close()
        count = 0
        with contextlib.suppress(ValueError):
            count = state(out)[0]
        told["lost rows"] += max(0, before - count)
        before = count
        if code == 0:
            return told
        if code != -signal.SIGKILL and told["kills"] >= kills:
            raise SystemExit(f"exit code {code}: {out.with_suffix('.log').read_text()[-800:]}")


def flipped(plan: Path, whole: Path, out: Path, flips: int, draws: random.Random) -> int:
    """One bit at a time in a whole folder; how many flips were found and mended."""
    noticed = 0
    want = state(whole)
    for number in range(flips):
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(whole, out)
        path = draws.choice([p for p in sorted(out.iterdir()) if p.stat().st_size])
        data = bytearray(path.read_bytes())
        data[draws.randrange(len(data))] ^= 1 << draws.randrange(8)
        path.write_bytes(data)
        got, _, said = mended(plan, out)
        noticed += "damaged" in said
        if got != want:
            raise SystemExit(f"flip {number} of {path.name}: {got}, need {want}; {said}")
    return noticed


def mended(plan: Path, out: Path) -> tuple[Place, int, str]:
    """The campaign again, in this process: (rows and digest, rows computed anew, notes)."""
    from theorylab.campaigns import Cells, Options, Progress, read_plan, run
    from theorylab.campaigns import plan as checked

    notes: list[str] = []

    class Told(Progress):
        computed = 0

        def note(self, line: str) -> None:
            notes.append(line)

        def moves(self, done: int, stored: int, seconds: float) -> None:
            self.computed = done

    told = Told()
    run(Cells(checked(read_plan(plan))), Folder(out), Options(), told)
    return state(out), told.computed, " ".join(notes)


def copied(plan: Path, out: Path, copies: int, draws: random.Random) -> list[int]:
    """Copies taken while it runs, each finished; how many rows each copy had."""
    process = subprocess.Popen(
        command(plan, out, "--jobs", "2"), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    made = []
    while process.poll() is None and len(made) < copies:
        time.sleep(draws.uniform(0.05, 1.5))
        if _begun(out):
            copy = out.with_name(f"{out.name}-copy{len(made)}")
            shutil.copytree(out, copy, dirs_exist_ok=True)
            made.append(copy)
    process.wait()
    want, had = state(out), []
    for copy in made:
        got, computed, said = mended(plan, copy)
        had.append(want[0] - computed)
        if got != want:
            raise SystemExit(f"{copy.name}: {got}, need {want}; {said}")
        shutil.rmtree(copy)
    return had


@contextlib.contextmanager
def small_disk(place: Path, kibibytes: int) -> Iterator[Path]:
    """A file system of that size. Raises OSError where none can be mounted."""
    place.mkdir(exist_ok=True)
    options = ["mount", "-t", "tmpfs", "-o", f"size={kibibytes}k", "tmpfs", str(place)]
    if subprocess.run(options, capture_output=True, check=False).returncode:
        raise OSError("no file system can be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=False)


def full(plan: Path, folder: Path, want: Place, points: int) -> list[int]:
    """The disk is full at ``points`` sizes; rows kept at each. It then goes on with more room."""
    kept = []
    for number in range(points):
        with small_disk(folder / "disk", 8 + 12 * number) as disk:
            out = disk / "campaign"
            try:
                mended(plan, out)
            except OSError as error:
                line = str(error)
            else:
                break
            if "\n" in line or not line:
                raise SystemExit(f"full disk {number}: {line!r}")
            copy = folder / "from-full"
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(out, copy)
        got, computed, said = mended(plan, copy)
        kept.append(want[0] - computed)
        if got != want:
            raise SystemExit(f"full disk {number}: {got}, need {want}; {said}")
    return kept


def on_dask(plan: Path, out: Path, kills: int, draws: random.Random) -> tuple[Place, int]:
    """A scheduler and four workers on loopback, workers killed while they work."""
    python = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    with tempfile.TemporaryDirectory() as scratch, contextlib.ExitStack() as stack:
        where = Path(scratch) / "scheduler.json"
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": scratch}

        def start(*words: str) -> subprocess.Popen[bytes]:
            made = subprocess.Popen([*words], start_new_session=True, **quiet)  # type: ignore[call-overload]
            stack.callback(lambda: _ended(made))
            return made  # type: ignore[no-any-return]

        start(*python, "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
              "--scheduler-file", str(where))  # fmt: skip
        while not where.exists():
            time.sleep(0.1)
        time.sleep(0.5)
        address = json.loads(where.read_text())["address"]
        for _ in range(4):
            start(sys.executable, "-m", "distributed.cli.dask_worker", address,
                  "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1",
                  "--local-directory", scratch)  # fmt: skip
        process = subprocess.Popen(command(plan, out, "--backend", "dask", "--scheduler", address))
        done = 0
        while process.poll() is None:
            time.sleep(draws.uniform(1.0, 6.0))
            workers = [p for p in family(os.getpid()) if b"spawn_main" in _words(p)
                       and b"multiprocessing" in _words(p)]  # fmt: skip
            if done < kills and workers and _begun(out):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(draws.choice(workers), signal.SIGKILL)
                    done += 1
        if process.returncode:
            raise SystemExit(f"dask: exit code {process.returncode}")
        return state(out), done


def _begun(out: Path) -> bool:
    try:
        return state(out)[0] > 0
    except ValueError:
        return False


def _words(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _ended(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def size(folder: Path) -> float:
    """Bytes a row, after all is in the database itself."""
    with contextlib.closing(sqlite3.connect(folder / "cells.sqlite")) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (rows,) = database.execute("SELECT count(*) FROM cells").fetchone()
    return sum(path.stat().st_size for path in folder.iterdir()) / rows


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    for name, number in (("cells", 10_000), ("kills", 200), ("flips", 500), ("copies", 20)):
        words.add_argument(f"--{name}", type=int, default=number)
    words.add_argument("--rounds", type=int, default=5)
    words.add_argument("--seed", type=int, default=0)
    words.add_argument("--only", default="")
    given = words.parse_args()
    draws = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        plan, small = folder / "plan.toml", folder / "small.toml"
        plan.write_text(PLAN.format(steps=max(1, given.cells // 16), rounds=given.rounds))
        small.write_text(PLAN.format(steps=10, rounds=given.rounds))
        want, _, seconds = finish(plan, folder / "one")
        with Folder(folder / "one").reading() as store:
            cost = store.cost(current(store)[0])
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(
            f"one process: {want[0]} cells, {seconds:.0f} s, {cost * want[0]:.0f} s in cells; "
            f"{used.ru_utime + used.ru_stime:.0f} s of processor; {used.ru_maxrss / 1024:.0f} MiB; "
            f"{size(folder / 'one'):.0f} bytes a cell; {want[1][:16]}",
            flush=True,
        )
        few, *_ = finish(small, folder / "few")
        parts: dict[str, Callable[[], object]] = {
            "dask": lambda: on_dask(plan, folder / "dask", max(1, given.kills // 10), draws),
            "two": lambda: finish(plan, folder / "two", "--jobs", "2")[0],
            "shards": lambda: _shards(plan, folder),
            "kills": lambda: (
                killed(plan, folder / "kills", given.kills, draws),
                state(folder / "kills"),
            ),
            "flips": lambda: flipped(small, folder / "few", folder / "flips", given.flips, draws),
            "copies": lambda: copied(plan, folder / "copies", given.copies, draws),
            "full": lambda: full(small, folder, few, 20),
        }
        for name, part in parts.items():
            if given.only and name not in given.only.split(","):
                continue
            began = time.monotonic()
            told = part()
            print(f"{name}: {told} ({time.monotonic() - began:.0f} s)", flush=True)
            out = folder / ("merged" if name == "shards" else name)
            if name in ("two", "shards", "kills", "copies", "dask") and state(out) != want:
                raise SystemExit(f"{name}: {state(out)}, need {want}")
    print("every digest is that of the undisturbed campaign")


def _shards(plan: Path, folder: Path) -> Place:
    parts = []
    for number in (1, 2, 3):
        finish(plan, folder / f"shard{number}", "--shard", f"{number}/3")
        parts.append(folder / f"shard{number}")
    return merge(parts, folder / "merged", print)


if __name__ == "__main__":
    main()
