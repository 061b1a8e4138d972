"""A loss as one function of one client, written down once and computed on any kind of numbers."""

from theorylab.formulas.boxes import Box as Box
from theorylab.formulas.formula import Formula as Formula
from theorylab.formulas.gaps import gap_of as gap_of
from theorylab.formulas.gaps import is_endless as is_endless
from theorylab.formulas.sentence import read as read
from theorylab.formulas.symbolic import MOST_DIM as MOST_DIM
from theorylab.formulas.term import FormulaError as FormulaError
from theorylab.formulas.text import written as written

__all__ = [
    "MOST_DIM", "Box", "Formula", "FormulaError", "gap_of", "is_endless", "read", "written",
]  # fmt: skip
