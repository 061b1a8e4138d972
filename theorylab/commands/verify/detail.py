"""A few results in full, for a terminal: what is measured where, against what, known from what."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any

from theorylab.commands.refusal import tell
from theorylab.commands.table import paragraph, print_table
from theorylab.report.cards import margin
from theorylab.report.number import NOTHING, brief, plain
from theorylab.report.shown import Shown
from theorylab.verdicts import AssumptionResult, Result

_STANDS = {True: "holds", False: "FAILS", None: "not decided"}
_LONGEST_VALUE = 400  # characters of an option of the instance; --json has all


def print_details(
    results: Sequence[Result], origin: str, refusals: Collection[str], long: bool
) -> None:
    """A table of the verdicts, where there are several; then every result in full.

    origin: where their one instance is from; empty where each has its check's. refusals: why
    versions could not be judged. long: every place, and every option whole.
    """
    if len(results) > 1:
        columns = ("version", "check", "verdict", ">measured", ">bound", ">ratio")
        print_table("", columns, [_row(result) for result in results])
    for refusal in refusals:
        paragraph(f"Not judged: {refusal}.")
    shown: dict[str, Any] = {}
    for result in results:
        _print_answer(result)
        if origin and not shown:
            paragraph(f"Instance: {origin}.")
        different = {k: v for k, v in result.instance.items() if shown.get(k) != v or not shown}
        gone = [key for key in shown if key not in result.instance]
        if different or gone:
            rows = [(key, _value(value, long)) for key, value in different.items()]
            rows += [(key, "(none)") for key in gone]
            print_table("", ("instance" if not shown else "instance, else as above", "value"), rows)
        shown = result.instance
        _print_sides(result, long)
        tell()


def _print_answer(result: Result) -> None:
    """The verdict with its reason, what was measured, and what the claim is."""
    sides = Shown(result)
    name = f"{result.id} [{result.version}] {result.check}"
    paragraph(f"{name}: {result.told}: {result.reason}.")
    if not result.outcome.judged:
        pass
    elif result.measured is None:
        paragraph("Nothing was measured: the verdict stands without it.")
    else:
        at = f" at {result.place}" if result.place else ""
        runs = f"{result.runs} runs" if result.runs > 1 else "1 run"
        low, high = sides.limits
        limits = "without limits" if low == high == plain(None) else f"in [{low}, {high}]"
        paragraph(f"Measured: {sides.measured} {limits}{at} ({result.interval}; {runs}).")
        for word, what in sides.believed:
            paragraph(f"{word.capitalize()}, and not looked at: {what}.")
        if result.noticed:
            paragraph(f"Noticed: {result.noticed}.")
    paragraph(f"{sides.source}.")
    paragraph(f"Claim (LaTeX): {result.quantity} {result.relation} {result.formula}")


def _print_sides(result: Result, long: bool) -> None:
    """The assumptions, the terms of the bound, the constants, and both sides at places."""
    if result.assumptions:
        columns = ("assumption", "", ">margin", "numbers")
        print_table("", columns, [_assumption(each) for each in result.assumptions])
    if result.terms:
        rows = [
            (name, plain(value, result.log10_terms.get(name)), _log10(result.log10_terms.get(name)))
            for name, value in result.terms.items()
        ]
        if len(rows) > 1:
            total = plain(result.bound, result.log10_bound)
            rows.append(("sum: the bound", total, _log10(result.log10_bound)))
        print_table("", ("term of the bound", ">value", ">log10"), rows)
    if result.constants:
        known = [
            (name, "infinite" if value == NOTHING else value, *rest)
            for name, value, *rest in Shown(result).constants
        ]
        print_table("", ("constant", ">value", "known as", "source"), known)
    if result.rows:
        _print_places(result, long)
    for line in _standing_on(result):
        paragraph(line)


def _print_places(result: Result, long: bool) -> None:
    """First, largest ratio and last, or all: one place is told above."""
    rows = result.rows
    ordered = result.places != len(rows)  # one growth, and behind it the values of a sweep
    if len(rows) < 2 and not ordered:
        return
    worst = max(range(len(rows)), key=lambda k: -1.0 if (r := rows[k].ratio) is None else r)
    chosen = range(len(rows)) if long else sorted({0, worst, len(rows) - 1})
    table = [
        (
            rows[k].place or str(k + 1),
            plain(rows[k].measured),
            " .. ".join(dict.fromkeys(map(plain, rows[k].ci))),
            plain(rows[k].bound, rows[k].log10_bound),
            plain(rows[k].ratio, digits=3),
        )
        for k in chosen
    ]
    right = ">bracket" if ordered else ">bound"
    print_table("", ("place", ">measured", ">interval", right, ">ratio"), table)
    if len(table) < len(rows):
        tell(f"First, worst and last of {len(rows)} places; --long shows all.")


def _standing_on(result: Result) -> list[str]:
    """What the verdict rests on: the severity's clause, the constants' provenance, their scope."""
    kinds: dict[str, list[str]] = {}
    for name, content in result.constants.items():
        kinds.setdefault(str(content.get("how")), []).append(name)
    parts = [
        f"{len(names)} exact" if how == "exact" else f"{how}: {', '.join(names)}"
        for how, names in kinds.items()
    ]
    lines = [f"Constants: {'; '.join(parts)}."] if parts else []
    scopes = {str(c["within"]) for c in result.constants.values() if c.get("within")}
    lines += [f"Some hold only in {scope}." for scope in sorted(scopes)]
    return [*lines, *([f"Rests on: {Shown(result).rests_on}"] if result.severity else [])]


def _assumption(each: AssumptionResult) -> tuple[str, ...]:
    within = f"in {each.within}" if each.within else ""
    room = "-" if each.margin is None else margin(each).replace("−", "-")
    return each.name, _STANDS[each.holds], room, "; ".join(filter(None, (each.reason, within)))


def _log10(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _row(result: Result) -> tuple[str, ...]:
    sides = Shown(result, brief)
    return result.version, result.check, result.told, sides.measured, sides.bound, sides.ratio


def _value(value: Any, long: bool) -> str:
    text = json.dumps(value)
    cut = len(text) > _LONGEST_VALUE and not long
    return f"{text[:_LONGEST_VALUE]} ... (--long shows all)" if cut else text
