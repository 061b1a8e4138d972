"""Personalised digits over networks: test accuracy as in Tables 1 and 4 of the PDBO paper.

    python verify/pdbo_digits.py [--networks sto-u,sto-d] [--clients N] [--seeds R] [--out DIR]

Every entry is the mean over seeds of the test accuracy, averaged over clients with weights
proportional to their test data, and of its 10th percentile over clients, each with half of
Student's 95 % interval. All rows have one data split: Dirichlet .4; 60 % of each client's data to
train, 20 % to validate, 20 % to test. ``theorylab.hypergradients.TableRows`` says what each row is,
and how its step size is chosen.

The paper's size is --clients 100 --rounds 600 --terms 200 --outer-steps 20 --batch 128.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from theorylab.hypergradients import METHODS, TABLE_ROWS, Entry, TableRows
from theorylab.report.atomic import write_atomic
from theorylab.runs.summary import paired, student
from theorylab.topologies import topology

NETWORKS = {"fc": "complete", "fix-u": "fix-u", "sto-u": "sto-u", "sto-d": "sto-d"}
Found = dict[str, dict[str, Entry | None]]  # by network and row; None: the row failed


def measured(rows: TableRows, networks: list[str], clients: int, seeds: int) -> Found:
    """Entries by network and row; a row that cannot run on a network is not there."""
    found: Found = {}
    for network in networks:
        graph, began = topology(NETWORKS[network], clients), time.monotonic()
        here: dict[str, Entry | None] = {}
        for row in TABLE_ROWS:
            if row == "FedAvg+" and network != "fc":
                continue
            try:
                here[row] = rows.entry(row, graph, range(seeds))
            except ValueError as error:
                if row not in METHODS:
                    raise
                here[row] = None
                say(f"{row} on {network}: {error}")
            say(f"{row} on {network}: {time.monotonic() - began:.0f} s")
        found[network] = here
    return found


def half(values: Any) -> str:
    """``95.1 +- 0.4`` in percent."""
    mean, low, high = student(100 * np.asarray(values))
    return f"{mean:.1f}" + (f" ± {(high - low) / 2:.1f}" if math.isfinite(low) else "")


def cell(entries: dict[str, Entry | None], row: str) -> str:
    if row not in entries:
        return "n/a"
    entry = entries[row]
    return "failed" if entry is None else f"{half(entry.accuracy)} / {half(entry.low)}"


def gained(entry: Entry | None, base: Entry | None) -> str:
    """Paired difference of the mean accuracy, in points."""
    if entry is None or base is None:
        return "failed"
    made = paired(100 * entry.accuracy, 100 * base.accuracy)
    return f"{made.mean:+.1f} [{made.low:+.1f}, {made.high:+.1f}]"


def shown(found: Found, title: str) -> Table:
    """Tables 1 and 4."""
    table = Table(title=title, title_justify="left")
    table.add_column("method")
    for network in found:
        table.add_column(f"{network}: mean / 10 %", justify="right")
    for row in TABLE_ROWS:
        if any(row in entries for entries in found.values()):
            table.add_row(row, *(cell(entries, row) for entries in found.values()))
    return table


def gains(found: Found) -> Table:
    """What PDBO adds to the mean, paired by seed: to SGP, and to its own training at lambda = 0."""
    table = Table(title="points gained, with 95 % intervals of the pairs", title_justify="left")
    table.add_column("method")
    for network in found:
        table.add_column(f"{network}: on SGP", justify="right")
        table.add_column("on lambda = 0", justify="right")
    for row in METHODS:
        cells = []
        for entries in found.values():
            start = entries["SGP" if row == "PDBO-DA" else "SGP-MTL"]
            cells += [gained(entries[row], entries["SGP"]), gained(entries[row], start)]
        table.add_row(row, *cells)
    return table


def kept(entries: dict[str, Entry | None]) -> dict[str, Any]:
    """Entries as plain data."""
    return {row: None if each is None else asdict(each) for row, each in entries.items()}


def say(line: str) -> None:
    """Progress, on stderr."""
    print(line, file=sys.stderr, flush=True)


def parsed() -> argparse.Namespace:
    """The command line; exit 2 on bad input."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--networks", default="sto-u,sto-d", help=f"of {', '.join(NETWORKS)}")
    parser.add_argument("--model", default="softmax", help="softmax, mlp or cnn")
    parser.add_argument("--steps", default=".05,.25,1", help="inner step sizes to choose from")
    parser.add_argument("--series", type=float, default=0.1, help="step of HGP's series: see PDBO")
    parser.add_argument("--omega", default="mean", help="realised or mean: see PDBO")
    parser.add_argument("--alpha", type=float, default=0.4, help="of the Dirichlet split")
    for name, size, text in (
        ("clients", 20, "n"),
        ("seeds", 3, "runs of every row"),
        ("outer-steps", 20, "S"),
        ("rounds", 300, "T"),
        ("terms", 100, "M"),
        ("batch", 32, "samples a minibatch"),
    ):
        parser.add_argument(f"--{name}", type=int, default=size, help=text)
    parser.add_argument("--out", type=Path, help="folder for pdbo_digits.json")
    given = parser.parse_args()
    for name, least in (("clients", 2), ("seeds", 2), ("rounds", 1), ("terms", 1), ("batch", 1)):
        if getattr(given, name) < least:
            parser.error(f"--{name} is {getattr(given, name)}; need at least {least}")
    try:
        given.steps = [float(text) for text in given.steps.split(",")]
    except ValueError:
        parser.error(f"--steps is {given.steps!r}; need numbers, such as .05,.25,1")
    given.networks = [name.strip() for name in given.networks.split(",")]
    for name in given.networks:
        if name not in NETWORKS:
            parser.error(f"--networks: {name!r}; need some of {', '.join(NETWORKS)}")
    return given


def main() -> int:
    """Print the table; exit 2 on bad input."""
    given = parsed()
    try:
        data = {"partition": "dirichlet", "alpha": given.alpha, "batch": given.batch}
        rows = TableRows(
            given.clients, {**data, "model": given.model}, rounds=given.rounds,
            terms=given.terms, outer_steps=given.outer_steps, steps=given.steps,
            series=given.series, omega=given.omega, descent="flag", tell=say,
        )  # fmt: skip
        if given.out is not None:
            given.out.mkdir(parents=True, exist_ok=True)
        found = measured(rows, given.networks, given.clients, given.seeds)
    except (ValueError, TypeError, OSError) as error:
        say(f"pdbo_digits: {error}")
        return 2
    title = (
        f"digits, {given.model}, Dirichlet {given.alpha:g} over {given.clients} clients, "
        f"{given.seeds} seeds: test accuracy, %"
    )
    console = Console(width=None if sys.stdout.isatty() else 160)
    console.print(shown(found, title))
    console.print(gains(found))
    if given.out is not None:
        options = {k: v for k, v in vars(given).items() if k != "out"}
        content = {"options": options, "found": {k: kept(v) for k, v in found.items()}}
        text = json.dumps(content, indent=1, default=lambda values: values.tolist())
        write_atomic(given.out / "pdbo_digits.json", text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
