"""What rounding can do to the two sides of an identity about HGP's matrices.

Both sides are polynomials in the entries of the matrices. A number passes through at most
2M + 4 products of matrices of N = n d_y columns, each with at most 3 scalar operations of its own,
and through 4M + 20 additions and powers of alpha (Lemma 5, the longest): at most 4 (M+2)(N+4)
operations. So each side is off by at most gamma_m times its sum of absolute values (Higham 2002,
Sections 3.1 and 3.5, any order of addition), and as that sum is computed too, m is doubled:
gamma_m = m u / (1 - m u), m = 8 (M+2)(N+4).
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements.pdbo._symbols import hgp_size, terms
from theorylab.symbols import roundoff


def gamma(operations: sp.Expr) -> sp.Expr:
    """m u / (1 - m u)."""
    return operations * roundoff / (1 - operations * roundoff)


OPERATIONS = 8 * (terms + 2) * (hgp_size + 4)
# A norm is one singular value decomposition more, backward stable with a constant of order N^2.
NORM_OPERATIONS = 8 * (terms + 2) * (hgp_size + 4) ** 2
