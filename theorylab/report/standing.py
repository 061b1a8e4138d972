"""How a verdict stands against the one that was expected, and what a process exits with."""

from __future__ import annotations

import enum
from collections.abc import Iterable

from theorylab.verdicts.result import NotRun, Result
from theorylab.words import REFUSED, REFUTED, UNDECIDED, Verdict

Judged = Result | NotRun  # what becomes of a job


class Standing(enum.Enum):
    """``UNDECIDED`` is an interval on both sides of the bound; it refutes no expectation.
    ``NOT_JUDGED`` is an ERROR, whatever was expected. Of an instance of one's own nothing is
    expected: it is ``ALONE``. ``NOT_RUN`` has no verdict."""

    AS_EXPECTED = "as expected"
    ALONE = "without an expectation"
    DIFFERS = "different"
    NOT_JUDGED = "not judged"
    UNDECIDED = "undecided"
    NOT_RUN = "not run"


def standing(result: Judged) -> Standing:
    if isinstance(result, NotRun):
        return Standing.NOT_RUN
    verdict = result.outcome
    if not verdict.judged:
        return Standing.NOT_JUDGED
    if not result.expected:
        return Standing.ALONE
    if result.as_expected:
        return Standing.AS_EXPECTED
    return Standing.UNDECIDED if verdict.word.exit == UNDECIDED else Standing.DIFFERS


OUR_FAULT = 3  # an exit code
OPEN = (Standing.DIFFERS, Standing.NOT_JUDGED, Standing.UNDECIDED)  # what needs a look


def exit_code(results: Iterable[Judged]) -> int:
    """A difference outweighs a check that could not be judged, and that one an undecided check;
    what was not run says nothing; see ``exit_meaning``. Of an instance of one's own its verdict
    alone tells, and a control's tells nothing."""
    every = list(results)
    seen = {standing(result) for result in every}
    ends = {_ends(result) for result in every if isinstance(result, Result)}
    if Standing.DIFFERS in seen or REFUTED in ends:
        return REFUTED
    errors = ends & {REFUSED, OUR_FAULT}
    if errors:
        return max(errors)
    return UNDECIDED if Standing.UNDECIDED in seen or UNDECIDED in ends else 0


def exit_meaning(code: int, own: bool = False) -> str:
    """What a process that ends so says; own: of an instance of which nothing is expected."""
    broken = ", ".join(verdict.name for verdict in Verdict if verdict.word.exit == REFUTED)
    one, are = ("one", "one is") if own else ("a check", "some are")
    met = f"no version is {broken}" if own else "no verdict differs from the expected one"
    return {
        0: met if own else "every verdict is the expected one",
        REFUTED: f"a version is {broken} on this instance"
        if own
        else "a verdict differs from the expected one",
        REFUSED: f"{met}, but {one} could not be judged",
        OUR_FAULT: f"{met}, but by a fault of theorylab {one} could not be judged",
        UNDECIDED: f"{met}, but {are} undecided",
    }[code]


def _ends(result: Result) -> int:
    """The exit code of a result alone, where no expectation is met or missed; 0 of others."""
    verdict = result.outcome
    if not verdict.judged:
        return OUR_FAULT if result.fault == "theorylab" else REFUSED
    alone = standing(result) is Standing.ALONE and not result.control
    return verdict.word.exit if alone else 0


def lacking(left_out: Iterable[NotRun]) -> str:
    """How many were not run, and what they need; "" where none was left out."""
    every = list(left_out)
    extras = ",".join(sorted({each.extra for each in every} - {""}))
    packages = " ".join(sorted({each.package for each in every} - {""}))
    lines = [f"pip install 'theorylab[{extras}]'"] * bool(extras)
    lines += [f"apt-get install {packages}"] * bool(packages)
    return f"{len(every)} not run (need {', '.join(lines)})" if every else ""
