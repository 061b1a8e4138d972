"""Finds the rows of ``verify/stripped.json``: false claims, a benign check and a witness each.

A witness comes from the checks of the statement, which cost nothing, and from random leaps away
from them, which share no seed with a search. It counts where the judge says VIOLATED of the false
claim with many runs, and does not say so of the true one. The benign check is a check on which
the claim holds: of a version that is false as it stands the farthest from every witness, of a
planted slip any one, drawn by a hash.
"""

from __future__ import annotations

import concurrent.futures
import fnmatch
import json
import multiprocessing
import pathlib
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from quality_distance import parts
from quality_pool import GOOD, SURELY, Pool, claims_of, nearest, row_of, verdict
from quality_rows import DATA, Row, alone, checks_of, gallery, hashed, read, statement_of, write
from quality_slips import kind_of, slipped_versions, slips
from quality_variants import Variant

from theorylab.falsify.instances import Instance
from theorylab.falsify.moves import choices, leaps
from theorylab.falsify.score import FAILURES
from theorylab.kernels import set_threads
from theorylab.statements import BUILT_IN, Statement

MOST = 2  # planted slips of one version
Key = tuple[str, str, str]  # kind, id, version


def wanted() -> list[Key]:
    """Every version that is false as it stands, and every true one with a slip to plant."""
    found: list[Key] = []
    for statement in (*BUILT_IN.values(), *gallery().values()):
        for name, version in statement.versions.items():
            false = any(c.expect == "VIOLATED" and not c.control for c in version.checks)
            if false and statement.experiment != "printed-table":
                found.append(("stripped", statement.id, name))
    found += [("planted", s.id, v) for s, v in slipped_versions()]
    return sorted(found, key=lambda key: hashed(str(key)))  # a part of them is a fair one


def rows_of(key: Key, probe: float) -> tuple[str, list[Row]]:
    """Why there are as many rows, in words, and the rows."""
    kind, name, version = key
    statement = statement_of(name)
    made = stripped if kind == "stripped" else planted
    try:
        return made(statement, version, probe)
    except FAILURES as error:
        return f"no row: {error}", []


def stripped(statement: Statement, version: str, probe: float) -> tuple[str, list[Row]]:
    """A version that is false as it stands, its VIOLATED checks taken away from every version."""
    own = list(checks_of(statement, version))
    witnesses = [dict(c.instance) for v, c in own if v == version and c.expect == "VIOLATED"]
    spared = [c.instance for v, c in own if c.expect != "VIOLATED"]
    claimed = claims_of(statement, witnesses[0])
    found = []
    for instance in spared:
        made = {k: v for k, v in instance.items() if k != "constants"} | claimed
        if made not in found and made not in witnesses:
            found.append(made)
    moving = "sweep" in witnesses[0]  # a swept instance beside a plain one is another claim
    same = [made for made in found if ("sweep" in made) == moving]
    near = [(far_from(made, witnesses), made) for made in same or found]
    benign = _benign(statement, version, near)
    why = "a check"
    if benign is None:
        why = "no check is benign; an instance some leaps from the witness is"
        near = [(far_from(made, witnesses), made) for made in _leapt(witnesses, probe)]
        benign = _benign(statement, version, near, probe)
    if benign is None:
        return "no row: every instance that was tried refutes it", []
    row = row_of("stripped", statement, version, "", benign, nearest(benign, witnesses))
    return why, [row]


def _benign(
    statement: Statement,
    version: str,
    near: Sequence[tuple[int, Instance]],
    seconds: float = 60.0,
) -> Instance | None:
    """The farthest on which the version holds, as it will be judged: alone."""
    ends = time.process_time() + seconds
    for _, instance in sorted(near, key=lambda item: -item[0]):
        one = alone(statement, version, instance)
        given = one.versions[version].checks[0].instance
        if verdict(one, version, given, sure=False) in GOOD:
            return instance
        if time.process_time() > ends:
            break
    return None


def _leapt(witnesses: Sequence[Instance], probe: float) -> list[Instance]:
    draw = np.random.Generator(np.random.Philox(int(hashed(json.dumps(witnesses))[:15], 16)))
    others = choices(witnesses)
    made: list[Instance] = []
    for k in range(max(20, int(20 * probe))):
        base = witnesses[k % len(witnesses)]
        held: dict[str, Any] = {k: base[k] for k in ("sweep", "constants") if k in base}
        made.append({**leaps(base, draw, 1 + k % 3, others), **held})
    return made


def far_from(instance: Instance, witnesses: Sequence[Instance]) -> int:
    return min(len(parts(instance, one)) for one in witnesses)


def planted(statement: Statement, version: str, probe: float) -> tuple[str, list[Row]]:
    """At most ``MOST`` slips in a true version, of as many kinds as there are."""
    pool = Pool(statement, version)
    if not pool.first:
        return "no row: none of its checks could be measured in time", []
    pool.leap(probe)
    rows: list[Row] = []
    tries: dict[str, int] = {}
    ends = time.process_time() + 4 * SURELY
    for change, variant in _in_turns(statement, version):
        kind = kind_of(change)
        if len(rows) >= MOST or time.process_time() > ends:
            break
        if tries.get(kind, 0) > 6 or any(kind_of(row["change"]) == kind for row in rows):
            continue
        tries[kind] = tries.get(kind, 0) + 1
        row = pool.row(variant)
        rows += [] if row is None else [row]
    return (f"{len(rows)} slips", rows) if rows else ("no row: no slip has a witness", [])


def _in_turns(statement: Statement, version: str) -> list[tuple[str, Variant]]:
    """The slips, one of every kind and then the next of every kind, each kind in a drawn order."""
    where = f"{statement.id} [{version}]"
    by_kind: dict[str, list[tuple[str, Variant]]] = {}
    found = slips(statement, version)
    for change in sorted(found, key=lambda change: hashed(f"{where} {change}")):
        by_kind.setdefault(kind_of(change), []).append((change, found[change]))
    kinds = sorted(by_kind, key=lambda kind: hashed(f"{where} {kind}"))
    longest = max(map(len, by_kind.values()), default=0)
    return [by_kind[kind][k] for k in range(longest) for kind in kinds if k < len(by_kind[kind])]


def gather(only: str, probe: float, jobs: int, path: pathlib.Path = DATA) -> int:
    """Fill the data file for the versions that it lacks, written after each; how many were new."""
    data = read(path)
    left = [
        key
        for key in wanted()
        if told_as(key) not in data["versions"] and fnmatch.fnmatch(key[1], only)
    ]
    with started(jobs) as pool:
        doing = {pool.submit(rows_of, key, probe): key for key in left}
        for done in concurrent.futures.as_completed(doing):
            why, rows = done.result()
            data["versions"][told_as(doing[done])] = why
            data["rows"] += rows
            write(data, path)
            print(f"{told_as(doing[done])}: {why}", flush=True)
    return len(left)


def told_as(key: Key) -> str:
    kind, name, version = key
    return f"{name} [{version}] {kind}"


def started(jobs: int) -> concurrent.futures.ProcessPoolExecutor:
    """Processes of their own, so that the seconds of each are the seconds of its row; with one
    thread each, whose waiting for another one would count as seconds."""
    context = multiprocessing.get_context("spawn")
    return concurrent.futures.ProcessPoolExecutor(
        jobs, mp_context=context, initializer=set_threads, initargs=(1,)
    )
