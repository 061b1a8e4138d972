"""h26. COINS OF EVERY LAW, rare ones: x^0 = 0, f = x^2/2, |x^T - x*|^2 is measured.
index: x^1 = 1000 [index = 0], m = 1000: E = 10^6/1000 = 1000. subset: 2 of 6 coordinates, only the
first counts, 60: E = 3600/3 = 1200. finite: 10^6 with chance 10^-9, else 0: E = 1000. sign: a walk of 10
rounds of length 10: E = 1000. index3: the sum of 3 rounds of index: E = 3*1000 + 6*(1000*.001)^2 = 3006
(10^9 outcomes; 997 of 1000 runs show 0). shared: 4 clients, one shared Bernoulli coin (p = .1), all jump
by 100: E|xbar|^2 = 1000; apart: the same, each with its own coin: E = 100^2 (.1*.9/4 + .01) = 325.
*-true: <= that number, TRUE with equality. *-false: <= .999 of it, FALSE (index3: <= 1 FALSE).
true: HOLDS best, INCONCLUSIVE acceptable, VIOLATED, ERROR wrong. false: VIOLATED best, INCONCLUSIVE
acceptable, HOLDS, ERROR wrong."""

from theorylab.algorithms import Algorithm
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import symbol

G = symbol("g2", "g^2", "a claimed squared distance", units=(0, 2))


class Toss(Algorithm, name="h26-toss"):
    def __init__(self, law):
        self.law = law

    def step(self, state, net):
        if self.law.startswith("index"):
            jump = 1000.0 * (net.coins(1, "index", m=1000) == 0)
        elif self.law == "subset":
            jump = 60.0 * net.coins(6, "subset", k=2)[..., :1]
        elif self.law == "finite":
            jump = net.coins(1, "finite", values=[0.0, 1e6], chances=[0.999999999, 1e-9])
        elif self.law == "sign":
            jump = 10.0 * net.coins(1, "sign")
        else:
            jump = 100.0 * net.coins(1, "bernoulli", p=0.1, shared=self.law == "shared")
        return net.next(state, x=state.x + jump)


def run(law, value, rounds, clients):
    return {
        "problem": {"name": "quadratic", "H": [[[1.0]]] * clients, "c": [[0.0]] * clients},
        "topology": {"name": "complete"},
        "clients": clients,
        "rounds": rounds,
        "algorithm": {"law": law},
        "constants": {"g2": value},
    }


LAWS = {
    "index": (1000, 999, 1, 1),
    "subset": (1200, 1198.8, 1, 1),
    "finite": (1000, 999, 1, 1),
    "sign": (1000, 999, 10, 1),
    "index3": (3006, 1, 3, 1),
    "shared": (1000, 999, 1, 4),
    "apart": (325, 324.675, 1, 4),
}
TRUE = tuple(Check(f"{k}-true", run(k, v[0], *v[2:]), "HOLDS") for k, v in LAWS.items())
FALSE = tuple(Check(f"{k}-false", run(k, v[1], *v[2:]), "VIOLATED") for k, v in LAWS.items())
STATEMENT = Statement(
    id="hostile.h26",
    source=Source("hostile", "Lemma 26", "coins of named laws"),
    algorithm="h26-toss",
    quantity=Quantity("squared_distance", "last"),
    versions={"true": Version({"bound": G}, (), TRUE), "false": Version({"bound": G}, (), FALSE)},
)
