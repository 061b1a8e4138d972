"""The kernels against their roof: measured time beside what the memory alone needs.

    python verify/kernels.py [--quick] [--out DIR]              push_mix and glm_hvp on the host
    python verify/kernels.py --gpu [--dry-run] [--out DIR]      every kernel on a GPU, and its bits

The roof is measured in the same run: a streaming copy of the least number of bytes that any
push_mix must move (x read once, x1 and z1 written once); for products with Hessians, one streaming
read of the data. With ``--out`` a log-log roofline plot of push_mix goes to DIR/kernels.svg, the
records of both to DIR/kernels.json.

``--gpu`` is ``python -m theorylab.bench --gpu`` with a plot: one call of under 4 minutes that
checks the host's bits on fresh inputs, then times every kernel and its peers; DIR/kernels-gpu.svg
draws the roofline and measured time over the floor's, DIR/kernels-gpu.json keeps the record.
``--dry-run`` does the same emulated at tiny sizes, which shows that it works and nothing about
speed. Exit code 2 without a GPU, 1 where a check failed.
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from theorylab import bench
from theorylab.bench import gpu

SHOWN = {  # contestant: marker
    "theorylab out=": "o",
    "theorylab": "s",
    "torch csr out=": "^",
    "torch dense out=": "v",
    "scipy csr out=": "x",
}


def label(case: dict[str, Any]) -> str:
    if "column" in case:
        return f"n={case['n']} d={case['d']} {case['column']} a column"
    classes = f" C={case['classes']}" if case["classes"] else ""
    return f"{case['kernel']} n={case['n']} m={case['m']} d={case['d']} k={case['k']}{classes}"


def table(record: dict[str, Any]) -> Table:
    """Measured median, the roof's time, and their ratio, for own kernels with and without out=."""
    shown = Table(title=f"{record['bench']}: measured time vs roofline bound")
    for heading in ("case", "MB", "Gflop", "flop/byte"):
        shown.add_column(heading, justify="left" if heading == "case" else "right")
    for heading in ("roof ms", "out= ms", "out= / roof", "fresh ms", "fresh / roof", "GB/s out="):
        shown.add_column(heading, justify="right")
    for case in record["cases"]:
        roof, reused = case["floor_seconds"], case["seconds"]["theorylab out="]
        fresh = case["seconds"]["theorylab"]
        shown.add_row(
            label(case),
            f"{case['bytes'] / 1e6:.1f}",
            f"{case['flops'] / 1e9:.3f}",
            f"{case['flops'] / case['bytes']:.2f}",
            f"{roof * 1e3:.2f}",
            f"{reused * 1e3:.2f}",
            f"{reused / roof:.2f}",
            f"{fresh * 1e3:.2f}",
            f"{fresh / roof:.2f}",
            f"{case['bytes'] / reused / 1e9:.1f}",
        )
    return shown


def plot(record: dict[str, Any], path: Path) -> None:
    """Log-log roofline: speed over intensity, the copy's speed as the slanted roof."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.4), layout="constrained")
    axes = figure.add_subplot()
    copied = max(case["bytes"] / case["floor_seconds"] for case in record["cases"])
    ends = [0.5, 20.0]
    axes.plot(ends, [copied * end / 1e9 for end in ends], "k-", label="memory roof (copy)")
    intensity = [case["flops"] / case["bytes"] for case in record["cases"]]
    for name, marker in SHOWN.items():
        speed = [case["flops"] / case["seconds"][name] / 1e9 for case in record["cases"]]
        axes.plot(intensity, speed, marker, label=name, fillstyle="none")
    axes.set(xscale="log", yscale="log", xlim=ends)
    axes.set(xlabel="flop / byte, at least", ylabel="Gflop/s")
    facts = record["machine"]
    axes.set_title(f"push_mix, float32, {facts['threads']} threads, {facts['isa']}")
    axes.grid(which="both", alpha=0.25)
    axes.legend(fontsize="small")
    figure.savefig(path)


def on_gpu(dry: bool, out: Path | None, console: Console) -> int:
    """Check and time everything on the GPU."""
    try:
        record = gpu.run(dry=dry, seed=secrets.randbits(32))
    except gpu.NoGpuError as why:
        print(gpu.no_gpu(why), file=sys.stderr)
        return 2
    console.print(gpu.render(record))
    if out:
        out.mkdir(parents=True, exist_ok=True)
        if record["cases"]:
            gpu.plot(record, out / "kernels-gpu.svg")
        text = json.dumps({"benches": [record]}, indent=1) + "\n"
        (out / "kernels-gpu.json").write_text(text)
    return 0 if gpu.all_is_well(record) else 1


def main() -> int:
    parser = argparse.ArgumentParser(description="kernels: measured time vs roofline bound")
    parser.add_argument("--quick", action="store_true", help="small sizes and few rounds")
    parser.add_argument("--out", type=Path, metavar="DIR", help="write plots and records there")
    parser.add_argument("--gpu", action="store_true", help="every kernel on a GPU, and its bits")
    parser.add_argument("--dry-run", action="store_true", help="--gpu, emulated, at tiny sizes")
    arguments = parser.parse_args()
    if arguments.gpu or arguments.dry_run:
        return on_gpu(arguments.dry_run, arguments.out, Console(width=150))
    records = [bench.BENCHES[name](quick=arguments.quick) for name in ("push_mix", "glm_hvp")]
    console = Console(width=120)
    for record in records:
        console.print(table(record))
        console.print(bench.render(record))
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        plot(records[0], arguments.out / "kernels.svg")
        text = json.dumps({"benches": records}, indent=1) + "\n"
        (arguments.out / "kernels.json").write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
