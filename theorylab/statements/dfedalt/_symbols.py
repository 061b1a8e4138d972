r"""Symbols of DFedAlt and DFedSalt. m of the paper (clients) is ``n`` here, its i under the sums of
Theorems 1 and 2 is t. Letters carry braces of their own where another paper uses the letter too.

``unit`` stands for the number 1 where the paper adds things of different units (L_v + 1). It is 1
in whatever units f and the models come, so a change of these units changes the printed claim.
"""

import sympy as sp

from theorylab.statements._entries import symbol_of


def __getattr__(name: str) -> sp.Symbol:
    return symbol_of(__package__, name)
