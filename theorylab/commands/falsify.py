"""``theorylab falsify`` and ``theorylab replay``: search for a counterexample; find it again."""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path

from theorylab.commands.refusal import Refused, check_target, refusing, write_target
from theorylab.falsify import Counterexample, Finding, Theorem, falsify, replay
from theorylab.falsify.recheck import Recheck, recheck
from theorylab.kernels import read_text
from theorylab.report.number import plain
from theorylab.statements import Version, scale_free, stands_for_a_number
from theorylab.symbols import name_of
from theorylab.verdicts import selected
from theorylab.verdicts.schedule import one_thread

FOUND = 1  # the exit code of a refuted statement, and of a replay that differs
_EVERY = 2.0  # seconds between lines of progress


def hunt(name: str, version: str, *, budget: float, seed: int, json_target: str | None) -> int:
    """Search one version of one statement; the exit code."""
    if not 0 <= seed < 2**63:
        raise Refused(f"falsify: seed is {seed}; need 0 <= seed < 2^63")
    check_target("--json", json_target)
    with refusing("falsify"):
        found = selected([name])
        if len(found) != 1:
            raise ValueError(f"{name!r} names {len(found)} statements; need one")
        ((statement, file),) = found.values()
        theorem = None if file is None else Theorem.of(file)
        shown = _Lines()
        with one_thread():
            finding = falsify(statement, version, budget=budget, seed=seed, progress=shown)
        again = None
        if finding.refuted and finding.result is not None:
            again = recheck(statement, version, finding.result, finding.seed)
        kept = Counterexample.of(finding, budget, theorem, again)
        units = units_line(statement.versions[version])
    if json_target is not None:
        write_target("--json", json_target, kept.to_json())
    out = sys.stderr if json_target == "-" else sys.stdout
    print("\n".join([units, *_told(kept, finding, again, json_target)]), file=out)
    return FOUND if finding.refuted else 0


def again(file: Path, source: Path | None = None) -> int:
    """Replay a file that ``falsify --json`` wrote, of a statement in ``source``; the exit code."""
    with refusing(str(file)):
        try:
            text = read_text(file)
        except UnicodeDecodeError:
            raise ValueError("no text; need a file that falsify --json wrote") from None
        kept = Counterexample.parsed(text)
        done = replay(kept, source)
    name = f"{kept.statement} [{kept.version}]"
    if done.older:
        print(f"{name}: the file was written by another version, in an older form.")
    if done.same:
        how = "to nine digits as in the file" if done.older else "every bit as in the file"
        print(
            f"{name}: {done.verdict}, measured {plain(kept.measured)} against {plain(kept.bound)}: "
            f"{how}. Exit code 0."
        )
        return 0
    for line in done.differences:
        print(f"{name}: {line}")
    print(f"{len(done.differences)} differences. Exit code {FOUND}.")
    return FOUND


class _Lines:
    """Now and then a line on stderr."""

    def __init__(self) -> None:
        self.last = time.monotonic()

    def __call__(self, stage: str, share: float, best: float) -> None:
        if time.monotonic() - self.last < _EVERY:
            return
        self.last = time.monotonic()
        ratio = "none inside the assumptions yet"
        if best > -1e5:
            ratio = f"best ratio {math.exp(min(best, 700)):.3g}"
        print(f"{stage}, {min(share, 1):.0%} of the time: {ratio}", file=sys.stderr, flush=True)


def units_line(version: Version) -> str:
    """What a change of units f -> a f, x -> b x does; the terms were checked when it was read.

    A symbol for a printed number carries units, so that the terms agree, and keeps its value in
    whatever units: with one of these the claim itself changes.
    """
    numbers = sorted(name_of(s) for s in version.free if stands_for_a_number(s))
    broken = [a.name for a in version.assumes if not scale_free(a.rule)]
    parts = []
    if numbers:
        parts.append(
            f"the claim depends on the units in use: {', '.join(numbers)} is a 1 that the paper "
            "prints where something with units is needed"
        )
    if broken:
        parts.append(f"these assumptions depend on the units in use: {'; '.join(broken)}")
    if not parts:
        return "units: every term scales like the left side, and no assumption depends on them."
    return f"units: {'. '.join(parts)}."


def _told(
    kept: Counterexample, finding: Finding, again: Recheck | None, target: str | None
) -> list[str]:
    name = f"{kept.statement} [{kept.version}]"
    tried = (
        f"{finding.tried} instances judged in {finding.seconds:.0f} s, {finding.inside} of them "
        f"within the assumptions"
    )
    side = f"measured {plain(kept.measured)} against {plain(kept.bound)}, ratio {plain(kept.ratio)}"
    if kept.theorem is not None and kept.instance.get("constants"):
        tried += "; constants that are numbers hold for their instance alone, so it was not moved"
    where = f" at {kept.place}" if kept.place else ""
    if not kept.refuted:
        return [f"{name}: no counterexample: {tried}. Nearest: {side}{where}. Exit code 0."]
    lines = [
        f"{name}: VIOLATED: {side}{where} ({kept.reason}).",
        f"instance: {kept.instance}",
        f"found by {finding.stage}: {tried}.",
    ]
    if again is not None:
        verdict = {True: "stands", False: "does NOT stand", None: "not re-checked"}[again.holds]
        limits = "" if again.low is None else f": measured in [{again.low!r}, {again.high!r}]"
        lines.append(f"in exact arithmetic: {verdict} ({again.how}){limits}.")
    if target not in (None, "-"):
        more = "" if kept.theorem is None else f" --source {kept.theorem.name}"
        lines.append(f"theorylab replay {target}{more} finds it again, bit for bit.")
    return [*lines, f"Exit code {FOUND}: a counterexample."]
