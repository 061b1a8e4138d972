"""Does a search notice a false statement? False variants of every true one, planted and hunted.

    python verify/quality.py [--budget SECONDS] [--only GLOB] [--json FILE]

Every version that holds is changed as a slip of the pen would change it, by
``theorylab.falsify.variants``, and searched from the statement's own checks with the default seed.
A variant whose bound lies below what the checks, or 24 random changes of them drawn with another
seed, have measured is *known* to be false; so is one that the search refutes. The others may be
true: a theorem's slack hides a factor.

    planted   changes that make the bound smaller somewhere, or a cap ten times larger
    false     known to be false      refuted   found by the search within the budget
    open      neither refuted nor known to be false

Equalities have no bound to change; their faults are planted in their own tests.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import pathlib
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from theorylab.falsify import falsify, moves
from theorylab.falsify.score import FAILURES
from theorylab.falsify.starts import known_choices, starts
from theorylab.falsify.variants import is_identity, keeps_units, measured, refuted_at, variants
from theorylab.statements import BUILT_IN, Statement

DRAWN = 24  # random instances that help to tell which variants are false
SECONDS_DRAWN = 5.0  # and the most time for them


def holding() -> Iterator[tuple[Statement, str]]:
    """Versions that some check, not a control, finds to hold, and none to be violated."""
    for statement in BUILT_IN.values():
        for name, version in statement.versions.items():
            expected = {check.expect for check in version.checks if not check.control}
            if "HOLDS" in expected and "VIOLATED" not in expected:
                yield statement, name


def known_places(statement: Statement, version: str) -> list[Any]:
    """What was measured on the checks' instances and on random changes of them."""
    first = starts(statement, version)
    others = known_choices(statement, version, first)
    draw = np.random.Generator(np.random.Philox(12345))
    drawn = (moves(first[int(draw.integers(len(first)))], draw, 2, others) for _ in range(DRAWN))
    found, began = [], time.monotonic()
    for k, instance in enumerate((*first, *drawn)):
        if k and time.monotonic() - began > SECONDS_DRAWN:
            break
        try:
            seen = measured(statement, version, instance)
        except FAILURES:
            continue
        if seen is not None:
            found.append(seen)
    return found


def tested(statement: Statement, version: str, budget: float, most: int) -> dict[str, Any]:
    """One row of the table; ``most``: variants searched."""
    known = known_places(statement, version)
    places = [place for _, seen in known for place in seen]
    planted = [v for v in variants(statement, version, places) if keeps_units(v, version)][:most]
    row: dict[str, Any] = {"id": statement.id, "version": version, "planted": len(planted)}
    lists: dict[str, list[str]] = {"refuted": [], "missed": [], "open": []}
    for variant in planted:
        false = any(refuted_at(variant, version, case, seen) for case, seen in known)
        finding = falsify(variant.statement, version, budget=budget, shrink=False)
        kind = "refuted" if finding.refuted else "missed" if false else "open"
        lists[kind].append(variant.change)
    return row | {"instances": len(known)} | lists


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--budget", type=float, default=60.0, help="seconds a variant")
    parser.add_argument("--only", default="*", help="glob over statement ids")
    parser.add_argument("--most", type=int, default=1000, help="variants a version")
    parser.add_argument("--json", type=pathlib.Path, help="write the rows to this file")
    asked = parser.parse_args(arguments)
    if not asked.budget > 0 or asked.most < 1:
        print("quality: need --budget > 0 and --most >= 1", file=sys.stderr)
        return 2
    chosen = [(s, v) for s, v in holding() if fnmatch.fnmatch(s.id, asked.only)]
    if not chosen:
        print(f"quality: --only {asked.only!r} matches no statement that holds", file=sys.stderr)
        return 2
    print(
        f"{'statement':24s}{'version':20s}{'planted':>8s}{'false':>7s}{'refuted':>9s}{'open':>6s}"
    )
    rows, equalities = [], []
    for statement, version in chosen:
        if is_identity(statement.versions[version]):
            equalities.append(f"{statement.id} [{version}]")
            continue
        row = tested(statement, version, asked.budget, asked.most)
        rows.append(row)
        _print(statement.id, version, [row])
        for change in row["missed"]:
            print(f"    missed: {change}")
        for change in row["open"]:
            print(f"    open: {change}", flush=True)
        if asked.json is not None:
            made = {"budget": asked.budget, "rows": rows, "equalities": equalities}
            fresh = asked.json.with_suffix(".part")
            fresh.write_text(json.dumps(made, indent=1) + "\n")
            fresh.replace(asked.json)
    if rows:
        _print("all", "", rows)
        refuted, false, planted = _counts(rows)
        print(f"refuted: {refuted} of {false} false ones ({refuted / max(1, false):.1%}); of all "
              f"{planted} planted {refuted / max(1, planted):.1%}")  # fmt: skip
    print(f"{len(equalities)} equalities without a bound to change: {', '.join(equalities) or '-'}")
    return 0


def _counts(rows: Sequence[dict[str, Any]]) -> tuple[int, int, int]:
    refuted = sum(len(row["refuted"]) for row in rows)
    return (
        refuted,
        refuted + sum(len(row["missed"]) for row in rows),
        sum(row["planted"] for row in rows),
    )


def _print(first: str, second: str, rows: Sequence[dict[str, Any]]) -> None:
    refuted, false, planted = _counts(rows)
    still = sum(len(row["open"]) for row in rows)
    print(f"{first:24s}{second:20s}{planted:8d}{false:7d}{refuted:9d}{still:6d}", flush=True)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
