"""What a process of Python uses from its start to its end: of the processors and of the wall."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

CLI = "from theorylab.cli import main; main()"
_SCHED = 2  # which of a process's clocks Linux numbers (~pid << 3) | 2: of all of its threads


class Spent(NamedTuple):
    """Seconds of a process and its children; to its first line, of the process alone.

    output: what it wrote to stdout.
    """

    processor: float
    wall: float
    first_processor: float
    first_wall: float
    output: str


def spent(
    words: Sequence[str],
    *,
    checkout: Path | None = None,
    pinned: bool = True,
    first: bool = False,
    codes: Collection[int] = (0, 1, 4),
) -> Spent:
    """Run ``python -P WORDS`` to its end.

    Bytecode is kept, as of an installed package: else each start would compile anew. No results
    are kept.

    Args:
        words: the arguments of the interpreter, such as ``-c`` and a text.
        checkout: the folder whose theorylab it imports; None: that of this process.
        pinned: to one core, with one thread.
        first: whether its first line on stdout or stderr is waited for.
        codes: exit codes that it may end with: those of commands that judged.

    Raises:
        OSError: it ended with another one; with its last line.
    """
    core = min(os.sched_getaffinity(0))
    with tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as rest:
        began = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-P", *words],
            stdout=subprocess.PIPE if first else rest,
            stderr=subprocess.STDOUT if first else errors,
            env=_environment(checkout, pinned),
            preexec_fn=(lambda: os.sched_setaffinity(0, [core])) if pinned else None,
        )
        line, used, reached = b"", 0.0, 0.0
        if process.stdout is not None:
            line = process.stdout.readline()
            used, reached = _processor(process.pid), time.perf_counter() - began
            line += process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = code = os.waitstatus_to_exitcode(status)
        if process.stdout is not None:
            process.stdout.close()
        rest.seek(0)
        errors.seek(0)
        output = (line or rest.read()).decode(errors="replace")
        if code not in codes:
            last = (errors.read().decode(errors="replace") or output).strip().splitlines()[-1:]
            raise OSError(f"{' '.join(words[2:])}: exit code {code}: {''.join(last)}")
    return Spent(usage.ru_utime + usage.ru_stime, wall, used, reached, output)


def _processor(process: int) -> float:
    """Seconds that the threads of a process have used; 0 where it has ended."""
    try:
        return time.clock_gettime((~process << 3) | _SCHED)
    except OSError:
        return 0.0


def _environment(checkout: Path | None, pinned: bool) -> dict[str, str]:
    kept = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    kept["THEORYLAB_KEPT"] = ""
    if pinned:
        kept |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    if checkout is not None:
        kept["PYTHONPATH"] = str(checkout)
    return kept
