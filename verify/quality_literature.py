"""False claims of the literature, each in a file of its own: ``quality.py --literature``.

    python verify/quality.py --literature [--folder DIR] [--budget SECONDS] [--seeds N]
        [--only GLOB] [--json FILE [--resume]] [--jobs N] [--least SHARE]

A file is what a stranger would write from the docs: an algorithm, a metric and a problem of its
own, and a statement. ``FALSE`` names the version that is false; the docstring proves that, and
says what was published in its place. The search begins from the benign check, on which the claim
holds: the version's one check, or the one that ``BENIGN`` names. Other versions in the file are
true: what refutes one of these is counted as a broken true version. A finding that says what the
claim needs, and refutes nothing inside of its scope, counts where the file's ``NEEDS`` names that
need.

    --folder  the files; verify/literature if it is left out
    --seeds   so many seeds of the search, 0, 1, ..: the share is a mean over them, with the
              least and the largest
    --least   the exit status is 1 where the share is smaller; and always where a file is none, or
              a true version breaks

Seconds are of one core, and each search runs in a process of its own.
"""

from __future__ import annotations

import argparse
import ast
import concurrent.futures
import fnmatch
import math
import multiprocessing
import pathlib
import sys
import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from quality_page import block_of, fill
from quality_pool import GOOD, verdict
from quality_rows import alone
from quality_stripped import kept, refused, refuted_share, shares, written

from theorylab.falsify import falsify
from theorylab.kernels import set_threads
from theorylab.report.atomic import check_named
from theorylab.statements import Check, Statement
from theorylab.verdicts.catalogue import loaded

FOLDER = pathlib.Path(__file__).with_name("literature")
TARGET = 0.75
_TOLD = ("FALSE", "BENIGN", "NEEDS")


class Claim(NamedTuple):
    """What a file says: its statement, the false version, the benign check, and its words."""

    statement: Statement
    version: str
    benign: Check
    needs: str


def claim_in(path: pathlib.Path) -> Claim:
    """ValueError, one line, where the file names no false version or has no benign check."""
    told = _words(path)
    if "FALSE" not in told:
        raise ValueError(f"{path.name} has no FALSE; need FALSE = the version that is false")
    version = told["FALSE"]
    having = [s for s in loaded(str(path)).values() if version in s.versions]
    if len(having) != 1:
        raise ValueError(f"{path.name}: {len(having)} statements have {version!r}; need one")
    (statement,) = having
    checks = [c for c in statement.versions[version].checks if c.expect in GOOD and not c.control]
    checks = [c for c in checks if c.name == told.get("BENIGN", c.name)]
    if len(checks) != 1:
        raise ValueError(f"{path.name} has {len(checks)} benign checks of {version!r}; need one")
    return Claim(statement, version, checks[0], told.get("NEEDS", ""))


def _words(path: pathlib.Path) -> dict[str, str]:
    """The words that a file assigns to the names above, read without running it."""
    found: dict[str, str] = {}
    for line in ast.parse(path.read_text(encoding="utf-8"), str(path)).body:
        if isinstance(line, ast.Assign) and isinstance(line.value, ast.Constant):
            names = [each.id for each in line.targets if isinstance(each, ast.Name)]
            found |= {name: str(line.value.value) for name in names if name in _TOLD}
    return found


def searched(path: pathlib.Path, budget: float, seed: int) -> dict[str, Any]:
    """What became of one file and one seed."""
    set_threads(1)
    row: dict[str, Any] = {"name": f"{path.stem} seed {seed}", "file": path.stem, "seed": seed}
    try:
        claim = claim_in(path)
        one = alone(claim.statement, claim.version, claim.benign.instance)
        given = one.versions[claim.version].checks[0].instance
        began = verdict(one, claim.version, given, sure=False)
    except (ValueError, TypeError, SyntaxError) as error:
        return row | {"kind": "refused", "why": str(error).splitlines()[0], "seconds": 0.0}
    if began not in GOOD:
        return row | {"kind": "refused", "why": f"its benign check is {began}", "seconds": 0.0}
    finding = falsify(one, claim.version, budget=budget, seed=seed, shrink=False, known=False,
                      clock=time.process_time)  # fmt: skip
    kind = "refuted" if finding.refuted else "needs" if finding.needs else "missed"
    if claim.needs and claim.needs in finding.needs:
        kind = "refuted"
    others = [name for name in claim.statement.versions if name != claim.version]
    if finding.refuted and any(
        verdict(claim.statement, name, finding.instance, sure=True) == "VIOLATED" for name in others
    ):
        kind = "itself"
    ratio = None if finding.result is None else finding.result.ratio
    return row | {
        "kind": kind,
        "needs": ", ".join(finding.needs),
        "how": finding.how,
        "stage": finding.stage,
        "seconds": round(finding.seconds, 1),
        "tried": finding.tried,
        "inside": finding.inside,
        "instance": finding.instance,
        "ratio": ratio,
    }


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="quality.py --literature", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--folder", type=pathlib.Path, default=FOLDER,
                        help="the files; each has FALSE = the version that is false, one statement "
                        "with that version, and in it one benign check, that BENIGN = its name "
                        "names where there are several")  # fmt: skip
    parser.add_argument("--budget", type=float, default=30.0, help="processor seconds a search")
    parser.add_argument("--seeds", type=int, default=1, help="seeds of the search, from 0")
    parser.add_argument("--only", default="*", help="glob over the files' names without .py")
    parser.add_argument("--json", type=pathlib.Path, help="write the rows to this file")
    parser.add_argument("--resume", action="store_true", help="go on with what --json has")
    parser.add_argument("--jobs", type=int, default=1, help="searches at a time, one core each")
    parser.add_argument("--page", type=pathlib.Path, help="write the table into its block, too")
    parser.add_argument("--least", type=float, default=0.0, metavar="SHARE",
                        help="exit status 1 where a smaller share is refuted")  # fmt: skip
    asked = parser.parse_args(arguments)
    if not 0 < asked.budget < math.inf or min(asked.jobs, asked.seeds) < 1:
        return refused("need 0 < --budget < inf, --jobs >= 1 and --seeds >= 1")
    if asked.resume and asked.json is None:
        return refused("--resume needs the file of --json")
    files = [p for p in sorted(asked.folder.glob("*.py")) if fnmatch.fnmatch(p.stem, asked.only)]
    options = {"budget": asked.budget, "folder": str(asked.folder)}
    try:
        if not files:
            raise ValueError(
                f"--folder {asked.folder} has no file that --only {asked.only!r} matches"
            )
        if asked.json is not None:
            check_named(asked.json)
        if asked.page is not None:
            block_of(asked.page, "power-literature")
        found = kept(asked.json, options) if asked.resume else {}
    except (OSError, ValueError) as error:
        return refused(str(error))
    print(
        f"{len(files)} files, {asked.seeds} seeds; {asked.budget:g} s of one core each", flush=True
    )
    every = [(path, seed) for path in files for seed in range(asked.seeds)]
    left = [each for each in every if f"{each[0].stem} seed {each[1]}" not in found]
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(
        asked.jobs, mp_context=context, max_tasks_per_child=1
    ) as pool:
        doing = [pool.submit(searched, path, asked.budget, seed) for path, seed in left]
        for done in concurrent.futures.as_completed(doing):
            row = done.result()
            found[row["name"]] = row
            print(line(row), flush=True)
            written(asked.json, options, found)
    rows = [found[f"{path.stem} seed {seed}"] for path, seed in every]
    print("\n".join(table(rows)))
    if asked.page is not None:
        fill(asked.page, "power-literature", table(rows))
    broken = any(row["kind"] in ("itself", "refused") for row in rows)
    return int(broken or refuted_share(rows) < asked.least)


def line(row: dict[str, Any]) -> str:
    told = row.get("why") or row.get("needs") or row.get("how", "")
    tried = row.get("tried", 0)
    return f"{row['kind']:8s}{row['seconds']:6.1f} s {tried:6d} tried  {row['name']}: {told}"


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """The share of all files, its range over the seeds, and what was not refuted by all."""
    told = ["", f"literature: {shares(rows)}, target {TARGET:.0%}"]
    for word, kind in (("missed", "missed"), ("told as a need", "needs"), ("refused", "refused")):
        those = _names(row for row in rows if row["kind"] == kind)
        told += [f"{word}: {', '.join(those)}"] if those else []
    broken = _names(row for row in rows if row["kind"] == "itself")
    told.append(f"true versions broken by what was found: {len(broken)} {', '.join(broken)}")
    told.append(f"seconds of the processor: {sum(row['seconds'] for row in rows):.0f}")
    return told


def _names(rows: Iterable[dict[str, Any]]) -> list[str]:
    return [str(row["name"]) for row in rows]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
