"""What a claim may name, as rows: symbols, quantities, constants.

Each row is made of what defines it, so that no list has to be kept: letters of their declarations,
quantities of ``Quantity``, constants of a ring of four clients and a quadratic.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from theorylab import symbols
from theorylab.constants import PAIRS, network_constants
from theorylab.letters import EVERYWHERE
from theorylab.problems import problem
from theorylab.runs import COLUMNS
from theorylab.statements import QUANTITIES, Quantity
from theorylab.topologies import topology

Row = dict[str, Any]
LISTED: dict[str, tuple[tuple[str, str], ...]] = {  # kind: (key of a row, head of its column)
    "symbols": (
        ("name", "symbol"),
        ("latex", "LaTeX"),
        ("also", "also written"),
        ("units", "units"),
        ("by", "defined by"),
        ("side", "what may stand for it"),
        ("text", "what it is"),
    ),
    "quantities": (
        ("name", "quantity"),
        ("units", "units"),
        ("latex", "LaTeX"),
        ("text", "how a claim names it"),
    ),
    "constants": (
        ("name", "constant"),
        ("by", "defined by"),
        ("how", "known as"),
        ("text", "what it is"),
    ),
}


def units_text(units: tuple[int, int]) -> str:
    """Powers of a loss f and of a model x.

    >>> units_text((1, -2)), units_text((0, 0))
    ('f/x^2', '1')
    """
    over: list[str] = []
    under: list[str] = []
    for letter, power in zip("fx", units, strict=True):
        part = letter if abs(power) == 1 else f"{letter}^{abs(power)}"
        if power:
            (over if power > 0 else under).append(part)
    return " ".join(over or ["1"]) + (f"/{' '.join(under)}" if under else "")


def listed(kind: str) -> list[Row]:
    """The rows of ``LISTED[kind]``, each with a name and a text."""
    return _ROWS[kind]()


def _symbols() -> list[Row]:
    rows = []
    for name in sorted(EVERYWHERE, key=lambda each: (each.lower(), each)):
        made = symbols.BY_NAME[name]
        meaning = symbols.meaning_of(made)
        rows.append(
            {
                "name": name,
                "latex": made.name,
                "also": list(meaning.also),
                "units": units_text(meaning.units),
                "by": meaning.by,
                "side": meaning.side.value,
                "text": meaning.text,
            }
        )
    for name, short in symbols.ABBREVIATIONS.items():
        names = {s: symbols.name_of(s) for s in short.formula.free_symbols}
        plain = str(short.formula.xreplace({s: s.func(name) for s, name in names.items()}))
        rows.append(
            {
                "name": name,
                "latex": short.latex,
                "also": list(short.also),
                "units": units_text(short.units),
                "by": f"= {plain}",
                "side": "as of its letters",
                "text": short.text,
            }
        )
    return rows


def _quantities() -> list[Row]:
    named = [(name, made, f'quantity="{name}"') for name, made in QUANTITIES.items()]
    for column in ("suboptimality", "regret", *COLUMNS):
        try:
            made = Quantity(column, "last")
        except ValueError:  # a column that no claim names by itself
            continue
        named.append((column, made, f'Quantity("{column}", over), over as in claims.md'))
    return [
        {"name": name, "units": units_text(made.units), "latex": made.text, "text": text}
        for name, made, text in named
    ]


def _constants() -> list[Row]:
    names = {"lambda2", "spectral_gap", "sigma2", "mixing_time", *PAIRS}
    network = network_constants(topology("ring", 4), 4, names)
    found = [("the network", network), ("the problem", problem("quadratic", 2).constants())]
    rows = []
    for by, table in found:
        for name, known in table.items():
            made = symbols.BY_NAME[name] if name in EVERYWHERE else None
            source = f"on a ring of four: {known.source}"
            text = PAIRS.get(name) or (source if made is None else symbols.meaning_of(made).text)
            rows.append({"name": name, "by": by, "how": known.how.value, "text": text})
    return rows


_ROWS: dict[str, Callable[[], list[Row]]] = {
    "symbols": _symbols,
    "quantities": _quantities,
    "constants": _constants,
}
