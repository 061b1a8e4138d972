r"""Remark 1: "as the connectivity of the communication network improves, the value of q will become
smaller ... Additionally, the value of C decreases".

Judged by adding edges: q (or C) after them against before, where equal is allowed.

Readings and verdicts. "a < 1 is a constant": `printed` keeps a (a = 1/n; any other will do). The
formula falls with Delta B, and an added edge never lengthens a path: true, since log(1 - a^h)/(h+1)
increases in h (its numerator rises to 0, its denominator grows). With a = 1/D, as the lemma it
comes from has it (`printed/degree`), an edge that raises the out-degree and leaves the diameter
raises q: the ring of four with the chord 0 -> 2. `printed/c` is the C of the lemma it refers to,
2 sqrt(d) D^{Delta B} / lambda^{...}, which grows with D. As to the network itself
(`printed/true-rate`): |lambda_2| of four clients (2->0, 3->0, 0->1, 1->2, 0->3 and self-loops)
rises from .5 to .685 when 2 -> 1 is added, so better connected is not faster mixing.
"""

from __future__ import annotations

from theorylab.statements._base import Check, Source, Statement, Version
from theorylab.statements._quantity import Quantity
from theorylab.statements.dfedsgpsm._symbols import before

_CHORD = {"networks": [{"name": "directed-ring", "clients": 4}], "extra": [[[0, 2]]]}
_SLOWER = {
    "networks": [
        {
            "name": "edge-list",
            "clients": 4,
            "edges": [[2, 0], [3, 0], [0, 1], [1, 2], [0, 3]],
        }
    ],
    "extra": [[[2, 1]]],
}
_MANY = {
    "networks": [*({"name": "directed-ring", "clients": n} for n in (4, 5, 6, 8))] * 2,
    "extra": [
        *([[0, 2]] for _ in range(4)),
        *([[i, (i + 2) % n] for i in range(n)] for n in (4, 5, 6, 8)),
    ],
}


def _column(name: str, text: str) -> Quantity:
    return Quantity(f"{name}_after", "rows", (0, 0), text)


STATEMENT = Statement(
    id="dfedsgpsm.rem1_trend",
    source=Source("dfedsgpsm", "Remark 1", "q and C as the network gets better connected"),
    experiment="printed-rates",
    quantity=_column("fixed", r"q(G + e)"),
    versions={
        "printed": Version(
            terms={"before": before},
            assumes=(),
            constants={before: "fixed_before"},
            note="q with a = 1/n",
            checks=(Check("chord", _CHORD), Check("many", _MANY)),
        ),
        "printed/degree": Version(
            terms={"before": before},
            assumes=(),
            quantity=_column("remark", r"q(G + e)"),
            note="q with a = 1/D",
            checks=(Check("chord", _CHORD, "VIOLATED"),),
        ),
        "printed/c": Version(
            terms={"before": before},
            assumes=(),
            quantity=_column("factor", r"C(G + e)"),
            constants={before: "factor_before"},
            note="C of Lemma 3 of Assran et al. (2019)",
            checks=(Check("chord", _CHORD, "VIOLATED"),),
        ),
        "printed/true-rate": Version(
            terms={"before": before},
            assumes=(),
            quantity=_column("rate", r"|\lambda_2(P_{G+e})|"),
            constants={before: "rate_before"},
            note="the true rate of a static network",
            checks=(Check("slower", _SLOWER, "VIOLATED"),),
        ),
    },
)
