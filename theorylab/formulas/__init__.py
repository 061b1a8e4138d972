"""A loss as one function of one client, written down once and computed on any kind of numbers."""

from theorylab.formulas.boxes import Box
from theorylab.formulas.formula import Formula
from theorylab.formulas.symbolic import MOST_DIM
from theorylab.formulas.term import FormulaError
from theorylab.formulas.text import read, written

__all__ = ["MOST_DIM", "Box", "Formula", "FormulaError", "read", "written"]
