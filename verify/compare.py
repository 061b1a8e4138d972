"""Two checkouts of theorylab timed side by side: what a claim of speed is made with.

    python verify/compare.py OLD NEW [--rows ROW ...] [--pairs 5] [--json FILE]

OLD and NEW are folders of built checkouts, or commits: a commit gets a worktree and a build of its
own under build/compare, which stay. Every row is run once in both to warm them, and then in turns,
OLD NEW OLD NEW, with one thread on one core; kernels and pages take the machine's. Of each figure
the medians are printed, the median of the pairs' ratios NEW / OLD with an interval of it by the
signs, which asks nothing of the pairs' law, and what theorylab/bench/targets.toml asks for. Of
the quick checks those count that both have with the same measured side and bound to the bit; the
others are listed. A row that one of both cannot run is left out, and named.
Exit code 0; 2 on bad input.

Rows: {rows}.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from _checkouts import checkout
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from theorylab.bench._checkout import beside
from theorylab.bench._measure import machine
from theorylab.bench._process import CLI, spent
from theorylab.bench._targets import met, targets, words
from theorylab.report.atomic import check_writable

JUDGED = str(Path(__file__).resolve().parent / "peers" / "judged.py")
start = beside("start")
assert start is not None  # this file has it beside itself
COMMANDS: dict[str, tuple[str, ...]] = {
    **start.COMMANDS,
    "verify dfedsgpsm.thm1": ("-c", CLI, "verify", "dfedsgpsm.thm1", "--jobs", "1", "--long"),
    "explain dfedsgpsm.thm1": ("-c", CLI, "explain", "dfedsgpsm.thm1"),
    **{
        f"constants of {n:,} clients": ("-c", CLI, "constants", "random-out", "--clients", str(n))
        for n in (1000, 2000)
    },
}
FIRST = ("verify dfedsgpsm.thm1", "explain dfedsgpsm.thm1")  # their first line is waited for
REFUSED = "a mistyped id"  # the one row that is to end with exit code 2
KERNELS = ("engine", "glm_hvp", "push_mix", "rounds")
CHECKS, SEARCH, PAGES = "quick checks", "a search", "pages"
ROWS = (*COMMANDS, CHECKS, SEARCH, PAGES, *KERNELS)
RATE = "a second"  # a figure of which more is better
_SECONDS = 2.0  # of processor time for the instances of one of the eight
_COVERED = 0.9  # what an interval of the median has at least, where there are pairs enough

Figures = dict[str, float]  # "row, clock" -> seconds, or what is done a second


class Pair(NamedTuple):
    """One figure of both checkouts, a number a turn."""

    name: str
    old: list[float]
    new: list[float]

    @property
    def ratios(self) -> list[float]:
        return [new / old for old, new in zip(self.old, self.new, strict=True)]


def figures(row: str, where: Path, pages: Path) -> tuple[Figures, dict[str, Any]]:
    """The figures of a row in one checkout, and of the checks what is compared of them.

    pages: a folder that ``verify --out`` of this checkout wrote. Raises OSError where it fails.
    """
    run = functools.partial(spent, checkout=where)
    if row in KERNELS:
        return _kernel(row, where), {}
    if row == CHECKS:
        checks = json.loads(run([JUDGED, "checks"]).output)
        return {}, checks
    if row == SEARCH:
        rates = json.loads(run([JUDGED, "rates", str(_SECONDS)]).output)
        return {f"{SEARCH}: {name}, {RATE}": rate for name, rate in rates.items() if rate}, {}
    if row == PAGES:
        used = run(["-c", CLI, "report", str(pages)], pinned=False)
    else:
        codes = (2,) if row == REFUSED else (0, 1, 4)  # else a refusal would pass for speed
        used = run(COMMANDS[row], first=row in FIRST, codes=codes)
    told_of = {f"{row}, processor": used.processor, f"{row}, wall": used.wall}
    if row in FIRST:
        told_of |= {
            f"{row}: first line, processor": used.first_processor,
            f"{row}: first line, wall": used.first_wall,
        }
    return told_of, {}


def _kernel(name: str, where: Path) -> Figures:
    """Seconds of own kernels by the checkout's own bench: two threads, small sizes."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "record.json"
        words = ["-m", "theorylab.bench", name, "--quick", "--json", str(file)]
        spent(words, checkout=where, pinned=False)
        (record,) = json.loads(file.read_text("utf-8"))["benches"]
    cases = [*record["cases"], *record.get("small", [])]
    return {
        f"{name}: {_case(case)} {ours}, wall": case["seconds"][ours]
        for case in cases
        for ours in ("theorylab out=", "theorylab")
        if ours in case["seconds"]
    }


def _case(case: Mapping[str, Any]) -> str:
    sizes = (f"{key}={case[key]}" for key in ("clients", "runs", "dim", "n", "d") if key in case)
    return " ".join([str(case.get("name", "")), *sizes, "noise" * bool(case.get("noisy"))]).strip()


def alike(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The checks that both have with the same sides; and a line for each other one."""
    both = [name for name in new if name in old]
    same = [name for name in both if old[name]["sides"] == new[name]["sides"]]
    others = [f"{name}: other sides" for name in both if name not in {*same}]
    others += [f"{name}: only in OLD" for name in old if name not in new]
    return same, others + [f"{name}: only in NEW" for name in new if name not in old]


def total(checks: Mapping[str, Any], names: Sequence[str]) -> Figures:
    """Seconds of the checks of these names together."""
    clocks = zip(*(checks[name]["seconds"] for name in names), strict=True)
    return {
        f"{CHECKS}, {clock}": math.fsum(seconds)
        for clock, seconds in zip(("processor", "wall"), clocks, strict=False)
    }


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """(low, high, confidence) of the median of what gave the values, by the signs.

    The k-th least and the k-th greatest hold it with 1 - 2 P(Bin(n, 1/2) < k): the largest k with
    at least ``_COVERED``, or 1.
    """
    n, ordered = len(values), sorted(values)
    outside = [2 * sum(math.comb(n, j) for j in range(k)) / 2**n for k in range((n + 1) // 2 + 1)]
    k = max([1, *(k for k, each in enumerate(outside) if 1 - each >= _COVERED)])
    return ordered[k - 1], ordered[-k], max(0.0, 1 - outside[k])


def measured(
    row: str, folders: tuple[Path, Path], pages: tuple[Path, Path], pairs: int,
    run: Callable[[str, Path, Path], tuple[Figures, dict[str, Any]]] = figures,
) -> tuple[list[Pair], list[str]]:  # fmt: skip
    """Every figure of a row that both have, in turns after one turn that warms; and what differs.

    Raises OSError where one of both cannot run it.
    """
    turns: list[tuple[list[Figures], list[dict[str, Any]]]] = [([], []), ([], [])]
    for turn in range(pairs + 1):
        for (seconds, checks), where, folder in zip(turns, folders, pages, strict=True):
            of_turn, judged = run(row, where, folder)
            if turn:
                seconds.append(of_turn)
                checks.append(judged)
    others: list[str] = []
    if row == CHECKS:
        same, others = alike(turns[0][1][0], turns[1][1][0])
        if not same:
            raise OSError("no check that both have is the same")
        others = [f"{len(same)} quick checks are the same in both", *others]
        turns = [([total(each, same) for each in checks], checks) for _, checks in turns]
    (old, _), (new, _) = turns
    names = [name for name in old[0] if name in new[0]]
    others += [f"{name}: in one of both" for name in sorted({*old[0]} ^ {*new[0]})]
    return [Pair(name, [a[name] for a in old], [b[name] for b in new]) for name in names], others


def goals(pair: Pair, peers: Mapping[str, float]) -> Iterator[tuple[str, bool]]:
    """What the figure has to reach, in words, and whether it does.

    peers: the medians of NEW's rows, in seconds of the processor.
    """
    name, _, clock = pair.name.rpartition(", ")
    row = SEARCH if clock == RATE else name
    goal = targets().get(row, {})
    new, ratio = statistics.median(pair.new), statistics.median(pair.ratios)
    values = {
        "seconds": (new, goal.get("clock", "processor")),
        "ratio": (ratio, "processor"),
        "rate": (new, RATE),
        "gain": (ratio, RATE),
    }
    if goal.get("peer") in peers:
        values["times"] = (new / peers[goal["peer"]], "processor")
    for kind, (value, of_clock) in values.items():
        if kind in goal and clock == of_clock:
            yield words(row, kind), met(kind, value, goal[kind])


def render(record: Mapping[str, Any]) -> Table:
    """A row a figure."""
    table = Table(title=f"{record['old']} (OLD) and {record['new']} (NEW), {record['pairs']} pairs")
    for heading in ("figure", "OLD", "NEW", "NEW / OLD", "interval", "asked", ""):
        table.add_column(heading)
    for case in record["cases"]:
        low, high, _ = case["interval"]
        told = case["goals"]
        table.add_row(
            escape(case["name"]),
            *(f"{statistics.median(case[which]):.4g}" for which in ("old", "new")),
            f"{case['ratio']:.3f}",
            f"{low:.3f} - {high:.3f}",
            "\n".join(text for text, _ in told),
            "\n".join("met" if reached else "not met" for _, reached in told),
        )
    return table


def compare(folders: tuple[Path, Path], rows: Sequence[str], pairs: int) -> dict[str, Any]:
    """Measure the rows and return a JSON-able record; a row is told on stderr when it begins."""
    found: list[Pair] = []
    left_out, others = [], []
    with tempfile.TemporaryDirectory() as folder:
        pages = Path(folder) / "old", Path(folder) / "new"
        for row in rows:
            print(f"compare: {row}", file=sys.stderr, flush=True)
            try:
                if row == PAGES:
                    for where, target in zip(folders, pages, strict=True):
                        out = ["-c", CLI, "verify", "--quick", "-q", "--out", str(target)]
                        spent(out, checkout=where, pinned=False)
                seconds, differing = measured(row, folders, pages, pairs)
            except (OSError, ValueError, LookupError) as why:  # also a record of an older bench
                left_out.append(f"{row}: {why if isinstance(why, OSError) else repr(why)}")
                continue
            found += seconds
            others += differing
    peers = {
        pair.name.rpartition(", ")[0]: statistics.median(pair.new)
        for pair in found
        if pair.name.endswith(", processor")
    }
    cases = [
        {
            **pair._asdict(),
            "ratio": statistics.median(pair.ratios),
            "interval": interval(pair.ratios),
            "goals": [*goals(pair, peers)],
        }
        for pair in found
    ]
    old, new = map(str, folders)
    return {
        **{"old": old, "new": new, "pairs": pairs, "machine": machine()},
        **{"cases": cases, "left out": left_out, "others": others},
    }


def main(arguments: Sequence[str]) -> int:
    """The exit code."""
    text = (__doc__ or "").format(rows=", ".join(ROWS))
    parser = argparse.ArgumentParser(
        prog="compare", description=text, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", metavar="OLD")
    parser.add_argument("new", metavar="NEW")
    parser.add_argument("--rows", nargs="+", metavar="ROW", default=ROWS, help="some of the rows")
    parser.add_argument("--pairs", type=int, default=5, help="turns of both; 5 if omitted")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the record there")
    given = parser.parse_args(arguments)
    try:
        unknown = [row for row in given.rows if row not in ROWS]
        if unknown:
            raise ValueError(f"no row {unknown[0]!r}; need of {', '.join(ROWS)}")
        if given.pairs < 1:
            raise ValueError(f"--pairs {given.pairs}; need at least 1")
        if given.json is not None:
            check_writable(given.json)
        record = compare((checkout(given.old), checkout(given.new)), given.rows, given.pairs)
        Console(width=150).print(render(record))
        lines = [*record["others"], *(f"left out: {line}" for line in record["left out"])]
        if record["cases"]:
            lines.append(f"intervals have {record['cases'][0]['interval'][2]:.0%} confidence")
        print(*lines, sep="\n")
        if given.json is not None:
            given.json.write_text(json.dumps(record, indent=1) + "\n")
    except (ValueError, OSError) as error:
        print(f"compare: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
