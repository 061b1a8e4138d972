"""What verdicts cost: quick checks, a search's instances, constants of a large network, pages."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.markup import escape
from rich.table import Table

from theorylab.bench._measure import machine, median

_CLI = "from theorylab.cli import main; main()"
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
_SOME = "dfedsgpsm.lem4*"  # what is judged with ``quick``
_DEAREST = 10
_EVERY = 3  # checks of which one is judged again in this process, for its processor time
_SECONDS = 4.0  # of processor time for the instances of one of the eight
# 12 s were asked for 1124 checks; there are more now.
AIMS = {"wall": 12.0, "median": 0.015, "rate": 30.0, "constants": 30.0, "pages": 10.0}


def run(quick: bool = False) -> dict[str, Any]:
    """Commands in processes of their own, checks and instances in this one with one thread.

    A whole run takes about three minutes of two free cores. The dearest checks are those of the
    command, by the seconds of the wall that it notes; the median is of one check in ``_EVERY``.
    """
    from theorylab.verdicts import Report, jobs
    from theorylab.verdicts.schedule import one_thread

    what = [_SOME] if quick else []
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.json"
        wall, used = _command("verify", *what, "--quick", "--json", str(results))
        judged = Report.model_validate_json(results.read_text("utf-8")).results
        pages, drawing = _command("report", folder)
    with one_thread():
        checks = [_judged(job) for job in jobs(what, quick=True)[:: 1 if quick else _EVERY]]
        rates = [_rate(*each, seconds=1.0 if quick else _SECONDS) for each in EIGHT]
    clients = 200 if quick else 2000
    constants, computing = _command("constants", "random-out", "--clients", str(clients))
    dear = sorted(judged, key=lambda result: -result.seconds)[:_DEAREST]
    which = "" if quick else f" of one in {_EVERY}"
    rate = median([case["rate"] for case in rates])
    cases = [
        _case(f"verify --quick: wall of {len(judged)} checks", wall, AIMS["wall"], used),
        *(_case(f"  {each.id} [{each.version}] {each.check}", each.seconds, None) for each in dear),
        _case(f"processor time of a check: median{which}", median(checks), AIMS["median"]),
        _case("instances judged a second: median", rate, AIMS["rate"]),
        *(_case(f"  {case['name']}", case["rate"], None) for case in rates),
        _case(f"constants random-out --clients {clients}", constants, AIMS["constants"], computing),
        _case("pages of all of these", pages, AIMS["pages"], drawing),
    ]
    return {"bench": "judge", "quick": quick, "machine": machine(), "cases": cases}


def _case(name: str, value: float, aim: float | None, used: float | None = None) -> dict[str, Any]:
    return {"name": name, "value": value, "processor": used, "target": aim}


def _command(*words: str) -> tuple[float, float]:
    """Seconds of the wall and of the processors, of all processes; OSError where it fails."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-P", "-c", _CLI, *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    wall = time.perf_counter() - began
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise OSError(f"bench judge: {' '.join(words)}: exit code {done.returncode}: {last}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _judged(job: Any) -> float:
    from theorylab.verdicts import judge

    began = time.process_time()
    judge(job)
    return time.process_time() - began


def _rate(name: str, version: str, check: str, seconds: float) -> dict[str, Any]:
    """Instances a second, as ``falsify`` makes and judges them: small ones, each once.

    What is refused as no instance does not count, its time does.
    """
    from theorylab.falsify.moves import choices, moves
    from theorylab.falsify.score import Judge
    from theorylab.verdicts.catalogue import statement_of

    statement = statement_of(name)
    checks: Sequence[Any] = statement.versions[version].checks
    start = next(each.instance for each in checks if each.name == check)
    others = choices([each.instance for each in checks])
    draw, clock = np.random.Generator(np.random.Philox(0)), time.process_time
    inner = Judge(statement, version, 16, 0, clock() + seconds, seconds / 10, True, clock=clock)
    inner(start)  # imports what it needs
    inner.interrupts = True
    began, judged, spent = clock(), 0, 0.0
    while (spent := clock() - began) < seconds:
        instance = moves(start, draw, 1 + int(draw.integers(3)), others)
        before, refused = inner.evaluations, inner.invalid
        inner(instance)
        judged += inner.evaluations > before and inner.invalid == refused
    return {"name": f"{name} [{version}]", "rate": judged / spent}


def render(record: dict[str, Any]) -> Table:
    """A row a figure; seconds, but where the name says otherwise."""
    table = Table(title="judge: seconds" + " (quick)" * record["quick"])
    for heading in ("what", "measured", "processor", "target"):
        table.add_column(heading)
    for case in record["cases"]:
        used = "" if case["processor"] is None else f"{case['processor']:.1f}"
        aim = "" if case["target"] is None else f"{case['target']:g}"
        digits = ".1f" if case["value"] >= 10 else ".3f"
        table.add_row(escape(case["name"]), f"{case['value']:{digits}}", used, aim)
    return table
