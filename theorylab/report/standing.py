"""How a verdict stands against the one that was expected, and what a process exits with."""

from __future__ import annotations

import enum
from collections.abc import Iterable

from theorylab.verdicts.result import NotRun, Result

Judged = Result | NotRun  # what becomes of a job


class Standing(enum.Enum):
    """``UNDECIDED`` is an interval on both sides of the bound; it refutes no expectation. Of an
    instance of one's own nothing is expected: it is ``ALONE``. ``NOT_RUN`` has no verdict."""

    AS_EXPECTED = "as expected"
    ALONE = "without an expectation"
    DIFFERS = "different"
    UNDECIDED = "undecided"
    NOT_RUN = "not run"


EXIT_MEANING = {
    0: "every verdict is the expected one",
    1: "a verdict differs from the expected one",
    4: "no verdict differs from the expected one, but some are undecided",
}


def standing(result: Judged) -> Standing:
    if isinstance(result, NotRun):
        return Standing.NOT_RUN
    if not result.expected:
        return Standing.ALONE
    if result.as_expected:
        return Standing.AS_EXPECTED
    return Standing.UNDECIDED if result.verdict == "INCONCLUSIVE" else Standing.DIFFERS


OPEN = (Standing.DIFFERS, Standing.UNDECIDED)  # what needs a look


def exit_code(results: Iterable[Judged]) -> int:
    """A difference outweighs an undecided check; what was not run says nothing; see
    ``EXIT_MEANING``."""
    seen = {standing(result) for result in results}
    if Standing.DIFFERS in seen:
        return 1
    return 4 if Standing.UNDECIDED in seen else 0


def lacking(left_out: Iterable[NotRun]) -> str:
    """How many were not run, and what they need; "" where none was left out."""
    every = list(left_out)
    extras = ",".join(sorted({each.extra for each in every} - {""}))
    packages = " ".join(sorted({each.package for each in every} - {""}))
    lines = [f"pip install 'theorylab[{extras}]'"] * bool(extras)
    lines += [f"apt-get install {packages}"] * bool(packages)
    return f"{len(every)} not run (need {', '.join(lines)})" if every else ""
