"""Judging in this process with one thread, as JSON on stdout: run in the checkout that is timed.

    python verify/peers/judged.py checks [ID ...]
    python verify/peers/judged.py rates SECONDS

Of each quick check its seconds, [processor, wall], and both sides; of each of the eight, instances
a second, or null where the checkout has no such check. It imports what older checkouts have, too.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

# Statement, version, and the check whose instance the search's moves start from. Two of a paper:
EIGHT = (
    ("dfedsgpsm.lem4", "printed/sgp", "one-away"),  # the pair (C, q) of a network, all lags
    ("dfedsgpsm.lem4_update", "printed", "signs"),  # every outcome of a finite law
    ("dfedpgp.lem3", "printed", "tiny-steps"),  # a pair (C, q)
    ("dfedpgp.eq30", "printed", "tiny-steps"),
    ("deprl.cor1", "printed/no-self-loops", "ring-without-self-loops"),  # exact moments
    ("deprl.thm1", "printed", "one-head-step"),
    ("pdbo.alg5", "printed", "sto-u"),
    ("pdbo.thm10", "printed/c1-start", "outer-decades"),  # the law of a hypergradient
)


def checks(ids: Sequence[str] = ()) -> dict[str, dict[str, Any]]:
    """Every quick check of the statements once, in the catalogue's order."""
    from theorylab.verdicts import jobs, judge

    judged = {}
    for job in jobs(list(ids), quick=True):
        used, began = time.process_time(), time.perf_counter()
        result = judge(job)
        seconds = time.process_time() - used, time.perf_counter() - began
        judged[f"{job.id} [{job.version}] {job.check}"] = {
            "seconds": seconds,
            "sides": [_hex(result.measured), _hex(result.bound), _hex(result.log10_bound)],
        }
    return judged


def rate(name: str, version: str, check: str, seconds: float) -> float | None:
    """Instances a second, as ``falsify`` makes and judges them: small ones, each once, with every
    module imported and problems shared.

    What is refused as no instance does not count, its time does. The version is the first that has
    the check, where an older checkout has none of this name; None where no version has it.

    Args:
        seconds: of processor time.
    """
    from theorylab.falsify.moves import choices, moves
    from theorylab.falsify.score import Judge
    from theorylab.verdicts.catalogue import statement_of
    from theorylab.verdicts.instance import sharing_problems

    statement = statement_of(name)
    having = [
        reading
        for reading, each in statement.versions.items()
        if check in {known.name for known in each.checks}
    ]
    if not having:
        return None
    version = version if version in having else having[0]
    known: Sequence[Any] = statement.versions[version].checks
    start = next(each.instance for each in known if each.name == check)
    others = choices([each.instance for each in known])
    _import_all()
    draw, clock = np.random.Generator(np.random.Philox(0)), time.process_time
    inner = Judge(statement, version, 16, 0, clock() + seconds, seconds / 10, True, clock=clock)
    inner(start)
    inner.interrupts = True
    began, judged, spent = clock(), 0, 0.0
    with sharing_problems():
        while (spent := clock() - began) < seconds:
            instance = moves(start, draw, 1 + int(draw.integers(3)), others)
            before, refused = inner.evaluations, inner.invalid
            inner(instance)
            judged += inner.evaluations > before and inner.invalid == refused
    return judged / spent


def _import_all() -> None:
    """Every module that instances may need, as a search has them before it begins."""
    importlib.import_module("scipy.optimize")
    for room in ("algorithms", "constants", "experiments", "metrics", "problems", "topologies"):
        package = importlib.import_module(f"theorylab.{room}")
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)


def _hex(value: float | None) -> str | None:
    return None if value is None else float(value).hex()


def main(way: str, *words: str) -> None:
    from theorylab.verdicts.schedule import one_thread

    with one_thread():
        if way == "checks":
            told: Any = checks(words)
        else:
            told = {each[0]: rate(*each, seconds=float(words[0])) for each in EIGHT}
    print(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
