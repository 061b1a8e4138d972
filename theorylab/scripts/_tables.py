"""Sentences against the numbers of a printed table, in fractions."""

from __future__ import annotations

import re
from typing import Any

from theorylab.scripts.base import Facts, UnscriptedError, emitter
from theorylab.scripts.text import comment

_DIGITS = re.compile(r"[+-]?(\d{1,30}(\.\d{1,30})?|\.\d{1,30})")
_HELPERS = {
    "+": ["def add(*parts):", "    return tuple(map(sum, zip(*parts)))"],
    "-": ["def minus(a, b):", "    return a[0] - b[1], a[1] - b[0]"],
    "*": [
        "def times(a, *more):",
        "    for b in more:",
        "        ends = [x * y for x in a for y in b]",
        "        a = min(ends), max(ends)",
        "    return a",
    ],
    "/": [
        "def over(a, b):",
        "    ends = [x / y for x in a for y in b]",
        "    return min(ends), max(ends)",
    ],
    "max": ["def most(*parts):", "    return tuple(map(max, zip(*parts)))"],
    "min": ["def least(*parts):", "    return tuple(map(min, zip(*parts)))"],
    "mean": [
        "def mean(*parts):",
        "    return tuple(sum(ends) / len(parts) for ends in zip(*parts))",
    ],
}
_NAMES = {"+": "add", "-": "minus", "*": "times", "/": "over", "max": "most", "min": "least",
          "mean": "mean"}  # fmt: skip
_ENDS = {"nearest": (-5, 5), "truncated": (0, 10), "exact": (0, 0)}  # tenths of the last digit


@emitter("printed-table")
def of_table(facts: Facts) -> list[str]:
    """By how much the one claim that the place names is off: ranges that digits stand for."""
    options = facts.instance
    found = [
        (claim, way)
        for claim in options["claims"]
        for way in _ENDS
        if facts.result.place == f"{claim['text']!r} ({way})"
    ]
    if len(found) != 1:
        raise UnscriptedError(f"the place {comment(facts.result.place, 60)} is no claim")
    claim, way = found[0]
    used: set[str] = set()
    value = _text(claim["value"], options["table"], way, used)
    claimed = _text(claim["claimed"], options["table"], way, used)
    low, high = _ENDS[way]
    shown = "rounded to nearest" if way == "nearest" else way
    relation = claim.get("relation", "=")
    off = {"=": "abs(low + high) / 2", ">=": "-(low + high) / 2", "<=": "(low + high) / 2"}
    helpers = [line for name, lines in _HELPERS.items() if name in used for line in lines]
    reader = [
        f"def read(text):  # the number of which these digits are printed, {shown}",
        "    number, last = Fraction(text), Fraction(1, 10 ** len(text.partition('.')[2]))",
        *(
            [f"    return number + {low} * last / 10, number + {high} * last / 10"]
            if "-" not in str(claim) or way == "nearest"
            else [
                f"    low, high = (-{high}, {low}) if text[0] == '-' else ({low}, {high})",
                "    return number + low * last / 10, number + high * last / 10",
            ]
        ),
    ]
    return [
        "from fractions import Fraction",
        *(reader if "read(" in value + claimed else []),
        *helpers,
        f"said = {value}",
        f"claimed = {claimed}",
        "low, high = said[0] - claimed[1], said[1] - claimed[0]",
        f"left, right = float(sum(said)) / 2, float(sum(claimed)) / 2  # claimed: left {relation}"
        " right",
        f"measured = float({off[relation]})",
    ]


def _text(part: Any, table: Any, way: str, used: set[str]) -> str:
    found = _texts(part, table, way, used)
    if len(found) != 1:
        raise UnscriptedError("a claim about several entries at once")
    return found[0]


def _texts(part: Any, table: Any, way: str, used: set[str]) -> list[str]:
    if isinstance(part, list | tuple):
        parts = [text for each in part[1:] for text in _texts(each, table, way, used)]
        used.add(part[0])
        return [f"{_NAMES[part[0]]}({', '.join(parts)})"]
    if isinstance(part, str) and "|" in part:
        row, column = (word.strip() for word in part.split("|", 1))
        return [
            _entry(entry)
            for name, entries in table.items()
            if _fits(row, name)
            for other, entry in entries.items()
            if _fits(column, other)
        ]
    return [_entry(part)]


def _fits(wanted: str, name: str) -> bool:
    return wanted in ("*", name) or (wanted.startswith("!") and wanted[1:] != name)


def _entry(entry: Any) -> str:
    """Digits as a text of digits and no more; an integer as itself."""
    if type(entry) is int:
        return f"({entry}, {entry})"
    if not isinstance(entry, str) or not _DIGITS.fullmatch(entry):
        raise UnscriptedError("an entry of the table is no number")
    return f'read("{entry}")'
