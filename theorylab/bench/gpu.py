"""Everything about the GPU in one call: bits, sanitizer, times against the roof and the peers."""

from __future__ import annotations

import dataclasses
import datetime
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from theorylab.bench._checkout import commit
from theorylab.bench._gpu_board import Board, board
from theorylab.bench._gpu_board import NoGpuError as NoGpuError
from theorylab.bench._gpu_calls import calls
from theorylab.bench._gpu_case import Case, Kernel, sets_of
from theorylab.bench._gpu_checks import ABSENT, checked, sanitized
from theorylab.bench._gpu_draws import DRAWN_NUMBERS
from theorylab.bench._gpu_hvp import GLM_HVP, MIX_JVP
from theorylab.bench._gpu_launches import launches
from theorylab.bench._gpu_local import LOCAL_STEPS
from theorylab.bench._gpu_measured import line_of, measured
from theorylab.bench._gpu_page import page as page
from theorylab.bench._gpu_page import sentence as sentence
from theorylab.bench._gpu_push_mix import PUSH_MIX, PUSH_MIX_DENSE, PUSH_MIX_DRAWN
from theorylab.bench._gpu_roofline import plot as plot
from theorylab.bench._gpu_roofline import roofline
from theorylab.bench._gpu_rounds import rounds
from theorylab.bench._gpu_run import whole_run
from theorylab.bench._gpu_summary import short as short
from theorylab.bench._gpu_table import render as render
from theorylab.bench._gpu_time import Leader
from theorylab.bench._measure import machine
from theorylab.kernels._paths import AsLoops

KERNELS = {
    "push_mix": PUSH_MIX,
    "push_mix_dense": PUSH_MIX_DENSE,
    "push_mix_drawn": PUSH_MIX_DRAWN,
    "glm_hvp": GLM_HVP,
    "mix_jvp": MIX_JVP,
    "draws": DRAWN_NUMBERS,
    "local_steps": LOCAL_STEPS,
}
ROUNDS, QUICK_ROUNDS = 15, 5
BUDGET, QUICK_BUDGET = 200.0, 80.0  # seconds: with the process's start, under 4 minutes and 2
_CHECKS, _PEERS, _RUNS = 0.45, 0.5, 0.15  # of the budget, at most
_SANITIZER = 60.0  # seconds, at most
Record = dict[str, Any]


class NotEmulatedError(NoGpuError):
    """Nor can a GPU be emulated here; the text says why, and what is needed."""


def run(
    *,
    dry: bool = False,
    only: str | None = None,
    seed: int = 0,
    budget: float | None = None,
    only_checks: bool = False,
    quick: bool = False,
    sanitize: bool = False,
    tiny: bool = False,
    of_commit: str | None = None,
    tell: Callable[[str], None] = lambda line: None,
) -> Record:
    """Check every kernel on the GPU, then time rounds and kernels; return a JSON-able record.

    Args:
        dry: tiny sizes on emulated host loops; shows that every case runs, nothing about speed.
        only: one kernel of ``KERNELS``. seed: of the checks' random inputs; give a fresh one.
        budget: seconds, None for ``BUDGET`` or ``QUICK_BUDGET``; a time that does not fit is
        skipped, by name, and a check that does not fit fails. only_checks: no times. quick: each
        kernel's first case, few rounds, no sanitizer. sanitize: nothing but tiny checks under each
        of its tools. tiny: these checks, without a tool. of_commit: what is measured, where the
        tree does not tell. tell: takes each line of ``short`` as soon as it is known.

    Returns:
        ``{"bench": "gpu", "emulated", "board", "date", "commit", "facts", "machine", "seed",
        "quick", "paths", "lacking", "cases", "rounds", "roofline", "calls", "launches",
        "whole_run", "checks", "sanitizer", "skipped", "failed", "seconds"}``. ``skipped`` and
        ``failed`` are lines; nothing failed and every check's ``why`` is empty where all is well.

    Raises:
        NoGpuError: there is no GPU, and why; ``NotEmulatedError`` of one that is to be emulated.
    """
    if dry:
        try:
            AsLoops()
        except ImportError as error:
            raise NotEmulatedError(" ".join(str(error).split())) from error
    start, place = time.perf_counter(), board(dry)
    budget = (QUICK_BUDGET if quick else BUDGET) if budget is None else budget
    spent: Callable[[], float] = lambda: time.perf_counter() - start  # noqa: E731
    record: Record = {
        "bench": "gpu", "emulated": place.emulated, "board": place.label,
        "date": datetime.date.today().isoformat(), "commit": of_commit or commit(),
        "facts": dataclasses.asdict(place.facts()),
        "machine": machine(), "seed": seed, "quick": quick, "paths": list(place.paths),
        "lacking": place.lacking, "cases": [], "rounds": [], "roofline": [], "calls": [],
        "launches": [], "whole_run": None, "checks": [], "sanitizer": [], "skipped": [],
        "failed": [],
    }  # fmt: skip
    if sanitize:
        record["sanitizer"] = sanitized(min(budget, _SANITIZER))
        record["seconds"] = spent()
        return record
    present = {}
    for name, kernel in KERNELS.items():
        why = kernel.missing()
        if only in (None, name) and why is None:
            present[name] = kernel
        elif only in (None, name):
            record["skipped"].append(f"{name}: {why}")
    only_checks, rng = only_checks or tiny, np.random.default_rng(seed)
    late = partial(_passed, spent, budget * (1.0 if only_checks else _CHECKS))
    now = _telling(record, tell, spent)
    for name, kernel in present.items():
        made = list(checked(place, name, kernel, rng, late, tiny))
        record["checks"] += made
        if not made:
            record["failed"].append(f"{name}: it has no trial")
        now()
    if not only_checks:
        tools = 0.0 if place.emulated or quick else min(_SANITIZER, 0.3 * budget)
        _times(record, place, present, only, spent, budget - tools, now)
        if tools:
            record["sanitizer"] = sanitized(max(budget - spent(), tools))
    record["roofline"] = roofline(record)
    record["seconds"] = spent()
    now()
    return record


def _telling(
    record: Record, tell: Callable[[str], None], spent: Callable[[], float]
) -> Callable[[], None]:
    """What tells the lines of ``short`` that are new since it was last called."""
    told = set()

    def now() -> None:
        for line in short(record):
            if line not in told:
                told.add(line)
                tell(f"[{spent():.0f} s] {line}")

    return now


def _passed(spent: Callable[[], float], limit: float) -> bool:
    return spent() > limit


def _times(
    record: Record,
    place: Board,
    present: Mapping[str, Kernel],
    only: str | None,
    spent: Callable[[], float],
    budget: float,
    now: Callable[[], None],
) -> None:
    """Rounds first, which users wait for; then every kernel's first case, and its others."""
    if only is None:
        limit = spent() + _PEERS * (budget - spent())
        try:
            left: Callable[[], float] = lambda: limit - spent()  # noqa: E731
            for row in rounds(place, left, record["quick"], record["skipped"]):
                record["rounds"].append(row)
                now()
        except Exception as error:
            record["failed"].append(f"rounds: {line_of(error)}")
    leader, limit = Leader(place), budget * (1.0 if only else 1 - _RUNS)
    cases = [
        (number > 0, name, kernel, case)
        for name, kernel in present.items()
        for number, case in enumerate(kernel.cases[: 1 if record["quick"] else None])
    ]
    for _, name, kernel, case in sorted(cases, key=lambda one: one[0]):
        if spent() > limit:
            record["skipped"].append(f"{name}, {case.name}: {limit:.0f} s are over")
            continue
        _one(record, place, leader, name, kernel, case)
        now()
    order = [*present]
    record["cases"].sort(key=lambda case: order.index(case["kernel"]))
    if only is None:
        _runs(record, place, leader, lambda: budget - spent())
        now()


def all_is_well(record: Record) -> bool:
    """Whether every check was done and passed, and everything that was tried ran.

    A tool of compute-sanitizer that was not done in time is not well; that it is not installed is.
    """
    tools = all(tool["clean"] or tool["tool"] == ABSENT for tool in record["sanitizer"])
    done = all(check["trials"] and not check["why"] for check in record["checks"])
    done = done and bool(record["checks"] or record["sanitizer"])  # else nothing was checked
    return tools and done and not record["failed"]


def no_gpu(why: NoGpuError) -> str:
    """The one line for a computer without a GPU, or without an emulated one."""
    if isinstance(why, NotEmulatedError):
        return f"bench: {why}"
    return (
        f"bench: no GPU can be used ({why}); need a driver and a visible device, see theorylab "
        "doctor; --dry-run shows every case emulated, and without --gpu the host is measured"
    )


def _one(
    record: Record, place: Board, leader: Leader, name: str, kernel: Kernel, case: Case
) -> None:
    sizes = case.dry if place.emulated else case.sizes
    itemsize = np.dtype(case.dtype).itemsize
    size = kernel.set_bytes(sizes, itemsize)
    sets, free = sets_of(place, size), place.free()
    if (sets + 2) * size > 0.9 * free:
        sets = 1
    if (sets + 2) * size > 0.9 * free:
        record["skipped"].append(f"{name}, {case.name}: needs {3 * size} bytes, {free} are free")
        return
    try:
        work = kernel.work(place, case, sizes, sets)
        repeats = 2 if place.emulated else QUICK_ROUNDS if record["quick"] else ROUNDS
        found = measured(place, leader, name, case, sizes, work, record["failed"], repeats)
        record["cases"].append(found | {"memory": sets * size})
    except Exception as error:
        record["failed"].append(f"{name}, {case.name}: {line_of(error)}")


def _runs(record: Record, place: Board, leader: Leader, left: Callable[[], float]) -> None:
    """What a call and a run cost: the launches, and one as a whole. left: seconds."""
    quick = record["quick"]
    parts: dict[str, tuple[str, Callable[[], Any]]] = {
        "calls": ("calls", lambda: calls(place)),
        "launches": ("launches", lambda: launches(place, leader, quick)),
        "whole_run": ("a whole run", lambda: whole_run(place, quick, left)),
    }
    for key, (what, part) in parts.items():
        why = "no time left" if left() < 0 else "torch sees no GPU"
        if left() < 0 or place.library == "cupy":
            record["skipped"].append(f"{what}: {why}")
            continue
        try:
            record[key] = part()
        except Exception as error:
            record["failed"].append(f"{what}: {line_of(error)}")
