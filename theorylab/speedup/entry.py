"""``speedup``: a study from names and options, in one call."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from theorylab.algorithms import ALGORITHMS
from theorylab.campaigns import Folder, Options
from theorylab.campaigns.campaign import backend_of
from theorylab.campaigns.schema import SPEEDUP
from theorylab.problems import PROBLEMS
from theorylab.speedup.keep import Cells, check_code
from theorylab.speedup.outcome import outcome
from theorylab.speedup.pattern import Pattern, kinds_of
from theorylab.speedup.protocol import (
    MAIN,
    MEASURES,
    Protocol,
    chosen_options,
    is_personal,
)
from theorylab.speedup.result import Speedup
from theorylab.speedup.study import BATCH, Say, Study
from theorylab.speedup.transient import exponents, transients

CLIENTS = (4, 8, 16, 32)
NETWORK = "directed-exponential"  # doubly stochastic, so that every method may use it
MOST_SEEDS = 4096
MOST_CLIENTS = 4096


def speedup(
    algorithm: str,
    *,
    problem: str = "quadratic",
    problem_options: Mapping[str, Any] | None = None,
    topology: str = NETWORK,
    topology_options: Mapping[str, Any] | None = None,
    clients: Sequence[int] = CLIENTS,
    options: Mapping[str, Any] | None = None,
    rounds: int | None = None,
    measure: str = "mean",
    step: str = "fixed",
    average: bool = False,
    claim: float = -1.0,
    target: float | None = None,
    ceiling: float | None = None,
    seeds: int = 128,
    seed: int = 0,
    full: bool = False,
    transient: bool = True,
    out: str | Path | None = None,
    jobs: int = 1,
    backend: str = "processes",
    scheduler: str | None = None,
    say: Say | None = None,
) -> Speedup:
    """Measure how the error of an algorithm falls with the number of clients.

    Client i of n has the loss of client i mod k, k fixed, so that f, its minimiser and the
    heterogeneity stay as n grows. Step sizes stay, too, and all n see the same seeds.

    Args:
        algorithm: a registered name.
        options: of the algorithm, in place of a study's own.
        problem: a registered name; of k clients, a kind each.
        problem_options: of the problem, in place of a study's own. Of a network also ``samples``:
            the first so many of its data.
        topology: the registered name of the network, built at every n.
        topology_options: of the topology.
        clients: rising; k is the largest number up to 4 that divides all of them.
        rounds: of every run; 512, or 256 of a regression and of a network.
        measure: "mean" is the squared gradient at the mean model, "clients" its mean over models,
            "deprl" the M(k) that DePRL's Theorem 1 is about.
        step: "sqrt" multiplies step sizes by sqrt(n / n_0); a text of n and T, the rounds, such as
            "sqrt(n/T)", is the step size itself.
        average: the mean over all rounds in place of the last one; where nothing is sampled.
        claim: the power p of n; "the error falls like n^p in this window" is judged.
        target: an error; rounds, gradients and messages to it are in the rows. Twice the error of
            the smallest n if omitted.
        ceiling: clips the error of every sampled run. Without one the first 8 runs choose where the
            others are clipped, and serve nothing else. The limits of the slope suppose no more.
        seed: of all runs.
        seeds: at most so many runs; they are added, 16 at once, until the claim is decided. Where
            rounds are affine with additive noise nothing is sampled.
        full: the sizes of dfedsgpsm's Appendix A and all data, of mlp and cnn.
        transient: also measure from how many rounds on a network no longer matters, with exact
            moments, at the step c sqrt(n / K) of theorems.
        out: a folder that keeps every cell, so that a study that was killed goes on.
        jobs, backend, scheduler: as of ``theorylab sweep``: cells are computed by so many processes
            beside this one, or with "dask" by the workers of a scheduler.
        say: told, in a line, of every cell that is done.

    Returns:
        A frozen ``Speedup``; ``table()`` has one row a number of clients.

    Raises:
        ValueError: one line, on bad input, or where a run diverges.

    >>> found = speedup("sgp", clients=[4, 8, 16], transient=False)
    >>> found.verdict.name, round(found.slope.centre, 1), found.exact
    ('HOLDS', -1.0, True)
    """
    began = time.monotonic()
    where = Options(jobs, backend, scheduler)
    sizes = checked_clients(clients)
    _check_numbers(rounds, seeds, seed, claim, target, ceiling)
    if measure not in MEASURES:
        raise ValueError(f"speedup: measure is {measure!r}; need one of {', '.join(MEASURES)}")
    usual = PROBLEMS.find(problem).study.rounds
    length = usual if rounds is None else rounds
    given = dict(options or {})
    chosen = {**(_full(problem) if full else {}), **(problem_options or {})}
    pattern = Pattern(problem, chosen, kinds_of(sizes))
    first = chosen_options(algorithm, pattern.name, given, length)
    if is_personal(algorithm, first):
        pattern = Pattern(problem, chosen, kinds_of(sizes), personal=True)
    if measure == "deprl" and algorithm != "deprl":
        raise ValueError(f"speedup: measure is 'deprl', and the algorithm {algorithm}; need deprl")
    protocol = Protocol(
        algorithm,
        chosen_options(algorithm, pattern.name, given, length),
        pattern,
        topology,
        dict(topology_options or {}),
        length,
        measure,
        step,
        sizes[0],
        16 if length == usual < 512 else 32,
        average,
        length,
    )
    for n in sizes:  # all that can be refused is refused before any work
        protocol.algorithm(n, MAIN)
        protocol.topology(n, MAIN)
    losses = pattern.losses(sizes[0])
    if pattern.personal and losses.shared == losses.dim:
        raise ValueError(
            f"speedup: {problem} has no personal part, and {algorithm} needs one; need quadratic, "
            "logistic, softmax, or a problem with shared < dim"
        )
    with contextlib.ExitStack() as stack:
        kept = _kept(stack, out, protocol, sizes, where)
        study = Study(protocol, sizes, seed, seeds, kept, say or (lambda line: None), ceiling)
        if ceiling is not None and study.exact:
            raise ValueError(
                f"speedup: ceiling came, and of {algorithm} on {pattern.name} nothing is sampled; "
                "need none"
            )
        if average and not study.exact:
            raise ValueError(
                f"speedup: average came, and {algorithm} on {pattern.name} has to be sampled; need "
                "affine rounds with additive noise, such as sgp on quadratic"
            )
        extra: dict[str, Any] = {}
        if study.exact and transient:
            found = transients(protocol)
            extra = {"transients": found, "exponents": exponents(found)}
        made = outcome(study, _title(study), claim, target, extra)
    return replace(made, seconds=time.monotonic() - began)


def _full(problem: str) -> Mapping[str, Any]:
    sizes = PROBLEMS.find(problem).study.full
    if not sizes:
        raise ValueError(
            f"speedup: full came with {problem}; need a problem of a paper, as mlp or cnn"
        )
    return sizes


def _title(study: Study) -> str:
    protocol = study.protocol
    options = ", ".join(f"{name}={_short(value)}" for name, value in protocol.options.items())
    kinds = protocol.pattern.kinds
    drawn = "seed" in protocol.topology(study.clients[0], MAIN).describe()
    network = f"one draw of {protocol.network}" if study.exact and drawn else protocol.network
    return (
        f"{protocol.method} ({options}) on {protocol.pattern.name}, {kinds} kinds of clients, over "
        f"{network}, {protocol.rounds} rounds"
    )


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _kept(
    stack: contextlib.ExitStack,
    out: str | Path | None,
    protocol: Protocol,
    sizes: Sequence[int],
    where: Options,
) -> Cells:
    """Where cells are kept and computed."""
    several = where.jobs > 1 or where.scheduler is not None
    if out is not None or several:
        check_code(ALGORITHMS, protocol.method)
        check_code(PROBLEMS, protocol.pattern.name)
    backend = backend_of(where) if several else None
    if backend is not None:
        stack.callback(backend.close)
    if out is None:
        return Cells(None, backend)
    folder = Folder(Path(out), SPEEDUP)
    stack.enter_context(folder.alone())
    folder.write_page({"speedup": protocol.document(sizes[0], MAIN)}, 0, where.backend)
    return Cells(stack.enter_context(folder.store(lambda line: None)), backend)


def checked_clients(clients: Sequence[int]) -> list[int]:
    """Rising whole numbers of clients; ValueError, one line, on others."""
    shown = ",".join(map(str, clients))
    whole = all(isinstance(n, int) and not isinstance(n, bool) for n in clients)
    rising = whole and all(a < b for a, b in zip(clients, list(clients)[1:], strict=False))
    if not clients or not rising or not clients[0] >= 1 or clients[-1] > MOST_CLIENTS:
        raise ValueError(
            f"speedup: clients is {shown or 'empty'}; need rising whole numbers from 1 to "
            f"{MOST_CLIENTS}, such as 4,8,16,32"
        )
    if clients[-1] == 1:
        raise ValueError(
            "speedup: clients is 1, and one client has nobody to average with; need more, such as "
            "4,8,16,32"
        )
    return list(clients)


def _check_numbers(
    rounds: int | None,
    seeds: int,
    seed: int,
    claim: float,
    target: float | None,
    ceiling: float | None,
) -> None:
    for name, value, least, most in (
        ("rounds", 1 if rounds is None else rounds, 1, 10**7),
        ("seeds", seeds, BATCH, MOST_SEEDS),
        ("seed", seed, 0, 2**63 - 1),
    ):
        if not least <= value <= most:
            raise ValueError(f"speedup: {name} is {value}; need {least} to {most}")
    if not -4 <= claim < 0:
        raise ValueError(f"speedup: claim is {claim:g}; need a power of n from -4 to below 0")
    for name, error in (("target", target), ("ceiling", ceiling)):
        if error is not None and not (error > 0 and math.isfinite(error)):
            raise ValueError(f"speedup: {name} is {error:g}; need an error > 0")
