"""Whether a metric is what it says: rows with one number a run, pure, and run by run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from theorylab.algorithms import ALGORITHMS, Algorithm, algorithm
from theorylab.conformance._bench import Bench, arrays, benches, first_difference, with_network
from theorylab.conformance._compare import Floats, gap, given_to
from theorylab.conformance._sheet import LIE, UNCHECKED, Finding, Sheet, said
from theorylab.constants import topology_constants
from theorylab.known import Known
from theorylab.metrics import METRICS
from theorylab.runs import Expected, Row, Setting
from theorylab.runs.generators import global_draws

_METHODS = ("sgp", "dpsgd", "dfedpgp", "dfedalt", "deprl")
_ROUNDS = 4
_ROOM = 2.0**-36
Played = tuple[list[Row], str]


def check_metric(
    name: str, given: Mapping[str, Any], clients: int | None, methods: Sequence[str] = ()
) -> list[Finding]:
    """The findings of the metric registered as ``name``, on the file's methods first."""
    sheet, kind, first, fault = Sheet("metric", name), METRICS.find(name), "", False
    for word in (*methods, *_METHODS):
        made = ALGORITHMS.find(word)
        options, _, missing = given_to(made, given)
        if missing:
            continue
        for tried in benches():
            bench: Bench | None = tried
            while bench is not None:
                try:
                    method = algorithm(word, **options)
                    setting, known, lacks = _setting(kind, method, bench)
                    if lacks:
                        first, bench = first or f"needs constant {', '.join(lacks)}", None
                        continue
                    _fold(kind, setting, known, method, bench, [0, 1, 2])
                except Exception as error:
                    # what it makes of a run that it takes is a row, whatever the run
                    wrong = not isinstance(error, ValueError) or str(error).startswith("row ")
                    first = said(error) if not first or (wrong and not fault) else first
                    fault = fault or wrong
                    bench = with_network(bench, error) if bench and not wrong else None
                    continue
                how = f"{_ROUNDS} rounds of {word}, {bench.name}"
                with sheet.asking("rows", how):
                    _looked(sheet, kind, setting, known, method, bench, how)
                return sheet.findings
    sheet.add("rows", "small runs of several methods", LIE if fault else UNCHECKED, first)
    return sheet.findings


def _setting(
    kind: Any, method: Algorithm, bench: Bench
) -> tuple[Setting, dict[str, Known], list[str]]:
    known: dict[str, Known] = {}
    if kind.numbers:
        known = bench.problem.constants()
        if not bench.topology.networks:
            known = known | topology_constants(bench.topology, horizon=_ROUNDS)
    lacks = [name for name in kind.numbers if name not in known]
    start = bench.start(1)[0]
    setting = Setting(bench.problem, bench.topology, method, {}, _ROUNDS, start)
    return setting, {name: known[name] for name in kind.numbers if name in known}, lacks


def _fold(
    kind: Any,
    setting: Setting,
    known: Mapping[str, Known],
    method: Algorithm,
    bench: Bench,
    ids: Sequence[int],
) -> Played:
    """The rows of these runs, and what of a state the metric changed."""
    fold, found, changed = kind(setting, known), list[Any](), ""
    x = np.repeat(setting.start[None], len(ids), axis=0)
    state = bench.first(method, x)
    play = bench.rounds(method, ids)
    fold.start(state)
    for _ in range(_ROUNDS):
        after = play.play(state, fold if kind.local else None)
        kept = {k: np.array(v) for k, v in arrays(after).items()}
        found += list(fold.rows(state, after))
        changed = changed or first_difference(kept, arrays(after))
        state = after
    found += list(fold.last(state))
    return found, changed


def _looked(
    sheet: Sheet,
    kind: Any,
    setting: Setting,
    known: Mapping[str, Known],
    method: Algorithm,
    bench: Bench,
    how: str,
) -> None:
    ids, drawn = [0, 1, 2], list[str]()
    with global_draws(drawn):
        rows, changed = _fold(kind, setting, known, method, bench, ids)
        again, _ = _fold(kind, setting, known, method, bench, ids)
    wrong = "" if rows else "there is no row"
    for row in rows:
        if not isinstance(row, Row):
            wrong = f"rows gave {type(row).__name__}; need Row"
            break
        for word, value in _numbers(row).items():
            if value.shape[:1] != (len(ids),):
                wrong = f"{word} at {row.label!r} has shape {value.shape}; need (R,), one a run"
            elif not np.isfinite(value).all():
                wrong = f"{word} at {row.label!r} is not finite"
        if kind.axis and kind.axis not in row.at:
            wrong = f"a row has no {kind.axis!r}, which is the axis"
    sheet.judge(
        "rows", f"{how}: (R,) finite numbers, and the axis", not wrong, wrong or f"{len(rows)} rows"
    )
    sheet.judge(
        "inputs",
        "the states before and after",
        not changed,
        f"it changes {changed}" if changed else "",
    )
    if wrong:
        return
    why = f"it draws from {drawn[0]}" if drawn else _apart(rows, again, slice(None), 0.0)
    sheet.judge("function of the run", "measured twice", not why, why)
    why = ""
    for r in ids:
        why = why or _apart(rows, _fold(kind, setting, known, method, bench, [r])[0], r, _ROOM)
    sheet.judge("a batch is its runs", "each of 3 runs alone", not why, why)


def _numbers(row: Row) -> dict[str, Floats]:
    """What a row has one number a run of: its values, and the random symbols of its right side."""
    found = {"values": row.values}
    for name, value in row.at.items():
        if isinstance(value, Expected):
            found[name] = np.asarray(value.values)
        elif not isinstance(value, Known) and np.ndim(value):
            found[name] = np.asarray(value)
    return found


def _apart(rows: Sequence[Row], others: Sequence[Row], runs: Any, room: float) -> str:
    """Where the rows of some runs differ from those of others; "" where they do not."""
    if [row.label for row in rows] != [row.label for row in others]:
        return "it has other places"
    size = max((float(np.abs(row.values).max()) for row in rows), default=0.0)
    for row, other in zip(rows, others, strict=True):
        mine, theirs = _numbers(row), _numbers(other)
        for name, value in mine.items():
            part = value[runs] if isinstance(runs, slice) else value[runs : runs + 1]
            if name not in theirs:
                return f"{name} at {row.label!r} is there in one batch only"
            off, large = gap(part, theirs[name])
            if off > room * max(size, large):
                return f"{name} at {row.label!r} is off by {off:.3g}"
    return ""
