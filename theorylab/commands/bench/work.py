"""``theorylab bench``: how fast the kernels are on this machine, against what it could do."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from theorylab.bench import BENCHES, gpu, render
from theorylab.commands.bench import Bench
from theorylab.commands.refusal import Refused
from theorylab.commands.table import console
from theorylab.registry import meant


def bench(asked: Bench) -> int:
    """Measure one kernel, or all, and print a table each; on a GPU check them there, too.

    Exit code 1 where a check failed.
    """
    kernel, quick = asked.kernel, asked.quick
    if asked.gpu or asked.dry_run:
        return _on_gpu(asked)
    _check_kernel(kernel, BENCHES)
    records = []
    for name in BENCHES if kernel is None else [kernel]:
        record = BENCHES[name](quick=quick)
        records.append(record)
        if asked.speaks:
            console().print(render(record))
    asked.write_json({"benches": records})
    return 0


def _on_gpu(asked: Bench) -> int:
    """Checked and timed on a GPU, or, of a dry run, on the host at tiny sizes."""
    _check_kernel(asked.kernel, gpu.KERNELS)
    seed = secrets.randbits(32)
    try:
        record = gpu.run(dry=asked.dry_run, only=asked.kernel, seed=seed, quick=asked.quick)
    except gpu.NoGpuError as why:
        raise Refused(gpu.no_gpu(why)) from why
    if asked.speaks:
        console().print(gpu.render(record))
    asked.write_json({"benches": [record]})
    return 0 if gpu.all_is_well(record) else 1


def _check_kernel(kernel: str | None, known: Mapping[str, object]) -> None:
    if kernel is None or kernel in known:
        return
    raise Refused(f"bench: no kernel {kernel!r}; {meant(kernel, sorted(known))}")
