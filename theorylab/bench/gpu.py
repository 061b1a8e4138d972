"""Everything about the GPU in one call: bits, sanitizer, times against the roof and the peers."""

from __future__ import annotations

import dataclasses
import datetime
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from theorylab.bench._gpu_board import Board, board
from theorylab.bench._gpu_board import NoGpuError as NoGpuError
from theorylab.bench._gpu_case import Case, Kernel, Work, sets_of
from theorylab.bench._gpu_checks import checked, sanitized
from theorylab.bench._gpu_hvp import GLM_HVP, MIX_JVP
from theorylab.bench._gpu_launches import launches
from theorylab.bench._gpu_local import DRAWN_NUMBERS, LOCAL_STEPS
from theorylab.bench._gpu_page import page as page
from theorylab.bench._gpu_push_mix import PUSH_MIX, PUSH_MIX_DENSE, PUSH_MIX_DRAWN
from theorylab.bench._gpu_roofline import plot as plot
from theorylab.bench._gpu_roofline import roofline
from theorylab.bench._gpu_run import whole_run
from theorylab.bench._gpu_table import render as render
from theorylab.bench._gpu_time import Call, Leader, timed
from theorylab.bench._measure import machine, median
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
BUDGET, QUICK_BUDGET = 420.0, 80.0  # seconds: with the process's start, under 8 minutes and 2
_CHECKS, _SANITIZER, _RUNS = 0.3, 0.25, 0.2  # of the budget, at most
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
) -> Record:
    """Check every kernel on the GPU, then time it; return a JSON-able record.

    Args:
        dry: tiny sizes on emulated host loops; shows that every case runs, nothing about speed.
        only: one kernel of ``KERNELS``. seed: of the checks' random inputs; give a fresh one.
        budget: seconds, None for ``BUDGET`` or ``QUICK_BUDGET``; what does not fit is skipped, by
        name. only_checks: no times. quick: each kernel's first case, few rounds, no sanitizer.
        sanitize: nothing but the checks under each of its tools.

    Returns:
        ``{"bench": "gpu", "emulated", "board", "date", "facts", "machine", "seed", "quick",
        "paths", "lacking", "cases", "roofline", "launches", "whole_run", "checks", "sanitizer",
        "skipped", "failed", "seconds"}``. ``skipped`` and ``failed`` are lines; nothing failed and
        every check's ``why`` is empty where all is well.

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
        "date": datetime.date.today().isoformat(), "facts": dataclasses.asdict(place.facts()),
        "machine": machine(), "seed": seed, "quick": quick, "paths": list(place.paths),
        "lacking": place.lacking, "cases": [], "roofline": [], "launches": [], "whole_run": None,
        "checks": [], "sanitizer": [], "skipped": [], "failed": [],
    }  # fmt: skip
    if sanitize:
        record["sanitizer"] = sanitized(seed, budget)
        record["seconds"] = spent()
        return record
    present = {}
    for name, kernel in KERNELS.items():
        why = kernel.missing()
        if only in (None, name) and why is None:
            present[name] = kernel
        elif only in (None, name):
            record["skipped"].append(f"{name}: {why}")
    rng = np.random.default_rng(seed)
    for number, (name, kernel) in enumerate(present.items(), start=1):
        late = partial(_passed, spent, _CHECKS * budget * number / len(present))  # a share for each
        record["checks"] += checked(place, name, kernel, rng, late)
    if not only_checks:
        if not place.emulated and not quick:
            record["sanitizer"] = sanitized(seed, _SANITIZER * budget)
        leader = Leader(place)
        begin, end = spent(), budget * (1.0 if only else 1 - _RUNS)
        for number, (name, kernel) in enumerate(present.items(), start=1):
            limit = begin + (end - begin) * number / len(present)  # a share for each
            for case in kernel.cases[: 1 if quick else None]:
                if spent() > limit:
                    record["skipped"].append(f"{name}, {case.name}: {limit:.0f} s are over")
                    continue
                _one(record, place, leader, name, kernel, case)
        if only is None:
            _runs(record, place, leader, lambda: budget - spent())
    record["roofline"] = roofline(record)
    record["seconds"] = spent()
    return record


def _passed(spent: Callable[[], float], limit: float) -> bool:
    return spent() > limit


def all_is_well(record: Record) -> bool:
    """Whether every check passed and everything that was tried ran."""
    tools = all(tool["clean"] is not False for tool in record["sanitizer"])
    return tools and not record["failed"] and not any(c["why"] for c in record["checks"])


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
        rounds = 2 if place.emulated else QUICK_ROUNDS if record["quick"] else ROUNDS
        found = _measured(place, leader, name, case, sizes, work, record["failed"], rounds)
        record["cases"].append(found | {"memory": sets * size})
    except Exception as error:
        record["failed"].append(f"{name}, {case.name}: {_line(error)}")


def _runs(record: Record, place: Board, leader: Leader, left: Callable[[], float]) -> None:
    """What a run costs: its launches, and one as a whole. left: seconds."""
    quick = record["quick"]
    parts: dict[str, tuple[str, Callable[[], Any]]] = {
        "launches": ("launches", lambda: launches(place, leader, quick)),
        "whole_run": ("a whole run", lambda: whole_run(place, quick, left)),
    }
    for key, (what, measured) in parts.items():
        why = "no time left" if left() < 0 else "torch sees no GPU"
        if left() < 0 or place.library == "cupy":
            record["skipped"].append(f"{what}: {why}")
            continue
        try:
            record[key] = measured()
        except Exception as error:
            record["failed"].append(f"{what}: {_line(error)}")


def _measured(
    place: Board,
    leader: Leader,
    name: str,
    case: Case,
    sizes: Mapping[str, int],
    work: Work,
    failed: list[str],
    rounds: int,
) -> Record:
    functions: dict[str, list[Call]] = dict(_floors(place, work))
    ours = [f"theorylab {path}" for path in place.paths]
    for path, label in zip(place.paths, ours, strict=True):
        variants: list[Call] = [partial(_via, place, path, call) for call in work.ours]
        why = _first(place, variants[0])
        if why:
            failed.append(f"{name}, {case.name}, {path}: {why}")
        else:
            functions[label] = variants
    for label, variants in work.peers.items():
        why = _first(place, variants[0])
        if why:
            work.lacking[label] = why
        else:
            functions[label] = variants
    seconds = timed(place, leader, functions, rounds)
    medians = {label: median(values) for label, values in seconds.items()}
    floor = min(medians[label] for label in functions if label in ("copy", "read", "write"))
    goals = [_goal(label, case, floor, medians) for label in ours if label in medians]
    return {
        "kernel": name, "name": case.name, "sizes": dict(sizes), "dtype": case.dtype,
        "bytes": work.bytes, "flops": work.flops, "floor": work.floor, "floor_seconds": floor,
        "seconds": medians, "ours": [label for label in ours if label in medians],
        "spread": {label: [min(values), max(values)] for label, values in seconds.items()},
        "share": {label: floor / value for label, value in medians.items()},
        "goals": [goal for of_one in goals for goal in of_one], "lacking": work.lacking,
    }  # fmt: skip


def _floors(place: Board, work: Work) -> dict[str, list[Call]]:
    """The device's own speed on as many bytes. A read is no slower than a copy of them."""
    half = -(-work.bytes // 1024) * 64  # words: two halves, each on whole lines of memory
    room = place.random((2 * half,), "float64", 11)
    source, target = room[:half], room[half:]
    floors: dict[str, list[Call]] = {"copy": [partial(place.copy, target, source)]}
    if work.floor == "read":
        floors["read"] = [partial(place.total, room)]
    if work.floor == "write":
        floors["write"] = [partial(place.fill, room)]
        del floors["copy"]
    return floors


def _goal(label: str, case: Case, floor: float, medians: Mapping[str, float]) -> list[Record]:
    aims: list[tuple[str, float, float]] = []  # what, goal, got
    if case.share is not None:
        aims.append((f"{label}: share of the floor's speed", case.share, floor / medians[label]))
    if case.against is not None and case.against[0] in medians:
        peer, times = case.against
        got = medians[peer] / medians[label]
        aims.append((f"{label}: times faster than {peer}", times, got))
    return [
        {"what": what, "goal": goal, "got": got, "met": got >= goal} for what, goal, got in aims
    ]


def _via(place: Board, path: str, call: Call) -> object:
    with place.path(path):
        return call()


def _first(place: Board, call: Call) -> str:
    """Why a first call failed, or nothing."""
    try:
        call()
        place.wait()
    except Exception as error:
        return _line(error)
    return ""


def _line(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]
