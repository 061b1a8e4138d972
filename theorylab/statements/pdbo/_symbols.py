"""Symbols of PDBO. lambda is taken to have no units of its own."""

import sympy as sp

from theorylab.statements._entries import symbol_of


def __getattr__(name: str) -> sp.Symbol:
    return symbol_of(__package__, name)
