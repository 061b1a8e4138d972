"""Are true statements ever called VIOLATED? Random instances inside the assumptions, judged.

    python verify/instances.py [--count N] [--budget SECONDS] [--only GLOB] [--json FILE]

Every version whose checks hold, and are not violated, is judged on --count different random
instances. An instance is a random change of one of the checks, or of an instance that was drawn
before and found inside; where a step is above its cap, all steps are scaled by a random share of
what the cap allows. Instances that are cheap to judge are changed more often. What is no instance,
breaks an assumption, takes a few seconds to judge, or was judged before does not count; 3000 such
in a row end it. VIOLATED counts where it stands with 1024 fresh runs.

    judged    instances inside the assumptions, all different
    outside   drawn, and breaking an assumption     none    no instance, or too long to judge
    ratio     the largest measured/bound where the claim holds: the least slack that was seen

Exit status 1: something was VIOLATED, or could not be judged and did not say so in one line.
With --json the table is written after every version, and what it already has with as many
instances, or as large a budget, is not drawn again. Which instances are too long to judge, and
which are cheap, depends on the machine; everything else on --seed alone.
"""

from __future__ import annotations

import argparse
import contextlib
import fnmatch
import json
import math
import pathlib
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import networkx
import numpy as np
from quality_variants import true_versions

from theorylab.falsify.checks import known_choices, starts
from theorylab.falsify.costs import bulk
from theorylab.falsify.instances import Instance, numbers_in, replaced, with_rounds
from theorylab.falsify.moves import moves
from theorylab.falsify.score import Judge
from theorylab.report.atomic import check_named, write_named
from theorylab.statements import Statement
from theorylab.topologies import topology
from theorylab.verdicts import Result
from theorylab.verdicts.claimed import held
from theorylab.words import Verdict

RUNS, SURE = 16, 1024  # of a drawn instance; of one that looks violated
KEPT = 64  # instances found inside that are changed again
BARREN = 3000  # draws in a row without an instance end a search: fig2 has one instance
SMALL = {"rounds": 12, "clients": 6}  # a second copy of every check is cut to this
DECIDED = tuple(verdict.name for verdict in Verdict if verdict.word.applies)
WINDOWS = ("dfedsgpsm.asm1", "dfedpgp.asm1")  # the instance names a window, rightly or not
_ETAS = ("eta", "eta_u", "eta_v", "step")
_OTHER_STEPS = ("alpha", "beta", "corollary", "scale")  # steps where nothing is called eta


@dataclass
class _Base:
    """An instance that is changed, and the seconds that judging its last change took."""

    instance: Instance
    seconds: float = 0.0


class Walk:
    """Random instances of one version, a function of the seed and of what was found inside.

    It goes on from instances inside the assumptions, so that it comes far from the checks without
    leaving what the statement is about.
    """

    def __init__(self, statement: Statement, version: str, seed: int) -> None:
        first = list(starts(statement, version))
        self.others = known_choices(statement, version, first)
        first += [made for made in map(_small, first) if made not in first]
        self.smallest, self.held = min(first, key=bulk), held(statement)  # what is claimed stays
        self.pools: tuple[list[_Base], list[_Base]] = ([_Base(made) for made in first], [])
        self.random = np.random.Generator(np.random.Philox(seed))

    def next(self) -> tuple[_Base, Instance]:
        """What is changed, and the changed instance."""
        first, inside = self.pools
        pool = inside if inside and self.random.random() < 0.6 else first
        weights = np.array([1 / (0.02 + base.seconds) for base in pool])
        base = pool[int(self.random.choice(len(pool), p=weights / weights.sum()))]
        count = 1 + int(self.random.integers(3))
        return base, moves(base.instance, self.random, count, self.others)

    def below_the_caps(self, instance: Instance, result: Result) -> Instance | None:
        """All steps scaled by a random share of what the caps leave; None without a step."""
        margins = [a.margin for a in result.assumptions if a.holds is False and a.margin]
        found = [
            (at, value, next(key for key in reversed(at) if isinstance(key, str)))
            for at, value in numbers_in(instance)
            if isinstance(value, float) and at[0] != "constants"
        ]
        steps = [at for at, _, name in found if name in _ETAS]
        steps = steps or [at for at, _, name in found if name in _OTHER_STEPS]
        if not margins or not steps:
            return None
        # A cap missed by the margin m < 0 is met by (1 + m) times the step, if that is all.
        share = min(max(1 + margin, 1e-6) for margin in margins)
        share *= float(self.random.uniform(0.05, 1))
        for at, value, _ in found:
            if at in steps:
                instance = replaced(instance, at, value * share)
        return instance

    def keep(self, instance: Instance, seconds: float) -> None:
        inside = self.pools[1]
        inside.append(_Base(instance, seconds))
        if len(inside) > KEPT:
            del inside[int(self.random.integers(KEPT))]


def _small(instance: Instance) -> Instance:
    cut = {k: min(v, SMALL[k]) for k, v in instance.items() if k in SMALL and type(v) is int}
    small = {**instance, **cut}
    if "rounds" not in cut:
        return small
    return with_rounds({**small, "rounds": instance["rounds"]}, cut["rounds"])


def window_is_right(instance: Instance) -> bool:
    """Whether every union of ``width`` rounds is strongly connected, as networkx sees it."""
    try:
        options, clients = dict(instance["topology"]), instance["clients"]
        network = topology(options.pop("name"), clients, **options)
        width = instance.get("width", 1)
        edges = [
            list(zip(*network.matrix(t).nonzero(), strict=True))
            for t in range(instance.get("rounds", 16) + width)
        ]
    except (ValueError, TypeError, KeyError, ArithmeticError):
        return False
    for start in range(len(edges) - width + 1):
        union = networkx.DiGraph()
        union.add_nodes_from(range(clients))
        for one in edges[start : start + width]:
            union.add_edges_from(one)
        if not networkx.is_strongly_connected(union):
            return False
    return True


def judged(
    statement: Statement, version: str, *, count: int = 200, budget: float = 60.0, seed: int = 2024,
    clock: Callable[[], float] = time.process_time, patience: float = 2.0,
) -> dict[str, Any]:  # fmt: skip
    """At most ``count`` instances, none above ``patience``, in about ``budget`` seconds."""
    began = clock()
    walk, patience = Walk(statement, version, seed), min(patience, budget / 30)
    judge = Judge(statement, version, RUNS, 0, began + budget, clock=clock)
    with contextlib.suppress(Exception):  # a finding only where it is drawn
        judge(walk.smallest)  # not interrupted, as it imports what the version needs
    judge.interrupts = True
    seen: set[str] = set()
    verdicts: Counter[str] = Counter()
    top, nearest = -math.inf, None
    found: dict[str, list[Any]] = {"violated": [], "slipped": [], "raised": []}
    drawn = outside = barren = 0
    while verdicts.total() < count and clock() < began + budget and barren < BARREN:
        barren += 1
        base, changed = walk.next()
        instance: Instance | None = changed
        for _ in range(3):  # the drawn one, and two tries below its caps
            assert instance is not None
            key = json.dumps(instance, sort_keys=True)
            if key in seen:
                break
            seen.add(key)
            drawn += 1
            if statement.id in WINDOWS and not window_is_right(instance):
                break
            started = clock()
            judge.deadline = started + patience
            try:
                _, result = judge(instance)
            except Exception as error:  # nosec: what is not refused in one line is a finding
                found["raised"].append({"instance": instance, "error": repr(error)})
                break
            finally:
                base.seconds = clock() - started
            if result is None:
                break
            kind = result.verdict
            if kind not in DECIDED or any(a.holds is not True for a in result.assumptions):
                outside += 1
                instance = walk.below_the_caps(instance, result)
                if instance is None:
                    break
                continue
            walk.keep(instance, base.seconds)
            barren = 0
            if kind == "VIOLATED":
                # A limit from 16 runs is off now and then; what counts stands with many.
                sure = Judge(statement, version, SURE, 1, clock() + 10 * budget, clock=clock)
                _, again = sure(instance)
                if again is None or again.verdict == "VIOLATED":
                    text = result.reason if again is None else again.reason
                    found["violated"].append({"instance": instance, "reason": text})
                else:
                    found["slipped"].append({"instance": instance, "reason": result.reason})
                    kind = again.verdict
            verdicts[kind] += 1
            if kind == "HOLDS" and result.ratio is not None and result.ratio > top:
                top, nearest = result.ratio, instance
            break
    return {
        "id": statement.id,
        "version": version,
        "judged": verdicts.total(),
        **{name: verdicts[name] for name in DECIDED},
        "ratio": top if nearest is not None else None,
        "drawn": drawn,
        "outside": outside,
        "none": drawn - outside - verdicts.total() - len(found["raised"]),
        "nearest": nearest,
        **found,
        **{"count": count, "budget": budget, "seed": seed},
        "seconds": round(clock() - began, 1),
    }


def _known(path: pathlib.Path | None, seed: int) -> dict[tuple[str, str], dict[str, Any]]:
    if path is None or not path.exists():
        return {}
    rows = json.loads(path.read_text())["rows"]
    return {(row["id"], row["version"]): row for row in rows if row["seed"] == seed}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=200, help="instances a version")
    parser.add_argument("--budget", type=float, default=120.0, help="processor seconds a version")
    parser.add_argument("--only", default="*", help="glob over statement ids")
    parser.add_argument("--seed", type=int, default=2024, help="of the draws")
    parser.add_argument("--json", type=pathlib.Path, help="write the rows to this file; resumes")
    asked = parser.parse_args(arguments)
    if not asked.budget > 0 or asked.count < 1 or asked.seed < 0:
        print("instances: need --budget > 0, --count >= 1 and --seed >= 0", file=sys.stderr)
        return 2
    chosen = [(s, v) for s, v in true_versions() if fnmatch.fnmatch(s.id, asked.only)]
    if not chosen:
        print(f"instances: --only {asked.only!r} matches no true statement", file=sys.stderr)
        return 2
    try:
        if asked.json is not None:
            check_named(asked.json)
        kept = _known(asked.json, asked.seed)
    except (ValueError, KeyError, TypeError, OSError) as error:
        print(f"instances: --json {asked.json}: {error}; need a table of mine", file=sys.stderr)
        return 2
    warnings.simplefilter("error")  # an overflow that nobody refused is a finding
    words = "".join(f"{name[:6]:>8s}" for name in DECIDED)
    print(f"{'statement':24s}{'version':26s}{'judged':>7s}{words}"
          f"{'ratio':>9s}{'outside':>9s}{'none':>6s}{'s':>7s}")  # fmt: skip
    rows = []
    for statement, version in chosen:
        row = kept.get((statement.id, version))
        if row is None or (row["judged"] < asked.count and row["budget"] < asked.budget):
            row = judged(
                statement, version, count=asked.count, budget=asked.budget, seed=asked.seed
            )
        rows.append(row)
        kept[statement.id, version] = row
        _print(statement.id, version, [row])
        for name in ("violated", "raised"):
            for case in row[name][:3]:  # all of them are in the file
                print(f"    {name}, one of {len(row[name])}: {json.dumps(case)}", flush=True)
        if asked.json is not None:
            write_named(asked.json, json.dumps({"rows": [*kept.values()]}, indent=1) + "\n")
    for paper in dict.fromkeys(row["id"].split(".")[0] for row in rows):
        its = [row for row in rows if row["id"].startswith(f"{paper}.")]
        _print(paper, f"{len(its)} versions", its)
    _print("all", f"{len(rows)} versions", rows)
    short = [row for row in rows if row["judged"] < asked.count]
    print(f"{len(short)} versions with fewer than {asked.count}"
          + "".join(f"\n    {r['id']} [{r['version']}]: {r['judged']}" for r in short))  # fmt: skip
    return int(any(row["violated"] or row["raised"] for row in rows))


def _print(first: str, second: str, rows: Sequence[dict[str, Any]]) -> None:
    sums = {k: sum(row[k] for row in rows) for k in ("judged", *DECIDED, "outside", "none")}
    ratios = [row["ratio"] for row in rows if row["ratio"] is not None]
    top = f"{max(ratios):9.3g}" if ratios else f"{'-':>9s}"
    counts = "".join(f"{sums[name]:8d}" for name in DECIDED)
    print(f"{first:24s}{second:26s}{sums['judged']:7d}{counts}{top}{sums['outside']:9d}"
          f"{sums['none']:6d}{sum(row['seconds'] for row in rows):7.0f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
