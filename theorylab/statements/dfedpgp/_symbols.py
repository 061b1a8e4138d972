r"""Symbols of DFedPGP, under names and letters of their own.

A letter that another paper has for another thing would be the same symbol: hence the bold indices.
m of the paper (clients) is ``n`` here. ``unit`` stands for the number 1 wherever the paper adds or
compares things of different units: it is 1 in whatever
units f and the models come, so a change of these units changes the printed claim.
"""

import sympy as sp

from theorylab.statements._entries import symbol_of


def __getattr__(name: str) -> sp.Symbol:
    return symbol_of(__package__, name)
