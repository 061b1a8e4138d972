"""Which of the three ways of writing the measured side a check takes."""

from __future__ import annotations

from theorylab.metrics import METRICS
from theorylab.scripts import _columns, _plain_lines, _user_script
from theorylab.scripts.base import Facts, UnscriptedError


def emitted(facts: Facts) -> tuple[list[str], list[str]]:
    """(texts of classes, lines of the measured side); UnscriptedError where nothing writes them.

    Of built-in parts the lines beside a metric or an experiment are written, without a text. A
    user's classes, and what has no lines, are played on a stub of what a step is given.
    """
    if _user_script.has_own(facts):
        return _user_script.emitted(facts)
    name = facts.statement.experiment
    if not name:
        try:
            return [], _columns.written(facts)
        except UnscriptedError as error:
            if facts.column in METRICS:
                raise
            refused = str(error)
        try:
            return _user_script.emitted(facts)
        except UnscriptedError:
            raise UnscriptedError(refused) from None
    return [], _plain_lines.emitted(facts)
