"""The record of a GPU bench in a few lines: what a reader of a log's end needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Record = dict[str, Any]
FLOORS = ("copy", "read", "write")


def fastest(seconds: Mapping[str, float], ours: list[str]) -> tuple[str, float] | None:
    """(the fastest peer, its time over ours); None where there is no peer, or nothing of ours."""
    peers = {k: v for k, v in seconds.items() if k not in ours and k not in FLOORS}
    own = min((seconds[label] for label in ours if label in seconds), default=None)
    if not peers or own is None:
        return None
    best = min(peers, key=lambda label: peers[label])
    return best, peers[best] / own


def unsettled(settled: Mapping[str, bool]) -> str:
    """Which contestants have no settled time, as the end of a line."""
    names = [label for label, still in settled.items() if not still]
    return f"; not settled: {', '.join(names)}" if names else ""


def short(record: Record) -> list[str]:
    """Under 100 lines of under 200 characters, of a record that may not be finished."""
    lines = [f"{record['board']}; commit {record['commit']}; seed {record['seed']}"]
    trials = sum(check["trials"] for check in record["checks"])
    wrong = [check for check in record["checks"] if check["why"] or not check["trials"]]
    lines.append(f"checks: {trials} trials, {len(wrong)} of {len(record['checks'])} checks failed")
    lines += [
        f"  WRONG {c['kernel']} {c['dtype']} {c['path']}: {c['why'] or 'no trial'}" for c in wrong
    ]
    for tool in record["sanitizer"]:
        word = {True: "clean", False: "ERRORS", None: "not run"}[tool["clean"]]
        lines.append(f"{tool['tool']}: {word} {tool['why']} ({tool.get('seconds', 0):.0f} s)")
    for row in record["rounds"]:
        n, d = row["sizes"]["n"], row["sizes"]["d"]
        best = fastest(row["round_ms"], ["theorylab"])
        beside = f", {best[0]} {best[1]:.2f}x" if best else ""
        eager = row["round_ms"].get("torch eager")
        if best and eager and best[0] != "torch eager":
            beside += f", torch eager {eager / row['round_ms']['theorylab']:.2f}x"
        lines.append(
            f"round n={n} d={d} rho={row['rho']:g} sigma={row['sigma']:g}: "
            f"{row['round_ms']['theorylab']:.4g} ms{beside}{unsettled(row['settled'])}"
        )
    missing = {
        f"no {label}: {why}" for row in record["rounds"] for label, why in row["lacking"].items()
    }
    lines += sorted(missing)
    for case in record["cases"]:
        own = {label: case["seconds"][label] for label in case["ours"]}
        best = fastest(case["seconds"], case["ours"])
        times = ", ".join(f"{1e3 * value:.4g}" for value in own.values())
        share = max((case["share"][label] for label in own), default=float("nan"))
        lines.append(
            f"{case['kernel']} {case['name']} {case['dtype']}: {times} ms, {share:.2f} of a "
            f"{case['floor']}{f', {best[0]} {best[1]:.2f}x' if best else ''}"
            f"{unsettled(case['settled'])}"
        )
    for row in record["calls"]:
        each = ", ".join(f"{label} {us:.1f}" for label, us in row["us"].items())
        lines.append(f"us a call of {row['call']}: {each}{unsettled(row['settled'])}")
    for row in record["launches"]:
        lines.append(
            f"launches n={row['sizes']['n']} d={row['sizes']['d']}: {1e3 * row['step_ms']:.3g} us "
            f"by Python, {1e3 * row['tape_ms']:.3g} together, {1e3 * row['device_ms']:.3g} device"
        )
    if record["whole_run"] is not None:
        run = record["whole_run"]
        lines.append(f"a whole run: {run['round_ms']:.4g} ms a round, host {run['host_round_ms']}")
    lines += [f"skipped {line}" for line in record["skipped"]]
    lines += [f"FAILED {line}" for line in record["failed"]]
    if "seconds" in record:
        lines.append(f"{record['seconds']:.0f} s in all")
    return [line[:199] for line in lines]
