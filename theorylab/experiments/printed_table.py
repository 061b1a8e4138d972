"""Sentences of a text against the table that they speak of; printed digits leave room."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.experiments._plain import Plain, Spot, UnwrittenError
from theorylab.known import Known

_DIGITS = re.compile(r"[+-]?(\d{1,30}(\.\d{1,30})?|\.\d{1,30})")
_NEEDED = {"text", "value", "claimed"}
_RELATIONS = ("=", ">=", "<=")
_MOST = 10**30
# In units of the last printed digit: where the number may lie of which the digits were printed.
_HALF, _NONE = Fraction(1, 2), Fraction(0)
_WAYS = {
    "nearest": (-_HALF, _HALF),
    "truncated": (_NONE, Fraction(1)),
    "exact": (_NONE, _NONE),
}
_DEEPEST = 8  # lists in lists

_READER = """def read(text):  # the number of which these digits are printed, {shown}
    number, last = Fraction(text), Fraction(1, 10 ** len(text.partition('.')[2]))
{sign}    return number + {low} * last / 10, number + {high} * last / 10"""
_NAMES = {
    **{"+": "add", "-": "minus", "*": "times", "/": "over", "max": "most", "min": "least"},
    "mean": "mean",
}
_OFF = {"=": "abs(low + high) / 2", ">=": "-(low + high) / 2", "<=": "(low + high) / 2"}
_RANGES = (  # of (low, high), as scripts have them
    "def add(*parts):\n    return tuple(map(sum, zip(*parts)))",
    "def minus(a, b):\n    return a[0] - b[1], a[1] - b[0]",
    """def times(a, *more):
    for b in more:
        ends = [x * y for x in a for y in b]
        a = min(ends), max(ends)
    return a""",
    """def over(a, b):
    ends = [x / y for x in a for y in b]
    return min(ends), max(ends)""",
    "def most(*parts):\n    return tuple(map(max, zip(*parts)))",
    "def least(*parts):\n    return tuple(map(min, zip(*parts)))",
    "def mean(*parts):\n    return tuple(sum(ends) / len(parts) for ends in zip(*parts))",
)


@dataclass(frozen=True)
class _Range:
    low: Fraction
    high: Fraction


class PrintedTable(Experiment, name="printed-table"):
    """One row for every claim about the entries of a table.

    Column ``off``: by how much a claim fails, >= 0 of "=", signed of ">=" and "<="; the constant
    ``printed_room`` is what shortening to the printed digits can account for. Fractions throughout.

    Args:
        table: {row: {column: entry}}. A text as "85.61" is a number that was shortened to these
            digits; an integer is a count, and exact. An entry that the table lacks is left out.
        claims: {text, value, claimed, relation} each. ``value`` and ``claimed`` are digits, an
            integer, a cell "row | column" ("*" for all rows, "!row" for all but one; columns
            alike), or [operation, ...] of these: "+", "*", "-" and "/" (of two), "max", "min",
            "mean". ``relation``: "=", ">=" or "<=", "=" if left out.
        shortened: how digits were made. "nearest" and "truncated" are tried one after the other,
            each for all of the claims together, and the one that fits best counts; "exact": none
            was.

    Raises:
        ValueError: one line, on a cell that the table lacks, digits that are none, or a division by
            a range with 0 in it.
    """

    columns = ("off",)
    claim_options = ("table", "claims", "shortened")  # a paper's own, all of them

    def __init__(
        self,
        *,
        table: Mapping[str, Mapping[str, Any]],
        claims: Sequence[Mapping[str, Any]],
        shortened: Sequence[str] = ("nearest", "truncated"),
    ) -> None:
        if not isinstance(table, Mapping) or not all(
            isinstance(r, Mapping) for r in table.values()
        ):
            raise ValueError(f"{self.name}: table is {table!r}; need {{row: {{column: entry}}}}")
        if not claims or not all(
            isinstance(claim, Mapping)
            and _NEEDED <= set(claim) <= _NEEDED | {"relation"}
            and claim.get("relation", "=") in _RELATIONS
            for claim in claims
        ):
            raise ValueError(
                f"{self.name}: claims is {claims!r}; need text, value, claimed of each, and a "
                f"relation among {', '.join(_RELATIONS)}"
            )
        if not shortened or not set(shortened) <= set(_WAYS):
            raise ValueError(
                f"{self.name}: shortened is {shortened!r}; need some of {', '.join(_WAYS)}"
            )
        self.options: dict[str, Any] = {
            "table": {row: dict(entries) for row, entries in table.items()},
            "claims": [dict(claim) for claim in claims],
            "shortened": [*shortened],
        }
        try:
            self._offs = [self._of(way) for way in self.options["shortened"]]
        except OverflowError:
            raise ValueError(f"{self.name}: a value is above 1e308; need smaller ones") from None

    def describe(self) -> dict[str, Any]:
        return self.options

    def constants(self) -> dict[str, Known]:
        return {}

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        way, offs = min(
            zip(self.options["shortened"], self._offs, strict=True),
            key=lambda found: max(off - room for off, room in found[1]),
        )
        rows = (
            Row(np.array([off]), {"printed_room": room}, f"{claim['text']!r} ({way})", rounding=0.0)
            for claim, (off, room) in zip(self.options["claims"], offs, strict=True)
        )
        return Observation(tuple(rows), True)

    def plain(self, spot: Spot) -> Plain:
        """By how much the claim that the place names is off: ranges that digits stand for."""
        found = [
            (claim, way)
            for claim in self.options["claims"]
            for way in _WAYS
            if spot.result.place == f"{claim['text']!r} ({way})"
        ]
        if len(found) != 1:
            raise UnwrittenError("the place names no claim of the table")
        claim, way = found[0]
        relation, shown = claim.get("relation", "="), way
        low, high = (str(10 * end) for end in _WAYS[way])
        sign, ends = "", (low, high)
        if way == "nearest":
            shown = "rounded to nearest"
        elif "-" in str(claim):
            sign = f"    low, high = (-{high}, {low}) if text[0] == '-' else ({low}, {high})\n"
            ends = ("low", "high")
        reader = _READER.format(shown=shown, sign=sign, low=ends[0], high=ends[1])
        text = f"""
said = {self._written(claim["value"])}
claimed = {self._written(claim["claimed"])}
low, high = said[0] - claimed[1], said[1] - claimed[0]
left, right = float(sum(said)) / 2, float(sum(claimed)) / 2  # claimed: left {relation} right
measured = float({_OFF[relation]})
"""
        return Plain().of(text, "from fractions import Fraction", reader, *_RANGES)

    def _written(self, part: Any) -> str:
        texts = self._texts(part)
        if len(texts) != 1:
            raise UnwrittenError("a claim about several entries at once")
        return texts[0]

    def _texts(self, part: Any) -> list[str]:
        """What stands for a part of a claim, in the functions of ``_RANGES``."""
        if isinstance(part, list | tuple):
            parts = [text for each in part[1:] for text in self._texts(each)]
            return [f"{_NAMES[part[0]]}({', '.join(parts)})"]
        if isinstance(part, str) and "|" in part:
            return [text for entry in self._cells(part) for text in self._texts(entry)]
        if type(part) is int:
            return [f"({part}, {part})"]
        if not isinstance(part, str) or not _DIGITS.fullmatch(part):
            raise UnwrittenError("an entry of the table is no number")
        return [f'read("{part}")']

    def _of(self, way: str) -> list[tuple[float, float]]:
        """(by how much a claim is off, what the digits can account for), claim by claim.

        Each fraction is rounded once, which keeps their order.
        """
        offs = []
        for claim in self.options["claims"]:
            value = self._one(claim["value"], way)
            claimed = self._one(claim["claimed"], way)
            gap = _minus(value, claimed)
            centre, room = (gap.high + gap.low) / 2, (gap.high - gap.low) / 2
            relation = claim.get("relation", "=")
            off = {"=": abs(centre), ">=": -centre, "<=": centre}[relation]
            offs.append((float(off), float(room)))
        return offs

    def _one(self, part: Any, way: str) -> _Range:
        found = self._ranges(part, way, 0)
        if len(found) != 1:
            raise ValueError(f"{self.name}: {part!r} is {len(found)} entries; need one, or max")
        return found[0]

    def _ranges(self, part: Any, way: str, depth: int) -> list[_Range]:
        if isinstance(part, list | tuple):
            if len(part) < 2 or part[0] not in _OPERATIONS or depth == _DEEPEST:
                raise ValueError(
                    f"{self.name}: {part!r} came; need [one of {', '.join(_OPERATIONS)}, ...], at "
                    f"most {_DEEPEST} deep"
                )
            parts = [each for p in part[1:] for each in self._ranges(p, way, depth + 1)]
            if part[0] in "-/" and len(parts) != 2:
                raise ValueError(f"{self.name}: {part!r} has {len(parts)} parts; need two")
            return [_OPERATIONS[part[0]](parts)]
        if isinstance(part, str) and "|" in part:
            return [self._number(entry, way) for entry in self._cells(part)]
        return [self._number(part, way)]

    def _cells(self, text: str) -> list[Any]:
        row, column = (word.strip() for word in text.split("|", 1))
        found = [
            entry
            for name, entries in self.options["table"].items()
            if _fits(row, name)
            for other, entry in entries.items()
            if _fits(column, other)
        ]
        if not found:
            raise ValueError(f"{self.name}: no entry {text!r}; need 'row | column' of the table")
        return found

    def _number(self, entry: Any, way: str) -> _Range:
        if type(entry) is int and abs(entry) < _MOST:
            return _Range(Fraction(entry), Fraction(entry))
        if not isinstance(entry, str) or not _DIGITS.fullmatch(entry):
            raise ValueError(
                f"{self.name}: entry is {entry!r}; need digits as in '85.61', or an integer "
                "below 1e30"
            )
        number = Fraction(entry)
        last = Fraction(1, 10 ** len(entry.partition(".")[2]))
        below, above = (end * last for end in _WAYS[way])
        if entry.startswith("-"):  # a negative number is cut towards 0
            below, above = -above, -below
        return _Range(number + below, number + above)


def _fits(wanted: str, name: str) -> bool:
    return wanted in ("*", name) or (wanted.startswith("!") and wanted[1:] != name)


def _minus(left: _Range, right: _Range) -> _Range:
    return _Range(left.low - right.high, left.high - right.low)


def _times(left: _Range, right: _Range) -> _Range:
    ends = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
    return _Range(min(ends), max(ends))


def _sum(parts: list[_Range]) -> _Range:
    zero = Fraction(0)
    return _Range(sum((p.low for p in parts), zero), sum((p.high for p in parts), zero))


def _product(parts: list[_Range]) -> _Range:
    result = parts[0]
    for part in parts[1:]:
        result = _times(result, part)
    return result


def _quotient(parts: list[_Range]) -> _Range:
    above, under = parts
    if under.low <= 0 <= under.high:
        raise ValueError(f"printed-table: a divisor may be {float(under.low):g}; need one off 0")
    return _times(above, _Range(1 / under.high, 1 / under.low))


def _mean(parts: list[_Range]) -> _Range:
    total = _sum(parts)
    return _Range(total.low / len(parts), total.high / len(parts))


_OPERATIONS: dict[str, Callable[[list[_Range]], _Range]] = {
    "+": _sum,
    "*": _product,
    "-": lambda parts: _minus(*parts),
    "/": _quotient,
    "max": lambda parts: _Range(max(p.low for p in parts), max(p.high for p in parts)),
    "min": lambda parts: _Range(min(p.low for p in parts), min(p.high for p in parts)),
    "mean": _mean,
}
