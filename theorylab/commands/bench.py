"""``theorylab bench``: how fast the kernels are on this machine, against what it could do."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping

from theorylab.bench import BENCHES, gpu, render
from theorylab.commands.refusal import Refused, check_target, write_target
from theorylab.commands.table import console
from theorylab.registry import meant


def bench(
    kernel: str | None,
    quick: bool,
    json_target: str | None,
    on_gpu: bool = False,
    dry: bool = False,
) -> int:
    """Measure one kernel, or all, and print a table each; on_gpu: check them there, too.

    dry: of on_gpu, emulated on the host at tiny sizes. Exit code 1 where a check failed.
    """
    if on_gpu:
        return _bench_gpu(kernel, quick, dry, json_target)
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


def _bench_gpu(kernel: str | None, quick: bool, dry: bool, json_target: str | None) -> int:
    _check_kernel(kernel, gpu.KERNELS)
    check_target("--json", json_target)
    try:
        record = gpu.run(dry=dry, only=kernel, seed=secrets.randbits(32), quick=quick)
    except gpu.NoGpuError as why:
        raise Refused(gpu.no_gpu(why)) from why
    if json_target != "-":
        console().print(gpu.render(record))
    if json_target is not None:
        write_target("--json", json_target, json.dumps({"benches": [record]}, indent=1) + "\n")
    return 0 if gpu.all_is_well(record) else 1


def _check_kernel(kernel: str | None, known: Mapping[str, object]) -> None:
    if kernel is None or kernel in known:
        return
    raise Refused(f"bench: no kernel {kernel!r}; {meant(kernel, sorted(known))}")
