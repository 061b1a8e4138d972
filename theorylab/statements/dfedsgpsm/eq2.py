r"""Equation (2), Appendix A.1: the chance that client i picks client j.

Printed: p(b_{i,j}) = e^{|f_i - f_j|} / sum_j e^{|f_i - f_j|}. Nothing is claimed of it but words
("strengthening consistency", "enhancing convergence stability"). What Assumption 1 needs of it, and
the paper does not print:

`implied/hears`: every client is picked by somebody now and then, and so hears from another one, as
b_{i,j} "denotes j in N_i^out": client i sends to those that it picks. Judged is 1 over the expected
number of clients that pick j in a round, for the j that waits longest, which has to be at most T.
The paper's clients have 10 neighbors each. ``ten-neighbours``: ten clients have the smallest loss,
ten the largest and one the mean of both. The outer ones pick each other, and the middle one hears
from another one once in e^{400} rounds or so at a gap of 800: no window of any run is connected.
With one pick a round three clients would do.

A remark on (2) to the letter: the exponent is a loss, so the chances change with the unit in which
losses are measured, and in float64 e^x overflows from x = 709.8 on. Subtracting the largest
exponent, as programs do, mends the overflow.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedsgpsm._causes import HEARS_NOBODY
from theorylab.symbols import T


def _losses(*distances: float, neighbours: int = 1) -> dict[str, Any]:
    """One client for each distance from its minimum, and so for each loss."""
    return {
        "problem": {"name": "log-cosh", "centers": [[distance] for distance in distances]},
        "topology": {"name": "complete"},
        "clients": len(distances),
        "rounds": 4,
        "algorithm": {
            **{"eta": 1e-3, "alpha": 0.5, "rho": 0.0, "local_steps": 1},
            "neighbours": neighbours,
        },
    }


def _two_groups(gap: float) -> dict[str, Any]:
    """Ten clients on either side of one, and the paper's 10 neighbours for each."""
    return _losses(*[0.0] * 10, gap / 2, *[gap] * 10, neighbours=10)


_GAPS = [2, 20, 200, 800]
_FARTHER = {  # the middle one is left out ever more
    **_two_groups(2.0),
    "sweep": {
        "parameter": "gap",
        "values": _GAPS,
        "each": [_two_groups(float(gap)) for gap in _GAPS],
    },
}

STATEMENT = Statement(
    id="dfedsgpsm.eq2",
    source=Source("dfedsgpsm", "Eq. (2), Appendix A.1", "picking neighbours by their losses"),
    algorithm="dfedsgpsm-s",
    quantity=Quantity(
        "dfedsgpsm.wait",
        "rows",
        (0, 0),
        r"\max_j\log\big(1/\sum_{i\ne j}P(j\in N_i^{out})\big)",
        pathwise=True,
    ),
    versions={
        "implied/hears": Version(
            terms={"run": sp.log(T)},
            assumes=(),
            note="every client is picked once in T rounds, on average",
            causes=(HEARS_NOBODY,),
            checks=(
                Check("ten-neighbours", _FARTHER, "VIOLATED"),
                Check("near", _losses(0.0, 0.5, 1.0)),
            ),
        ),
    },
)
