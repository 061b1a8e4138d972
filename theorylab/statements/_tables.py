"""Tables of a paper, and what its text says of them, as data for the experiment printed-table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from theorylab.statements._base import Check, Version
from theorylab.statements._cause import Cause
from theorylab.statements._quantity import Quantity
from theorylab.symbols import printed_room

OFF = Quantity("off", "rows", (0, 0), r"\text{by how much the text departs from the table}")


def transcribed(columns: str, rows: str) -> dict[str, dict[str, str | int]]:
    """{row: {column: entry}} of lines "name entry entry ...", "-" where the table has no entry.

    An entry with a point stays text, as it was shortened to its digits; one without is a count.
    """
    names = columns.split()
    table: dict[str, dict[str, str | int]] = {}
    for line in rows.strip().splitlines():
        row, *entries = line.split()
        table[row] = {
            name: entry if "." in entry else int(entry)
            for name, entry in zip(names, entries, strict=True)
            if entry != "-"
        }
    return table


def claim(text: str, value: Any, relation: str, claimed: Any) -> dict[str, Any]:
    """One sentence; see ``theorylab.experiments.PrintedTable``."""
    return {"text": text, "value": value, "relation": relation, "claimed": claimed}


def best(row: str, column: str, text: str = "") -> dict[str, Any]:
    """Nothing in the column is above the entry of ``row``."""
    words = text or f"{row} is best, {column}"
    return claim(words, f"{row} | {column}", ">=", ["max", f"!{row} | {column}"])


def said(
    table: Mapping[str, Mapping[str, Any]],
    claims: Sequence[Mapping[str, Any]],
    *,
    note: str = "",
    causes: tuple[Cause, ...] = (),
    mends: tuple[Cause, ...] = (),
    exact: bool = False,
) -> Version:
    """The version that all of the claims are true of the table; false where a cause is given.

    exact: no number was shortened, as settings are not.
    """
    instance: dict[str, Any] = {"table": table, "claims": [*claims]}
    if exact:
        instance["shortened"] = ["exact"]
    verdict = "VIOLATED" if causes else "HOLDS"
    return Version(
        terms={"digits": printed_room},
        assumes=(),
        checks=(Check("as-transcribed", instance, verdict),),
        note=note,
        causes=causes,
        mends=mends,
    )
