"""The roofline of a GPU bench: how fast each case ran beside what memory and arithmetic allow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from theorylab.bench._gpu_summary import FLOORS

Record = dict[str, Any]


def roofline(record: Record) -> list[Record]:
    """A row for each case and way of ours, fit for JSON.

    intensity: flop a byte, both the least that any implementation needs. GB_s, Gflop_s: as
    measured, of those. roof_GB_s: the floor's on as many bytes, in the same rounds. share: ours of
    it.
    """
    rows = []
    for case in record["cases"]:
        for label in case["ours"]:
            seconds = case["seconds"][label]
            rows.append({
                "case": f"{case['kernel']}, {case['name']}", "dtype": case["dtype"], "way": label,
                "intensity": case["flops"] / case["bytes"],
                "GB_s": case["bytes"] / seconds / 1e9, "Gflop_s": case["flops"] / seconds / 1e9,
                "roof_GB_s": case["bytes"] / case["floor_seconds"] / 1e9,
                "share": case["share"][label], "settled": case["settled"][label],
            })  # fmt: skip
    return rows


def plot(record: Record, path: Path) -> None:
    """Two drawings, as ``path``'s ending says (.png, .svg, .pdf): speed over intensity under the
    roof of the memory, and every contestant's time in units of the floor's.

    Raises:
        ValueError: the record has no case.
    """
    if not record["cases"]:
        raise ValueError("bench: no case was measured; there is nothing to draw")
    from matplotlib.figure import Figure

    cases = record["cases"][::-1]
    figure = Figure(figsize=(9.0, 6.0 + 0.3 * len(cases)), layout="constrained")
    above, below = figure.subplots(2, 1, height_ratios=[4.0, 1.2 + 0.3 * len(cases)])
    _roof(above, record)
    _times(below, cases)
    figure.suptitle(record["board"], fontsize="small")
    figure.savefig(path, dpi=150)


def _roof(axes: Any, record: Record) -> None:
    rows = [row for row in record["roofline"] if row["intensity"] > 0]
    top = max((row["roof_GB_s"] for row in record["roofline"]), default=1.0)
    ends = [0.05, 50.0]
    axes.plot(ends, [top * end for end in ends], "k-", label=f"memory: {top:.4g} GB/s")
    ways = dict.fromkeys(row["way"] for row in rows)
    for way, marker in zip(ways, "os^v", strict=False):
        mine = [row for row in rows if row["way"] == way]
        speeds = [row["Gflop_s"] for row in mine]
        axes.plot([row["intensity"] for row in mine], speeds, marker, label=way, fillstyle="none")
    axes.set(xscale="log", yscale="log", xlim=ends)
    axes.set(xlabel="flop / byte, at least", ylabel="Gflop/s")
    axes.grid(which="both", alpha=0.25)
    axes.legend(fontsize="x-small")


def _times(axes: Any, cases: list[Record]) -> None:
    axes.axvline(1.0, color="k", label="floor: as many bytes copied, read or written")
    points: dict[str, list[tuple[float, int]]] = {}
    for row, case in enumerate(cases):
        for name, seconds in case["seconds"].items():
            if name not in FLOORS:
                points.setdefault(name, []).append((seconds / case["floor_seconds"], row))
    for (name, pairs), marker in zip(points.items(), "os^vx+D*P<>" * len(points), strict=False):
        axes.plot(*zip(*pairs, strict=True), marker, label=name, fillstyle="none")
    rows = [
        f"{case['kernel']}, {case['name']}, {case['dtype']}: {case['floor_seconds'] * 1e3:.3g} ms"
        for case in cases
    ]
    axes.set_yticks(range(len(rows)), rows, fontsize="x-small")
    axes.set(xscale="log", xlabel="median time / time of the floor (left: its milliseconds)")
    axes.grid(which="both", axis="x", alpha=0.25)
    axes.legend(fontsize="x-small")
