"""A campaign under hostility: killed, copied, flipped, without room, on one process and on Dask.

    python verify/campaign.py [--cells N | --plan FILE.toml] [--kills N] [--flips N] [--copies N]
                              [--only PARTS]

Every part ends with the digest of an undisturbed campaign, or the script ends with exit code 1.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from campaign_cluster import Place, begun, command, family, on_dask, state

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


def finish(plan: Path, out: Path, *more: str) -> tuple[Place, str, float]:
    """Run to the end; (rows and digest, what it said on stderr, wall seconds)."""
    began = time.monotonic()
    done = subprocess.run(command(plan, out, *more), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"exit code {done.returncode}: {done.stderr[-2000:]}")
    return state(out), done.stderr, time.monotonic() - began


def killed(plan: Path, out: Path, kills: int, draws: random.Random, want: Place) -> dict[str, int]:
    """kill -9 of any of a campaign's processes at any time; one that got to its end starts over."""
    told = {"kills": 0, "of the first process": 0, "campaigns": 0, "starts": 0, "lost rows": 0}
    while told["kills"] < kills:
        shutil.rmtree(out, ignore_errors=True)
        rows = 0
        while _killed_in(plan, out, kills, draws, told):
            before, rows = rows, state(out)[0] if begun(out) else 0
            told["lost rows"] += max(0, before - rows)
        if state(out) != want:
            raise SystemExit(f"kills: {state(out)}, need {want}; {told}")
        told["campaigns"] += 1
    return told


def _killed_in(
    plan: Path, out: Path, kills: int, draws: random.Random, told: dict[str, int]
) -> bool:
    """Start it, or let it go on, and kill; whether its first process was killed."""
    with out.with_suffix(".log").open("ab") as log:
        process = subprocess.Popen(command(plan, out, "--jobs", "2"), stderr=log, stdout=log)
    told["starts"] += 1
    while process.poll() is None and told["kills"] < kills:
        time.sleep(draws.expovariate(draws.choice((9, 1 / 3))))  # at once, or after a while
        first, *others = family(process.pid)
        victim = first if draws.random() < 0.1 else draws.choice(others) if others else None
        if victim is not None and process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
                told["kills"] += 1
                told["of the first process"] += victim == process.pid
    code = process.wait()
    if code not in (0, -signal.SIGKILL):
        raise SystemExit(f"exit code {code}: {out.with_suffix('.log').read_text()[-800:]}")
    return code != 0


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
    made: list[Path] = []
    while process.poll() is None and len(made) < copies:
        time.sleep(draws.uniform(0.05, 1.5))
        if begun(out):
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
        with small_disk(folder / "disk", 80 + 12 * number) as disk:
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


def size(folder: Path) -> float:
    """Bytes a row, after all is in the database itself."""
    with contextlib.closing(sqlite3.connect(folder / "cells.sqlite")) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (rows,) = database.execute("SELECT count(*) FROM cells").fetchone()
    return float(sum(path.stat().st_size for path in folder.iterdir()) / rows)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    for name, number in (("cells", 10_000), ("kills", 200), ("flips", 500), ("copies", 20)):
        words.add_argument(f"--{name}", type=int, default=number)
    words.add_argument("--rounds", type=int, default=5)
    words.add_argument("--seed", type=int, default=0)
    words.add_argument("--only", default="")
    words.add_argument("--plan", type=Path, help="in place of one of --cells cells")
    given = words.parse_args()
    draws = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        plan, small = folder / "plan.toml", folder / "small.toml"
        sized = PLAN.format(steps=max(1, given.cells // 16), rounds=given.rounds)
        plan.write_text(given.plan.read_text() if given.plan else sized)
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
            "kills": lambda: killed(plan, folder / "kills", given.kills, draws, want),
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
