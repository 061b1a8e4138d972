"""Does a search notice a false statement? False variants of every true one, planted and hunted.

    python verify/quality.py [--budget SECONDS] [--again SECONDS] [--probe SECONDS] [--only GLOB]
                             [--most N] [--json FILE [--resume]]

Every version that holds is changed as a slip of the pen would change it, by
``quality_variants``, and searched from the statement's own checks with the default seed.
Which variants are false is found out by ``quality_probe``, which shares no seed with the
search, in --probe seconds a version; what refutes one variant is tried on all others, too. A known
false one that --budget did not refute is searched once more, for --again seconds. The other
variants may be true: a theorem's slack hides a factor.

    planted   changes that make the bound smaller somewhere, or a cap ten times larger
    false     known to be false      refuted   found by the search within the budget
    open      neither refuted nor known to be false: listed, not counted
    itself    the instance breaks the true version, too, and says nothing of the variant: listed

Seconds are of the processor's time, so that a busy machine gives the same table. The searches of
one version's variants share their measurements, as the left side is the same: a late one is better
than a search of that length alone. ``falsify`` searches for 60 s where nothing else is asked.

With --stripped another benchmark runs, which the catalogue cannot game: every claim of
``verify/stripped.json`` is false, and comes beside one benign check, with nothing else of its
statement (``quality.py --stripped --help``). With --literature the claims are false ones of the
literature, each in a file of its own (``quality.py --literature --help``).

Equalities have no bound to change;
their faults are planted in their own tests. With --json the file is written after every version,
and --resume leaves out what it already has from a run with the same options.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import math
import pathlib
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from quality_probe import SURE, Probe
from quality_variants import (
    FEWEST,
    Variant,
    is_identity,
    keeps_units,
    true_versions,
    variants,
)

from theorylab.falsify import Finding, falsify
from theorylab.falsify.instances import Instance
from theorylab.falsify.score import Judge, proven
from theorylab.falsify.screen import Measured
from theorylab.report.atomic import check_named, write_named
from theorylab.statements import Statement

OPTIONS = ("budget", "again", "probe", "most")


def hunted(
    statement: Statement,
    version: str,
    budget: float,
    most: int = 1000,
    *,
    again: float = 0.0,
    probe: float = 5.0,
    clock: Callable[[], float] = time.process_time,
) -> dict[str, Any]:
    """One row: the variants of one version, at most ``most``, each with what became of it."""
    row: dict[str, Any] = {"id": statement.id, "version": version}
    if is_identity(statement.versions[version]):
        return row | {
            "variants": [],
            "few": "an equality, or a count that is 0: no bound to change",
        }
    probing = Probe(statement, version, clock=clock)
    probing.leap(probe / 5)
    places = probing.inside()
    planted = [v for v in variants(statement, version, places) if keeps_units(v, version)]
    planted = _spread(planted, most)
    known = probing.known(planted, probe * 4 / 5)
    kept = Measured()
    found = {v.change: _searched(v.statement, version, budget, kept, clock) for v in planted}
    for finding in found.values():  # what refutes one variant may show that another one is false
        if finding.refuted:
            probing.look(finding.instance)
    shown = probing.known(planted, 0.0) | known
    judge = Judge(statement, version, SURE, 1, math.inf, clock=clock)

    def itself(instance: Instance) -> bool:
        return proven(judge(instance)[1])

    rows = []
    for variant in planted:
        finding, change = found[variant.change], variant.change
        if not finding.refuted and change in shown and again > budget:
            finding = _searched(variant.statement, version, again, kept, clock)
        kind = "refuted" if finding.refuted else "missed" if change in shown else "open"
        instance = finding.instance if finding.refuted else shown.get(change)
        if instance is not None and itself(instance):
            kind = "itself"
        rows.append(
            {
                "change": change,
                "kind": kind,
                "again": finding is not found[change],
                "known to the probe": change in known,
                "seconds": finding.seconds,
                "stage": finding.stage,
                "tried": finding.tried,
                "inside": finding.inside,
                "instance": None if kind == "refuted" else instance,
            }
        )
    few = ""
    if len(rows) < min(FEWEST, most):
        few = "nothing else to change" if places else "no instance inside was measured in time"
    return row | {"instances": len(probing.seen), "variants": rows, "few": few}


def _spread(planted: list[Variant], most: int) -> list[Variant]:
    """At most so many, evenly over the list: it is in the order of the kinds of change."""
    step = max(1.0, len(planted) / most)
    return [planted[int(k * step)] for k in range(min(most, len(planted)))]


def _searched(
    statement: Statement, version: str, budget: float, kept: Measured, clock: Callable[[], float]
) -> Finding:
    return falsify(statement, version, budget=budget, shrink=False, clock=clock, kept=kept)


def main(arguments: Sequence[str]) -> int:
    if "--stripped" in arguments:
        import quality_stripped  # a script beside this one

        return quality_stripped.main([word for word in arguments if word != "--stripped"])
    if "--literature" in arguments:
        import quality_literature  # a script beside this one

        return quality_literature.main([word for word in arguments if word != "--literature"])
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").splitlines()[0],
        epilog="Two other benchmarks have options of their own: --stripped, false claims beside "
        "one benign check (--stripped --help), and --literature [--folder DIR], false claims in "
        "files (--literature --help).",
    )
    parser.add_argument("--budget", type=float, default=60.0, help="seconds a variant")
    parser.add_argument("--again", type=float, default=0.0, help="seconds for a missed false one")
    parser.add_argument("--probe", type=float, default=10.0, help="seconds a version")
    parser.add_argument("--only", default="*", help="glob over statement ids")
    parser.add_argument("--most", type=int, default=1000, help="variants a version")
    parser.add_argument("--json", type=pathlib.Path, help="write the rows to this file")
    parser.add_argument("--resume", action="store_true", help="go on with what --json has")
    asked = parser.parse_args(arguments)
    if not (asked.budget > 0 and asked.probe > 0) or asked.most < 1:
        return _refused("need --budget > 0, --probe > 0 and --most >= 1")
    if asked.resume and asked.json is None:
        return _refused("--resume needs the file of --json")
    chosen = [(s, v) for s, v in true_versions() if fnmatch.fnmatch(s.id, asked.only)]
    if not chosen:
        return _refused(f"--only {asked.only!r} matches no statement that holds")
    options = {name: getattr(asked, name) for name in OPTIONS}
    rows: list[dict[str, Any]] = []
    if asked.json is not None:
        try:
            check_named(asked.json)
            rows = kept(asked.json, options) if asked.resume else []
        except (OSError, ValueError) as error:
            return _refused(str(error))
    have = {(row["id"], row["version"]) for row in rows}
    print(HEAD, flush=True)
    for statement, version in chosen:
        if (statement.id, version) in have:
            continue
        given = {name: options[name] for name in ("again", "probe")}
        row = hunted(statement, version, asked.budget, asked.most, **given)
        rows.append(row)
        if row["variants"]:
            print(line(f"{statement.id} [{version}]", [row]))
        for kind in ("itself", "missed", "open"):
            for variant in row["variants"]:
                if variant["kind"] == kind:
                    print(f"    {kind}: {variant['change']}", flush=True)
        if asked.json is not None:
            write_named(asked.json, json.dumps({"options": options, "rows": rows}, indent=1))
    print("\n".join(summary([r for r in rows if fnmatch.fnmatch(r["id"], asked.only)])))
    return 0


def kept(path: pathlib.Path, options: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of an earlier run; ValueError, one line, if it had other options or is no run."""
    if not path.exists():
        return []
    try:
        data = json.loads(path.read_text())
        had, rows = data["options"], list(data["rows"])
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{path} holds no rows of an earlier run; need its --json file") from None
    if had != options:
        raise ValueError(f"{path} was made with {had}; need the same, or another file")
    return rows


HEAD = f"{'':46s}{'planted':>8s}{'false':>7s}{'refuted':>9s}{'share':>8s}{'open':>6s}"


def line(name: str, rows: Sequence[dict[str, Any]]) -> str:
    kinds = [variant["kind"] for row in rows for variant in row["variants"]]
    refuted, still = kinds.count("refuted"), kinds.count("open")
    false = refuted + kinds.count("missed")
    share = f"{refuted / false:.1%}" if false else "-"
    return f"{name:46s}{len(kinds):8d}{false:7d}{refuted:9d}{share:>8s}{still:6d}"


def summary(rows: Sequence[dict[str, Any]]) -> list[str]:
    """The table of the papers, what the probe alone knew, and the versions with few variants."""
    told = ["", HEAD]
    for paper in dict.fromkeys(row["id"].split(".")[0] for row in rows):
        told.append(line(paper, [row for row in rows if row["id"].split(".")[0] == paper]))
    told.append(line("all", rows))
    changes = [variant for row in rows for variant in row["variants"]]
    probed = [v for v in changes if v["known to the probe"] and v["kind"] != "itself"]
    caught = sum(v["kind"] == "refuted" for v in probed)
    once = sum(v["kind"] == "refuted" and not v["again"] for v in changes)
    told.append(f"of {len(probed)} that the probe alone knew to be false: {caught} refuted")
    told.append(f"refuted within --budget: {once}; open: {_share(changes, 'open')} of all planted")
    broken = [row for row in rows if any(v["kind"] == "itself" for v in row["variants"])]
    told.append(f"true versions that an instance breaks: {len(broken)} "
                + ", ".join(f"{row['id']} [{row['version']}]" for row in broken))  # fmt: skip
    few = [row for row in rows if row["few"]]
    told.append(f"{len(rows)} versions of {len({r['id'] for r in rows})} statements; fewer than "
                f"{FEWEST} planted in {len(few)}:")  # fmt: skip
    for reason in dict.fromkeys(row["few"] for row in few):
        those = [f"{row['id']} [{row['version']}]" for row in few if row["few"] == reason]
        told.append(f"  {len(those)} {reason}: {', '.join(those)}")
    return told


def _share(changes: Sequence[dict[str, Any]], kind: str) -> str:
    return f"{sum(v['kind'] == kind for v in changes) / max(1, len(changes)):.1%}"


def _refused(line: str) -> int:
    print(f"quality: {line}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
