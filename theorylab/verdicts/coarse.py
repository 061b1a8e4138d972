"""Whether a record's arithmetic is too coarse for what it shows, so that it refutes nothing."""

from __future__ import annotations

import math

from theorylab.known import Known
from theorylab.records import Record

_DOUBLE = 2.0**-51  # eps of float64, once more for how it was written


def coarse(record: Record, column: str, bend: Known | None, best: Known | None) -> str:
    """Why rounding may be all that is seen: the distances of the run are not far above what its
    arithmetic loses of models of their size. "" where they are, or it is float64.

    Args:
        column: which the claim is about. bend: L, best: f*; None where nothing tells them.
    """
    eps = record.precision
    if eps <= _DOUBLE:
        return ""
    told = f"the run's arithmetic has eps {eps:.2g}"
    if "size" not in record.numbers:
        return f"{told}, and no size, the largest coordinate of a model, is in {record.name}"
    away = _distance(record, column, bend, best)
    if away is None:
        return f"{told}, and without L nothing tells how far the run is from a minimiser"
    lost = eps**0.75 * record.numbers["size"]
    return "" if away > lost else f"{told}, which loses distances up to {lost:.2g} of {away:.2g}"


def _distance(record: Record, column: str, bend: Known | None, best: Known | None) -> float | None:
    """The largest distance of models that the file shows: from each other where the claim is about
    that, else from a minimiser, at least |grad f|/L or sqrt(2 (f - f*)/L)."""
    if column == "consensus":
        return math.sqrt(float(record.columns[column].max()))
    if bend is None or not 0 < bend.value < math.inf:
        return None
    seen = [0.0]
    if "squared_gradient" in record.columns:
        seen.append(math.sqrt(float(record.columns["squared_gradient"].max())) / bend.value)
    if "loss" in record.columns and best is not None:
        above = max(float(record.columns["loss"].max()) - best.value, 0.0)
        seen.append(math.sqrt(2 * above / bend.value))
    return max(seen)
