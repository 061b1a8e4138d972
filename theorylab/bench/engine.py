"""Local steps and whole rounds of them against NumPy, whole-array and by client, and torch.func.

And what the columns of a run cost, and how cost grows.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from theorylab.algorithms import DFedSGPSM
from theorylab.bench._checkout import ABSENT, beside, threads, torch_here
from theorylab.bench._measure import interleaved, machine, median
from theorylab.bench._peers import (
    ALPHA,
    BATCH,
    ETA,
    RHO,
    SEED,
    STEPS,
    logistic_loop,
    quadratic_loop,
)
from theorylab.bench._run_cost import metrics, whole
from theorylab.bench._step_peers import steps_of
from theorylab.kernels import Stream, get_threads
from theorylab.problems import Problem, names, problem
from theorylab.runs import simulate
from theorylab.topologies import topology

Array = NDArray[Any]
THREADS, ROUNDS = 2, 7
LOGISTIC = {"runs": 8, "clients": 100, "dim": 784, "rows": 600}
QUICK_LOGISTIC = {"runs": 2, "clients": 10, "dim": 784, "rows": 60}
TARGETS = {  # at least; metrics and mlp: at most
    "rounds": 2.0,
    "logistic: numpy loop": 10.0,
    "logistic: torch.func": 3.0,
    "quadratic: numpy loop": 50.0,
    "metrics share": 0.10,
    "mlp seconds": 120.0,
}


def run(quick: bool = False) -> dict[str, Any]:
    """Measure with two threads for everybody and return a JSON-able record.

    Everybody draws its minibatches or noise inside the timed part, each with its own library's
    generator. Before that, all make one round from the same draws, and their models agree to
    rounding, or this raises AssertionError.

    Args:
        quick: small sizes and 2 rounds; shows that it runs, not how fast it is.

    Returns a record whose cases have ``client_steps`` of a call, ``seconds[name]`` (median),
    ``spread``, ``speedup`` over ours, ``flops`` and ``bytes`` (the least of a call).
    """
    with threads(THREADS):
        rounds = 2 if quick else ROUNDS
        logistic = QUICK_LOGISTIC if quick else LOGISTIC
        losses = logistic_clients(**{k: v for k, v in logistic.items() if k != "runs"})
        cases = [
            _case("logistic", losses, logistic["runs"], rounds),
            _case("quadratic", *_quadratic(quick), rounds),
        ]
        return {
            "bench": "engine",
            "quick": quick,
            "machine": machine(),
            "targets": TARGETS,
            "cases": cases,
            "rounds": whole(losses, logistic["runs"], 2 if quick else 10, rounds, _cancellation),
            "metrics": metrics(losses, logistic["runs"], quick),
            "growth": _growth(quick),
            "mlp": _mlp(quick),
            "absent": ABSENT if beside("steps") is None else "",
        }


def logistic_clients(clients: int, dim: int, rows: int) -> Problem:
    """``rows`` standard normal samples a client, labels from one random direction.

    Features are float32 numbers, as images and most data sets are; everybody computes in float64.
    """
    draws = Stream(SEED, "problem")
    X = draws.normal(1, clients, 0, 0, rows * dim)[0].reshape(clients * rows, dim)
    X = X.astype(np.float32).astype(np.float64)
    labels = (X @ draws.normal(1, 1, 1, 0, dim)[0, 0] > 0).astype(np.int64)
    owners = np.repeat(np.arange(clients), rows)
    return problem("logistic", clients, features=X, labels=labels, owners=owners, batch=BATCH)


def _quadratic(quick: bool) -> tuple[Problem, int]:
    return problem("quadratic", 16, dim=20, sigma=1.0), 8 if quick else 64


def _case(name: str, losses: Problem, runs: int, rounds: int) -> dict[str, Any]:
    n, d = losses.clients, losses.dim
    x, w = _state(losses, runs)
    same = _contestants(losses, x, w, shared=True)
    made = {key: np.asarray(function()) for key, function in same.items()}
    worst = max(_cancellation(losses, point, w) for point in (x, made["theorylab"]))
    allowed = 4096 * np.finfo(float).eps * worst
    for key, models in made.items():
        gap = np.abs(models - made["theorylab"]).max() / np.abs(made["theorylab"]).max()
        assert gap <= allowed, f"bench engine: {key} is off by {gap:.1e}, allowed {allowed:.1e}"
    functions = _contestants(losses, x, w, shared=False)
    seconds = interleaved(functions, rounds)
    medians = {key: median(values) for key, values in seconds.items()}
    steps, gradients = runs * n * STEPS, 2 * runs * n * STEPS
    flops, least = gradients * 2 * d * d, 2 * x.nbytes + n * d * d * 8
    if name == "logistic":
        sizes = np.asarray(vars(losses)["sizes"])
        distinct = -sizes * np.expm1(runs * STEPS * BATCH * np.log1p(-1 / sizes))  # expected
        flops, least = gradients * 4 * BATCH * d, int(distinct.sum() * d * 4)
    return {
        "name": name,
        "runs": runs,
        "clients": n,
        "dim": d,
        "client_steps": steps,
        "flops": flops,
        "bytes": least,
        "seconds": medians,
        "spread": {key: [min(values), max(values)] for key, values in seconds.items()},
        "speedup": {key: value / medians["theorylab"] for key, value in medians.items()},
    }


def _state(losses: Problem, runs: int) -> tuple[Array, Array]:
    draws = Stream(SEED, "init")
    x = 0.1 * draws.normal(runs, losses.clients, 0, 0, losses.dim)
    w = 0.5 + draws.uniform(1, losses.clients, 0, 1)[:, :, 0]
    return x, np.repeat(w, runs, axis=0)  # one network: the weights of all runs are equal


def _cancellation(losses: Problem, x: Array, w: Array) -> float:
    """How much larger than a gradient its summands are, at most, at these models.

    SAM divides by the gradient's norm, so the few thousand roundings of a round (sums of a few
    hundred terms, five steps of size < 1) count this much more.
    """
    ids = np.arange(len(x))
    sample = losses.sample(SEED, ids, 0, 0)
    g = losses.stochastic_gradient(x / w[:, :, None], sample)
    rows = vars(losses).get("features")
    size = np.abs(g).max() if rows is None else np.linalg.norm(rows, axis=1).max()
    return float(max(1.0, size / np.linalg.norm(g, axis=2).min()))


def _contestants(losses: Problem, x: Array, w: Array, shared: bool) -> dict[str, Callable[[], Any]]:
    """Each makes one round of local steps of all clients and returns the models (R, n, d).

    shared: from the draws of theorylab, made beforehand; else each draws for itself.
    """
    ids = np.arange(len(x))
    samples = [losses.sample(SEED, ids, 0, k) for k in range(STEPS)] if shared else None

    def ours() -> Array:
        after = losses.local_steps(
            x, w, SEED, ids, 0, steps=STEPS, counts=None, eta=ETA, alpha=ALPHA, rho=RHO
        )
        assert after is not None
        return after

    loop = quadratic_loop if losses.name == "quadratic" else logistic_loop
    made = {"theorylab": ours, "numpy": _at_once(losses, x, w, samples)}
    made["numpy loop"] = lambda: loop(losses, x, w, samples)
    peers = beside("steps")
    if losses.name == "logistic" and peers is not None and torch_here() is not None:
        made["torch.func"] = peers.torch_logistic(losses, x, w, samples)
    return made


def _at_once(losses: Problem, x: Array, w: Array, samples: list[Any] | None) -> Callable[[], Array]:
    """The whole-array steps; its weights are those of the first run, as all are in a round."""
    steps = steps_of(losses, len(x), get_threads())
    own = np.ascontiguousarray(x.transpose(1, 0, 2))
    given = samples and [np.ascontiguousarray(part.transpose(1, 0, 2)) for part in samples]
    return lambda: steps.after(own, w[0], given).transpose(1, 0, 2)


def _growth(quick: bool) -> dict[str, dict[str, Any]]:
    """Seconds at one, two and four times R, n, d, K, and the slope of log time: 1 is linear."""
    base = {"R": 4, "n": 20, "d": 256, "K": 4}
    made: dict[str, dict[str, Any]] = {}
    for name in base:
        sizes = [{**base, name: base[name] * 2**e} for e in range(2 if quick else 3)]
        tables = [logistic_clients(s["n"], s["d"], 64) for s in sizes]
        functions = {
            str(s[name]): _steps_of(losses, s) for s, losses in zip(sizes, tables, strict=True)
        }
        seconds = interleaved(functions, 3 if quick else 15)
        times = [min(values) for values in seconds.values()]  # the least: noise only adds
        slope = float(np.polyfit(np.log([s[name] for s in sizes]), np.log(times), 1)[0])
        made[name] = {"sizes": [s[name] for s in sizes], "seconds": times, "exponent": slope}
    return made


def _steps_of(losses: Problem, sizes: dict[str, int]) -> Callable[[], object]:
    x, w = _state(losses, sizes["R"])
    return lambda: losses.local_steps(
        x, w, SEED, np.arange(len(x)), 0,
        steps=sizes["K"], counts=None, eta=ETA, alpha=ALPHA, rho=RHO,
    )  # fmt: skip


def _mlp(quick: bool) -> dict[str, Any]:
    """An MLP on the digits: 20 clients, 100 rounds, 4 seeds; or why it was skipped."""
    if quick or "mlp" not in names():
        return {"skipped": "quick" if quick else "no problem is registered as mlp"}
    losses = problem("mlp", 20)
    start = time.perf_counter()
    method = DFedSGPSM(eta=ETA, alpha=ALPHA, rho=RHO, local_steps=STEPS)
    graph = topology("directed-exponential", 20)
    simulate(losses, graph, method, rounds=100, runs=4, seed=SEED, every=10)
    return {"seconds": time.perf_counter() - start, "dim": losses.dim}


def render(record: dict[str, Any]) -> Table:
    """One row for each case and contestant, then metrics, growth and the MLP."""
    facts = record["machine"]
    title = f"engine: {facts['threads']} threads, {facts['isa']}"
    table = Table(title=title + " (quick)" * record["quick"])
    for heading in ("case", "contestant", "median ms", "client-steps / s", "vs ours", "target"):
        table.add_column(heading)
    for case in record["cases"]:
        ours = case["seconds"]["theorylab"]
        label = f"{case['name']}: R={case['runs']} n={case['clients']} d={case['dim']}"
        for name, seconds in case["seconds"].items():
            target = record["targets"].get(f"{case['name']}: {name}")
            rate = f"{case['client_steps'] / seconds:,.0f}"
            times = f"{case['speedup'][name]:.2f}x"
            aim = "" if target is None else f"{target:g}x"
            table.add_row(label, name, f"{seconds * 1e3:.2f}", rate, times, aim)
            label = ""
        floor = f"{case['flops'] / ours / 1e9:.1f} Gflop/s, {case['bytes'] / ours / 1e9:.1f} GB/s"
        table.add_row("", f"ours: {floor} of the least", "", "", "", "", end_section=True)
    case = record["rounds"]
    label = f"DFedSGPSM rounds: R={case['runs']} n={case['clients']} d={case['dim']}"
    for name, seconds in case["seconds"].items():
        faster = f"{case['speedup'][name]:.2f}x"
        rate = f"{case['client_steps'] / seconds:,.0f}"
        aim = f"{record['targets']['rounds']:g}x" if name == "numpy" else ""
        table.add_row(label, name, f"{seconds * 1e3:.2f}", rate, faster, aim)
        label = ""
    table.add_section()
    for share in record["metrics"]:
        label = f"metrics of {share['name']}, every {share['every']} of {share['rounds']} rounds"
        ms = f"{share['record'] * 1e3:.3f}"
        table.add_row(label, "a record; share of a run", ms, "", f"{share['share']:.1%}", "10%")
    for name, growth in record["growth"].items():
        table.add_row(f"cost in {name}", "exponent", "", "", f"{growth['exponent']:.2f}", "1")
    if record["absent"]:
        table.add_row("peers", record["absent"])
    mlp = record["mlp"]
    text = mlp.get("skipped") or f"{mlp['seconds']:.1f} s"
    table.add_row("mlp on digits, n=20", "100 rounds, 4 seeds", "", "", text, "120 s")
    return table
