"""What ``theorylab falsify`` says of a search, and the exit code that goes with it."""

from __future__ import annotations

from collections.abc import Sequence

from theorylab.explain import finding_lines, instance_line
from theorylab.falsify import Counterexample, Finding
from theorylab.falsify.recheck import Recheck
from theorylab.report.number import plain
from theorylab.words import REFUTED, UNDECIDED

FOUND = REFUTED  # the exit code of a refuted statement, and of a replay that differs


def told(kept: Counterexample, finding: Finding, again: Recheck | None) -> tuple[list[str], int]:
    """(lines, exit code) of a search that measured something within the assumptions."""
    if finding.broken:
        return _refuted(kept, finding, again), FOUND
    side = f"measured {plain(kept.measured)} against {plain(kept.bound)}, ratio {plain(kept.ratio)}"
    where = f" at {kept.place}" if kept.place else ""
    name = f"{kept.statement} [{kept.version}]"
    doubt = finding.undecided
    if doubt is not None:
        beyond = f"measured {plain(doubt.measured)} against {plain(doubt.bound)}"
        at = f" at {doubt.place}" if doubt.place else ""
        return [
            f"{name}: undecided: {beyond}{at}: the mean of {doubt.runs} runs is beyond the bound, "
            f"its confidence limit is not ({doubt.reason}); a larger --budget allows more runs.",
            f"instance: {kept.instance}",
            f"{_tried(kept, finding)}. Exit code {UNDECIDED}: undecided.",
        ], UNDECIDED
    if finding.result is not None and finding.result.outcome.impossible:
        line = f"{name}: there is nothing to search: {kept.reason}. Exit code 0."
        return [line], 0
    nothing = "no counterexample"
    line = f"{name}: {nothing}: {_tried(kept, finding)}. Nearest: {side}{where}. Exit code 0."
    return [line], 0


def unmet(finding: Finding) -> str | None:
    """Which assumptions no instance met, one line; None where some instance met them all."""
    result = finding.result
    if finding.inside or finding.broken or result is None or result.outcome.impossible:
        return None
    failed = [f"{a.name} ({a.reason})" for a in result.assumptions if a.holds is not True]
    verdict = result.outcome
    if not failed and (verdict.word.applies or not verdict.judged):
        return None
    broken = "; ".join(failed) or result.reason
    refused = f"; one that was refused: {finding.refusal}" if finding.refusal else ""
    return (
        f"falsify: {finding.statement} [{finding.version}]: none of {finding.tried} instances met "
        f"the assumptions; the nearest breaks {broken}; need a check that meets them all{refused}"
    )


def _refuted(kept: Counterexample, finding: Finding, again: Recheck | None) -> list[str]:
    side = f"measured {plain(kept.measured)} against {plain(kept.bound)}, ratio {plain(kept.ratio)}"
    where = f" at {kept.place}" if kept.place else ""
    name = f"{kept.statement} [{kept.version}]"
    head = kept.verdict
    if finding.needs:
        head = f"your claim needs: {needed(finding.needs)}. An instance without that"
    lines = [
        f"{name}: {head}: {side}{where} ({kept.reason}).",
        *finding_lines(finding.nearest, finding.began, finding.written),
        *smaller_lines(kept),
    ]
    if finding.known:
        lines.append(
            f"refuted by the statement's own check {finding.check}: nothing was searched, "
            "and this is what shrinking left of it."
        )
    else:
        lines.append(f"found by {finding.stage}: {_tried(kept, finding)}.")
        if finding.how:
            lines.append(f"moves of the search, before its finding was shrunk: {finding.how}.")
    if again is not None:
        verdict = {True: "stands", False: "does NOT stand", None: "not re-checked"}[again.holds]
        limits = "" if again.low is None else f": measured in [{again.low!r}, {again.high!r}]"
        lines.append(f"in exact arithmetic: {verdict} ({again.how}){limits}.")
    if finding.needs:
        lines += [f"it needs, too: {each}." for each in finding.also]
        lines.append(
            "This is outside what the claim names or its scope= lets move, and nothing inside was "
            "found."
        )
    lines.append(f"instance: {kept.instance}")
    return lines


def smaller_lines(kept: Counterexample) -> list[str]:
    """A line on what breaks the claim and is smaller, with less on; none where that is all."""
    if (less := kept.smaller) is None:
        return []
    side = f"measured {plain(less.measured)} against {plain(less.bound)}"
    return [f"smaller still: {instance_line(less.written, whole=True)}: {side}."]


def needed(needs: Sequence[str]) -> str:
    """What a claim needs to leave a finding out: any one of these."""
    return " | ".join(needs)


def _tried(kept: Counterexample, finding: Finding) -> str:
    told = (
        f"{finding.tried} instances judged in {finding.seconds:.0f} s of processor time, "
        f"{finding.inside} of them within the assumptions"
    )
    if finding.exhausted:
        told += "; no move was left, so it ended before its time"
    return told
