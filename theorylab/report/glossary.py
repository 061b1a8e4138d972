"""The letters of a paper: what each means there."""

from __future__ import annotations

from typing import NamedTuple

import sympy as sp

from theorylab import symbols
from theorylab.report.groups import Paper
from theorylab.statements import BUILT_IN


class Letter(NamedTuple):
    """latex: as formulas have it. name: as constants and instances have it."""

    latex: str
    name: str
    text: str


def glossary(paper: Paper) -> list[Letter]:
    """Every letter that a bound or an assumption of the paper's built-in statements has.

    One letter may mean two things in two papers, as B does; here it means one.
    """
    found: set[sp.Symbol] = set()
    for entry in paper.entries:
        if entry.built_in:
            statement = BUILT_IN[entry.id]
            found |= {s for v in statement.versions.values() for s in v.free}
    letters = [
        Letter(symbols.latex_of(s), symbols.name_of(s), symbols.meaning_of(s).text) for s in found
    ]
    return sorted(letters, key=lambda letter: (letter.name.lower(), letter.name))
