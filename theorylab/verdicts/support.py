"""What is known of every single run of a measured side, and what is open where that is nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import sympy as sp

from theorylab.experiments import EXPERIMENTS
from theorylab.known import How
from theorylab.metrics import METRICS
from theorylab.own import is_own
from theorylab.runs import ACCURACY_COLUMNS, Row, Setting, Support, unseen
from theorylab.runs.confidence import ERROR_ABOVE, ERROR_BELOW
from theorylab.statements import QUANTITIES, Version
from theorylab.verdicts.case import ROUNDING, Case, Constants, Place
from theorylab.verdicts.curve import known_number
from theorylab.verdicts.result import Verdict

ASSUMED = "assumed: no row is below 0 (floor=)"
_SPREADS = 3.0  # standard errors of a mean: one that far from the bound is not waited for


def support_of_rows(rows: Sequence[Row], room: float) -> Support:
    """What the rows of a metric or an experiment say of every run, where ``room`` is the rounding.

    A number below an assumed floor shows that there is none.
    """
    floor, assumed = min(row.floor or 0.0 for row in rows), any(row.floor is None for row in rows)
    for row in rows if assumed else ():
        seen = row.values if row.likely is None else np.append(row.values, row.likely[0])
        if float(seen.min()) < floor - room - ROUNDING * float(np.abs(seen).max()):
            floor, assumed = -math.inf, False
    return Support(floor, max(row.ceiling for row in rows), assumed=assumed)


def support_of(case: Case, constants: Constants, known: Support) -> Support:
    """``known`` of the column, or of rows, and what the quantity of ``case`` says beside it."""
    quantity = case.quantity
    floor, ceiling, below = known.floor, known.ceiling, ""
    above = [known.given_above] if known.given_above else []
    if known.ceiling < math.inf and not above and not _ours(case):
        above = [f"ceiling {known.ceiling:.4g}"]
    if not _ours(case) and floor > -math.inf:
        below = ASSUMED if known.assumed else f"floor {floor:.4g}"
    if quantity.floor is not None:
        number = None if quantity.floor is -sp.oo else known_number(quantity.floor, constants)
        floor = -math.inf if number is None else number
        below = "" if number is None else f"floor {number:.4g}"
    top = known_number(quantity.ceiling, constants)
    if top is not None and top < ceiling:
        ceiling = top
        above = [f"ceiling {top:.4g}"]
    kurtosis = known_number(quantity.kurtosis, constants)
    if kurtosis is not None:
        above.append(f"kurtosis {kurtosis:.4g}")
    if not case.own or quantity in QUANTITIES.values():  # proved with the statement, or the column
        below, above = "", [known.given_above]
    # of a growth, and of a claim from below, the upper limit guards VIOLATED, too
    plain = case.version.relation == "<=" and case.version.order is None
    error = ERROR_ABOVE if plain else ERROR_BELOW
    words = ", ".join(above)
    if kurtosis is not None and below == ASSUMED:  # it is one of the number less its floor
        words += f"; {ASSUMED}"
    told = (below, words, known.self_bound)
    return Support(floor, ceiling, kurtosis, *told, error_above=error)


def _ours(case: Case) -> bool:
    """Whether what measures is theorylab's own: a column of a run, a metric or an experiment."""
    name, column = case.statement.experiment, case.quantity.column
    kind: type | None = EXPERIMENTS.find(name) if name else METRICS.get(column)
    return kind is None or is_own(kind)


def support_of_column(setting: Setting, column: str) -> Support:
    """What is known of a column of every run on that problem, whatever the algorithm does.

    Squares are >= 0, and so are the distances. A client's own gradient is at most B everywhere, so
    the mean of the gradients at any model is, too; of a personalised run each client's is taken at
    a model of its own, with the same bound, and a part of it is no longer than the whole.
    """
    problem, table = setting.problem, setting.problem.constants()
    both = (problem, getattr(problem, "base", None))  # runs leave a set at times
    confined = any(hasattr(each, "inside") for each in both)
    # with personal parts the mean of f_i goes below f*, and outside its set f does
    free = confined or getattr(problem, "shared", problem.dim) < problem.dim
    if column in ACCURACY_COLUMNS:
        return Support(ceiling=1.0)
    if column == "own_loss":  # each at a model of its own: f* is no bound of it
        return Support(floor=-math.inf)
    if column == "loss":
        best = table.get("f_star")
        if best is None or free:
            return Support(floor=-math.inf)
        least = best.lower if best.how is How.CERTIFIED else best.value if best.at_most else None
        return Support(floor=-math.inf if least is None else float(least))
    if column == "suboptimality" and free:
        return Support(floor=-math.inf)
    slope = None if confined else table.get("B")
    if not column.startswith(("squared_gradient", "gradient_")) or slope is None:
        return Support()
    most = slope.upper if slope.how is How.CERTIFIED else slope.value if slope.at_least else None
    if most is None or not math.isfinite(most):
        return Support()
    given = f"B = {most:.4g} of {problem.name}" if not is_own(type(problem)) else ""
    return Support(ceiling=float(most) ** 2, given_above=given)


def open_end(case: Case, place: Place) -> str:
    """Why no number of runs would show that the claim holds at ``place``; "" where one may."""
    support, runs = place.support, len(place.values)
    if support is None:
        return ""
    if case.version.order is not None:
        if support.bounded_above:
            return ""
        return (
            "no ceiling of a run is known at a value of the sweep, and so no limit of its growth; "
            "need ceiling= or kurtosis= in the Quantity"
        )
    if case.version.relation == ">=":
        if support.floor > -math.inf:
            return ""
        return "no floor of a run is known, and so no lower limit; need floor= in the Quantity"
    if support.bounded_above:
        return ""
    moment = "kurtosis=" if support.floor > -math.inf else "floor= and kurtosis="
    other = (
        "draws of a finite law, which are enumerated, or affine gradients with additive noise, "
        "whose moments are exact"
    )
    if case.recorded:
        other = "or --given deterministic=1 where the method draws nothing"
    return (
        f"no ceiling of a run is known: an event of chance up to {unseen(runs):.2g} would stay "
        f"unseen in {runs} run{'s' * (runs != 1)} once in a hundred times; need ceiling= or "
        f"{moment} in the Quantity, {other}"
    )


def may_break(case: Case, place: Place, bound: float) -> bool:
    """Whether more runs may yet show that the claim is false at ``place``: the mean is beyond the
    bound, or not many standard errors from it."""
    support, runs = place.support, len(place.values)
    if support is None or case.version.order is not None:
        return support is None
    if case.version.relation == ">=":
        if not support.bounded_above:
            return False
    elif support.floor == -math.inf:
        return False
    reach = _SPREADS * float(np.std(place.values)) / math.sqrt(runs)
    gap = place.centre - bound
    return -gap <= reach if case.version.relation == "<=" else gap <= reach


def given_for(version: Version, verdict: Verdict, places: Sequence[Place]) -> str:
    """What a user's word adds to the limits that such a verdict rests on; a growth's are all."""
    if not verdict.decided:
        return ""
    growth, above = version.order is not None, verdict.word.stands == (version.relation == "<=")
    every = [place.support for place in places if place.support is not None]
    told = {each.given_above for each in every if growth or above}
    told |= {each.given_below for each in every if growth or not above}
    parts = {part for each in told for part in each.split("; ") if part}
    return "; ".join(sorted(parts, key=lambda part: (part == ASSUMED, part)))


def spelled_range(place: Place) -> str:
    """The limits, as in "[0.5, 2]" or "[0.5, no limit]"."""
    ends = (place.interval.low, place.interval.high)
    low, high = (f"{end:.6g}" if math.isfinite(end) else "no limit" for end in ends)
    return f"[{low}, {high}]"
