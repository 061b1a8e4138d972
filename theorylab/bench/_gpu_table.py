"""The record of a GPU bench as tables: times against the floor, checks, and what was left out."""

from __future__ import annotations

from typing import Any

from rich.console import Group
from rich.table import Table

Record = dict[str, Any]


def render(record: Record) -> Group:
    """Tables, and the lines of what was skipped or failed, for ``rich.print``."""
    parts: list[Any] = [_cases(record), _checks(record)]
    if record["rounds"]:
        parts.append(_rounds(record["rounds"]))
    if record["roofline"]:
        parts.append(_roofline(record))
    goals = [(case, goal) for case in record["cases"] for goal in case["goals"]]
    if goals and not record["emulated"]:
        parts.append(_goals(goals))
    parts += map(_calls, record["calls"])
    parts += map(_launches, record["launches"])
    if record["whole_run"] is not None:
        parts.append(_run(record["whole_run"]))
    parts += [f"skipped  {line}" for line in record["skipped"]]
    lacking: dict[str, list[str]] = {}
    for case in record["cases"]:
        for peer, why in case["lacking"].items():
            lacking.setdefault(f"{case['kernel']}, {peer}: {why}", []).append(case["name"])
    for row in record["rounds"]:
        for peer, why in row["lacking"].items():
            lacking.setdefault(f"rounds, {peer}: {why}", []).append(f"n={row['sizes']['n']}")
    for row in record["calls"]:
        for one, why in row["lacking"].items():
            lacking.setdefault(f"calls, {one}: {why}", []).append(row["call"])
    parts += [f"skipped  {line} ({', '.join(names)})" for line, names in lacking.items()]
    parts += [f"no path  {name}: {why}" for name, why in record["lacking"].items()]
    parts += [f"FAILED   {line}" for line in record["failed"]]
    return Group(*parts)


def _sizes(case: Record) -> str:
    sizes = " ".join(f"{key}={value}" for key, value in case["sizes"].items())
    return f"{case['kernel']}, {case['name']}: {sizes} {case['dtype']}"


def _cases(record: Record) -> Table:
    facts = record["facts"]
    table = Table(
        title=f"GPU: {record['board']}",
        caption=f"{facts['multiprocessors']} multiprocessors, sm_{facts['capability']}; medians on "
        "the device's clock, interleaved, over rotating random arrays; the floor moves the least "
        "possible bytes, and its time is the least; ~: not settled, least and median apart or the "
        "host in between",
    )
    left = ("case", "contestant")
    for heading in (*left, "median ms", "least - greatest", "GB/s", "floor / time", "vs ours"):
        table.add_column(heading, justify="left" if heading in left else "right")
    for case in record["cases"]:
        shown = _sizes(case)
        own = min((case["seconds"][label] for label in case["ours"]), default=float("nan"))
        for label, seconds in case["seconds"].items():
            low, high = case["spread"][label]
            table.add_row(
                shown,
                label,
                f"{seconds * 1e3:.3f}",
                f"{low * 1e3:.3f} - {high * 1e3:.3f}{_still(case['settled'][label])}",
                f"{case['bytes'] / seconds / 1e9:.1f}",
                f"{case['share'][label]:.2f}",
                f"{seconds / own:.2f}x",
            )
            shown = ""
        least = f"{case['bytes'] / 1e6:.1f} MB, {case['flops'] / 1e9:.2f} Gflop at least"
        table.add_row("", f"{least}; floor: {case['floor']}", *[""] * 5, end_section=True)
    return table


def _still(settled: bool) -> str:
    return "" if settled else " ~"


def _rounds(rows: list[Record]) -> Table:
    table = Table(title="rounds of DFedSGPSM, log-cosh, float32: wall time, the start left out")
    heads = ("sizes", "rho", "sigma", "contestant", "median ms", "least - greatest", "vs ours")
    for heading in heads:
        table.add_column(heading, justify="left" if heading in ("sizes", "contestant") else "right")
    for row in rows:
        shown = [" ".join(f"{key}={value}" for key, value in row["sizes"].items())]
        shown += [f"{row['rho']:g}", f"{row['sigma']:g}"]
        for label, each in row["round_ms"].items():
            low, high = row["spread"][label]
            spread = f"{low:.4g} - {high:.4g}{_still(row['settled'][label])}"
            ratio = each / row["round_ms"]["theorylab"]
            table.add_row(*shown, label, f"{each:.4g}", spread, f"{ratio:.2f}x")
            shown = ["", "", ""]
        table.add_section()
    return table


def _run(run: Record) -> str:
    sizes = " ".join(f"{key}={value}" for key, value in run["sizes"].items())
    took = f"{run['seconds']:.3g} s, {run['round_ms']:.3g} ms a round"
    if run["peak_bytes"] is not None:
        took += f", at most {run['peak_bytes'] / 2**30:.3g} GiB"
    if run["host_round_ms"] is not None:
        took += f"; on the host {run['host_round_ms']:.3g} ms a round"
    return f"a whole run with its metrics: {sizes}: {took}"


def _calls(row: Record) -> str:
    sizes = " ".join(f"{key}={value}" for key, value in row["sizes"].items())
    each = ", ".join(
        f"{label} {us:.3g} us{_still(row['settled'][label])}" for label, us in row["us"].items()
    )
    return f"a call of {row['call']}: {sizes}: {each}"


def _launches(row: Record) -> str:
    sizes = " ".join(f"{key}={value}" for key, value in row["sizes"].items())
    step, tape, device = (f"{1e3 * row[key]:.3g}" for key in ("step_ms", "tape_ms", "device_ms"))
    return (
        f"launches: {sizes}: a round takes {step} us launched by Python, {tape} us launched "
        f"together, {device} us on the device{_still(row['settled'])}"
    )


def _roofline(record: Record) -> Table:
    table = Table(title="roofline: the least bytes and flop of each case over its time")
    heads = ("case", "dtype", "way", "flop/byte", "GB/s", "Gflop/s", "floor GB/s", "share")
    for heading in heads:
        table.add_column(heading, justify="left" if heading in heads[:3] else "right")
    for row in record["roofline"]:
        numbers = (row[key] for key in ("GB_s", "Gflop_s", "roof_GB_s"))
        table.add_row(
            row["case"],
            row["dtype"],
            row["way"],
            f"{row['intensity']:.2f}",
            *(f"{number:.1f}" for number in numbers),
            f"{row['share']:.2f}",
        )
    return table


def _checks(record: Record) -> Table:
    table = Table(title=f"the host's bits, fresh inputs (seed {record['seed']}), poisoned outputs")
    for heading in ("kernel", "dtype", "path", "trials", "answer"):
        table.add_column(heading)
    for check in record["checks"]:
        answer = f"FAILED: {check['why']}" if check["why"] else "same bits"
        shown = (check["kernel"], check["dtype"], check["path"], str(check["trials"]))
        table.add_row(*shown, answer)
    words = {True: "clean", False: "ERRORS: ", None: "not run: "}
    for tool in record["sanitizer"]:
        table.add_row("all", "", tool["tool"], "", words[tool["clean"]] + tool["why"])
    return table


def _goals(goals: list[tuple[Record, Record]]) -> Table:
    table = Table(title="aims")
    for heading in ("case", "what", "aim", "measured", ""):
        table.add_column(heading)
    for case, goal in goals:
        met = "met" if goal["met"] else "missed"
        met = met if goal["settled"] else "not settled"
        name = f"{case['kernel']}, {case['name']}"
        table.add_row(name, goal["what"], f"{goal['goal']:g}", f"{goal['got']:.2f}", met)
    return table
