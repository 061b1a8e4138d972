"""How a verdict stands against the one that was expected, and what a process exits with."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorylab.verdicts.result import Result


class Standing(enum.Enum):
    """``UNDECIDED`` is an interval on both sides of the bound; it refutes no expectation. Of an
    instance of one's own nothing is expected: it is ``ALONE``."""

    AS_EXPECTED = "as expected"
    ALONE = "without an expectation"
    DIFFERS = "different"
    UNDECIDED = "undecided"


EXIT_MEANING = {
    0: "every verdict is the expected one",
    1: "a verdict differs from the expected one",
    4: "no verdict differs from the expected one, but some are undecided",
}


def standing(result: Result) -> Standing:
    if not result.expected:
        return Standing.ALONE
    if result.as_expected:
        return Standing.AS_EXPECTED
    return Standing.UNDECIDED if result.verdict == "INCONCLUSIVE" else Standing.DIFFERS


OPEN = (Standing.DIFFERS, Standing.UNDECIDED)  # what needs a look


def exit_code(results: Iterable[Result]) -> int:
    """A difference outweighs an undecided check; see ``EXIT_MEANING``."""
    seen = {standing(result) for result in results}
    if Standing.DIFFERS in seen:
        return 1
    return 4 if Standing.UNDECIDED in seen else 0
