r"""Remark 1: an explicit q.

Printed: "the value of q in Corollary 1 can be explicitly expressed as q = (1 - a^{Delta
B})^{1/(Delta B + 1)}, where Delta represents the diameter ..., B has the same meaning as in
Assumption 1, and a < 1 is a constant" (B there is Assumption 1's window).

Readings. As a claim: C q^{t-s} with this q bounds the products for some finite C, that is, on a
static graph, |lambda_2(P)| <= q. "a < 1 is a constant": `printed` takes a = 1/n, the constant that
suits every graph of n clients; `printed/degree` takes a = 1/D, D the largest out-degree with the
self-loop (as DFedPGP quotes the lemma), which changes with the graph. "Explicitly expressed" as an
equality is false: the lemma it cites has 1 - n D^{-Delta B} under the root, and the true rate is
far below either (see the ratios).

True as a bound: after Delta B rounds every entry of the product is at least a^{Delta B}, so it
contracts by 1 - n a^{Delta B} <= 1 - a^{Delta B} every Delta B rounds, and the root printed is with
Delta B + 1, which is slower still. Where a weight is below a, or a client keeps nothing, "a
constant" is not the one read here: no verdict.
"""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedsgpsm._symbols import q_fixed, q_remark

_MANY = {
    "networks": [
        *({"name": "directed-ring", "clients": n} for n in (2, 3, 5, 9, 16)),
        *({"name": "complete", "clients": n} for n in (2, 4, 16)),
        {"name": "directed-exponential", "clients": 8},
        {"name": "star", "clients": 6, "weights": "uniform"},
        {"name": "path", "clients": 6, "weights": "uniform"},
        {  # every client but 0 sends to the next and back to 0: weights fall like 2^-i
            "name": "edge-list",
            "clients": 8,
            "edges": [*([i, i + 1] for i in range(7)), *([i, 0] for i in range(1, 8))],
        },
    ]
}

STATEMENT = Statement(
    id="dfedsgpsm.rem1",
    source=Source("dfedsgpsm", "Remark 1", "the rate q of the network"),
    experiment="printed-rates",
    quantity=Quantity("rate", "rows", (0, 0), r"|\lambda_2(P)|"),
    versions={
        "printed": Version(
            terms={"q": q_fixed},
            assumes=(),
            note="a = 1/n",
            checks=(Check("many-networks", _MANY),),
        ),
        "printed/degree": Version(
            terms={"q": q_remark},
            assumes=(),
            note="a = 1/D",
            checks=(Check("many-networks", _MANY),),
        ),
    },
)
