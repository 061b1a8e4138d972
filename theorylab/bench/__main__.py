"""``python -m theorylab.bench``: the benches without the rest of the program; see --help."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from rich.console import Console

from theorylab.bench import BENCHES, gpu, render


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benches asked for; exit code 0, 1 where a check failed, 2 where there is no GPU."""
    parser = argparse.ArgumentParser(prog="python -m theorylab.bench", description=gpu.__doc__)
    parser.add_argument("kernel", nargs="?", help="one kernel; all if omitted")
    parser.add_argument("--quick", action="store_true", help="host: small sizes; few rounds")
    parser.add_argument("--gpu", action="store_true", help="check and time everything on a GPU")
    parser.add_argument("--dry-run", action="store_true", help="--gpu, emulated, at tiny sizes")
    parser.add_argument("--only-checks", action="store_true", help="--gpu without times")
    parser.add_argument("--tiny", action="store_true", help="--gpu: small checks, fixed inputs")
    parser.add_argument("--commit", help="--gpu: what the record says is measured")
    parser.add_argument("--sanitize", action="store_true", help="--gpu: compute-sanitizer alone")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="--gpu: a roofline, .png or .svg")
    parser.add_argument("--page", type=Path, metavar="FILE", help="print docs/gpu.md of a record")
    parser.add_argument("--seed", type=int, help="of the checks' inputs; fresh if omitted")
    parser.add_argument("--budget", type=float, help="--gpu: seconds")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the record there")
    given = parser.parse_args(arguments)
    if given.page is not None:
        return _page(given.page)
    known = gpu.KERNELS if given.gpu or given.dry_run else BENCHES
    if given.kernel not in (None, *known):
        print(f"bench: no kernel {given.kernel!r}; need one of {', '.join(known)}", file=sys.stderr)
        return 2
    console, code = Console(width=150), 0
    if given.gpu or given.dry_run:
        fresh = 0 if given.tiny else secrets.randbits(32)
        seed = fresh if given.seed is None else given.seed
        told = given.gpu and not given.dry_run
        try:
            record = gpu.run(
                dry=given.dry_run,
                only=given.kernel,
                seed=seed,
                budget=given.budget,
                only_checks=given.only_checks,
                quick=given.quick,
                sanitize=given.sanitize,
                tiny=given.tiny,
                of_commit=given.commit,
                tell=partial(print, file=sys.stderr, flush=True) if told else _quiet,
            )
        except gpu.NoGpuError as why:
            print(gpu.no_gpu(why), file=sys.stderr)
            return 2
        console.print(gpu.render(record))
        print(*gpu.short(record), sep="\n")
        records, code = [record], 0 if gpu.all_is_well(record) else 1
        if given.plot is not None and record["cases"]:
            gpu.plot(record, given.plot)
    else:
        records = []
        for name in BENCHES if given.kernel is None else [given.kernel]:
            records.append(BENCHES[name](quick=given.quick))
            console.print(render(records[-1]))
    if given.json is not None:
        given.json.write_text(json.dumps({"benches": records}, indent=1) + "\n")
    return code


def _quiet(line: str) -> None:
    """A dry run is short: it tells nothing on its way."""


def _page(path: Path) -> int:
    """docs/gpu.md of the GPU's record in a file that ``--json`` wrote."""
    try:
        (record,) = json.loads(path.read_text())["benches"]
        print(gpu.page(record), end="")
    except (OSError, ValueError, KeyError, TypeError) as why:
        print(f"bench: --page {path}: {' '.join(str(why).split())}", file=sys.stderr)
        return 2
    return 0


def program() -> int:
    """``main`` of the command line; 130 and one line where it is interrupted."""
    try:
        return main()
    except KeyboardInterrupt:
        print("bench: interrupted; a table that was printed is complete", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(program())
