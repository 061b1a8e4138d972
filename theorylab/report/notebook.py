"""A result in a cell of a notebook: what terminal and page say of it, a row a fact."""

from __future__ import annotations

from theorylab.explain import explained
from theorylab.report.number import NOTHING, plain
from theorylab.report.shown import Shown
from theorylab.tables import html_table
from theorylab.verdicts.result import Result, Surface

_UNMET = {False: "fails", None: "is not decided"}


class Notebook(Surface, name="notebook"):
    """The table of one result; a finding has its check, itself and the difference, too."""

    @staticmethod
    def html(result: Result) -> str:
        shown, told = Shown(result), explained(result)
        sides = {
            "measured": shown.measured,
            "interval": shown.interval,
            f"bound ({result.relation})": shown.bound,
            "ratio": shown.over,
        }
        said = [line.partition(": ") for line in told.lines] or [("instance", "", told.instance)]
        rows = {
            "verdict": result.told,
            "expected": "" if result.as_expected else result.expected,
            "severity": result.severity,
            "reason": result.reason,
            **{name: text for name, text in sides.items() if text not in (NOTHING, "")},
            **{name: text for name, _, text in said},
            "assumptions that hold": plain(sum(a.holds is True for a in result.assumptions)),
            **{a.name: _UNMET[a.holds] for a in result.assumptions if a.holds is not True},
            "rests on": shown.stands_on,
            "source": shown.source,
        }
        rows = {name: text for name, text in rows.items() if text}
        return html_table(shown.reading, {"": [*rows], result.check: [*rows.values()]})
