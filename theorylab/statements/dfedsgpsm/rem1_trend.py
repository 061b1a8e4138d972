r"""Remark 1: "as the connectivity of the communication network improves, the value of q will become
smaller ... Additionally, the value of C decreases".

Judged by adding edges: q (or C) after them against before, where equal is allowed.

Readings and verdicts. "a < 1 is a constant": `printed` keeps a (a = 1/n; any other will do). The
formula falls with Delta B, and an added edge never lengthens a path: true, since log(1 - a^h)/(h+1)
increases in h (its numerator rises to 0, its denominator grows). With a = 1/D, as DFedPGP
quotes the lemma (`printed/degree`), the chord 0 -> 2 raises q from .909 to .962 on the ring of
three, and from .967 to .991 on the ring of four, whose true rate |lambda_2| falls from .707 to .572
at the same time. `printed/c` is the C of the lemma it refers to, 2 sqrt(d) D^{Delta B} /
lambda^{...}.

A remark on networks, which the paper does not speak of: an added edge may raise |lambda_2| as well.
Of four clients with self-loops and 2->0, 3->0, 0->1, 1->2, 0->3 it rises from .5 to .685 when
2 -> 1 is added.
"""

from __future__ import annotations

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedsgpsm._causes import DEGREE_FACTOR, DEGREE_RATE
from theorylab.statements.dfedsgpsm._symbols import before

_CHORD = {"networks": [{"name": "directed-ring", "clients": 4}], "extra": [[[0, 2]]]}
_THREE = {"networks": [{"name": "directed-ring", "clients": 3}], "extra": [[[0, 2]]]}
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
            mends=(DEGREE_RATE,),
            checks=(Check("chord", _CHORD), Check("many", _MANY)),
        ),
        "printed/degree": Version(
            terms={"before": before},
            assumes=(),
            quantity=_column("remark", r"q(G + e)"),
            note="q with a = 1/D",
            causes=(DEGREE_RATE,),
            checks=(
                Check("ring-of-three", _THREE, "VIOLATED"),
                Check("chord", _CHORD, "VIOLATED"),
            ),
        ),
        "printed/c": Version(
            terms={"before": before},
            assumes=(),
            quantity=_column("factor", r"C(G + e)"),
            constants={before: "factor_before"},
            note="C of the lemma that the remark cites, as DFedPGP quotes it",
            causes=(DEGREE_FACTOR,),
            checks=(Check("chord", _CHORD, "VIOLATED"),),
        ),
    },
)
