r"""Assumption 1: B-bounded connectivity.

Printed: there is a window B >= 1 such that the union of G(l), ..., G(l + B - 1) is strongly
connected, l = 0, 1, 2, ...

The same as dfedsgpsm's Assumption 1, judged at every l of the rounds looked at. Satisfiable. It
claims connectivity, not mixing: a directed ring without self-loops, a permutation, meets it with B
= 1, and nothing ever mixes. So (C, q) with q < 1 is assumed besides; ``thm1`` and ``lem3`` say of
that ring that it fails. (Algorithm 1's line 16 sums over N_i^in, self-loops are in Appendix B
alone.)
(Algorithm 1's shares are judged in ``alg1_input``, those of Appendix B, (6), in ``eq6``.)
"""

import sympy as sp

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedpgp import _instances as cases

STATEMENT = Statement(
    id="dfedpgp.asm1",
    source=Source("dfedpgp", "Assumption 1", "B-bounded connectivity"),
    experiment="network-matrices",
    quantity=Quantity(
        "components",
        "rows",
        (0, 0),
        r"\#\text{strong components of }\textstyle\bigcup_{k=l}^{l+\mathcal{B}-1}\mathcal{G}(k)",
        pathwise=True,
    ),
    versions={
        "printed": Version(
            terms={"one": sp.Integer(1)},
            assumes=(),
            checks=(
                Check("one-peer-window-3", cases.ASM1_ONE_PEER),
                Check(
                    "one-peer-window-2",
                    {**cases.ASM1_ONE_PEER, "width": 2},
                    "VIOLATED",
                    control=True,
                ),
                Check("ring", {**cases.ASM1_ONE_PEER, "topology": cases.RING}),
                Check(
                    "ring-without-self-loops",
                    {**cases.ASM1_ONE_PEER, "topology": cases.PERMUTATION},
                ),
            ),
        ),
    },
)
