"""Verdicts on stdout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from theorylab.commands.refusal import DEBUG, Refused, printable, tell
from theorylab.commands.table import console, fits, paragraph, print_table
from theorylab.commands.verify import Verify
from theorylab.commands.verify.overview import print_overview
from theorylab.registry import near
from theorylab.report.names import paper_of
from theorylab.report.number import brief
from theorylab.report.shown import Shown, nearest
from theorylab.report.standing import (
    OPEN,
    Judged,
    Standing,
    exit_code,
    exit_meaning,
    lacking,
    standing,
)
from theorylab.report.tally import seen_claims, tally
from theorylab.statements import BUILT_IN
from theorylab.verdicts.result import NotRun, Result
from theorylab.words import Verdict

_STYLE = {
    Standing.AS_EXPECTED: "",
    Standing.ALONE: "",
    Standing.DIFFERS: "bold red",
    Standing.NOT_JUDGED: next(v.word.ink for v in Verdict if not v.judged),
    Standing.UNDECIDED: "yellow",
    Standing.NOT_RUN: "dim",
}
MANY = 40  # checks that fit on a screen
_COLUMNS: tuple[str, ...] = (
    *("statement", "version", "check", "verdict", "severity"),
    *(">measured", ">interval", ">bound", ">ratio"),
)
_NARROW_COLUMNS: tuple[str, ...] = ("check", "verdict", ">measured", ">bound", ">ratio")


def print_verdicts(judged: Sequence[Judged], asked: Verify) -> None:
    """The verdict table, then why each check that is not as expected is not.

    More than ``MANY`` checks make one row a version, and more than ``MANY`` versions of several
    papers an overview, unless ``--long`` or ``--only`` asks for rows.
    """
    results = [result for result in judged if isinstance(result, Result)]
    if len(judged) > MANY and not asked.long:
        versions = {(each.id, each.version) for each in judged}
        names = {name for name, _ in versions if len(versions) > MANY}
        if len(set(map(paper_of, names))) > 1 and names <= BUILT_IN.keys() and not asked.only:
            print_overview(judged, asked)
        else:
            _print_versions(judged)
            if not asked.only:  # of some checks alone a count of statements would be another one
                paragraph(tally(seen_claims(results)).sentence)
            tell("--long shows every check.")
    else:
        styles = [_STYLE[standing(result)] for result in judged]
        columns, rows = _COLUMNS, [_row(result) for result in judged]
        if not fits(columns, rows, console().width):
            columns, rows = _NARROW_COLUMNS, [_narrow_row(result) for result in judged]
        print_table("", columns, rows, styles)
        for line in dict.fromkeys(Shown(r).rests_on for r in results if r.severity):
            tell(line)
    every = [Shown(result) for result in results]
    lines = (*(each.given for each in every), *(each.noticed for each in every))
    for line in dict.fromkeys(filter(None, lines)):
        tell(line)
    for result in results:
        if standing(result) in OPEN:
            wish = (
                "" if standing(result) is Standing.NOT_JUDGED else f", expected {result.expected}"
            )
            tell(printable(f"{name_of(result)}: {result.verdict}{wish}: {why(result)}"))


def _print_versions(judged: Sequence[Judged]) -> None:
    """One row a version: its verdicts, and the check that comes nearest to its bound."""
    groups: dict[tuple[str, str], list[Judged]] = {}
    for each in judged:
        groups.setdefault((each.id, each.version), []).append(each)
    rows, styles = [], []
    for (name, version), every in groups.items():
        group = [each for each in every if isinstance(each, Result)]
        counts = Counter(each.told for each in every)
        verdicts = ", ".join(f"{k} x{n}" if n > 1 else k for k, n in counts.items())
        worst = nearest(group)
        false = [r for r in group if r.severity]
        rows.append(
            (
                name,
                version,
                verdicts,
                false[0].severity if false else "",
                "" if worst is None else Shown(worst).over,
                "" if worst is None else worst.check,
                "; ".join(dict.fromkeys(Shown(r).stands_on for r in false)),
            )
        )
        told = {standing(each) for each in every}
        kind = next((k for k in (*OPEN, Standing.NOT_RUN) if k in told), None)
        styles.append("" if kind is None else _STYLE[kind])
    columns = (
        *("statement", "version", "verdicts", "severity"),
        *(">largest ratio", "at check", "rests on"),
    )
    print_table("", columns, rows, styles)


def verdicts_of(words: Sequence[str]) -> set[str]:
    """The verdicts that are meant, in any case: "violated", "assumption-fails".

    Raises Refused on another word.
    """
    found = {word: word.upper().replace("-", "_") for word in words}
    for word, name in found.items():
        if name not in Verdict.__members__:
            known = [name.lower() for name in Verdict.__members__]
            raise Refused(f"verify: --only is {word!r}; need {near(word.lower(), known)}")
    return set(found.values())


def told_verdict(each: Judged) -> str:
    """The verdict; "" of what was not run."""
    return "" if isinstance(each, NotRun) else each.verdict


def why(result: Result) -> str:
    """Its reason beside its name; of a fault of theorylab's own also how to see where it is."""
    more = f", need {DEBUG}=1 and the same command to see where"
    return result.reason.replace(f"{name_of(result)}: ", "", 1) + more * (
        result.fault == "theorylab"
    )


def _row(result: Judged) -> tuple[str, ...]:
    if isinstance(result, NotRun):
        return (result.id, result.version, result.check, result.told, *[""] * 5)
    shown = Shown(result)
    return (
        result.id,
        result.version,
        result.check,
        result.told,
        result.severity,
        shown.measured,
        shown.interval,
        shown.bound,
        shown.over,
    )


def _narrow_row(result: Judged) -> tuple[str, ...]:
    name = f"{result.id}\n{result.version} {result.check}"
    if isinstance(result, NotRun):
        return (name, result.told, *[""] * 3)
    sides = Shown(result, brief)
    return name, result.told, sides.measured, sides.bound, sides.over


def meaning(judged: Sequence[Judged], own: bool = False) -> str:
    """The last line: how many stand how, and what the exit code says.

    own: they are versions on an instance of one's own, which stand by their verdicts alone.
    """
    code = exit_code(judged)
    results = [each for each in judged if isinstance(each, Result)]
    left_out = [each for each in judged if isinstance(each, NotRun)]
    if own:
        counts = Counter(result.told for result in results)
        told = [f"{number} {verdict}" for verdict, number in counts.items()]
        told += [f"{len(left_out)} not judged"] * bool(left_out)
    else:
        told = [counted(Counter(map(standing, results))), lacking(left_out)]
    what = f"{'version' if own else 'check'}{'s' * (len(judged) != 1)}"
    said = ", ".join(filter(None, told))
    return f"{len(judged)} {what}: {said}. Exit code {code}: {exit_meaning(code, own)}."


def counted(stands: Counter[Standing]) -> str:
    """``3 as expected, 1 different``."""
    return ", ".join(f"{stands[where]} {where.value}" for where in Standing if stands[where])


def name_of(result: Judged) -> str:
    return f"{result.id} [{result.version}] {result.check}"
