r"""Remark 2: q = (1 - a^{Delta B})^{1/(Delta B + 1)}, "where a < 1 is a constant", and C.

The formula of dfedsgpsm's Remark 1. "A constant": `printed` keeps a whatever the network is, a =
1/m, which suits every network of m clients; `printed/degree` reads 1/D (as in (14), D the
largest out-degree), which changes with the network. Both are upper bounds of the true rate
|lambda_2| on all static networks tried (proof in ``dfedsgpsm.rem1``). Judged further:

"the bound will be tighter as q decreases, which means the network connectivity improves", "C
decreases as the connectivity improves", that is, after an edge is added q and C are no larger.
`printed/q-falls` (a = 1/m) is true: log(1 - a^h)/(h+1) increases in h, and an added edge lengthens
no path. `printed/q-falls-degree` has a = 1/D, `printed/c-falls` C of the SGP lemma.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedsgpsm._causes import DEGREE_FACTOR, DEGREE_RATE
from theorylab.statements.dfedsgpsm._symbols import before, q_fixed, q_remark

_MANY = {
    "networks": [
        *({"name": "directed-ring", "clients": n} for n in (3, 4, 5, 8)),
        {"name": "directed-exponential", "clients": 8},
        {"name": "edge-list", "clients": 3, "edges": [[0, 1], [1, 2], [2, 0], [0, 2]]},
    ]
}
_CHORD = {"networks": [{"name": "directed-ring", "clients": 4}], "extra": [[[0, 2]]]}
_RINGS = {
    "networks": [{"name": "directed-ring", "clients": n} for n in (4, 5, 6, 8)],
    "extra": [[[i, (i + 2) % n] for i in range(n)] for n in (4, 5, 6, 8)],
}


def _column(name: str, text: str) -> Quantity:
    return Quantity(name, "rows", (0, 0), text)


def _falls(name: str, text: str, note: str, *checks: Check, **told: Any) -> Version:
    return Version(
        **told,
        terms={"before": before},
        assumes=(),
        quantity=_column(f"{name}_after", text),
        constants={before: f"{name}_before"},
        note=note,
        checks=checks,
    )


def _rate(q: sp.Symbol, note: str) -> Version:
    return Version(terms={"q": q}, assumes=(), note=note, checks=(Check("many-networks", _MANY),))


STATEMENT = Statement(
    id="dfedpgp.rem2",
    source=Source("dfedpgp", "Remark 2", "the rate q of the network, and C"),
    experiment="printed-rates",
    quantity=_column("rate", r"|\lambda_2(P)|"),
    versions={
        "printed": _rate(q_fixed, "a = 1/m"),
        "printed/degree": _rate(q_remark, "a = 1/D"),
        "printed/q-falls": _falls(
            "fixed", "q(G+e)", "q with a = 1/m, after an edge is added",
            Check("chord", _CHORD), Check("rings", _RINGS),
            mends=(DEGREE_RATE,),
        ),
        "printed/q-falls-degree": _falls(
            "remark", "q(G+e)", "q with a = 1/D, after an edge is added",
            Check("chord", _CHORD, "VIOLATED"),
            causes=(DEGREE_RATE,),
        ),
        "printed/c-falls": _falls(
            "factor", "C(G+e)", "C of the SGP lemma, after an edge is added",
            Check("chord", _CHORD, "VIOLATED"),
            causes=(DEGREE_FACTOR,),
        ),
    },
)  # fmt: skip
