r"""Symbols of DePRL, under names and letters of their own: the paper's letters have other meanings.

K of the paper (communication rounds) is ``T`` here and N (workers) is ``n``. ``unit`` stands for
the number 1 wherever the paper adds or compares things of different units: M(k) adds a squared
distance to squared gradients, beta <= N/2 compares a step size with a number, and so on. It is 1 in
whatever units f and the models come, so a change of these units changes the printed claim.
"""

import sympy as sp

from theorylab.statements._entries import symbol_of


def __getattr__(name: str) -> sp.Symbol:
    return symbol_of(__package__, name)
