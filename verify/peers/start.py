"""What a command costs before it works: processor time of fresh processes, imports included."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from typing import Any

from rich.table import Table

from theorylab.bench._measure import machine, median

_CLI = "from theorylab.cli import main; main()"
COMMANDS = {  # what runs, and its seconds at most
    "theorylab --help": ((_CLI, "--help"), None),
    "theorylab list": ((_CLI, "list"), 0.4),
    "a mistyped id": ((_CLI, "verify", "dfedpgp.thm11"), 0.3),
    "import theorylab.verdicts": (("import theorylab.verdicts",), 1.0),
    "verify a cheap id": ((_CLI, "verify", "dfedsgpsm.lem4_weight"), 1.6),
    "a worker of verify --jobs": (
        ("import joblib.externals.loky, theorylab.commands.verify.work",),
        1.6,
    ),
    "peer: import numpy, sympy": (("import numpy, sympy",), None),
}


def run(quick: bool = False) -> dict[str, Any]:
    """Run each command in turns, one thread each, and return a JSON-able record."""
    seconds: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for turn in range(2 if quick else 8):
        for name, (words, _) in COMMANDS.items():
            used = _processor_seconds(words)
            if turn:  # the first turn warms the disk
                seconds[name].append(used)
    cases = [
        {"name": name, "seconds": median(seconds[name]), "least": min(seconds[name]), "target": aim}
        for name, (_, aim) in COMMANDS.items()
    ]
    return {"bench": "start", "quick": quick, "machine": machine(), "cases": cases}


def _processor_seconds(words: tuple[str, ...]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-P", "-c", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=_environment(),
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _environment() -> dict[str, str]:
    """One thread, and bytecode kept, as of an installed package: else each start compiles anew."""
    kept = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def render(record: dict[str, Any]) -> Table:
    """A row a command."""
    table = Table(title="start: seconds of processor time" + " (quick)" * record["quick"])
    for heading in ("command", "median", "least", "at most"):
        table.add_column(heading)
    for case in record["cases"]:
        aim = "" if case["target"] is None else f"{case['target']:g}"
        table.add_row(case["name"], f"{case['seconds']:.2f}", f"{case['least']:.2f}", aim)
    return table
