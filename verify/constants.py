"""Constants at scale: time, peak memory and error of one case, each measured in its own process.

    python verify/constants.py [regular|exponential|sequence|peer ...]

regular      |lambda_2| of a random 8-regular graph, Metropolis weights, 100,000 clients;
             beside Friedman's edge of the spectrum
exponential  |lambda_2| of the static exponential graph, 1,000,000 clients, by the same path;
             checked against the eigenvalues of the circulant
sequence     (C, q) of a random 10-out sequence, 500 clients, horizon 200
peer         |lambda_2| of directed graphs, 1000 and 10,000 clients, beside scipy's `eigs` on P:
             both values, and the time of `eigs` over ours, CPU seconds, the median of the runs
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

LIMITS = {
    "regular": (60, 2.0),
    "exponential": (120, 4.0),
    "sequence": (60, 4.0),
    "peer": (120, 2.0),
}
PEERS = (  # topology, clients, runs, eigenvalues that eigs is asked for
    ("random-out", 1000, 7, 2),
    ("random-out", 1000, 7, 6),
    ("directed-exponential", 1000, 7, 2),
    ("random-out", 10_000, 1, 20),
)


def regular() -> None:
    import networkx

    from theorylab.constants import constants_of

    graph = networkx.random_regular_graph(8, 100_000, seed=1)
    print(f"  the graph itself: {_used()}", flush=True)
    known = constants_of(graph)["lambda2"]
    print(f"  |lambda_2| = {known.value:.12f}  {known.source}")
    A = networkx.to_scipy_sparse_array(graph, dtype=float)
    print(f"  Friedman's edge of the spectrum (1 + 2 sqrt 7) / 9 = {(1 + 2 * 7**0.5) / 9:.12f}")
    print(f"  degrees {int(A.sum(axis=0).min())}..{int(A.sum(axis=0).max())}")


def exponential() -> None:
    from theorylab.constants import lambda2
    from theorylab.topologies import topology

    n = 1_000_000
    built = topology("directed-exponential", n)
    print(f"  the graph itself: {_used()}", flush=True)
    known = lambda2(built.matrix(0))
    print(f"  |lambda_2| = {known.value:.12f}  {known.source}", flush=True)
    print(f"  without the check: {_used()}", flush=True)
    column = np.zeros(n)  # the first column of a circulant: its FFT is the spectrum
    for receiver in {0, *(2**k for k in range((n - 1).bit_length()))}:
        column[receiver] = 1
    exact = np.sort(np.abs(np.fft.fft(column)))[-2] / column.sum()
    print(f"  closed form  {exact:.12f}  off by {abs(known.value - exact):.2g}")


def sequence() -> None:
    from theorylab.constants import consensus_pairs
    from theorylab.topologies import topology

    for norm, (C, q) in consensus_pairs(topology("random-out", 500, degree=10), 200).items():
        print(f"  {norm:9s} C = {C.value:.6g}  q = {q.value:.6f}  {C.source}")


def peer() -> None:
    from scipy.sparse.linalg import eigs

    from theorylab.constants import lambda2
    from theorylab.topologies import topology

    for name, n, runs, k in PEERS:
        P = topology(name, n).matrix(0)
        ours, theirs = [], []
        for run in range(runs):
            # The start is ours: eigs draws another one at every call, and its answers differ.
            start = np.random.default_rng(run).standard_normal(n)
            begun = time.process_time()
            known = lambda2(P)
            between = time.process_time()
            values = eigs(P, k=k, v0=start, return_eigenvectors=False)
            ours.append(between - begun)
            theirs.append(time.process_time() - between)
        second = np.sort(np.abs(values))[-2]
        print(f"  {name}, {n} clients: {known.value:.12f} ({known.how.value}); {known.source}")
        print(f"    eigs(k={k}) {second:.12f}, of the last run")
        seconds = float(np.median(ours)), float(np.median(theirs))
        ratio = f"eigs over ours {seconds[1] / seconds[0]:.2f}"
        print(f"    {seconds[0]:.3f} s beside {seconds[1]:.3f} s: {ratio}", flush=True)


CASES: dict[str, Callable[[], None]] = {
    "regular": regular,
    "exponential": exponential,
    "sequence": sequence,
    "peer": peer,
}


def _used() -> str:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    gib = usage.ru_maxrss / 2**20  # KiB on Linux
    return f"{time.perf_counter() - STARTED:.1f} s, {usage.ru_utime:.1f} s of CPU, {gib:.2f} GiB"


def main(arguments: list[str]) -> int:
    unknown = [name for name in arguments if name not in CASES]
    if unknown:
        print(f"constants: no case {unknown[0]!r}; need one of {', '.join(CASES)}", file=sys.stderr)
        return 2
    if len(arguments) == 1:
        CASES[arguments[0]]()
        seconds, gib = LIMITS[arguments[0]]
        print(f"  in all: {_used()}; asked: {seconds} s, {gib} GiB")
        return 0
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for name in arguments or list(CASES):
        print(f"{name}:", flush=True)
        code = subprocess.run([sys.executable, __file__, name], check=False).returncode
        if code:
            return code
    return 0


STARTED = time.perf_counter()

if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
