"""Hostile calls of command line, library and stranger's files: what must not happen is counted.

    python verify/hostile.py [--calls N] [--seed S] [--only KIND] [--json FILE]

Every call is drawn from its number and the seed (``hostile_calls.py``), and runs in a forked child
of a process that has imported everything, in a folder of its own, with a limit on processor time,
wall time and memory. Counted are

    signals     the child died of one            tracebacks  of Python, on stderr
    hangs       no end within 30 s               codes       an exit code that is not one of those
    verdicts    HOLDS of what is false, VIOLATED of what is true: the true value has a closed form
    lines       a refusal that is not one line, or, of a user's file, does not name its line
    lost        of a damaged file: what went on from it ended with another result

beside the calls themselves and how many of them were refused (exit code 2). Where more processes
run than there are cores, 30 s are so many times longer. A run that says on stderr how many
gradients it costs, and goes on, is no hang.

Exit code 0 if all are 0, else 1. A call that is red is printed with its number: ``--first NUMBER
--calls 1`` makes it again.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import importlib
import io
import json
import os
import pathlib
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from hostile_calls import KINDS, Call, drawn
from hostile_files import LOST, prepared

WALL, PROCESSOR, MEMORY, FILE = 30.0, 20, 5 << 30, 64 << 20
PRICED = "gradients; Ctrl-C ends it"
COUNTED = ("signals", "tracebacks", "hangs", "codes", "verdicts", "lines", "lost")


def imported() -> None:
    """Import what the calls need, and use it once: a child starts with all of it."""
    for name in ("compare", "constants", "falsify", "run", "verify"):
        importlib.import_module(f"theorylab.commands.{name}.work")
    importlib.import_module("theorylab.commands.list.catalogue")
    from theorylab.kernels import set_threads
    from theorylab.verdicts.catalogue import code_hash

    set_threads(1)
    code_hash()


def child(call: Call, folder: pathlib.Path) -> None:
    """Make the call and end the process with its exit code; never returns."""
    code = 99
    try:
        os.chdir(folder)
        for number, name in ((1, "out"), (2, "err")):
            target = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(target, number)
        resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR, PROCESSOR + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE, FILE))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.stdout = io.TextIOWrapper(io.FileIO(1, "w"))
        sys.stderr = io.TextIOWrapper(io.FileIO(2, "w"), line_buffering=True)
        code = call.make(folder)
    except BaseException:
        traceback.print_exc()
    with contextlib.suppress(BaseException):
        sys.stdout.flush()
    os._exit(code)


def made(call: Call) -> tuple[list[str], bool, float]:
    """(what was wrong with the call, whether it was refused, its seconds)."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="hostile-"))
    began = time.monotonic()
    try:
        pid = os.fork()
        if pid == 0:
            child(call, folder)
        crowd = os.getloadavg()[0] / (os.cpu_count() or 1)  # a busy machine is no hang
        status, hung = waited(pid, began + WALL * max(1.0, crowd))
        seconds = time.monotonic() - began
        out, err = ((folder / name).read_text("utf-8", "replace") for name in ("out", "err"))
        refused = os.WIFEXITED(status) and os.WEXITSTATUS(status) == 2
        return judged(call, status, hung, out, err), refused, seconds
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def waited(pid: int, deadline: float) -> tuple[int, bool]:
    """(wait status, whether it had to be killed)."""
    pause = 0.001
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status, False
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            return os.waitpid(pid, 0)[1], True
        time.sleep(pause)
        pause = min(0.05, 2 * pause)


def judged(call: Call, status: int, hung: bool, out: str, err: str) -> list[str]:
    """The names, of ``COUNTED``, of what was wrong."""
    over = hung or (os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU,))
    if over:  # a run that has told its price is an honest question that takes hours
        return [] if PRICED in err else ["hangs"]
    if os.WIFSIGNALED(status):
        return ["signals"]
    code = os.WEXITSTATUS(status)
    wrong = []
    if "Traceback (most recent call last)" in err:
        wrong.append("tracebacks")
    if code == LOST:
        wrong.append("lost")
    elif code not in call.codes:
        wrong.append("codes")
    refusals = [line for line in err.splitlines() if line.startswith("theorylab: ")]
    if code == 2 and call.line is not None and (len(refusals) != 1 or call.line not in err):
        wrong.append("lines")
    if call.wrong and any(f'"verdict": "{verdict}"' in out for verdict in call.wrong):
        wrong.append("verdicts")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=1200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", choices=sorted(KINDS))
    parser.add_argument("--json", type=pathlib.Path)
    asked = parser.parse_args()
    began = time.monotonic()
    imported()
    if asked.only in (None, "damaged"):
        prepared()
    counts: dict[str, collections.Counter[str]] = {kind: collections.Counter() for kind in KINDS}
    red: list[dict[str, Any]] = []
    slowest = 0.0
    for number in range(asked.first, asked.first + asked.calls):
        call = drawn(asked.seed, number, asked.only)
        wrong, refused, seconds = made(call)
        slowest = max(slowest, seconds)
        counts[call.kind]["calls"] += 1
        counts[call.kind]["refused"] += refused
        counts[call.kind].update(wrong)
        if wrong:
            red.append({"number": number, "wrong": wrong, "kind": call.kind, "call": call.text})
            print(f"{number} {call.kind}: {', '.join(wrong)}: {call.text[:300]!r}", flush=True)
    columns = ("calls", "refused", *COUNTED)
    print(f"{'':10}" + "".join(f"{name:>11}" for name in columns))
    total = sum(counts.values(), collections.Counter())
    for kind, row in [*counts.items(), ("all", total)]:
        print(f"{kind:10}" + "".join(f"{row[name]:11}" for name in columns))
    print(f"seed {asked.seed}, slowest {slowest:.1f} s, {time.monotonic() - began:.0f} s in all")
    if asked.json is not None:
        from theorylab.report.atomic import write_named

        table = {kind: dict(row) for kind, row in counts.items()}
        write_named(asked.json, json.dumps({"counts": table, "red": red}, indent=1) + "\n")
    return 1 if red else 0


if __name__ == "__main__":
    sys.exit(main())
