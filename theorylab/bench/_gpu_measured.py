"""One case on a GPU: ours on every path, its peers and the device's own speed, in turns."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from theorylab.bench._gpu_board import Board
from theorylab.bench._gpu_case import Case, Work
from theorylab.bench._gpu_time import Call, Leader, timed
from theorylab.bench._measure import median

Record = dict[str, Any]


def measured(
    place: Board,
    leader: Leader,
    name: str,
    case: Case,
    sizes: Mapping[str, int],
    work: Work,
    failed: list[str],
    repeats: int,
) -> Record:
    functions: dict[str, list[Call]] = dict(_floors(place, work))
    ours = [f"theorylab {path}" for path in place.paths]
    for path, label in zip(place.paths, ours, strict=True):
        variants: list[Call] = [partial(via, place, path, call) for call in work.ours]
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
    times = timed(place, leader, functions, repeats)
    floors = [label for label in functions if label in ("copy", "read", "write")]
    medians = {
        label: min(each.seconds) if label in floors else median(each.seconds)
        for label, each in times.items()
    }  # of the device's own speed the best, which is the harder one to come near
    settled = {
        label: not each.unled if label in floors else each.settled for label, each in times.items()
    }
    floor = min(floors, key=lambda label: medians[label])
    own = [label for label in ours if label in medians]
    goals = [goal for label in own for goal in _goals(label, case, floor, medians, settled)]
    return {
        "kernel": name, "name": case.name, "sizes": dict(sizes), "dtype": case.dtype,
        "bytes": work.bytes, "flops": work.flops, "floor": work.floor,
        "floor_seconds": medians[floor], "seconds": medians, "ours": own,
        "spread": {label: [min(one.seconds), max(one.seconds)] for label, one in times.items()},
        "settled": settled,
        "share": {label: medians[floor] / value for label, value in medians.items()},
        "goals": goals, "lacking": work.lacking,
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


def _goals(
    label: str, case: Case, floor: str, medians: Mapping[str, float], settled: Mapping[str, bool]
) -> list[Record]:
    """What is aimed at by one way of ours. floor: the label of the device's own speed."""
    aims: list[tuple[str, float, str]] = []  # what, goal, beside what
    if case.share is not None:
        aims.append((f"{label}: share of the floor's speed", case.share, floor))
    if case.against is not None and case.against[0] in medians:
        peer, times = case.against
        aims.append((f"{label}: times faster than {peer}", times, peer))
    goals = []
    for what, goal, beside in aims:
        got = medians[beside] / medians[label]
        still = settled[beside] and settled[label]
        goals.append({"what": what, "goal": goal, "got": got, "met": got >= goal, "settled": still})
    return goals


def via(place: Board, path: str, call: Call) -> object:
    with place.path(path):
        return call()


def _first(place: Board, call: Call) -> str:
    """Why a first call failed, or nothing."""
    try:
        call()
        place.wait()
    except Exception as error:
        return line_of(error)
    return ""


def line_of(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]
