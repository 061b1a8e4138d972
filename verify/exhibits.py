"""Both sides of the checks that docs/errata.md shows, as they were judged.

    python verify/exhibits.py [ID ...]

It judges the check of every fault, or of those of these statements, and writes what both sides are
into verify/exhibits.json, from which ``verify/counts.py`` writes the page. A test judges them anew.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from theorylab.report.atomic import write_atomic
from theorylab.report.faults import Exhibit, faults, shown_by
from theorylab.report.shown import Shown
from theorylab.statements import BUILT_IN, NOT_RUN
from theorylab.verdicts import judge_check

FILE = Path(__file__).with_suffix(".json")


def exhibits() -> Iterator[Exhibit]:
    """The check of every fault, in the order of the page."""
    for paper in NOT_RUN:
        yield from filter(None, map(shown_by, faults(paper)))


def kept(file: Path = FILE) -> dict[str, str]:
    """What both sides are, by the name of an exhibit."""
    sides: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return sides


def main(wanted: Sequence[str]) -> int:
    sides = kept() if FILE.exists() else {}
    named = {each.name: each for each in exhibits()}
    for name, each in named.items():
        if wanted and each.statement not in wanted:
            continue
        result = judge_check(BUILT_IN[each.statement], each.version, each.check)
        sides[name] = "" if result.measured is None else Shown(result).compared
        print(f"{name}: {sides[name] or result.reason}", flush=True)
    content = {name: sides[name] for name in named if name in sides}
    write_atomic(FILE, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
