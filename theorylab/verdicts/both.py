"""An equality: both of its sides are judged, and the one that decides is shown."""

from __future__ import annotations

from collections.abc import Callable

from theorylab.statements import SIDES, Check, Statement, one_sided
from theorylab.verdicts.result import Result

_SAID = {"<=": "from above", ">=": "from below"}


def both(
    judged: Callable[[Statement, str, Check], Result],
    statement: Statement,
    version: str,
    check: Check,
) -> Result:
    """The result of an equality on ``check``: VIOLATED where one side is, HOLDS where both do.

    It shows the side that decides, by its relation. Confidence limits hold for each side by itself.
    """
    sides = [judged(one_sided(statement, version, each), version, check) for each in SIDES]
    others = [r for r in sides if not r.outcome.word.stands]
    shown = min(others or sides, key=lambda r: (not r.outcome.broken, not r.outcome.undecided))
    reason = "; ".join(dict.fromkeys(r.reason for r in sides))
    if shown.outcome.broken or shown.outcome.undecided:
        reason = f"of an equality, {_SAID[shown.relation]}: {shown.reason}"
    given = "; ".join(dict.fromkeys(r.given for r in ([shown] if others else sides) if r.given))
    seconds = sum(r.seconds for r in sides)
    return shown.model_copy(update={"reason": reason, "given": given, "seconds": seconds})
