"""``theorylab bench``: how fast the kernels are on this machine, against what it could do."""

from __future__ import annotations

import difflib
import json

from theorylab.bench import BENCHES, render
from theorylab.commands.refusal import Refused, check_target, write_target
from theorylab.commands.table import console


def bench(kernel: str | None, quick: bool, json_target: str | None) -> int:
    """Measure one kernel, or all, and print a table each."""
    if kernel is not None and kernel not in BENCHES:
        near = difflib.get_close_matches(kernel, BENCHES, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]}?" if near else f"need one of {', '.join(sorted(BENCHES))}"
        raise Refused(f"bench: no kernel {kernel!r}; {hint}")
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
