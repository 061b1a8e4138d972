"""A run of a million clients in a fresh process: its memory, and the time of a round."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

GIB, SECONDS = 2.0, 2.0  # at most: of the whole process, and of a round
_ROUNDS = (1, 2, 22)  # the first touches memory that the others find
_PROGRAM = """
import json, sys, time
from theorylab.algorithms import SGP
from theorylab.bench._peak import peak_kib
from theorylab.problems import problem
from theorylab.runs import simulate
from theorylab.topologies import topology

n, imports, seconds = int(sys.argv[1]), peak_kib(), []
losses = problem("quadratic", n, dim=10, sigma=1.0, seed=1)
graph = topology("random-out", n, degree=4, seed=1)
made = peak_kib()
for rounds in map(int, sys.argv[2:]):
    start = time.perf_counter()
    simulate(losses, graph, SGP(eta=0.05), rounds=rounds, every=rounds)
    seconds.append(time.perf_counter() - start)
print(json.dumps({"imports": imports, "problem": made, "kib": peak_kib(), "seconds": seconds}))
"""


def million(clients: int) -> dict[str, Any]:
    """Noisy quadratics, d = 10, random-out degree 4, the default columns at both ends.

    Returns ``bytes`` (peak resident memory of the process), ``imports`` and ``problem`` (the peak
    before the problem was made, and after), ``seconds`` of a round: a share of what
    twenty more rounds take. Raises CalledProcessError where the process fails.
    """
    done = subprocess.run(
        [sys.executable, "-P", "-c", _PROGRAM, str(clients), *map(str, _ROUNDS)],
        check=True, capture_output=True, text=True,
        env={**os.environ, "THEORYLAB_THREADS": "2"},
    )  # fmt: skip
    found = json.loads(done.stdout)
    _, few, many = found["seconds"]
    return {
        "clients": clients,
        "bytes": found["kib"] << 10,
        "imports": found["imports"] << 10,
        "problem": found["problem"] << 10,
        "seconds": (many - few) / (_ROUNDS[2] - _ROUNDS[1]),
        "whole": many,
    }


def row(found: dict[str, Any]) -> tuple[str, ...]:
    """A row of the table of rounds."""
    gib, imports = found["bytes"] / 2**30, found["imports"] / 2**30
    return (
        f"n={found['clients']:,} R=1 d=10, noise: a fresh process",
        f"{found['seconds'] * 1e6:,.1f}",
        *3 * [""],
        f"<= {SECONDS:g} s, <= {GIB:g} GiB",
        f"{gib:.2f} GiB, {imports:.2f} of it imports",
    )
