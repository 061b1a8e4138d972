"""Many checks of several papers, a row a paper: what a page of a terminal has room for."""

from __future__ import annotations

from collections.abc import Sequence

from theorylab.report.groups import controls, verdict_counts
from theorylab.report.names import paper_of
from theorylab.report.standing import OPEN, Judged, Standing, standing
from theorylab.verdicts.result import NotRun, Result

PAPER_COLUMNS = ("paper", ">checks", ">as expected", "verdicts")


def paper_rows(judged: Sequence[Judged]) -> tuple[list[tuple[str, ...]], list[Standing]]:
    """The cells of every paper's row, in the order in which papers come, and how it stands.

    A row stands as its worst check does: a difference outweighs an undecided one, and that one
    what was not run.
    """
    groups: dict[str, list[Judged]] = {}
    for each in judged:
        groups.setdefault(paper_of(each.id), []).append(each)
    rows: list[tuple[str, ...]] = []
    stands: list[Standing] = []
    for paper, every in groups.items():
        told = [standing(each) for each in every]
        met = told.count(Standing.AS_EXPECTED)
        rows.append((paper, str(len(every)), str(met), _verdicts(every)))
        kinds = (*OPEN, Standing.NOT_RUN)
        stands.append(next((kind for kind in kinds if kind in told), Standing.AS_EXPECTED))
    return rows, stands


def _verdicts(every: Sequence[Judged]) -> str:
    """``VIOLATED x3, HOLDS x9, controls x2``: a control's verdict says nothing of a claim."""
    results = [each for each in every if isinstance(each, Result)]
    counts = dict(verdict_counts(results))
    counts["controls"] = controls(results)
    for each in every:
        if isinstance(each, NotRun):
            counts[each.told] = counts.get(each.told, 0) + 1
    return ", ".join(f"{word} x{count}" for word, count in counts.items() if count)
