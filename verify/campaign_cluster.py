"""What ``verify/campaign.py`` starts: campaigns as commands, and a Dask cluster on loopback."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from theorylab.campaigns import Folder
from theorylab.campaigns.folder import current

Place = tuple[int, str]  # rows, and their digest


def command(plan: Path, out: Path, *more: str) -> list[str]:
    words = [sys.executable, "-m", "theorylab.cli", "sweep", str(plan), "--out", str(out)]
    return [*words, *more]


def state(folder: Path) -> Place:
    with Folder(folder).reading() as store:
        era, _ = current(store)
        return store.count(era), store.digest(era)


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

        scheduler = start(*python, "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
                          "--dashboard-address", "127.0.0.1:0",  # else 8787, maybe another's
                          "--scheduler-file", str(where))  # fmt: skip
        address = ""
        while not address:
            if scheduler.poll() is not None:
                raise SystemExit(f"dask: the scheduler has ended with {scheduler.returncode}")
            time.sleep(0.1)
            with contextlib.suppress(OSError, ValueError):  # it is not there, or not to its end
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
            if done < kills and workers and begun(out):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(draws.choice(workers), signal.SIGKILL)
                    done += 1
        if process.returncode:
            raise SystemExit(f"dask: exit code {process.returncode}")
        return state(out), done


def begun(out: Path) -> bool:
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
