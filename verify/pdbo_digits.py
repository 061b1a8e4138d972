"""Personalised digits over networks: test accuracy as in Tables 1 and 4 of the PDBO paper.

    python verify/pdbo_digits.py [--networks sto-u,sto-d] [--clients N] [--seeds R] [--out DIR]

Every entry is the mean over seeds of the test accuracy, averaged over clients with weights
proportional to their test data, and of its 10th percentile over clients, each with half of
Student's 95 % interval. All rows have one data split (Dirichlet .4; 60 % of each client's data to
train, 20 % to validate, 20 % to test), one number of rounds, and one set of step sizes to choose
from. A baseline's step size is the one with its own best mean validation accuracy; PDBO gets no
choice, it has that of SGP (PDBO-DA) or of the uniform ensemble (the others). HGP's series has a
smaller step of its own: at the step that trains best it diverges.

    SGP, SGP-MTL       one model, or K with equal weights: PDBO-DA's and PDBO-MTL's first training
    Local, Local-MTL   the same without messages
    FedAvg+            SGP on full communication, then an epoch on one's own data
    PDBO-...           Adam, Table 2's rates, at the outer step with the best validation accuracy

The paper's size is --clients 100 --rounds 600 --terms 200 --outer-steps 20 --batch 128.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from theorylab.hypergradients import PDBO, Bilevel, OuterSnapshot, at_selected, bilevel, pdbo
from theorylab.report.atomic import write_atomic
from theorylab.runs.summary import paired, student
from theorylab.topologies import Topology, topology

NETWORKS = {"fc": "complete", "fix-u": "fix-u", "sto-u": "sto-u", "sto-d": "sto-d"}
METHODS = {"pdbo-da": "PDBO-DA", "pdbo-mtl": "PDBO-MTL", "pdbo-mtl-da": "PDBO-MTL&DA"}
ROWS = ("SGP", "SGP-MTL", "Local", "Local-MTL", "FedAvg+", *METHODS.values())
SHOWN = ("test_accuracy", "test_accuracy_low")
Entry = dict[str, Any]


class Bench:
    """The problems, which all rows share, and the sizes."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given, self.runs = given, given.seeds
        data = {"partition": "dirichlet", "alpha": given.alpha, "batch": given.batch}
        self.problems: dict[str, Bilevel] = {
            name: bilevel(name, given.clients, model=given.model, **data) for name in METHODS
        }
        cuts = sorted({5 * given.rounds // 6, 11 * given.rounds // 12} - {0})
        self.plain = PDBO(outer_steps=0, terms=given.terms, drops=cuts, together=True)

    def trained(self, name: str, graph: Topology, method: PDBO, rounds: int = 0) -> OuterSnapshot:
        """The runs of one row, all seeds together."""
        total = rounds or self.given.rounds
        return pdbo(self.problems[name], graph, method, rounds=total, runs=self.runs, tell=say)

    def baseline(self, name: str, graph: Topology) -> Entry:
        """lambda = 0 with the step size that validation likes best."""
        best: Entry = {}
        for eta in self.given.steps:
            method = replace(self.plain, eta=eta)
            try:
                table = self.trained(name, graph, method).table
            except ValueError as error:  # this step size diverges
                say(f"{name} on {graph.name} with step {eta:g}: {error}")
                continue
            valid = float(table["validation_accuracy"].mean())
            if not best or valid > best["validation"]:
                best = {"validation": valid, "eta": eta} | {k: table[k][:, 0] for k in SHOWN}
        if not best:
            raise ValueError(
                f"{name} on {graph.name}: no step size of {self.given.steps} converges"
            )
        return best

    def tuned(self, graph: Topology, eta: float) -> Entry:
        """FedAvg+: the models of SGP, then an epoch at each client alone."""
        problem, method = self.problems["pdbo-da"], replace(self.plain, eta=eta)
        ids, rounds = np.arange(self.runs), self.given.rounds
        method = method.settled(problem, graph)
        start = method.init(problem, 0, ids)
        shared = method.train(problem, graph, start, rounds, 0, ids)
        sizes = problem.sizes_of("train")
        epoch = max(1, math.ceil(float(sizes.mean()) / self.given.batch))
        after = replace(start, s=1, z=shared.x, omega=np.ones_like(shared.omega))
        alone = replace(method, drops=(), eta=eta * method.drop ** len(method.drops))
        own = alone.train(problem, silent(self.given.clients), after, epoch, 0, ids)
        test = problem.sizes_of("test").astype(float)
        right = problem.accuracy(problem.points(own.x), problem.points(start.lam), part="test")
        mean = (right * test).sum(axis=1) / test.sum()
        return dict(zip(SHOWN, (mean, np.percentile(right, 10, axis=1)), strict=True)) | {
            "eta": eta, "epoch": epoch
        }  # fmt: skip

    def personalised(self, name: str, graph: Topology, eta: float) -> Entry:
        """A PDBO row: the outer step that validation selects, in each run."""
        static = graph.period == 1
        rates: dict[str, Any] = {  # Table 2
            "pdbo-da": 0.1,
            "pdbo-mtl": 1.0 if static else 0.1,
            "pdbo-mtl-da": {"components": 1.0 if static else 0.1, "labels": 0.1},
        }
        method = replace(
            self.plain, eta=eta, outer_steps=self.given.outer_steps, rate=rates[name],
            omega=self.given.omega, series_eta=self.given.series,
        )  # fmt: skip
        table = self.trained(name, graph, method).table
        steps = table["validation_accuracy"].argmax(axis=1).tolist()
        curves = {k: table[k].mean(axis=0).tolist() for k in ("outer_loss", "test_accuracy")}
        return {k: at_selected(table)[k] for k in SHOWN} | {
            "eta": eta, "steps": steps, "curves": curves
        }  # fmt: skip


def silent(clients: int) -> Topology:
    """No messages: every client keeps its own."""
    return topology("edge-list", clients, edges=[], weights="uniform", allow_disconnected=True)


def measured(bench: Bench, networks: list[str]) -> dict[str, dict[str, Entry]]:
    """Entries by network and row; a row that cannot run on a network is not there."""
    n = bench.given.clients
    alone = {
        row: bench.baseline(name, silent(n))
        for row, name in (("Local", "pdbo-da"), ("Local-MTL", "pdbo-mtl"))
    }
    found: dict[str, dict[str, Entry]] = {}
    for network in networks:
        graph, began = topology(NETWORKS[network], n), time.monotonic()
        here = {row: bench.baseline(name, graph) for row, name in
                (("SGP", "pdbo-da"), ("SGP-MTL", "pdbo-mtl"))} | alone  # fmt: skip
        if network == "fc":
            here["FedAvg+"] = bench.tuned(graph, here["SGP"]["eta"])
        for name, row in METHODS.items():
            eta = here["SGP" if name == "pdbo-da" else "SGP-MTL"]["eta"]
            try:
                here[row] = bench.personalised(name, graph, eta)
            except ValueError as error:
                here[row] = {"failed": str(error)}
                say(f"{row} on {network}: {error}")
            say(f"{row} on {network}: {time.monotonic() - began:.0f} s")
        found[network] = here
    return found


def half(values: Any) -> str:
    """``95.1 +- 0.4`` in percent."""
    mean, low, high = student(100 * np.asarray(values))
    return f"{mean:.1f}" + (f" ± {(high - low) / 2:.1f}" if math.isfinite(low) else "")


def cell(entry: Entry | None) -> str:
    if entry is None:
        return "n/a"
    return "failed" if "failed" in entry else " / ".join(half(entry[k]) for k in SHOWN)


def gained(entry: Entry, base: Entry) -> str:
    """Paired difference of the mean accuracy, in points."""
    if "failed" in entry:
        return "failed"
    made = paired(100 * entry[SHOWN[0]], 100 * base[SHOWN[0]])
    return f"{made.mean:+.1f} [{made.low:+.1f}, {made.high:+.1f}]"


def shown(found: dict[str, dict[str, Entry]], title: str) -> Table:
    """Tables 1 and 4."""
    table = Table(title=title, title_justify="left")
    table.add_column("method")
    for network in found:
        table.add_column(f"{network}: mean / 10 %", justify="right")
    for row in ROWS:
        if any(row in entries for entries in found.values()):
            table.add_row(row, *(cell(entries.get(row)) for entries in found.values()))
    return table


def gains(found: dict[str, dict[str, Entry]]) -> Table:
    """What PDBO adds to the mean, paired by seed: to SGP, and to its own training at lambda = 0."""
    table = Table(title="points gained, with 95 % intervals of the pairs", title_justify="left")
    table.add_column("method")
    for network in found:
        table.add_column(f"{network}: on SGP", justify="right")
        table.add_column("on lambda = 0", justify="right")
    for name, row in METHODS.items():
        cells = []
        for entries in found.values():
            start = entries["SGP" if name == "pdbo-da" else "SGP-MTL"]
            cells += [gained(entries[row], entries["SGP"]), gained(entries[row], start)]
        table.add_row(row, *cells)
    return table


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
        PDBO(
            outer_steps=given.outer_steps, omega=given.omega, series_eta=given.series
        )  # refused now, not in an hour
        bench = Bench(given)
        if given.out is not None:
            given.out.mkdir(parents=True, exist_ok=True)
        found = measured(bench, given.networks)
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
        content = {"options": options, "found": found}
        text = json.dumps(content, indent=1, default=lambda values: values.tolist())
        write_atomic(given.out / "pdbo_digits.json", text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
