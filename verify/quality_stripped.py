"""What a search finds that is given one benign check: ``quality.py --stripped``.

    python verify/quality.py --stripped [--budget SECONDS] [--sample N] [--half dev|held-out|all]
        [--only GLOB] [--whole] [--true N] [--seeds N] [--json FILE [--resume]] [--jobs N]
        [--least SHARE]
    python verify/quality.py --stripped --witnesses [--probe SECONDS] [--only GLOB] [--jobs N]

Every row of ``verify/stripped.json`` is a false claim beside one check on which it holds, and
nothing else of its statement: either a version that is false as it stands, with its VIOLATED
checks taken away, or a true one with a slip planted in it. That it is false an instance shows
which the search never sees, the witness. The table sorts by the number of parts in which the
check and the witness differ, and tells the half apart that is held out, which nobody who tunes the
search should look at. Claims about growth are counted apart.

    --sample    so many rows, drawn by a hash of their names and of --seed
    --whole     each row once more beside all checks of its statement, as ``falsify`` works
    --seeds     each row with so many seeds of the search, 0, 1, ..: a share is a mean over them,
                with the least and the largest
    --true      true versions on so many random instances each, by ``verify/instances.py``
    --least     the exit status is 1 where fewer are refuted; and always where a true version is
    --witnesses looks for rows of versions that the file lacks, and goes on where it was killed

With --json the rows are written after each, and --resume leaves out what is there. Seconds are of
one core; --jobs says how many rows are searched at a time.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import fnmatch
import json
import math
import pathlib
import sys
import time
from collections.abc import Iterable, Sequence
from typing import Any

from quality_page import block_of, fill
from quality_probe import SURE
from quality_rows import Row, beside_one, claim_of, distance, drawn, held_out, name_of, read
from quality_variants import true_versions
from quality_witnesses import gather, started

from theorylab.falsify import falsify
from theorylab.falsify.score import Judge, proven
from theorylab.report.atomic import check_named, write_named

HALVES = ("all", "dev", "held-out")
TARGETS = {
    **{"one move": 0.97, "two moves": 0.6, "stripped": 0.9, "claims about growth": 0.6},
    "beside all checks": 0.99,
}
OPTIONS = ("budget", "whole")


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="quality.py --stripped",
        description=(__doc__ or "").splitlines()[0],
    )
    made.add_argument("--budget", type=float, default=30.0, help="processor seconds a row")
    made.add_argument("--sample", type=int, default=0, help="so many drawn rows; all if 0")
    made.add_argument("--seed", type=int, default=20, help="of the draw")
    made.add_argument("--half", choices=HALVES, default="all", help="which half of the rows")
    made.add_argument("--only", default="*", help="glob over statement ids")
    made.add_argument("--whole", action="store_true", help="also search beside all checks")
    made.add_argument("--true", type=int, default=0, metavar="N", dest="count",
                      help="and judge true versions on N random instances each")  # fmt: skip
    made.add_argument("--seeds", type=int, default=1, help="seeds of the search, from 0")
    made.add_argument("--json", type=pathlib.Path, help="write the rows to this file")
    made.add_argument("--resume", action="store_true", help="go on with what --json has")
    made.add_argument("--jobs", type=int, default=1, help="rows at a time, one core each")
    made.add_argument("--page", type=pathlib.Path, help="write the table into its block, too")
    made.add_argument("--least", type=float, default=0.0, metavar="SHARE",
                      help="exit status 1 where a smaller share is refuted")  # fmt: skip
    made.add_argument("--witnesses", action="store_true", help="find the rows that are missing")
    made.add_argument("--probe", type=float, default=2.0, help="seconds of leaps with --witnesses")
    return made


def main(arguments: Sequence[str]) -> int:
    asked = parser().parse_args(arguments)
    if not 0 < asked.budget < math.inf or (
        min(asked.jobs, asked.seeds) < 1 or min(asked.sample, asked.count) < 0
    ):
        return refused("need 0 < --budget < inf, --jobs and --seeds >= 1, --sample and --true >= 0")
    if asked.resume and asked.json is None:
        return refused("--resume needs the file of --json")
    if asked.witnesses:
        print(f"{gather(asked.only, asked.probe, asked.jobs)} versions were looked at")
        return 0
    options = {name: getattr(asked, name) for name in OPTIONS}
    try:
        rows = chosen(read()["rows"], asked.half, asked.only, asked.sample, asked.seed)
        if not rows:
            raise ValueError(f"--only {asked.only!r} and --half {asked.half} leave no row")
        if asked.json is not None:
            check_named(asked.json)
        if asked.page is not None:
            block_of(asked.page, "power-stripped")
        found = kept(asked.json, options) if asked.resume else {}
    except (OSError, ValueError) as error:
        return refused(str(error))
    draw = f", {len(rows)} of them, drawn with seed {asked.seed}" if asked.sample else ""
    print(f"half: {asked.half}{draw}; {asked.budget:g} s of one core a row", flush=True)
    every = [(row, seed) for row in rows for seed in range(asked.seeds)]
    left = [each for each in every if _told_as(*each) not in found]
    with started(asked.jobs) as pool:
        doing = [pool.submit(searched, *each, asked.budget, asked.whole) for each in left]
        for done in concurrent.futures.as_completed(doing):
            row = done.result()
            found[row["name"]] = row
            print(line(row), flush=True)
            written(asked.json, options, found)
    made = [found[_told_as(*each)] for each in every]
    print("\n".join(table(made)))
    if asked.page is not None:
        fill(asked.page, "power-stripped", table(made))
    if asked.count:
        told, refuted = true_line(asked.count, asked.only)
        print(told, flush=True)
    else:
        refuted = 0
    broken = any(row["kind"] == "itself" for row in made)
    return int(broken or refuted > 0 or refuted_share(made) < asked.least)


def chosen(rows: Sequence[Row], half: str, only: str, sample: int, seed: int) -> list[Row]:
    """The rows of one half whose id the glob matches; ``sample`` of them, if above 0."""
    some = [
        row
        for row in rows
        if fnmatch.fnmatch(row["id"], only) and half in ("all", _half(held_out(row)))
    ]
    return drawn(some, sample, seed) if sample else some


def _half(out: bool) -> str:
    return "held-out" if out else "dev"


def _told_as(row: Row, seed: int) -> str:
    return f"{name_of(row)} seed {seed}" if seed else name_of(row)


def searched(row: Row, seed: int, budget: float, whole: bool) -> dict[str, Any]:
    """What became of one row. Nothing of its witness is used."""
    version = row["version"]
    statement = beside_one(row)
    finding = falsify(statement, version, budget=budget, seed=seed, shrink=False, known=False,
                      clock=time.process_time)  # fmt: skip
    kind = "refuted" if finding.refuted else "needs" if finding.needs else "missed"
    if finding.refuted and row["change"]:
        true = beside_one({**row, "change": ""})
        if proven(Judge(true, version, SURE, 1, math.inf)(finding.instance)[1]):
            kind = "itself"  # the true version is broken, too
    beside: bool | None = None
    if whole:  # as a statement of the catalogue is searched, its own checks known
        beside = falsify(claim_of(row), version, budget=budget, seed=seed, shrink=False,
                         clock=time.process_time).refuted  # fmt: skip
    return {
        "name": _told_as(row, seed),
        "seed": seed,
        "paper": row["id"].split(".")[0],
        "planted": row["kind"] == "planted",
        "growth": row["growth"],
        "distance": distance(row),
        "held out": held_out(row),
        "kind": kind,
        "beside all": beside,
        "stage": finding.stage,
        "how": finding.how,
        "seconds": round(finding.seconds, 1),
        "tried": finding.tried,
        "inside": finding.inside,
        "instance": finding.instance,  # where nothing is refuted, the nearest one
        "ratio": None if finding.result is None else finding.result.ratio,
    }


def line(row: dict[str, Any]) -> str:
    return (
        f"{row['kind']:8s} {row['distance']:3d} moves {row['seconds']:6.1f} s "
        f"{row['tried']:6d} tried  {row['name']}"
    )


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Refuted shares by distance, of both kinds, of both halves."""
    plain = [row for row in rows if not row["growth"]]
    away = [row for row in plain if row["planted"]]
    groups = {
        "one move": [row for row in away if row["distance"] <= 1],
        "two moves": [row for row in away if row["distance"] == 2],
        "more moves": [row for row in away if row["distance"] > 2],
        "planted": away,
        "stripped": [row for row in plain if not row["planted"]],
        "claims about growth": [row for row in rows if row["growth"]],
    }
    for paper in sorted({row["paper"] for row in rows}):
        groups[paper] = [row for row in rows if row["paper"] == paper]
    groups["all"] = list(rows)
    told = ["", f"{'':22s}{'all':>16s}{'seen':>16s}{'held out':>16s}{'target':>9s}"]
    for name, group in groups.items():
        halves = (group, *([r for r in group if r["held out"] is out] for out in (False, True)))
        aim = f"{TARGETS[name]:.0%}" if name in TARGETS else ""
        told.append(f"{name:22s}" + "".join(f"{share(half):>16s}" for half in halves)
                    + f"{aim:>9s}{_spread(group)}")  # fmt: skip
    beside = [row["beside all"] for row in rows if row["beside all"] is not None]
    if beside:
        count = f"{sum(beside)}/{len(beside)} {sum(beside) / len(beside):6.1%}"
        told.append(f"{'beside all checks':22s}{count:>16s}{TARGETS['beside all checks']:>41.0%}")
    needs = [row["name"] for row in rows if row["kind"] == "needs"]
    told.append(f"told as what the claim needs, and not counted: {len(needs)} {', '.join(needs)}")
    broken = [row["name"] for row in rows if row["kind"] == "itself"]
    told.append(f"true versions broken by what was found: {len(broken)} {', '.join(broken)}")
    told.append(f"seconds of the processor: {sum(row['seconds'] for row in rows):.0f}")
    return told


def share(rows: Sequence[dict[str, Any]]) -> str:
    """Of all but those that say nothing, as their instance breaks the true version, too."""
    found, most = _refuted(rows)
    return f"{found}/{most} {found / most:6.1%}" if most else "-"


def _refuted(rows: Iterable[dict[str, Any]]) -> tuple[int, int]:
    kinds = [row["kind"] for row in rows if row["kind"] != "itself"]
    return kinds.count("refuted"), len(kinds)


def _spread(rows: Sequence[dict[str, Any]]) -> str:
    """The least and the largest share of a seed, where there are several."""
    seeds = sorted({row.get("seed", 0) for row in rows})
    each = [_refuted(row for row in rows if row.get("seed", 0) == seed) for seed in seeds]
    told = [found / most for found, most in each if most]
    return f"  {min(told):.1%} .. {max(told):.1%} of a seed" if len(told) > 1 else ""


def shares(rows: Sequence[dict[str, Any]]) -> str:
    """The mean over the seeds, and the least and the largest of a seed."""
    return share(rows) + _spread(rows)


def refuted_share(rows: Sequence[dict[str, Any]]) -> float:
    return float(sum(row["kind"] == "refuted" for row in rows) / len(rows))


def true_line(count: int, only: str) -> tuple[str, int]:
    """True versions on random instances, as ``verify/instances.py`` draws and judges them: a
    line, and how many were refuted."""
    import instances  # a script beside this one

    rows = [
        instances.judged(statement, version, count=count, budget=120.0)
        for statement, version in true_versions()
        if fnmatch.fnmatch(statement.id, only)
    ]
    refuted = [f"{row['id']} [{row['version']}]" for row in rows if row["violated"]]
    short = sum(row["judged"] < count for row in rows)
    told = (
        f"true versions refuted: {len(refuted)} of {len(rows)} on "
        f"{sum(row['judged'] for row in rows)} random instances "
        f"({short} versions have fewer than {count}) {', '.join(refuted)}"
    )
    return told, len(refuted)


def kept(path: pathlib.Path, options: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The rows of an earlier run; ValueError, one line, if it had other options or is no run."""
    if not path.exists():
        return {}
    try:
        data = json.loads(path.read_text())
        had, found = data["options"], {row["name"]: row for row in data["rows"]}
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{path} holds no rows of an earlier run; need its --json file") from None
    if had != options:
        raise ValueError(f"{path} was made with {had}; need the same, or another file")
    return found


def written(
    path: pathlib.Path | None, options: dict[str, Any], found: dict[str, dict[str, Any]]
) -> None:
    if path is not None:
        rows = list(found.values())
        write_named(path, json.dumps({"options": options, "rows": rows}, indent=1) + "\n")


def refused(told: str) -> int:
    print(f"quality: {told}", file=sys.stderr)
    return 2
