"""Strangers' claims whose truth is known by a proof: how many verdicts are wrong?

    python verify/claims.py [PATTERN...] [--json FILE]

``tests/quality/claims/`` holds files of claims, as a user writes them: true ones on an edge, false
ones that hide in rare runs, coins that all runs share, lost mass, numbers at the size of rounding.
``claims.toml`` there says of each what is true, why, which verdict is the best one and which others
an honest tool may give; ``oracles/`` has the proof's numbers in plain Python. All files go through
one call of the command line. PATTERN picks claims by name, as "edge*".

    wrong      a verdict that is neither the best one nor an honest other one, or no row at all
    silent     the verdict is right, and the row does not name what it has to name
    decided    a right verdict     open    a right INCONCLUSIVE

Exit code 0 if none is wrong or silent, 1 if one is, 2 on bad input.
"""

from __future__ import annotations

import argparse
import collections
import fnmatch
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from typing import Any

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "tests" / "quality" / "claims"
OUTCOMES = ("wrong", "silent", "open", "decided")  # the worst one first


@dataclass(frozen=True)
class Claim:
    """``names``: a pattern that the row's reason has to show; "" if it need not name anything.

    ``id``, a pattern, and ``checks`` pick rows; without ``checks`` all of that id.
    """

    name: str
    file: str
    id: str
    best: str
    truth: str
    why: str
    allowed: tuple[str, ...] = ()
    names: str = ""
    checks: tuple[str, ...] = ()

    def picks(self, row: dict[str, Any]) -> bool:
        named = fnmatch.fnmatch(row["id"], self.id)
        return named and (not self.checks or row["check"] in self.checks)

    def of_row(self, row: dict[str, Any]) -> str:
        """wrong, silent, open or decided."""
        if row["verdict"] not in (self.best, *self.allowed):
            return "wrong"
        if not re.search(self.names, row["reason"]):
            return "silent"
        return "open" if row["verdict"] == "INCONCLUSIVE" else "decided"

    def outcome(self, rows: list[dict[str, Any]]) -> str:
        """The worst of its rows; wrong where one is missing."""
        found = [self.of_row(row) for row in rows if self.picks(row)]
        if not found or len(found) < len(self.checks):
            return "wrong"
        return next(kind for kind in OUTCOMES if kind in found)


def known_claims(folder: pathlib.Path = FOLDER) -> list[Claim]:
    """All claims of ``claims.toml``; ValueError, one line, for an entry that is none."""
    claims: list[Claim] = []
    for entry in tomllib.loads((folder / "claims.toml").read_text())["claim"]:
        name = entry.get("name")
        try:
            listed = {key: tuple(entry.get(key, ())) for key in ("allowed", "checks")}
            claims.append(Claim(**{**entry, **listed}))
        except TypeError as error:
            raise ValueError(f"claims.toml: {name}: {error}") from None
        if not (folder / claims[-1].file).is_file():
            raise ValueError(f"claims.toml: {name}: no file {claims[-1].file!r}")
    return claims


def judged(claims: list[Claim], folder: pathlib.Path = FOLDER) -> list[dict[str, Any]]:
    """One row a check of all files of the claims, as ``verify --json`` writes them."""
    files = sorted({str(folder / claim.file) for claim in claims})
    rows = _rows(files)
    if rows is None:  # a file that cannot be read ends the command: which one?
        rows = [row for file in files for row in _rows([file]) or ()]
    return rows


def _rows(files: list[str]) -> list[dict[str, Any]] | None:
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch) / "results.json"
        command = ["verify", *files, "--jobs", "1", "--json", str(out)]
        done = subprocess.run(
            [sys.executable, "-m", "theorylab", *command], capture_output=True, text=True
        )
        if out.exists():
            found: list[dict[str, Any]] = json.loads(out.read_text())["results"]
            return found
    if len(files) == 1:
        print(f"{files[0]}: exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("patterns", nargs="*", help="names of claims; all if none is given")
    parser.add_argument("--json", type=pathlib.Path, help="write all rows there")
    given = parser.parse_args()
    claims = [
        claim
        for claim in known_claims()
        if not given.patterns or any(fnmatch.fnmatch(claim.name, p) for p in given.patterns)
    ]
    if not claims:
        parser.error(f"no claim is called {' or '.join(given.patterns)}")
    rows = judged(claims)
    counts, of_rows = collections.Counter[str](), collections.Counter[str]()
    for claim in claims:
        outcome = claim.outcome(rows)
        counts[outcome] += 1
        of_rows.update(claim.of_row(row) for row in rows if claim.picks(row))
        got = sorted({row["verdict"] for row in rows if claim.picks(row)}) or ["no row"]
        print(f"{claim.name:32} {claim.truth:6} {claim.best:17} {', '.join(got):18} {outcome}")
        if outcome in ("wrong", "silent"):
            print(f"    {claim.why}")
            for row in filter(claim.picks, rows):
                if claim.of_row(row) == outcome:
                    print(f"    {row['check']}: {row['verdict']}, {row['reason'][:300]}")
    if given.json is not None:
        given.json.write_text(json.dumps(rows, indent=1) + "\n")
    for what, many in (("claims", counts), ("checks of them", of_rows)):
        told = ", ".join(f"{many[kind]} {kind}" for kind in OUTCOMES)
        print(f"{many.total()} {what}: {told}.")
    return 1 if counts["wrong"] or counts["silent"] else 0


if __name__ == "__main__":
    sys.exit(main())
