"""One cell computed: a claim judged, a metric measured, or a run recorded; its row as text.

A row holds numbers and words, and is the same text wherever the cell is computed. What many cells
share, how each constant is known, stands beside it and is kept once by its hash.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass

from theorylab.campaigns.text import Document, canonical, text_hash
from theorylab.metrics import measured, metric
from theorylab.runs import DivergedError, Row, Setting
from theorylab.runs.configuration import Setting as RunSetting
from theorylab.runs.configuration import built as built_run
from theorylab.runs.configuration import configuration
from theorylab.runs.summary import student
from theorylab.runs.trace import Trace
from theorylab.statements import Check
from theorylab.verdicts import Instance, Job, Result, UserFaultError, guarded, judge
from theorylab.verdicts.case import Case
from theorylab.verdicts.catalogue import statement_of
from theorylab.verdicts.evidence import completed
from theorylab.verdicts.instance import built, parsed
from theorylab.verdicts.judge import subject_of
from theorylab.verdicts.measured import number_table
from theorylab.verdicts.result import finite

_WHERE = "cell"
# What an option that nobody has looked at can run into; a bug elsewhere gets through.
NO_CELL = (ValueError, TypeError, ArithmeticError, LookupError, AttributeError, RecursionError)
_NUMBERS = ("measured", "bound", "log10_bound", "ratio", "relative_error")
_WORDS = ("verdict", "severity", "rests_on", "reason", "place", "relation")


@dataclass(frozen=True)
class Played:
    """``row``: canonical JSON. ``texts``: what it names by hash. ``seconds`` are no part of it."""

    row: str
    texts: Mapping[str, str]
    seconds: float


def played(document: Document) -> Played:
    """Compute a cell. The same document gives the same row and texts.

    A cell whose instance cannot be built or judged has a row, too: it says why. A bug raises.
    """
    began = time.perf_counter()
    texts: dict[str, str] = {}
    try:
        if "refused" in document:
            raise ValueError(document["refused"])
        if "claim" in document:
            row = _judged(document, texts)
        elif "metric" in document:
            row = _measured(document)
        else:
            row = _recorded(document)
    except DivergedError as error:
        row = {"status": "diverged", "reason": _line(error)}
    except UserFaultError as error:
        row = {"status": "refused", "reason": _line(error)}
    except NO_CELL as error:
        told = isinstance(error, ValueError | TypeError)
        name = "" if told else f"{type(error).__name__}: "
        row = {"status": "refused", "reason": f"{name}{_line(error)}"}
    return Played(canonical(row), texts, time.perf_counter() - began)


def check_builds(document: Document) -> None:
    """Build what a cell runs, and run nothing. Raises what is wrong with it."""
    if "refused" in document:
        raise ValueError(document["refused"])
    if "claim" in document:
        statement = statement_of(document["claim"], document.get("source_file"))
        content = statement.versions[document["version"]]
        check = Check("cell", document["instance"])
        with guarded():
            subject_of(
                Case(statement, document["version"], content, check, statement.quantity_of(content))
            )
    elif "metric" in document:
        _setting(document)
    else:
        _run(document)


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:1000].encode("utf-8", "backslashreplace").decode()


def _judged(document: Document, texts: dict[str, str]) -> Document:
    result = judge(
        Job(
            *(document["claim"], document["version"], "cell", document.get("source_file")),
            *(document["seeds"], document["seed"], document["budget"]),
            instance=json.dumps(document["instance"]),
            control=document["control"],
        )
    )
    return _row_of(result, texts)


def _row_of(result: Result, texts: dict[str, str]) -> Document:
    low, high = result.ci
    constants = {name: finite(c["value"]) if isinstance(c.get("value"), int | float) else None
                 for name, c in result.constants.items()}  # fmt: skip
    known = {n: {k: v for k, v in c.items() if k != "value"} for n, c in result.constants.items()}
    row: Document = {
        "status": "done",
        **{name: getattr(result, name) for name in (*_NUMBERS, *_WORDS)},
        **{"low": low, "high": high, "runs": result.runs, "places": result.places},
        "terms": result.terms,
        "constants": constants,
        "fails": [each.name for each in result.assumptions if each.holds is False],
    }
    if known:
        text = canonical(known)
        row["known"] = text_hash(text)
        texts[row["known"]] = text
    return {name: value for name, value in row.items() if value not in ("", None, {}, [], False)}


def _setting(document: Document) -> tuple[str, Instance, Setting]:
    """(the algorithm's name, the instance, what it builds) of a metric's cell."""
    given = dict(document["instance"])
    method = given.get("algorithm")
    if not isinstance(method, dict) or not isinstance(method.get("name"), str):
        raise ValueError(f"{_WHERE}: algorithm has no name; need {{'name': ...}}")
    given["algorithm"] = {key: value for key, value in method.items() if key != "name"}
    instance = parsed(_WHERE, given)
    return method["name"], instance, built(_WHERE, instance, method["name"])


def _measured(document: Document) -> Document:
    kind = metric(document["metric"])
    with guarded():
        name, instance, setting = _setting(document)
        known = number_table(name, instance, setting, set(kind.numbers))
        completed(_WHERE, known, setting.given, kind.numbers)
        found = measured(
            kind,
            setting,
            {number: known[number] for number in kind.numbers},
            law=instance.law,
            runs=range(document["seeds"]),
            seed=document["seed"],
            rounds=instance.at,
        )
    spreads = [_of_law(row, found.exact) for row in found.rows]
    place = max(range(len(spreads)), key=lambda at: spreads[at][0])
    mean, low, high = map(finite, spreads[place])
    return {
        **{"status": "done", "measured": mean, "low": low, "high": high},
        **{"runs": 1 if found.exact else document["seeds"], "places": len(spreads)},
        "place": found.rows[place].label,
    }


def _of_law(row: Row, exact: bool) -> tuple[float, float, float]:
    """Mean of a metric's row under its law, and the limits of it."""
    if row.weights is not None:
        mean = float(row.weights @ row.values)
        return mean, mean, mean
    return student(row.values, exact)


def _recorded(document: Document) -> Document:
    columns, over = document["columns"], document["over"]
    with guarded():
        trace = _run(document).simulate()
    row: Document = {"status": "done", "runs": 1 if trace.exact else len(trace.runs)}
    spreads = {name: _spread(trace, name, over) for name in columns}
    first = spreads[columns[0]]
    for name, spread in spreads.items():
        row |= {name: spread[0], f"{name}_low": spread[1], f"{name}_high": spread[2]}
    return row | dict(zip(("measured", "low", "high"), first, strict=True))


def _run(document: Document) -> RunSetting:
    given = {**document["instance"], "columns": document["columns"], "every": 1}
    return built_run(configuration(given))


def _spread(trace: Trace, name: str, over: str) -> tuple[float | None, ...]:
    values = trace.reduced(name, over)
    return tuple(map(finite, student(values, trace.exact)))
