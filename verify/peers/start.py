"""What a command costs before it works: processor time of fresh processes, imports included."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from theorylab.bench._measure import machine, median
from theorylab.bench._process import CLI, spent
from theorylab.bench._targets import target

PEER = "import numpy, sympy"
COMMANDS = {  # row -> words of the interpreter
    "theorylab --help": ("-c", CLI, "--help"),
    "theorylab list": ("-c", CLI, "list"),
    "a mistyped id": ("-c", CLI, "verify", "dfedpgp.thm11"),
    # the package alone imports nothing of it
    "import theorylab.verdicts": ("-c", "from theorylab.verdicts import judge"),
    "verify a cheap id": ("-c", CLI, "verify", "dfedsgpsm.lem4_weight"),
    "a worker of verify --jobs": (
        "-c",
        "import joblib.externals.loky, theorylab.commands.verify.work",
    ),
    PEER: ("-c", PEER),
}


def run(quick: bool = False) -> dict[str, Any]:
    """Run each command in turns, one thread each, and return a JSON-able record."""
    seconds: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for turn in range(2 if quick else 8):
        for name, words in COMMANDS.items():
            used = spent(words, codes=(0, 2)).processor
            if turn:  # the first turn warms the disk
                seconds[name].append(used)
    cases = [
        {
            "name": name,
            "seconds": median(seconds[name]),
            "least": min(seconds[name]),
            "target": target(name, "seconds"),
        }
        for name in COMMANDS
    ]
    return {"bench": "start", "quick": quick, "machine": machine(), "cases": cases}


def render(record: dict[str, Any]) -> Table:
    """A row a command."""
    table = Table(title="start: seconds of processor time" + " (quick)" * record["quick"])
    for heading in ("command", "median", "least", "at most"):
        table.add_column(heading)
    for case in record["cases"]:
        aim = "" if case["target"] is None else f"{case['target']:g}"
        table.add_row(case["name"], f"{case['seconds']:.2f}", f"{case['least']:.2f}", aim)
    return table
