r"""Lemma 9: the parts of HGP's error (alpha = 1, beta = 0).

Printed (Appendix C.4; Assumption 9), for every i and M:

    (35) ||X_{B,st}||_2^2 <= eta_B^2 pbar_ts^2 / (kappa^2 dbar^2) eta_A^{2i}
    (36) ||X_{A,st}||_2^2 <= eta_B^2 pbar_ts^2 / (kappa^2 dbar^2) (eta_A/(1-eta_A))^2 eta_A^{2i}
                             + exp(-O(M))
    (37) ||Y_{B,t}||_2^2  <= 4 eta_B^2 / (kappa^2 b^2) eta_A^{2i}
    (38) ||Y_{A,t}||_2^2  <= 4 eta_B^2 / (kappa^2 b^2) (eta_A/(1-eta_A))^2 eta_A^{2i}
                             + exp(-O(M)).

True, and exp(-O(M)) is not needed: |L_4| eta_A^i = eta_B (eta_A^i - eta_A^M)/(1 - eta_A) (an error
of sign would be needed to add something), so the versions here leave it out; with it they are
weaker. The proof's slips: (36)'s first line prints 1/dbar - 2 (it has to be - 1) and takes the
square of |R_1| alone (L_5 = 0, so nothing comes of it); (eta/2 kappa)^2 = eta^2/kappa^2 is printed,
so X has a factor 4 to spare; the 2 + 2 sum pbar of Y should be up to 16, and 16/4 is the printed 4.
"so that 1 - beta + beta eta_A = 1" is true, and why Lemma 7 does not cover this case.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._bound import NORMS
from theorylab.statements.pdbo._symbols import (
    batch,
    edge_chance,
    edge_weight,
    eta_A,
    eta_B,
    kappa,
    term_index,
    vr_alpha,
    vr_beta,
)

_ASSUMES = (
    *NORMS,
    Assumption("Lemma 9: alpha = 1", rule=sp.Eq(vr_alpha, 1)),
    Assumption("Lemma 9: beta = 0", rule=sp.Eq(vr_beta, 0)),
)


def _part(column: str, text: str) -> Quantity:
    return Quantity(column, "rows", (0, 2), text, pathwise=True)


_X = (eta_B * edge_weight / (kappa * edge_chance)) ** 2 * eta_A ** (2 * term_index)
_Y = 4 * eta_B**2 / (kappa * batch) ** 2 * eta_A ** (2 * term_index)
_A = (eta_A / (1 - eta_A)) ** 2
_SETTING = {
    **{"network": {"name": "sto-d"}, "clients": 3, "alpha": 1.0, "beta": 0.0, "terms": [1, 4]},
    "eta_A": 0.9,
}
RANDOM = {**_SETTING, "batch": 2}
ALIGNED = {**_SETTING, "family": "aligned", "population": 6}
_CHECKS = (Check("random", RANDOM), Check("aligned", ALIGNED))

STATEMENT = Statement(
    id="pdbo.lem9",
    source=Source("pdbo", "Lemma 9", "the parts of HGP's error, (35) to (38)"),
    experiment="hgp-blocks",
    quantity=_part("X_B", r"\|X_{B,st}^{(i)}\|_2^2"),
    versions={
        "printed/eq35": Version(
            terms={"(35)": _X}, assumes=_ASSUMES, checks=_CHECKS, note="edges, B"
        ),
        "printed/eq36": Version(
            terms={"(36)": _X * _A},
            assumes=_ASSUMES,
            quantity=_part("X_A", r"\|X_{A,st}^{(i)}\|_2^2"),
            checks=_CHECKS,
            note="edges, A",
        ),
        "printed/eq37": Version(
            terms={"(37)": _Y},
            assumes=_ASSUMES,
            quantity=_part("Y_B", r"\|Y_{B,t}^{(i,\xi)}\|_2^2"),
            checks=_CHECKS,
            note="samples, B",
        ),
        "printed/eq38": Version(
            terms={"(38)": _Y * _A},
            assumes=_ASSUMES,
            quantity=_part("Y_A", r"\|Y_{A,t}^{(i,\xi)}\|_2^2"),
            checks=_CHECKS,
            note="samples, A",
        ),
    },
)
