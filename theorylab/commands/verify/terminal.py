"""Verdicts on stdout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from theorylab.commands.refusal import DEBUG, Refused, printable, tell
from theorylab.commands.table import console, fits, print_table
from theorylab.commands.verify.paper_rows import PAPER_COLUMNS, paper_rows
from theorylab.explain import fault_of
from theorylab.registry import near
from theorylab.report.names import paper_of
from theorylab.report.number import plain
from theorylab.report.standing import (
    EXIT_MEANING,
    OPEN,
    Judged,
    Standing,
    exit_code,
    lacking,
    standing,
)
from theorylab.report.tally import seen_claims, tally
from theorylab.statements import BUILT_IN
from theorylab.verdicts.result import NotRun, Result
from theorylab.words import Verdict

if TYPE_CHECKING:
    pass

_STYLE = {
    Standing.AS_EXPECTED: "",
    Standing.ALONE: "",
    Standing.DIFFERS: "bold red",
    Standing.NOT_JUDGED: Verdict.ERROR.word.ink,
    Standing.UNDECIDED: "yellow",
    Standing.NOT_RUN: "dim",
}
MANY = 40  # checks that fit on a screen
_COLUMNS: tuple[str, ...] = (
    *("statement", "version", "check", "verdict", "severity"),
    *(">measured", ">interval", ">bound", ">ratio"),
)
_NARROW_COLUMNS: tuple[str, ...] = ("check", "verdict", ">measured", ">bound", ">ratio")


def print_verdicts(judged: Sequence[Judged], long: bool = False, chosen: bool = False) -> None:
    """The verdict table, then why each check that is not as expected is not.

    More than ``MANY`` checks make one row a version, and more than ``MANY`` versions of several
    papers one row a paper, unless ``long`` or ``chosen``: by ``--only``.
    """
    results = [result for result in judged if isinstance(result, Result)]
    if len(judged) > MANY and not long:
        versions = {(each.id, each.version) for each in judged}
        names = {name for name, _ in versions if len(versions) > MANY}
        by_paper = len(set(map(paper_of, names))) > 1 and names <= BUILT_IN.keys()
        if by_paper and not chosen:
            rows, stands = paper_rows(judged)
            print_table("", PAPER_COLUMNS, rows, [_STYLE[each] for each in stands])
        else:
            _print_versions(judged)
        tell(tally(seen_claims(results)).sentence)
        more = "; 'PAPER.*' shows the versions of one paper" if by_paper and not chosen else ""
        tell(f"--long shows every check{more}.")
    else:
        styles = [_STYLE[standing(result)] for result in judged]
        columns, rows = _COLUMNS, [_row(result) for result in judged]
        if not fits(columns, rows, console().width):
            columns, rows = _NARROW_COLUMNS, [_narrow_row(result) for result in judged]
        print_table("", columns, rows, styles)
        for line in dict.fromkeys(rests_on(result) for result in results if result.severity):
            tell(line)
    for line in dict.fromkeys(filter(None, (*map(given, results), *map(noticed, results)))):
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
        inside = [r for r in group if not r.control and Verdict[r.verdict].word.applies]
        ratios = [r for r in inside if r.ratio is not None]
        worst = max(ratios, key=lambda result: result.ratio or 0.0, default=None)
        false = [r for r in group if r.severity]
        rows.append(
            (
                name,
                version,
                verdicts,
                false[0].severity if false else "",
                "" if worst is None else _against(worst),
                "" if worst is None else worst.check,
                "; ".join(dict.fromkeys(stands_on(r) for r in false)),
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


def stands_on(result: Result) -> str:
    """What a false verdict stands on, and whose fault it repeats."""
    fault = fault_of(result)
    again = f"the fault of {fault}" if fault else ""
    return "; ".join(part for part in (result.rests_on, again) if part)


def given(result: Result) -> str:
    """What a user says of every run, where limits from runs rest on it; "" where none do."""
    told = ", ".join(f"{word}: {what}" for word, what in believed(result))
    return f"{result.id} [{result.version}]: {result.verdict} from runs, {told}." * bool(told)


def believed(result: Result) -> list[tuple[str, str]]:
    """What was "given" or "assumed" of every run, and not looked at."""
    parts = list(filter(None, result.given.split("; ")))
    assumed = [part.removeprefix("assumed: ") for part in parts if part.startswith("assumed: ")]
    said = "; ".join(part for part in parts if not part.startswith("assumed: "))
    return [("given", said)] * bool(said) + [("assumed", part) for part in assumed]


def noticed(result: Result) -> str:
    """What was seen of a user's algorithm that its class does not say; "" where nothing was."""
    told = printable(f"{result.id} [{result.version}]: note: {result.noticed}.")
    return told if result.noticed else ""


def rests_on(result: Result) -> str:
    what = stands_on(result)
    return f"{result.id} [{result.version}]: {result.severity}" + (f"; {what}." if what else ".")


def _row(result: Judged) -> tuple[str, ...]:
    if isinstance(result, NotRun):
        return (result.id, result.version, result.check, result.told, *[""] * 5)
    low, high = map(plain, result.ci)
    return (
        result.id,
        result.version,
        result.check,
        result.told,
        result.severity,
        plain(result.measured),
        low if low == high else f"{low} .. {high}",
        plain(result.bound, result.log10_bound),
        _against(result),
    )


def _against(result: Result) -> str:
    """Measured over bound; of an identity, whose bound is rounding, how far it is off."""
    if result.relative_error is not None and result.severity:
        return f"{plain(100 * result.relative_error, digits=3)} % off"
    return plain(result.ratio, digits=3)


def _narrow_row(result: Judged) -> tuple[str, ...]:
    name = f"{result.id}\n{result.version} {result.check}"
    if isinstance(result, NotRun):
        return (name, result.told, *[""] * 3)
    return (
        name,
        result.told,
        plain(result.measured, digits=3),
        plain(result.bound, result.log10_bound, digits=3),
        _against(result),
    )


def meaning(results: Sequence[Judged]) -> str:
    """The last line: how many stand how, and what the exit code says."""
    code = exit_code(results)
    judged = Counter(standing(result) for result in results if isinstance(result, Result))
    left_out = lacking(result for result in results if isinstance(result, NotRun))
    told = ", ".join(filter(None, (counted(judged), left_out)))
    many = "check" if len(results) == 1 else "checks"
    return f"{len(results)} {many}: {told}. Exit code {code}: {EXIT_MEANING[code]}."


def counted(stands: Counter[Standing]) -> str:
    """``3 as expected, 1 different``."""
    return ", ".join(f"{stands[where]} {where.value}" for where in Standing if stands[where])


def name_of(result: Judged) -> str:
    return f"{result.id} [{result.version}] {result.check}"
