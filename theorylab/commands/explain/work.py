"""``theorylab explain``: why a verdict is what it is, in a terminal."""

from __future__ import annotations

import datetime
import shlex
import sys
import textwrap
from collections.abc import Sequence

from theorylab.campaigns import stamp
from theorylab.commands.explain.claim import Claim
from theorylab.commands.refusal import Refused, one_line, printable, refusing, tell
from theorylab.commands.scripted import scripted
from theorylab.commands.table import filled, paragraph, print_table
from theorylab.commands.worst.line import class_line
from theorylab.explain import Explanation, explained, judged, letter, put_in, rechecked, script_of
from theorylab.extras import MISSING
from theorylab.report.groups import Reading, says_most
from theorylab.report.latex import bibtex
from theorylab.report.number import plain
from theorylab.report.shown import Shown
from theorylab.report.tally import against
from theorylab.statements import Cause, Statement, Version
from theorylab.verdicts import Job, Result, judge
from theorylab.verdicts.schedule import one_thread

_POINTS = 12  # of a curve
_BARS = "▁▂▃▄▅▆▇█"


def explain(claim: Claim) -> int:
    """Judge the checks of a claim and explain the one that says most; the exit code.

    Where the script goes to stdout, it is all of stdout, and so is a BibTeX entry.
    """
    asked, statement, file, chosen = claim.asked, claim.statement, claim.file, claim.version
    name, seed, target = asked.name, asked.seed, asked.script_target
    version = statement.versions[chosen]
    result = _most_telling(version, claim.jobs)
    if target == "-":
        tell(scripted(statement, result, target, seed), file=sys.stderr)
        return 0
    told = explained(result, version=version, source_file=file or "")
    if asked.bibtex:
        if result.fault:
            raise Refused(f"--bibtex: {one_line(result.reason)}; need a check that can be judged")
        tell(bibtex(told, stamp(), datetime.datetime.now(datetime.UTC).date()), end="")
        return 0
    _print(told, statement, asked.latex)
    tell(end="", flush=True)
    say_recheck(statement, result, seed)
    if target is not None:
        tell(f"\n{scripted(statement, result, target, seed)}")
    elif told.false:
        say_script(statement, result, seed)
    if not told.false:
        parts = ["theorylab", "falsify", file or name, "--version", chosen, "--json", "found.json"]
        own = ["--source", file] if file else []
        then = shlex.join(["theorylab", "explain", "found.json", *own])
        say("To look for a counterexample", f"{shlex.join(parts)}, and then {then}")
    if class_told := class_line(result.id):
        say("Of a whole class", class_told)
    _block("The statement, as its file tells it", told.text)
    tell()
    say("Again", f"{told.command}")
    return 0


def print_sentences(results: Sequence[Result]) -> None:
    """What ``verify ID`` begins with: of what is false first, as printed first."""
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(result.version, []).append(result)
    leads = [Reading(name, tuple(own), ()).lead for name, own in groups.items()]
    told = next((r for r in leads if r.severity and not r.control), leads[0] if leads else None)
    if told is None:
        return
    for line in filter(None, Shown(told).sentences(explained(told))):
        paragraph(line)
    again = shlex.join(["--version", told.version, "--check", told.check])
    paragraph(f"More: theorylab explain {told.id} {again}")
    if class_told := class_line(told.id):
        say("Of a whole class", class_told)


def printable_lines(text: str) -> str:
    """The lines of a text, without what a terminal would obey."""
    return "\n".join(map(printable, text.splitlines()))


def _most_telling(version: Version, work: Sequence[Job]) -> Result:
    """The result that says most. What is expected to tell against the version is judged first, and
    no other where none can say more."""
    results: list[Result] = []
    shown = against(version)
    with one_thread():
        for job in sorted(work, key=lambda job: job.check not in shown):
            if results and says_most(results[-1]):
                break
            try:
                with refusing():
                    results.append(judge(job))
            except MISSING as error:
                if len(work) == 1:
                    raise Refused(f"explain: {error}") from None
    if not results:
        raise Refused(
            "explain: no check can be judged here; need an extra, or data, that are not installed"
        )
    return Reading(results[0].version, tuple(results), ()).lead


def _print(told: Explanation, statement: Statement, latex: bool) -> None:
    result = told.result
    head = f"{result.id} [{result.version}] {result.check}: {result.verdict}"
    tell(printable(head + (f", {result.severity}" if result.severity else "")))
    shown = Shown(result)
    paragraph(f"{shown.place} {shown.clause}.")
    for cause in told.causes if told.false else ():
        _cause(cause, result, latex)
    say_lines("Judged", judged(statement, result))
    say("With its numbers", put_in(statement, result))
    if latex:
        say("Judged, in LaTeX", f"{result.quantity} {result.relation} {result.formula}")
    say("Instance", told.instance)
    say_sides(result)
    _curve(result)
    if told.false:
        say("Rests on", shown.stands_on)


def _cause(cause: Cause, result: Result, latex: bool) -> None:
    """One fault: the line that has it, why it fails, what mends it, how much it is."""
    line = cause.line_of(result.id)
    where = "" if line.statement == result.id else f" ({line.statement})"
    words = f': "{line.words}"' if line.words else ""
    say("The line", f"{line.place}{where}{words}")
    if latex:
        say("In the paper's LaTeX", line.display)
    say("What fails", cause.fails)
    say("Repair", cause.repair)
    say("At the paper's own parameters", cause.effect)


def say_recheck(statement: Statement, result: Result, seed: int) -> None:
    """What interval arithmetic says of a violation."""
    again = rechecked(statement, result, seed)
    if again is not None:
        verdict = {True: "it stands", False: "it does NOT stand", None: "not done"}[again.holds]
        limits = "" if again.low is None else f", left side in [{again.low!r}, {again.high!r}]"
        say("In interval arithmetic", f"{verdict} ({again.how}){limits}.")


def say_script(statement: Statement, result: Result, seed: int) -> None:
    """The script of a result, or why there is none."""
    text, why = script_of(statement, result, seed)
    if text:
        tell("\nA script that needs NumPy alone and prints both sides:\n")
        tell(printable_lines(text))
    else:
        reason = "nothing was measured" if result.measured is None else why
        say("Script", f"none: {reason}.")


def say_sides(result: Result) -> None:
    """Both sides as numbers; of an order how the ratio grows, and how it may."""
    if result.measured is None:
        return
    at = f" at {result.place}" if result.place else ""
    how = f" ({result.interval})" if result.interval else ""
    shown = Shown(result)
    per = f" {shown.per}".rstrip()
    say("Left side", f"{shown.measured}{per}{at}{how}")
    say("Right side", f"{shown.bound}{per}")


def _curve(result: Result) -> None:
    """The ratio along the curve: what an order claims to stay bounded."""
    curve = result.curve
    if curve is None or len(curve.rounds) < 2:
        return
    ordered = bool(Shown(result).per)
    pairs = [
        (t, m, b)
        for t, m, b in zip(curve.rounds, curve.measured, curve.bound, strict=True)
        if m is not None and b is not None and (ordered or b > 0)
    ]
    step = max(1, -(-len(pairs) // _POINTS))
    shown = [*pairs[:-1:step], *pairs[-1:]]
    ratios = [m if ordered else m / b for _, m, b in shown]
    if len(ratios) < 2:
        return
    what = curve.text or "left side over bound"
    axis = letter(curve.axis)
    tell(f"\n{what} along {printable(axis)}{_bars(ratios)}:")
    heads = [f">{plain(t, digits=3)}" for t, _, _ in shown]
    print_table("", heads, [[plain(r, digits=3) for r in ratios]])


def _bars(ratios: Sequence[float]) -> str:
    """One bar a ratio; nothing where the terminal has no such letters."""
    encoding = (getattr(sys.stdout, "encoding", "") or "").lower()
    low, high = min(ratios), max(ratios)
    if not encoding.startswith("utf") or not high > low:
        return ""
    top = len(_BARS) - 1
    return "  " + "".join(_BARS[round(top * (r - low) / (high - low))] for r in ratios)


def say(label: str, text: str) -> None:
    if text:
        paragraph(f"{label}: {text}")


def say_lines(label: str, lines: Sequence[str]) -> None:
    """On the label's own line where there is one; else below it, each wrapped for itself."""
    if len(lines) == 1:
        say(label, lines[0])
        return
    tell(f"{label}:")
    for line in lines:
        tell(filled(f"  {line}", "  " * (4 if line.startswith(" ") else 3)))


def _block(label: str, text: str) -> None:
    """Lines that are set as they stand: displays in letters would not survive a wrap."""
    if text:
        tell(f"\n{label}:\n{textwrap.indent(printable_lines(text), '  ')}\n")
