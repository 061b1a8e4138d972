"""``theorylab bench``: how fast the kernels are on this machine, against what it could do."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping

from theorylab.bench import BENCHES, gpu, render
from theorylab.commands.bench import Bench
from theorylab.commands.refusal import Refused, check_target, write_target
from theorylab.commands.table import console
from theorylab.registry import meant


def bench(asked: Bench) -> int:
    """Measure one kernel, or all, and print a table each; on a GPU check them there, too.

    Exit code 1 where a check failed.
    """
    kernel, quick, json_target = asked.kernel, asked.quick, asked.json_target
    if asked.gpu or asked.dry_run:
        return _on_gpu(asked)
    _check_kernel(kernel, BENCHES)
    check_target("--json", json_target)
    records = []
    for name in BENCHES if kernel is None else [kernel]:
        record = BENCHES[name](quick=quick)
        records.append(record)
        if json_target != "-":
            console().print(render(record))
    if json_target is not None:
        write_target("--json", json_target, json.dumps({"benches": records}, indent=1) + "\n")
    return 0


def _on_gpu(asked: Bench) -> int:
    """Checked and timed on a GPU, or, of a dry run, on the host at tiny sizes."""
    _check_kernel(asked.kernel, gpu.KERNELS)
    check_target("--json", asked.json_target)
    seed = secrets.randbits(32)
    try:
        record = gpu.run(dry=asked.dry_run, only=asked.kernel, seed=seed, quick=asked.quick)
    except gpu.NoGpuError as why:
        raise Refused(gpu.no_gpu(why)) from why
    if asked.json_target != "-":
        console().print(gpu.render(record))
    if asked.json_target is not None:
        text = json.dumps({"benches": [record]}, indent=1) + "\n"
        write_target("--json", asked.json_target, text)
    return 0 if gpu.all_is_well(record) else 1


def _check_kernel(kernel: str | None, known: Mapping[str, object]) -> None:
    if kernel is None or kernel in known:
        return
    raise Refused(f"bench: no kernel {kernel!r}; {meant(kernel, sorted(known))}")
