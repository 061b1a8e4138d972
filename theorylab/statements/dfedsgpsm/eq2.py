r"""Equation (2), Appendix A.1: the chance that client i picks client j.

Printed: p(b_{i,j}) = e^{|f_i - f_j|} / sum_j e^{|f_i - f_j|}. Nothing is claimed of it but words
("strengthening consistency", "enhancing convergence stability"). What Algorithm 1 and Theorem 1
need of it, and the paper does not print:

`implied`: the fraction has a value. In float64 e^x does for x < 1024 log 2 = 709.8 alone; above,
(2) to the letter is inf/inf. Losses are sums over a data set or, here, clients 0 and 800 away from
their minimum: a gap of 799.3. (The exponent is a loss, so (2) also changes with the unit in which
losses are measured: ``unit`` is 1 of them. Subtracting the largest exponent mends the overflow
alone.)
`implied/heard`: every client is picked by somebody now and then, without which Assumption 1 fails.
With one pick a round, client j is picked once in 1/sum_{i != j} p(b_{i,j}) rounds; judged is that
this is at most T. False where a loss lies in the middle: of three clients with losses 0, 400 and
800 the two outer ones pick each other, and the middle one is heard once in e^{400} rounds: no
window of any run is connected.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from theorylab.statements._base import Check, Source, Statement, Version
from theorylab.statements._quantity import Quantity
from theorylab.statements._severity import Severity
from theorylab.statements.dfedsgpsm._symbols import loss_unit
from theorylab.symbols import T


def _losses(*distances: float) -> dict[str, Any]:
    """One client for each distance from its minimum, and so for each loss."""
    return {
        "problem": {"name": "log-cosh", "centers": [[distance] for distance in distances]},
        "topology": {"name": "complete"},
        "clients": len(distances),
        "rounds": 4,
        "algorithm": {"eta": 1e-3, "alpha": 0.5, "rho": 0.0, "local_steps": 1, "neighbours": 1},
    }


_FAR, _NEAR = _losses(0.0, 400.0, 800.0), _losses(0.0, 0.5, 1.0)
_ORDER = Check("near", _NEAR)
_FARTHER = {  # the middle one is left out ever more
    **_NEAR,
    "sweep": {
        "parameter": "gap",
        "values": [2, 20, 200, 800],
        "each": [_losses(0.0, gap / 2, float(gap)) for gap in (2, 20, 200, 800)],
    },
}

STATEMENT = Statement(
    id="dfedsgpsm.eq2",
    source=Source("dfedsgpsm", "Eq. (2), Appendix A.1", "picking neighbours by their losses"),
    algorithm="dfedsgpsm-s",
    quantity=Quantity("dfedsgpsm.loss_gap", "rows", (1, 0), r"\max_{i,j}|f_i-f_j|", pathwise=True),
    versions={
        "implied": Version(
            terms={"largest exponent": 1024 * sp.log(2) * loss_unit},
            assumes=(),
            constants={loss_unit: lambda setting: 1.0},
            note="Eq. (2) to the letter in float64",
            severity=Severity.MISSING_HYPOTHESIS,
            rests_on="losses that differ by 800",
            checks=(Check("far", _FAR, "VIOLATED"), _ORDER),
        ),
        "implied/heard": Version(
            terms={"run": sp.log(T)},
            assumes=(),
            quantity=Quantity(
                "dfedsgpsm.wait",
                "rows",
                (0, 0),
                r"\max_j\log\big(1/\sum_{i\ne j}p(b_{i,j})\big)",
                pathwise=True,
            ),
            note="one pick a round: every client is picked once in T rounds, on average",
            severity=Severity.MISSING_HYPOTHESIS,
            rests_on="a client whose loss is between the others'",
            checks=(Check("farther", _FARTHER, "VIOLATED"), _ORDER),
        ),
    },
)
