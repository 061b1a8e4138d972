"""Symbols of DFedSGPSM's lemmas: places inside a round, and right sides that are measured."""

import sympy as sp

from theorylab.statements._entries import symbol_of
from theorylab.symbols import t as t


def __getattr__(name: str) -> sp.Symbol:
    return symbol_of(__package__, name)
